"""Reports made visible: heat map, whiskers and chips for a terminal; CSV, Markdown and JSON for the rest."""

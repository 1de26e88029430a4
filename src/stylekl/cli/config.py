"""`stylekl config`: the settings in force, and the files they come from.

A flag beats `STYLEKL_<NAME>` in the environment, which beats `stylekl.toml` in this folder, which beats the user's
`config.toml`, which beats the default. The files hold plain keys named like the options: `ramp = "cividis"`. Several
models, topics or prompts are a list in a file, and stand between commas in the environment.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from stylekl.cli.exporting import put
from stylekl.cli.groups import settable
from stylekl.cli.reading import ReadingOptions
from stylekl.cli.settings import LISTS, configurable
from stylekl.errors import InputError
from stylekl.text import visible

PROJECT = "stylekl.toml"
COMMANDS = ("matrix", "pair", "focus", "drift", "diff", "tree", "card", "report")
READERS = ("findings", "rank", "who-wrote", "verdicts", "check", "convert", "judge", "vote", "plan")
PLANS = ("pairings", "sessions")  # commands of a group have maps of their own


def user_file() -> Path:
    """Return the path of the user's file, which need not exist."""
    return Path(typer.get_app_dir("stylekl", force_posix=False)) / "config.toml"


def _values(path: Path) -> dict[str, Any]:
    """Return the settings of one file as text or lists of text, for the options to judge like a flag's value.

    Raises InputError for bad TOML, a name that is no setting, and a value that no option can take.
    """
    if not path.is_file():
        return {}
    import tomllib

    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error}", 'the file is TOML: ramp = "cividis"') from None
    settings = {name.replace("-", "_"): value for name, value in found.items()}
    if unknown := sorted(set(settings) - set(configurable())):
        raise InputError(
            f"{path}: no setting is called {unknown[0]}", f"settings: {', '.join(configurable())}"
        )
    for name, value in settings.items():
        if not isinstance(value, (str, int, float, list)) or (isinstance(value, list) and name not in LISTS):
            raise InputError(
                f"{path}: {name}: not a value of one setting", 'the file is TOML: ramp = "cividis"'
            )
    return {
        name: list(map(_text, value)) if isinstance(value, list) else _text(value)
        for name, value in settings.items()
    }


def _text(value: Any) -> str:
    """Return a value of TOML as one would give it to a flag."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def default_map(arguments: list[str]) -> dict[str, dict[str, Any]]:
    """Return what the files say, and of the environment the lists, where the command has the shared options.

    A command that reads results and has no other options of these gets those on files and names alone.
    Help is the same whatever the files say, and a fault in them keeps nobody from reading it.
    """
    command = next(iter(arguments), "")
    if command not in COMMANDS + READERS or {"-h", "--help"} & set(arguments):
        return {}
    settings = _values(user_file()) | _values(Path(PROJECT))
    settings |= {name: os.environ[_variable(name)] for name in LISTS if os.environ.get(_variable(name))}
    for name in set(LISTS) & set(settings):
        if isinstance(settings[name], str):
            settings[name] = [part.strip() for part in settings[name].split(",")]
    if command in READERS:
        own = settable(ReadingOptions, LISTS)
        settings = {name: value for name, value in settings.items() if name in own}
    return {command: dict.fromkeys(PLANS, settings) if command == "plan" else settings}


def origin(context: Any, parameter: Any) -> str:
    """Return where the bad value of a parameter comes from; nothing where it is the command line."""
    source = context.get_parameter_source(parameter.name) if context and parameter else None
    if getattr(source, "name", "") not in ("ENVIRONMENT", "DEFAULT_MAP"):
        return ""
    return next((f"the value is from {place}" for name, _, place in in_force() if name == parameter.name), "")


def _variable(name: str) -> str:
    return f"STYLEKL_{name.upper()}"


def in_force() -> list[tuple[str, Any, str]]:
    """Return each setting, its value where no flag is given, and where that comes from."""
    project, user = _values(Path(PROJECT)), _values(user_file())
    rows: list[tuple[str, Any, str]] = []
    for name, default in configurable().items():
        variable = _variable(name)
        if os.environ.get(variable):
            rows.append((name, os.environ[variable], variable))
        elif name in project:
            rows.append((name, project[name], PROJECT))
        elif name in user:
            rows.append((name, user[name], str(user_file())))
        else:
            rows.append((name, default, "default"))
    return rows


def config(
    show: Annotated[  # noqa: ARG001 - showing is all there is to do
        bool, typer.Option("--show", help="Print each setting, its value and its origin (the default).")
    ] = True,
) -> None:
    """Show the settings in force and where each comes from.

    \b
    Examples:
      stylekl config --show
    """
    rows = [(name, visible(_shown(value)), visible(place)) for name, value, place in in_force()]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for name, value, place in rows:
        put(f"{name:{widths[0]}}  {value:{widths[1]}}  {place}\n")


def _shown(value: Any) -> str:
    """Return a setting as one would give it to a flag, several between commas; `-` where there is none."""
    return "-" if value is None else ", ".join(value) if isinstance(value, list) else _text(value)

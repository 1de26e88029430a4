"""Everything that a file says as one page of HTML: `render` draws it, `document` is the JSON in it."""

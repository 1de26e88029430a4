"""`stylekl config`: the settings in force, and the files they come from.

A flag beats `STYLEKL_<NAME>` in the environment, which beats `stylekl.toml` in this folder, which beats the user's
`config.toml`, which beats the default. The files hold plain keys named like the options: `ramp = "cividis"`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from stylekl.cli.settings import configurable
from stylekl.errors import InputError, UsageError
from stylekl.text import visible

PROJECT = "stylekl.toml"
COMMANDS = ("matrix", "pair", "focus")


def user_file() -> Path:
    """Return the path of the user's file, which need not exist."""
    return Path(typer.get_app_dir("stylekl", force_posix=False)) / "config.toml"


def _values(path: Path) -> dict[str, Any]:
    """Return the settings of one file; raises InputError for bad TOML or a name that is no setting."""
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
    return settings


def default_map() -> dict[str, dict[str, Any]]:
    """Return what the configuration files say, for each command that has the shared options."""
    settings = _values(user_file()) | _values(Path(PROJECT))
    return dict.fromkeys(COMMANDS, settings) if settings else {}


def in_force() -> list[tuple[str, Any, str]]:
    """Return each setting, its value where no flag is given, and where that comes from."""
    project, user = _values(Path(PROJECT)), _values(user_file())
    rows: list[tuple[str, Any, str]] = []
    for name, default in configurable().items():
        variable = f"STYLEKL_{name.upper()}"
        if variable in os.environ:
            rows.append((name, os.environ[variable], variable))
        elif name in project:
            rows.append((name, project[name], PROJECT))
        elif name in user:
            rows.append((name, user[name], str(user_file())))
        else:
            rows.append((name, default, "default"))
    return rows


def config(
    show: Annotated[
        bool, typer.Option("--show", help="Print each setting, its value and its origin.")
    ] = False,
) -> None:
    """Show the settings in force and where each comes from.

    \b
    Examples:
      stylekl config --show
    """
    if not show:
        raise UsageError("nothing to do", "stylekl config --show")
    rows = [
        (name, "-" if value is None else visible(str(value)), visible(origin))
        for name, value, origin in in_force()
    ]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for name, value, origin in rows:
        sys.stdout.write(f"{name:{widths[0]}}  {value:{widths[1]}}  {origin}\n")

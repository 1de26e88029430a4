"""Groups of options that several commands share: declared once as a dataclass, and handed over as one object."""

from __future__ import annotations

import functools
import inspect
from dataclasses import fields
from typing import TYPE_CHECKING, Any, get_type_hints

import typer

if TYPE_CHECKING:
    from collections.abc import Callable


def option(*names: str, panel: str, **extra: Any) -> Any:
    """Return an option that `STYLEKL_<NAME>` and the configuration files set too."""
    variable = "STYLEKL_" + names[0].lstrip("-").replace("-", "_").upper()
    return typer.Option(*names, envvar=variable, show_envvar=False, rich_help_panel=panel, **extra)


def settable(kind: type, lists: tuple[str, ...]) -> dict[str, Any]:
    """Return the options of a group that the environment and the configuration files may set, with their defaults."""
    hints = get_type_hints(kind, include_extras=True)
    return {
        field.name: field.default
        for field in fields(kind)
        if field.name in lists
        or any(getattr(extra, "envvar", None) for extra in hints[field.name].__metadata__)
    }


def with_group(
    kind: type, name: str, without: tuple[str, ...] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command every field of a dataclass as an option; it receives them as its argument `name`.

    Those `without` which it does are no options of it, and keep their defaults.
    """

    def change(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        own = [p for p in signature.parameters.values() if p.name != name]
        hints = get_type_hints(kind, include_extras=True)
        shared = [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=field.default,
                annotation=hints[field.name],
            )
            for field in fields(kind)
            if field.name not in without
        ]

        @functools.wraps(command)
        def run(**values: Any) -> None:
            group = kind(**{parameter.name: values.pop(parameter.name) for parameter in shared})
            command(**values, **{name: group})

        keyword = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
        run.__signature__ = inspect.Signature(keyword + shared)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in keyword + shared}
        return run

    return change

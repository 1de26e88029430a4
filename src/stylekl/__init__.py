"""stylekl compares language models by what they answer to the same prompts.

The Python interface is the command line's verbs: `load` a results file, then ask for the `matrix`, a `pair`,
the `focus` on one model or the `findings`. Each returns a frozen report. These look at style; `lens("votes")` and the
like have the same verbs for other evidence. A `Reading` tells `load` how files are read; `square` and `frame` make
arrays and data frames of reports. Importing this package loads nothing heavy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stylekl.frames import frame, square
    from stylekl.lenses.registry import lens
    from stylekl.lenses.style import findings, focus, matrix, pair
    from stylekl.results import Reading, load

__all__ = [
    "Reading",
    "__version__",
    "findings",
    "focus",
    "frame",
    "lens",
    "load",
    "matrix",
    "pair",
    "square",
]

_HOMES = {
    "Reading": "stylekl.results",
    "findings": "stylekl.lenses.style",
    "focus": "stylekl.lenses.style",
    "frame": "stylekl.frames",
    "lens": "stylekl.lenses.registry",
    "load": "stylekl.results",
    "matrix": "stylekl.lenses.style",
    "pair": "stylekl.lenses.style",
    "square": "stylekl.frames",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("stylekl")
        except PackageNotFoundError:  # run from the sources without installing
            return "0+unknown"
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'stylekl' has no attribute {name!r}")

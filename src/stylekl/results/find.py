"""Finding a model by what a user types."""

from __future__ import annotations

from collections import Counter
from difflib import get_close_matches
from typing import TYPE_CHECKING

from stylekl.errors import UnknownModelError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stylekl.results.records import Model, Results

SHOWN = 4  # more suggestions than this are a list to read, not a hint


def find_model(results: Results, name: str) -> Model:
    """Return the model that `name` means.

    Tried in this order: the exact id, the exact name, either in any case, a prefix of either in any case. The
    first of these that fits one model wins. Raises UnknownModelError with the models that it fits where they
    are several, and with the nearest ones (the first of the file where nothing is near) where it fits none.
    """
    folded = name.casefold()
    tests = (
        lambda model: model.id == name,
        lambda model: model.name == name,
        lambda model: folded in _keys(model),
        lambda model: any(key.startswith(folded) for key in _keys(model)),
    )
    for test in tests if name else ():
        found = [model for model in results.models if test(model)]
        if len(found) == 1:
            return found[0]
        if found:
            raise UnknownModelError(name, _labels(results, found), ambiguous=True)
    raise UnknownModelError(name, _nearest(results, folded))


def _keys(model: Model) -> tuple[str, ...]:
    return (model.id.casefold(), model.label.casefold())


def _labels(results: Results, models: Iterable[Model]) -> list[str]:
    """Return the label of each model, or its id where another model of the file has that label."""
    owners = Counter(model.label for model in results.models)
    return [model.label if owners[model.label] == 1 else model.id for model in models]


def _nearest(results: Results, folded: str) -> list[str]:
    owners = {key: model for model in results.models for key in _keys(model)}
    near = [owners[key] for key in get_close_matches(folded, owners, n=2 * SHOWN, cutoff=0.5)]
    return list(dict.fromkeys(_labels(results, near)))[:SHOWN] or _labels(results, results.models[:SHOWN])

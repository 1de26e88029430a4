"""Finding a model by what a user types."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from stylekl.errors import UnknownModelError

if TYPE_CHECKING:
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
            raise UnknownModelError(name, _labels(found), ambiguous=True)
    raise UnknownModelError(name, _nearest(results, folded))


def _keys(model: Model) -> tuple[str, ...]:
    return (model.id.casefold(), model.label.casefold())


def _labels(models: list[Model]) -> list[str]:
    """Return the label of each model, or its id where two share a label."""
    labels = [model.label for model in models]
    return [m.label if labels.count(m.label) == 1 else m.id for m in models]


def _nearest(results: Results, folded: str) -> list[str]:
    owners = {key: model for model in results.models for key in _keys(model)}
    near = [owners[key].label for key in get_close_matches(folded, owners, n=2 * SHOWN, cutoff=0.5)]
    return list(dict.fromkeys(near))[:SHOWN] or _labels(results.models[:SHOWN])

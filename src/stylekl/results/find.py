"""Finding a model by what a user types."""

from __future__ import annotations

from collections import Counter
from difflib import get_close_matches
from typing import TYPE_CHECKING

from stylekl.errors import UnknownModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from stylekl.results.records import Model, Results

SHOWN = 4  # more suggestions than this are a list to read, not a hint


def find_model(results: Results, name: str) -> Model:
    """Return the model that `name` means.

    Tried in this order: the exact id, the exact name, either in any case, one of the other names that the model has
    (requested, returned, aliases), that in any case, a prefix of id or name in any case, a prefix of another name. The
    first of these that fits one model wins. Raises UnknownModelError with the models that it fits where they are
    several, and with the nearest ones (the first of the file where nothing is near) where it fits none.
    """
    folded = name.casefold()
    found = called(results.models, name)
    for keys in (_keys, _all_keys):
        if not found and name:
            found = [model for model in results.models if any(key.startswith(folded) for key in keys(model))]
    if len(found) == 1:
        return found[0]
    if found:
        raise UnknownModelError(name, _labels(results, found), ambiguous=True)
    raise UnknownModelError(name, _nearest(results, folded))


def called(models: Iterable[Model], name: str) -> list[Model]:
    """Return the models that are called `name`, in full, by the strongest of their names that is called so.

    That is the exact id, else the exact name, else either in any case, else another name, else that in any case.
    """
    folded = name.casefold()
    tests: tuple[Callable[[Model], bool], ...] = (
        lambda model: model.id == name,
        lambda model: model.name == name,
        lambda model: folded in _keys(model),
        lambda model: name in model.known_as,
        lambda model: folded in _all_keys(model),
    )
    given = list(models)
    return next((found for test in tests if (found := [model for model in given if test(model)])), [])


def _keys(model: Model) -> tuple[str, ...]:
    return (model.id.casefold(), model.label.casefold())


def _all_keys(model: Model) -> tuple[str, ...]:
    return tuple(name.casefold() for name in model.known_as)


def _labels(results: Results, models: Iterable[Model]) -> list[str]:
    """Return the label of each model, or its id where another model of the file has that label."""
    owners = Counter(model.label for model in results.models)
    return [model.label if owners[model.label] == 1 else model.id for model in models]


def _nearest(results: Results, folded: str) -> list[str]:
    owners = {key: model for model in results.models for key in _all_keys(model)}
    near = [owners[key] for key in get_close_matches(folded, owners, n=2 * SHOWN, cutoff=0.5)]
    return list(dict.fromkeys(_labels(results, near)))[:SHOWN] or _labels(results, results.models[:SHOWN])

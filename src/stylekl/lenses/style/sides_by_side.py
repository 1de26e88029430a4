"""Two results as one, every model twice: as the older has it, and as the newer does."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec

from stylekl.errors import UsageError
from stylekl.results.merge import merge
from stylekl.results.records import Source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stylekl.results import Model, Results


@dataclass(frozen=True, slots=True)
class Both:
    """`results` hold the models of two results under ids of their own; prompts are joined by text.

    `matched` pairs the ids there of the models that are the same in both, older before newer, in the order of the
    newer's ids. `own` gives the model, as its file has it, behind each id. `only_old` and `only_new` are the labels
    of the others.
    """

    old: Results
    new: Results
    results: Results
    matched: tuple[tuple[str, str], ...]
    own: Mapping[str, Model]
    only_old: tuple[str, ...]
    only_new: tuple[str, ...]


def both(old: Results, new: Results, *, keep_new: bool = False) -> Both:
    """Return two results as one; with `keep_new` the newer's models keep their ids.

    Models are the same by id, else by a label that is one model's alone on either side; UsageError where none is.
    """
    taken = {model.id for found in (old, new) for model in found.models}
    new_ids = {m.id: m.id if keep_new else _free(f"{m.id} (new)", taken) for m in new.models}
    old_ids = {m.id: _free(f"{m.id} (old)", taken) for m in old.models}
    whole = merge([_renamed(old, old_ids, "old"), _renamed(new, new_ids, "new")])
    whole.sources = [*old.sources, *new.sources]
    same = _matched(old.models, new.models)
    if not same:
        raise UsageError(
            "the two files share no model",
            f"they are matched by id or name; the first has {_some(old)}, the second {_some(new)}",
        )
    own = {old_ids[m.id]: m for m in old.models} | {new_ids[m.id]: m for m in new.models}
    return Both(
        old=old,
        new=new,
        results=whole,
        matched=tuple((old_ids[a], new_ids[b]) for b, a in sorted(same.items())),
        own=own,
        only_old=tuple(m.label for m in old.models if m.id not in same.values()),
        only_new=tuple(m.label for m in new.models if m.id not in same),
    )


def _matched(old: Sequence[Model], new: Sequence[Model]) -> dict[str, str]:
    """Return the older id of each newer model that has one."""
    ids = {model.id for model in old}
    same = {model.id: model.id for model in new if model.id in ids}
    free = [m for m in old if m.id not in same], [m for m in new if m.id not in same]
    counts = [Counter(model.label for model in models) for models in free]
    owner = {model.label: model.id for model in free[0]}
    same |= {m.id: owner[m.label] for m in free[1] if counts[0][m.label] == counts[1][m.label] == 1}
    return same


def _renamed(results: Results, ids: Mapping[str, str], side: str) -> Results:
    """Return the models, prompts, conditions and replies of results, the models under other ids.

    What has no part in a comparison of style stays out, and the same file on both sides counts twice.
    """
    return replace(
        results,
        models=[msgspec.structs.replace(model, id=ids[model.id]) for model in results.models],
        replies=[msgspec.structs.replace(reply, model=ids[reply.model]) for reply in results.replies],
        other={},
        unknown={},
        sources=[Source(source.path, f"{side} {source.sha256}") for source in results.sources],
    )


def _some(results: Results) -> str:
    names = [model.label for model in results.models]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "") or "none"


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "~"
    taken.add(name)
    return name

"""Any files that can be read as one results file of stylekl's own form, and nothing that was collected overwritten."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stylekl.errors import UsageError
from stylekl.results.save import save

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stylekl.results.records import Results


@dataclass(frozen=True, slots=True)
class Converted:
    """What was written. `extra` says of each field that no record has a place for how many replies keep it there.

    `kept` are the fields of models, prompts and the file that are not ours, and `others` the records of other kinds:
    votes, judgments and the like.
    """

    models: int
    prompts: int
    replies: int
    others: dict[str, int]
    extra: dict[str, int]
    kept: tuple[str, ...]


def check_target(path: str, inputs: Iterable[str], *, force: bool = False) -> None:
    """Raise UsageError where `path` is one of the inputs, `force` or not, or is there already without `force`."""
    if not os.path.lexists(path):
        return
    for given in inputs:
        if os.path.exists(given) and os.path.exists(path) and os.path.samefile(given, path):
            raise UsageError(f"{path}: is one of the files that are read", "write to another file")
    if os.path.isdir(path):
        raise UsageError(f"{path}: a folder, not a file", "name a file in it, such as results.json")
    if not force:
        raise UsageError(f"{path}: exists already", "name another file, or replace it with --force")


def convert(results: Results, path: str, *, force: bool = False) -> Converted:
    """Write results to `path` and return what was written.

    Reading what was written gives equal results, and writing these gives the same bytes. Raises UsageError as
    `check_target` does, where the inputs are the sources of the results, and what `save` raises.
    """
    check_target(path, (source.path for source in results.sources), force=force)
    save(results, path)
    return converted(results)


def converted(results: Results) -> Converted:
    """Return what a results file of these results holds, and where it keeps what has no place of its own."""
    extra: Counter[str] = Counter()
    kept: dict[str, None] = {}
    for reply in results.replies:
        extra.update(reply.extra.keys())
    for record in (*results.models, *results.prompts, *results.conditions):
        kept.update(dict.fromkeys(record.unknown))
    kept.update(dict.fromkeys(results.unknown))
    return Converted(
        models=len(results.models),
        prompts=len(results.prompts),
        replies=len(results.replies),
        others={array: len(rows) for array, rows in results.other.items() if rows},
        extra=dict(sorted(extra.items(), key=lambda item: (-item[1], item[0]))),
        kept=tuple(kept),
    )

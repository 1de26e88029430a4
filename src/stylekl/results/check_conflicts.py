"""Reading files that contradict each other: all that contradicts is named, and what came first counts."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from stylekl.errors import ConflictError
from stylekl.results import load, merge, readers
from stylekl.results.document import read_document
from stylekl.results.names import name_models, rename_models
from stylekl.results.readers.folder import is_folder
from stylekl.results.reading import AS_FOUND, Reading

if TYPE_CHECKING:
    from collections.abc import Hashable

    from stylekl.results.records import Reply, Results

MOST = 100  # conflicts named; two exports of one study differ everywhere or nowhere


def load_all(conflicts: list[str], *paths: str, reading: Reading = AS_FOUND) -> Results:
    """Read files as `load` does, but go on where two of them contradict each other.

    `conflicts` takes a sentence on each thing that two files say differently; the later one is not in the results.
    Raises what `load` raises for all else; ConflictError too where folders or standard input are among the paths, which
    are not read twice, and where one file contradicts itself.
    """
    try:
        return load(*paths, reading=reading)
    except ConflictError:
        if any(path == "-" or is_folder(path) for path in paths) or len(paths) < 2:
            raise
    seen = _Seen()
    parts = [seen.without(readers.read(read_document(path, tuple(paths), reading))) for path in paths]
    results = merge(parts)
    rename_models(results, reading.rename)
    name_models(results, reading.names)
    left = len(seen.conflicts) - MOST
    conflicts += seen.conflicts[:MOST] + ([f"and {left} more of this kind"] if left > 0 else [])
    return results


class _Seen:
    """What the files said so far, by identity: a digest of it, and where it stands."""

    def __init__(self) -> None:
        self.conflicts: list[str] = []
        self._known: dict[Hashable, tuple[int, str]] = {}

    def without(self, part: Results) -> Results:
        """Return a file without what contradicts one before."""
        path = part.sources[0].path if part.sources else "results"
        prompts = {prompt.id: prompt.text for prompt in part.prompts}
        added = {condition.id: condition.added for condition in part.conditions}
        conditions = [
            each
            for each in part.conditions
            if not self._differs(("condition", each.id), hash(each.added), path, f'condition "{each.id}"')
        ]
        gone = added.keys() - {each.id for each in conditions}
        replies, places = [], []
        for index, reply in enumerate(part.replies):
            if reply.condition in gone or self._clashes(part, index, reply, prompts, added):
                continue
            replies.append(reply)
            places.append(part.places[index] if index < len(part.places) else ("reply", index + 1))
        other = {
            array: [row for row in rows if self._fits(array, row, path)] for array, rows in part.other.items()
        }
        changed = dataclasses.replace(part, conditions=conditions, other=other)
        changed.replies, changed.places = type(part.replies)(replies), type(part.places)(places)
        return changed

    def _clashes(self, part: Results, index: int, reply: Reply, prompts: Any, added: Any) -> bool:
        if reply.sample is None:
            return False
        asked = prompts.get(reply.prompt, reply.prompt), added.get(reply.condition, ("", "", ""))
        what = f"the reply of {reply.model} to {reply.prompt}, sample {reply.sample},"
        key = ("reply", reply.model, *asked, reply.period, reply.sample)
        return self._differs(key, hash(reply.text), part.place(index), what)

    def _fits(self, array: str, row: dict[str, Any], path: str) -> bool:
        name = row.get("id")
        if not isinstance(name, str):
            return True
        return not self._differs((array, name), hash(repr(row)), path, f'record "{name}" of {array}')

    def _differs(self, key: Hashable, digest: int, place: str, what: str) -> bool:
        known, before = self._known.setdefault(key, (digest, place))
        if known == digest:
            return False
        self.conflicts.append(f"{what} differs between {before} and {place}; the first counts")
        return True

"""The work of one question that the next needs too, kept beside the answers: the place where it is written and read.

`lenses.style.kept` says what it is. The name of an entry is a digest like that of an answer, of the settings alone that
say which texts are compared and on which symbols: another pair, another model in focus, another skew find it.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from stylekl.counts.blocks import Entry
    from stylekl.lenses.style.evidence import Evidence
    from stylekl.lenses.style.options import StyleOptions

# Settings that change neither texts nor symbols. The facets are kept together; what was found of pairs is of one.
_ASKED = {"models", "skew", "rank", "seed", "no_text", "debug"}
Found = TypeVar("Found")


class _Place(NamedTuple):
    """Where an entry is, and what its name is short for."""

    path: Path
    key: bytes

    def find(self) -> Entry | None:
        from stylekl.counts import blocks

        return blocks.find(*self)

    def write(self, of: Callable[[], Iterable[tuple[str, bytes]]]) -> None:
        from stylekl.counts import blocks

        # What no encoding holds is kept nowhere: lone surrogates in names, integers of more than 64 bits.
        with suppress(UnicodeEncodeError, OverflowError):
            if not self.path.exists():
                blocks.write(*self, of())


@dataclass(frozen=True)
class Work:
    """Where the work on some files is kept: the material, and what was found of all pairs; null where it is not."""

    material: _Place | None = None
    pairs: _Place | None = None

    def there(self) -> bool:
        """Return whether anything is kept that an answer can be made of."""
        return all(place is not None and place.path.exists() for place in (self.material, self.pairs))

    def answer(
        self,
        options: StyleOptions,
        models: Sequence[str] | None,
        asking: Callable[[Evidence], Found],
    ) -> Found | None:
        """Return what `asking` says of the evidence that was kept; None where none is, or it is damaged.

        `models` are those whose counts are needed, null for all. Raises what `asking` raises.
        """
        from stylekl.counts.blocks import Damaged

        if self.pairs is None or self.material is None:
            return None
        pairs, material = self.pairs.find(), self.material.find()
        try:
            if pairs is None or material is None:
                return None
            from stylekl.lenses.style.kept import evidence_from, known_pairs

            return asking(evidence_from(material, options, known_pairs(pairs), models))
        except Damaged as error:
            error.entry.delete()
            return None
        finally:
            for entry in (pairs, material):
                if entry is not None:
                    entry.close()

    def tell(self, evidence: Evidence) -> None:
        """Let evidence know what an earlier run found of all pairs."""
        from stylekl.counts.blocks import Damaged
        from stylekl.lenses.style.kept import known_pairs

        if self.pairs is None or (entry := self.pairs.find()) is None:
            return
        try:
            vars(evidence.known).update(vars(known_pairs(entry)))
        except Damaged:
            entry.delete()
        finally:
            entry.close()

    def keep(self, evidence: Evidence) -> None:
        """Keep what is not yet kept of evidence after a question; nothing happens where it cannot be written."""
        from stylekl.lenses.style.kept import material_of, pairs_of, whole, whole_pairs

        if self.pairs is not None and whole_pairs(evidence.known):
            self.pairs.write(lambda: pairs_of(evidence.known))
        if self.material is not None and whole(evidence):
            self.material.write(lambda: material_of(evidence))


NO_WORK = Work()


def work_on(place: Path, code: bytes, said: Mapping[str, Any], *files: Any) -> Work:
    """Return where the work on files is kept in a folder, where the settings are these."""
    chosen = {name: value for name, value in said.items() if name not in _ASKED}
    facet = chosen.pop("facet")

    def named(*more: Any) -> _Place:
        told = msgspec.json.encode(["work", chosen, files, more], order="deterministic")
        key = hashlib.sha256(code + told).digest()
        return _Place(place / f"{key.hex()[:40]}.work", key)

    return Work(named(), named(facet))

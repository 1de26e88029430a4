"""What the questions about single models have in common, as blocks of bytes that a later run reads in place of files.

There are two bodies of it. The **pairs** are what was found of every pair of models: p, kinship, copies. The
**material** is who wrote what, the texts, and the counts of each facet on the symbols that a comparison may look at:
those of the vocabulary, and those that some pair's replies hold often enough for the exchange test. From there on a
question is answered as if the files had been read. Symbols have other numbers, in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeVar, overload

import msgspec
import numpy as np

from stylekl.counts.table import Tally, placed
from stylekl.errors import UnknownModelError
from stylekl.facets import FACETS, facet
from stylekl.facets.finding import Finder, packed
from stylekl.facets.interning import Interned, joined
from stylekl.facets.texts import Texts
from stylekl.lenses.reports import Vocabulary  # noqa: TC001 # msgspec reads it
from stylekl.lenses.style.evidence import Evidence, Known
from stylekl.lenses.style.material import Material
from stylekl.measure.comparison import blocks, least_replies
from stylekl.measure.jackknife import QUANTILES
from stylekl.measure.kinship import Kinship
from stylekl.measure.sides import entries
from stylekl.results import Prompt, Reply, Results
from stylekl.results.records import Model, Source  # noqa: TC001 # msgspec reads them

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from numpy.typing import NDArray

    from stylekl.counts import Counts
    from stylekl.counts.blocks import Entry
    from stylekl.facets import Facet
    from stylekl.facets.texts import Encoded
    from stylekl.lenses.style.options import StyleOptions

_TOGETHER = 64  # replies whose texts are one block
_HELD = 32  # blocks of texts in memory
Item = TypeVar("Item")


class _Whole(msgspec.Struct, frozen=True):
    """The material but its texts; models as in the files, prompts (id, text) as in `Material`."""

    models: list[Model]
    sources: list[Source]
    prompts: list[tuple[str, str]]
    left_out: dict[str, dict[str, int]]
    removed: dict[str, dict[str, int]]
    warnings: list[str]


class _Symbols(msgspec.Struct, frozen=True):
    """A facet's vocabulary, its report and warnings, and of how many symbols and in which types counts are kept."""

    symbols: list[str]
    kinds: list[str]
    unit: str
    classes: tuple[str, ...]
    report: Vocabulary
    warnings: tuple[str, ...]
    active: int
    types: tuple[str, str]


def whole_pairs(known: Known) -> bool:
    """Return whether everything was asked for that is kept of pairs."""
    return known.p is not None and known.copies is not None


def pairs_of(known: Known) -> Iterator[tuple[str, bytes]]:
    """Yield the blocks of what was found of every pair, which must be `whole_pairs`."""
    assert known.p is not None
    assert known.copies is not None
    yield "pairs", _flat(known.p, np.int32)
    yield "p", np.array([*known.p.values()], np.float64).tobytes()
    yield "shared", _flat(known.copies, np.int32)
    yield "copies", np.array([*known.copies.values()], np.int64).tobytes()
    if known.kinship is not None:
        yield "kinship", known.kinship.replicates.tobytes()
        yield "fractions", known.kinship.fractions.tobytes()


def known_pairs(entry: Entry) -> Known:
    """Return what `pairs_of` was given; raises Damaged."""
    p = dict(zip(_couples(entry.read("pairs")), _array(entry, "p", np.float64).tolist(), strict=True))
    number = _array(entry, "copies", np.int64).tolist()
    copies = dict(zip(_couples(entry.read("shared")), number, strict=True))
    if "kinship" not in entry:
        return Known(p, None, copies)
    fractions = _array(entry, "fractions", np.float64)
    replicates = _array(entry, "kinship", np.float64).reshape(len(fractions) + 1, -1)
    models = round(replicates.shape[1] ** 0.5)
    return Known(p, Kinship(replicates.reshape(-1, models, models), fractions), copies)


def _flat(pairs: Collection[tuple[int, int]], kind: type[np.integer[Any]]) -> bytes:
    return np.array([*pairs], kind).reshape(-1, 2).tobytes()


def _couples(data: bytes) -> list[tuple[int, int]]:
    return [(a, b) for a, b in np.frombuffer(data, np.int32).reshape(-1, 2).tolist()]


def whole(evidence: Evidence) -> bool:
    """Return whether all that is kept of the material is in memory, its counts in every facet too."""
    return evidence.others.keys() == FACETS.keys() and isinstance(evidence.material.replies, list)


def material_of(evidence: Evidence) -> Iterator[tuple[str, bytes]]:
    """Yield the blocks of the material and of its counts in every facet, which must be `whole`.

    Raises UnicodeEncodeError for names and symbols that no encoding holds.
    """
    material = evidence.material
    yield (
        "material",
        msgspec.msgpack.encode(
            _Whole(
                models=material.results.models,
                sources=material.results.sources,
                prompts=[(prompt.id, prompt.text) for prompt in material.prompts],
                left_out=material.left_out,
                removed=material.removed,
                warnings=material.warnings,
            )
        ),
    )
    yield "quantiles", msgspec.msgpack.encode(QUANTILES)
    yield "ranks", packed()
    yield "where", material.where.astype(np.int32).tobytes()
    found = blocks(evidence.counts, evidence.ranks)
    least = min((least_replies(2 * units.count) for units, _ in found), default=3)
    for name in FACETS:
        yield from _facet_blocks(evidence.others[name], least)
    yield from _text_blocks(material)


def _facet_blocks(evidence: Evidence, least: int) -> Iterator[tuple[str, bytes]]:
    """Yield the blocks of one facet: its vocabulary, and for each model the entries that may be looked at."""
    counts, name, how = evidence.counts, evidence.facet.NAME, evidence.facet
    active = np.flatnonzero(entries(counts, evidence.vocabulary, least).place >= 0)
    column = np.full(counts.limit, -1, np.int32)
    column[active] = np.arange(len(active), dtype=np.int32)
    types = "u2" if len(active) <= 1 << 16 else "i4", _smallest(counts.counts)
    ids = evidence.vocabulary.tolist()
    sizes = []
    for model in range(counts.models):
        rows = counts.rows(model)
        held = slice(int(counts.starts[rows.start]), int(counts.starts[rows.stop]))
        placed_at = column.take(counts.symbols[held])
        chosen = np.flatnonzero(placed_at >= 0)
        row = np.repeat(np.arange(rows.stop - rows.start), np.diff(counts.starts[rows.start : rows.stop + 1]))
        sizes.append(np.bincount(row.take(chosen), minlength=rows.stop - rows.start))
        number = counts.counts[held].take(chosen)
        yield (
            f"{name} {model}",
            placed_at.take(chosen).astype(types[0]).tobytes() + number.astype(types[1]).tobytes(),
        )
    yield f"{name} sizes", np.concatenate(sizes).astype(np.int64).tobytes()
    yield f"{name} lengths", counts.lengths.astype(np.int64).tobytes()
    yield f"{name} vocabulary", np.stack([column[evidence.vocabulary], evidence.vocabulary]).tobytes()
    yield (
        f"{name} symbols",
        msgspec.msgpack.encode(
            _Symbols(
                symbols=[how.symbol(identifier) for identifier in ids],
                kinds=[how.kind(identifier) for identifier in ids],
                unit=how.UNIT,
                classes=how.CLASSES,
                report=evidence.vocabulary_report,
                warnings=evidence.warnings,
                active=len(active),
                types=types,
            )
        ),
    )


def _smallest(counts: NDArray[np.integer]) -> str:
    most = int(counts.max(initial=1))
    return "u1" if most < 1 << 8 else "u2" if most < 1 << 16 else "i4"


def _text_blocks(material: Material) -> Iterator[tuple[str, bytes]]:
    """Yield the texts, those that were counted and behind them the replies that are another text, some at a time."""
    sizes = np.empty((len(material.replies), 2), np.int64)
    for first in range(0, len(sizes), _TOGETHER):
        parts: list[bytes] = []
        for row in range(first, min(first + _TOGETHER, len(sizes))):
            text, whole = material.texts.texts[row], material.replies[row].text
            data = _encoded(text), b"" if whole == text else _encoded(whole)
            sizes[row] = [len(each) for each in data]
            parts += data
        yield f"texts {first // _TOGETHER}", b"".join(parts)
    yield "texts sizes", sizes.tobytes()


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def evidence_from(entry: Entry, options: StyleOptions, known: Known, names: Sequence[str] | None) -> Evidence:
    """Return the evidence that `material_of` was given, for these options.

    Counts are those of the models called `names` alone, null for all. Raises Damaged, now or when a text is read.
    """
    whole = msgspec.msgpack.decode(entry.read("material"), type=_Whole)
    QUANTILES.update(msgspec.msgpack.decode(entry.read("quantiles"), type=dict[int, tuple[float, float]]))
    where = _array(entry, "where", np.int32).reshape(-1, 2)
    texts = _Stored(entry)
    models = sorted(whole.models, key=lambda model: model.id)
    prompts = [Prompt(id=name, text=text) for name, text in whole.prompts]

    def reply(row: int) -> Reply:
        model, prompt = where[row].tolist()
        return Reply(model=models[model].id, prompt=prompts[prompt].id, text=texts.whole(row))

    material = Material(
        results=Results(models=whole.models, sources=whole.sources),
        models=models,
        prompts=prompts,
        replies=_Lazy(len(where), reply),
        texts=Texts(_Lazy(len(where), texts.counted)),
        where=where,
        left_out=whole.left_out,
        removed=whole.removed,
        warnings=whole.warnings,
    )
    wanted = sorted(range(len(models)) if names is None else _found(material, names))
    others: dict[str, Evidence] = {}
    finder = cache(lambda: Finder(entry.read("ranks")))
    for name in FACETS:
        told = msgspec.msgpack.decode(entry.read(f"{name} symbols"), type=_Symbols)
        places, ids = _array(entry, f"{name} vocabulary", np.int64).reshape(2, -1)
        how = _Kept(name, told, dict(zip(places.tolist(), ids.tolist(), strict=True)), finder)
        others[name] = Evidence(
            material=material,
            options=replace(options, facet=name),
            counts=_counts(entry, how, told.types, material, wanted),
            facet=how,
            vocabulary=places,
            vocabulary_report=told.report,
            warnings=told.warnings,
            others=others,
            known=known if name == options.facet else Known(),
        )
    return others[options.facet]


def _found(material: Material, names: Sequence[str]) -> set[int]:
    """Return the models of these names; one that nobody has is for the question to complain of."""
    found = set()
    for name in names:
        with suppress(UnknownModelError):
            found.add(material.find(name))
    return found


def _counts(
    entry: Entry, how: _Kept, types: tuple[str, str], material: Material, wanted: Collection[int]
) -> Counts:
    """Return the counts of a facet; those of models that are not wanted are empty."""
    where = material.where
    mine = np.isin(where[:, 0], [*wanted])
    sizes = np.where(mine, _array(entry, f"{how.NAME} sizes", np.int64), 0)
    bounds = np.searchsorted(where[:, 0], np.array([[model, model + 1] for model in wanted], np.int32))
    starts = np.append(0, sizes.cumsum())
    symbols, counts = np.empty(starts[-1], np.int32), np.empty(starts[-1], types[1])
    for model, (low, high) in zip(wanted, bounds.tolist(), strict=True):
        data = entry.read(f"{how.NAME} {model}")
        held = slice(starts[low], starts[high])
        number = int(starts[high] - starts[low])
        symbols[held] = np.frombuffer(data, types[0], number)
        counts[held] = np.frombuffer(data, types[1], number, len(data) - number * counts.itemsize)
    lengths = _array(entry, f"{how.NAME} lengths", np.int64)
    models, prompts = len(material.models), len(material.prompts)
    return placed(Tally(symbols, counts, starts, lengths), where, how, models=models, prompts=prompts)


def _array(entry: Entry, name: str, kind: type[np.generic]) -> NDArray[Any]:
    return np.frombuffer(entry.read(name), kind)


class _Kept:
    """A facet whose symbols were numbered and named before; `finder` finds tokens, other symbols the facet itself."""

    warnings: tuple[str, ...] = ()

    def __init__(self, name: str, told: _Symbols, ids: dict[int, int], finder: Callable[[], Finder]) -> None:
        self.NAME, self.UNIT, self.CLASSES = name, told.unit, told.classes
        self.limit = max(told.active, 1)
        self._symbols, self._kinds, self._ids, self._finder = told.symbols, told.kinds, ids, finder
        self._place = {identifier: place for place, identifier in enumerate(ids)}

    @cached_property
    def _facet(self) -> Facet:
        found = facet(self.NAME)
        assert isinstance(found, Interned)
        found.table = joined(self._symbols)
        return found

    def encode(self, texts: Texts, least: int = 1) -> Iterator[Encoded]:
        """Numbers are those of what was counted: no other texts can be."""
        raise NotImplementedError

    def symbol(self, identifier: int) -> str:
        """Return the text that a symbol id stands for."""
        return self._symbols[self._place[identifier]]

    def kind(self, identifier: int) -> str:
        """Return the class of a symbol."""
        return self._kinds[self._place[identifier]]

    def locate(self, text: str, identifier: int) -> tuple[int, int] | None:
        """Return where the symbol first stands in `text`, in characters, or None."""
        if self.NAME == "tokens":
            return self._finder().locate(text, self._ids[identifier], self.symbol(identifier))
        return self._facet.locate(text, self._place[identifier])


class _Lazy(Sequence[Item]):
    """A sequence whose items are made when they are asked for."""

    def __init__(self, size: int, make: Callable[[int], Item]) -> None:
        self._places, self._make = range(size), make

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> list[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | list[Item]:
        if isinstance(place, slice):
            return [*map(self._make, self._places[place])]
        return self._make(self._places[place])


class _Stored:
    """The texts of replies in an entry, read some at a time."""

    def __init__(self, entry: Entry) -> None:
        self._sizes = _array(entry, "texts sizes", np.int64).reshape(-1, 2)
        self._ends = self._sizes.cumsum().reshape(-1, 2)
        self._block = lru_cache(_HELD)(lambda number: entry.read(f"texts {number}"))

    def counted(self, row: int) -> str:
        """Return what was counted of a reply."""
        return self._text(row, 0)

    def whole(self, row: int) -> str:
        """Return a reply as it was given."""
        return self._text(row, 1 if self._sizes[row, 1] else 0)

    def _text(self, row: int, which: int) -> str:
        first = row // _TOGETHER * _TOGETHER
        before = int(self._ends[first - 1, 1]) if first else 0
        end = int(self._ends[row, which]) - before
        data = self._block(row // _TOGETHER)[end - int(self._sizes[row, which]) : end]
        return data.decode("utf-8", "surrogatepass")

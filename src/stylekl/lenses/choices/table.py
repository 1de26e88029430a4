"""The choices of a results file as arrays: what every node said of every pair in every envelope."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from stylekl.errors import ConflictError, InputError, UnknownChoiceError, UsageError
from stylekl.lenses.choices.rows import RowReader, same_texts
from stylekl.lenses.choices.words import Envelope, WordPair, envelope_of, pair_of
from stylekl.measure import choices as measure
from stylekl.results.find import find_model

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from stylekl.lenses.choices.options import Options
    from stylekl.results.records import Model, Results

ORDERS = {"ab": 0, "ba": 1}
NOTHING = "nothing"
_MOST_CELLS = 1 << 31
_DENSE = 1 << 26  # counts that are held as they are rather than sorted first
_RECORDED: dict[tuple[Any, Any], int] = {
    ("a", None): measure.CHOSE_A,
    ("b", None): measure.CHOSE_B,
    **{(None, name): measure.NAMES.index(name) for name in measure.NAMES[2 : measure.REPLIES]},
}


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """One row for each question and order that was asked: where it is, and how often each outcome came, (C, 7)."""

    node: NDArray[np.int64]
    pair: NDArray[np.int64]
    envelope: NDArray[np.int64]
    order: NDArray[np.int64]
    counts: NDArray[np.int64]


@dataclass(eq=False)
class Table:
    """N nodes and P pairs in the order of their ids, E envelopes in that of the file; `cells` hold the replies.

    `same` (P, E) is the envelope under which a text counts: where several envelopes make one text of a pair it is the
    first of them. `outcome` (N, P, E) has an entry there and NOT_ASKED at the others; `committed` (N, P, E) is in how
    many of the two orders a word was taken.
    """

    nodes: list[Model]
    pairs: list[WordPair]
    envelopes: list[Envelope]
    same: NDArray[np.int64]
    cells: Cells
    outcome: NDArray[np.int8]
    committed: NDArray[np.int8]
    repeated: dict[str, int] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @cached_property
    def tallies(self) -> NDArray[np.int64]:
        """How many envelopes of each node and pair came to each outcome, (N, P, 9)."""
        return measure.tally(self.outcome)

    @cached_property
    def answered(self) -> NDArray[np.int64]:
        """How many envelopes were answered in both orders, errors not counted, (N, P)."""
        return np.asarray(self.tallies.sum(axis=-1) - self.tallies[..., measure.ERROR])

    @cached_property
    def prints(self) -> NDArray[np.int8]:
        """The fingerprints, (N, P)."""
        return measure.majority(self.tallies[..., 0], self.tallies[..., 1], self.answered)

    @cached_property
    def sharp(self) -> NDArray[np.float64]:
        """The sharpness, (N, P); nan where nothing was answered."""
        return measure.sharpness(self.tallies[..., 0], self.tallies[..., 1], self.answered)

    @cached_property
    def scores(self) -> NDArray[np.int8]:
        """1 for a, −1 for b, 0 for none or not asked, (N, P, E)."""
        return measure.scores(self.outcome)

    @cached_property
    def asked(self) -> NDArray[np.bool_]:
        """Where both orders were asked, (N, P, E)."""
        return np.asarray(self.outcome != measure.NOT_ASKED)

    @cached_property
    def replies(self) -> NDArray[np.int64]:
        """How many replies each node has."""
        return np.bincount(self.cells.node, self.cells.counts.sum(axis=1), minlength=len(self.nodes)).astype(
            np.int64
        )

    @cached_property
    def distinct(self) -> tuple[int, int]:
        """The least and the greatest number of distinct envelopes that a pair has."""
        own = (self.same == np.arange(len(self.envelopes))).sum(axis=1)
        return (int(own.min()), int(own.max())) if len(own) else (0, 0)

    def difference(self, one: int, others: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int8]:
        """Return the differences of scores of one node and others, (K, P, E); 0 where either was not asked."""
        both = self.asked[one] & self.asked[others]
        return np.asarray((self.scores[one] - self.scores[others]) * both)

    def place(self, model: str) -> int | None:
        """Return the place of a node by id, None where it has no choices."""
        return next((i for i, node in enumerate(self.nodes) if node.id == model), None)


def has_choices(results: Results) -> bool:
    """Return whether results hold choices."""
    return bool(results.other.get("choices"))


def table(results: Results, options: Options) -> Table:
    """Return the table that the options ask for, over every node; see `shown` for the narrowing of models.

    A row's pick counts where the file holds one; otherwise, and with `reclassify`, its text is classified. Raises
    InputError for a row that names what the file does not hold, ConflictError for one identity with two texts,
    UnknownChoiceError for a theme, pair, envelope or period that is not there.
    """
    rows = results.other.get("choices", [])
    pairs = _pairs(results, options)
    envelopes = _envelopes(results, options)
    nodes = sorted(results.models, key=lambda model: model.id)
    columns = _Columns(rows, nodes, pairs, envelopes)
    columns.check_period(options.period)
    kept_pairs = [i for i, p in enumerate(pairs) if _wanted(p, options)]
    kept_envelopes = [
        i for i, e in enumerate(envelopes) if not options.envelopes or e.id in options.envelopes
    ]
    keep = np.isin(columns.pair, kept_pairs) & np.isin(columns.envelope, kept_envelopes)
    if options.period is not None:
        keep &= columns.is_period(options.period)
    return _Builder(columns, nodes, pairs, envelopes, options, keep, kept_pairs, kept_envelopes).build()


def shown(results: Results, found: Table, options: Options) -> list[int]:
    """Return the places of the nodes to show: all that have choices, or those that `models` names.

    Raises UsageError where none of those has choices.
    """
    if not options.models:
        return list(range(len(found.nodes)))
    wanted = {find_model(results, name).id for name in options.models}
    places = [i for i, node in enumerate(found.nodes) if node.id in wanted]
    if not places:
        raise UsageError("none of the models that are named has choices here", "name others, or none")
    return places


def _wanted(pair: WordPair, options: Options) -> bool:
    return not (options.topics and pair.theme not in options.topics) and not (
        options.prompts and pair.id not in options.prompts
    )


def _pairs(results: Results, options: Options) -> list[WordPair]:
    rows = results.other.get("pairs", [])
    found = sorted((pair_of(row, f"pair {i}") for i, row in enumerate(rows, 1)), key=lambda pair: pair.id)
    _check("topic", options.topics, sorted({pair.theme for pair in found if pair.theme is not None}))
    _check("pair", options.prompts, [pair.id for pair in found])
    return found


def _envelopes(results: Results, options: Options) -> list[Envelope]:
    rows = results.other.get("envelopes", [])
    found = [envelope_of(row, f"envelope {i}") for i, row in enumerate(rows, 1)]
    _check("envelope", options.envelopes, [each.id for each in found])
    return found


def _check(kind: str, wanted: Sequence[str], known: list[str]) -> None:
    for name in wanted:
        if name not in known:
            raise UnknownChoiceError(kind, name, known)


class _Columns:
    """The rows of the file as columns: places of what they name, -1 nowhere."""

    def __init__(
        self,
        rows: list[dict[str, Any]],
        nodes: Sequence[Model],
        pairs: Sequence[WordPair],
        envelopes: Sequence[Envelope],
    ) -> None:
        self.rows = rows
        self.node = self._column("model", {each.id: i for i, each in enumerate(nodes)})
        self.pair = self._column("pair", {each.id: i for i, each in enumerate(pairs)})
        self.envelope = self._column("envelope", {each.id: i for i, each in enumerate(envelopes)})
        self.order = self._column("order", ORDERS)
        self.periods = [row.get("period") for row in rows]

    def _column(self, name: str, places: Mapping[str, int]) -> NDArray[np.int64]:
        try:
            return np.fromiter(
                map(places.__getitem__, map(itemgetter(name), self.rows)), np.int64, len(self.rows)
            )
        except (KeyError, TypeError):
            number, value = next(
                (i, row.get(name))
                for i, row in enumerate(self.rows, 1)
                if not isinstance(row.get(name), str) or row[name] not in places
            )
        what = f'"{value}"' if isinstance(value, str) else "nothing" if value is None else "no text"
        known = "ab or ba" if name == "order" else f"{'an' if name == 'envelope' else 'a'} {name} of the file"
        raise InputError(
            f"choice {number}: field {name}: expected {known}, found {what}",
            "the records pairs and envelopes say what was asked; see docs/results-file.md",
        )

    def check_period(self, period: str | None) -> None:
        if period is not None:
            _check("period", (period,), sorted({each for each in self.periods if isinstance(each, str)}))

    def is_period(self, period: str) -> NDArray[np.bool_]:
        return np.fromiter((each == period for each in self.periods), np.bool_, len(self.periods))


class _Builder:
    """From columns to a table."""

    def __init__(
        self,
        columns: _Columns,
        nodes: list[Model],
        pairs: list[WordPair],
        envelopes: list[Envelope],
        options: Options,
        keep: NDArray[np.bool_],
        kept_pairs: list[int],
        kept_envelopes: list[int],
    ) -> None:
        self.columns, self.options, self.keep = columns, options, keep
        self.all_pairs, self.all_envelopes, self.all_nodes = pairs, envelopes, nodes
        self.kept_pairs, self.kept_envelopes = kept_pairs, kept_envelopes
        self.warnings: list[str] = []

    def build(self) -> Table:
        pairs = [self.all_pairs[i] for i in self.kept_pairs]
        envelopes = [self.all_envelopes[i] for i in self.kept_envelopes]
        same = same_texts(pairs, envelopes)
        outcomes = self._outcomes()
        columns = self.columns
        present = np.flatnonzero(np.bincount(columns.node[self.keep]))
        nodes = [self.all_nodes[i] for i in present]
        node = _renumbered(columns.node[self.keep], present, len(self.all_nodes))
        pair = _renumbered(columns.pair[self.keep], self.kept_pairs, len(self.all_pairs))
        envelope = _renumbered(columns.envelope[self.keep], self.kept_envelopes, len(self.all_envelopes))
        order = columns.order[self.keep]
        N, P, E = len(nodes), len(pairs), len(envelopes)
        if N * P * E > _MOST_CELLS:
            raise InputError(
                f"{N:,} nodes, {P:,} pairs and {E:,} envelopes are too many at once",
                "narrow them: --models, --topic, --prompts",
            )
        key = ((node * P + pair) * E + envelope) * 2 + order
        once, repeated = self._once(key, node, nodes)
        if P and E:
            envelope = same[pair, envelope]
            key = ((node * P + pair) * E + envelope) * 2 + order
        where, counts = _counted(key[once], outcomes[once], N * P * E * 2)
        rest, order = np.divmod(where, 2)
        outcome, committed = self._joined(measure.order_picks(counts), rest, order, (N, P, E))
        node, pair_envelope = np.divmod(rest, max(P * E, 1))
        pair, envelope = np.divmod(pair_envelope, max(E, 1))
        cells = Cells(node, pair, envelope, order, counts)
        return Table(nodes, pairs, envelopes, same, cells, outcome, committed, repeated, self.warnings)

    @staticmethod
    def _joined(
        picks: NDArray[np.int8],
        question: NDArray[np.int64],
        order: NDArray[np.int64],
        shape: tuple[int, int, int],
    ) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        both = np.full((2, int(np.prod(shape))), measure.NOT_ASKED, np.int8)
        both[order, question] = picks
        outcome = measure.pair_outcomes(both[0], both[1])
        chose = (both == measure.CHOSE_A) | (both == measure.CHOSE_B)
        committed = chose[0].astype(np.int8) + chose[1]
        return outcome.reshape(shape), committed.reshape(shape)

    def _once(
        self, key: NDArray[np.int64], node: NDArray[np.int64], nodes: Sequence[Model]
    ) -> tuple[NDArray[np.bool_], dict[str, int]]:
        """Tell which rows count: an explicit identity that stands twice with one text counts once."""
        once = np.ones(len(key), np.bool_)
        places = np.flatnonzero(self.keep)
        rows, periods = self.columns.rows, self.columns.periods
        samples = [
            row.get("sample") for row in (rows if len(places) == len(rows) else map(rows.__getitem__, places))
        ]
        try:
            marks = dict.fromkeys(zip(samples, periods_of(periods, places), strict=True))
        except TypeError:  # a list or an object, where a number or a text belongs
            raise InputError(
                "a choice has a sample or a period that is neither a number nor a text",
                "the fields of a record are in docs/results-file.md",
            ) from None
        if all(sample is None for sample, _ in marks):
            return once, {}
        names = {mark: i for i, mark in enumerate(marks)}
        codes = np.fromiter(
            map(names.__getitem__, zip(samples, periods_of(periods, places), strict=True)), np.int64
        )
        identity = key * len(names) + codes
        if _distinct(identity):
            return once, {}
        seen: dict[Any, int] = {}
        for place, each in enumerate(identity.tolist()):
            if samples[place] is None:
                continue
            first = seen.setdefault(each, place)
            if first != place:
                a, b = rows[places[first]], rows[places[place]]
                if a.get("text") != b.get("text"):
                    told = ", ".join(
                        f"{name} {a[name]}" for name in ("model", "pair", "envelope", "order", "sample")
                    )
                    raise ConflictError(
                        f"the choice of {told}", f"choice {places[first] + 1}", f"choice {places[place] + 1}"
                    )
                once[place] = False
        lost = Counter(nodes[i].id for i in node[~once].tolist())
        return once, dict(lost)

    def _outcomes(self) -> NDArray[np.int64]:
        """Return the outcome of each row that is kept: as recorded, or by its text."""
        rows = self.columns.rows
        kept = np.flatnonzero(self.keep).tolist()
        chosen = rows if len(kept) == len(rows) else [rows[i] for i in kept]
        if self.options.reclassify:
            found: list[int | None] = [None] * len(chosen)
        else:
            recorded = zip(
                [row.get("pick") for row in chosen], [row.get("reason") for row in chosen], strict=True
            )
            try:
                found = list(map(_RECORDED.get, recorded))
            except TypeError:  # a list where a word should be
                found = [None] * len(chosen)
        open_rows = [i for i, outcome in enumerate(found) if outcome is None]
        read = RowReader(self.all_pairs, self.all_envelopes, reclassify=self.options.reclassify)
        pair, envelope, order = self.columns.pair, self.columns.envelope, self.columns.order
        for i in open_rows:
            place = kept[i]
            found[i] = read.outcome(
                chosen[i], int(pair[place]), int(envelope[place]), int(order[place]), place + 1
            )
        return np.array(found, np.int64)


def periods_of(periods: Sequence[Any], places: NDArray[np.int64]) -> Sequence[Any]:
    """Return the periods at these places."""
    return periods if len(places) == len(periods) else [periods[i] for i in places.tolist()]


def _distinct(values: NDArray[np.int64]) -> bool:
    """Return whether no value stands twice."""
    if len(values) and values.max() < _DENSE:
        return bool(np.bincount(values).max() <= 1)
    return len(np.unique(values)) == len(values)


def _counted(
    key: NDArray[np.int64], outcomes: NDArray[np.int64], size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the keys, below `size`, that occur, and how often each outcome came with them, (C, 7)."""
    if size * measure.REPLIES <= _DENSE:
        flat = np.bincount(key * measure.REPLIES + outcomes, minlength=size * measure.REPLIES)
        counts = flat.reshape(size, measure.REPLIES)
        where = np.flatnonzero(np.bincount(key, minlength=size))
        return where, counts if len(where) == size else counts[where]
    where, inverse = np.unique(key, return_inverse=True)
    flat = np.bincount(inverse * measure.REPLIES + outcomes, minlength=len(where) * measure.REPLIES)
    return where, flat.reshape(-1, measure.REPLIES)


def _renumbered(
    values: NDArray[np.int64], kept: Sequence[int] | NDArray[np.int64], size: int
) -> NDArray[np.int64]:
    """Return places among `kept` instead of places among all `size`."""
    to = np.full(size, -1, np.int64)
    to[np.asarray(kept, np.int64)] = np.arange(len(kept))
    return np.asarray(to[values])

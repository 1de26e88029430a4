"""The comparisons of one file, turned into estimates, calls and pairs of the reports."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from stylekl.counts.cores import in_order
from stylekl.counts.cores import wanted as wanted_cores
from stylekl.lenses.reports import Call, Estimate, StylePair
from stylekl.lenses.style.copies import copies
from stylekl.measure.comparison import Comparison, compare, divergences, fold, kept_symbols
from stylekl.measure.exchange import benjamini_hochberg, floor
from stylekl.measure.jackknife import jackknife, student_quantiles
from stylekl.measure.kinship import LEAST_MODELS, Kinship, kinship, likely_kin
from stylekl.measure.sides import Entries, Side, entries
from stylekl.measure.units import FEW_UNITS, Units, deal

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from numpy.typing import NDArray

    from stylekl.lenses.style.evidence import Evidence

    _Table = Callable[[int, Units], NDArray[np.float64]]

Q_APART = 0.05
EXCHANGES = 1000
_MANY = 4  # floors from which on several threads pay
_HELD = 8_000_000  # drawn signs that are kept for the next pair, and rows for the next model


def estimates(replicates: NDArray[np.float64], units: Units) -> list[Estimate | None]:
    """Return the jackknifed estimates of several numbers (n, G + 1); None for each below two groups."""
    if units.groups < 2:
        return [None] * len(replicates)
    return [*_estimates(replicates, units.fractions, units.degrees)]


def estimate_of(replicates: NDArray[np.float64], fractions: NDArray[np.float64], degrees: int) -> Estimate:
    """Return the jackknifed estimate of one number (G + 1,) whose groups are not those of a pair."""
    return _estimates(replicates[None], fractions, degrees)[0]


def _estimates(
    replicates: NDArray[np.float64], fractions: NDArray[np.float64], degrees: int
) -> list[Estimate]:
    result = jackknife(replicates, fractions)
    two_sided, one_sided = student_quantiles(degrees)
    low, high = result.value - two_sided * result.se, result.value + two_sided * result.se
    figures = (result.value, result.raw, low, high, result.se, result.value + one_sided * result.se)
    return [Estimate(*row) for row in np.stack(figures, axis=-1).tolist()]


class Study:
    """All comparisons of one body of evidence; `wanted` names the pairs whose divergences are needed.

    q is over all pairs of the file, with `only_wanted` over the wanted ones, and nothing is computed for others then.
    """

    def __init__(
        self,
        evidence: Evidence,
        wanted: Collection[tuple[int, int]] | None = None,
        *,
        only_wanted: bool = False,
    ) -> None:
        self.evidence = evidence
        self._processes = wanted_cores(evidence.options.jobs)
        counts, skew, known = evidence.counts, evidence.options.skew, evidence.known
        found, p = compare(
            counts,
            evidence.vocabulary,
            evidence.ranks,
            skew=skew,
            wanted=wanted,
            only_wanted=only_wanted or known.p is not None,
            processes=self._processes,
        )
        if not only_wanted:
            p = known.p = known.p or p
        self.comparisons = {(comparison.a, comparison.b): comparison for comparison in found}
        self._q = dict(zip(p, benjamini_hochberg(np.array([*p.values()])).tolist(), strict=True))
        self._floors: dict[tuple[int, int], float] = {}
        self._others: dict[tuple[str, tuple[tuple[int, int], ...]], Study] = {}
        self._holders: dict[int, tuple[NDArray[np.int64], NDArray[np.integer]]] = {}

    def in_facet(self, name: str, wanted: Collection[tuple[int, int]]) -> Study:
        """Return a study of the same replies in another facet, of the wanted pairs alone; made once."""
        if name == self.evidence.facet.NAME:
            return self
        key = name, tuple(wanted)
        if key not in self._others:
            self._others[key] = Study(self.evidence.in_facet(name), wanted, only_wanted=True)
        return self._others[key]

    @cached_property
    def copies(self) -> dict[tuple[int, int], int]:
        """How many long replies each pair of models shares."""
        material, known = self.evidence.material, self.evidence.known
        if material.copies is not None:
            return dict(material.copies)
        if known.copies is None:
            known.copies = copies(material.replies, material.where.tolist())
        return known.copies

    @cached_property
    def kinship(self) -> Kinship | None:
        """The kinship of all models of the file, whatever is shown; None but for tokens, which it is calibrated on."""
        evidence = self.evidence
        if evidence.facet.NAME != "tokens":
            return None
        if evidence.known.kinship is None:
            evidence.known.kinship = kinship(evidence.counts, evidence.ranks, self._processes)
        return evidence.known.kinship

    def kin(self, a: int, b: int) -> tuple[Estimate | None, bool | None, str | None]:
        """Return the kinship of two models, whether they are likely kin, and why there is none where there is none."""
        found = self.kinship
        if found is None:
            if self.evidence.facet.NAME != "tokens":
                return None, None, "kinship is calibrated on tokens alone"
            return None, None, f"kinship needs {LEAST_MODELS} models on two prompts"
        value = self._kin[a, b]
        if value is None:
            return None, None, "too few common prompts that four models answered"
        return value, likely_kin(value.value, value.se, self._answered), None

    @cached_property
    def _kin(self) -> dict[tuple[int, int], Estimate | None]:
        """The kinship of every pair (a < b), all at once."""
        found = self.kinship
        assert found is not None
        first, second = np.triu_indices(found.replicates.shape[1], 1)
        replicates = found.replicates[:, first, second].T
        known = np.asarray(~np.isnan(replicates).any(axis=1))
        values = iter(_estimates(replicates[known], found.fractions, len(found.fractions) - 1))
        pairs = zip(first.tolist(), second.tolist(), known.tolist(), strict=True)
        return {(a, b): next(values) if told else None for a, b, told in pairs}

    @cached_property
    def _measured(self) -> dict[tuple[int, int], list[Estimate | None]]:
        """Both divergences and Jensen-Shannon of every pair compared, those of the same units at once."""
        together: dict[int, list[Comparison]] = {}
        for comparison in self.comparisons.values():
            together.setdefault(id(comparison.units), []).append(comparison)
        found: dict[tuple[int, int], list[Estimate | None]] = {}
        for several in together.values():
            replicates = np.array([row for each in several for row in (each.kl_ab, each.kl_ba, each.js)])
            values = iter(estimates(replicates, several[0].units))
            for each in several:
                found[each.a, each.b] = [next(values) for _ in range(3)]
        return found

    @cached_property
    def _answered(self) -> int:
        """How many models have a reply that counts."""
        return len(np.unique(self.evidence.counts.model))

    @cached_property
    def entries(self) -> Entries:
        """The counts on the style vocabulary alone, for what is asked of single pairs."""
        return entries(self.evidence.counts, self.evidence.vocabulary, None)

    def holders(self, identifier: int) -> tuple[NDArray[np.int64], NDArray[np.integer]]:
        """Return the rows of all models that use a symbol, ascending, and how often each does.

        The next model is asked about many of the same symbols, and to look for one goes through all counts.
        """
        if identifier not in self._holders:
            counts = self.evidence.counts
            entries = np.flatnonzero(counts.symbols == identifier)
            rows = np.searchsorted(counts.starts, entries, side="right") - 1
            if len(rows) + sum(len(each) for each, _ in self._holders.values()) > _HELD:
                self._holders.clear()
            self._holders[identifier] = rows, counts.counts[entries]
        return self._holders[identifier]

    def side(self, model: int, units: Units) -> Side:
        """Return a model's part in `units`."""
        return Side(self.entries, model, units)

    def _table(self, model: int, units: Units) -> NDArray[np.float64]:
        """Return the weighted frequencies (U, V + 1) of a model, unit by unit."""
        side = self.side(model, units)
        return side.with_other(side.unit, units.count)[0]

    def paired(
        self, a: int, b: int, units: Units, table: _Table | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the weighted frequencies (U, V + 1) of two models, unit by unit, folded as in their comparison.

        `table` may know those of each before they are folded.
        """
        sides = self.side(a, units), self.side(b, units)
        kept = kept_symbols(*sides)
        first, second = (fold((table or self._table)(model, units), kept) for model in (a, b))
        return first, second

    def find_floors(self, pairs: Collection[tuple[int, int]]) -> None:
        """Find the floors that `pair` will ask for, several at a time where they are many."""
        if not len(self.evidence.vocabulary):
            return
        missing = self.comparisons.keys() - self._floors.keys()
        compared = [self.comparisons[pair] for pair in pairs if pair in missing]
        todo = [comparison for comparison in compared if comparison.units.count >= FEW_UNITS]
        todo.sort(key=lambda comparison: comparison.units.count)  # those of as many units share the exchanges
        number = self._processes if len(todo) >= _MANY else 1
        shares = [todo[first::number] for first in range(number)]
        # In threads: nearly all of it is one product of large matrices, which leaves the interpreter to the others.
        for share, floors in zip(shares, in_order(self._floors_of, shares, number), strict=True):
            self._floors |= {(each.a, each.b): found for each, found in zip(share, floors, strict=True)}

    def _floors_of(self, comparisons: list[Comparison]) -> list[float]:
        table = lru_cache(2)(self._table)  # one model may be compared with many
        return [self._floor(comparison, table) for comparison in comparisons]

    def floor(self, comparison: Comparison) -> float:
        """Return the floor of a pair: what the divergence reaches in 5 % of exchanges of single units."""
        key = comparison.a, comparison.b
        if key not in self._floors:
            self._floors[key] = self._floor(comparison)
        return self._floors[key]

    def _floor(self, comparison: Comparison, table: _Table | None = None) -> float:
        a, b = self.paired(comparison.a, comparison.b, comparison.units, table)
        options = self.evidence.options
        count = comparison.units.count
        small = count * EXCHANGES <= _HELD
        signs = _signs(options.seed, count) if small else _signs_in_blocks(options.seed, count)
        return floor(a - b, 0.5 * (a + b).sum(axis=0), options.skew, signs)

    def call(self, comparison: Comparison) -> tuple[Call, float | None]:
        """Return what can be said of a pair, and q."""
        if comparison.units.count < FEW_UNITS or not len(self.evidence.vocabulary):
            return "cannot say", None
        q = self._q[comparison.a, comparison.b]
        return ("apart" if q < Q_APART else "too close to call"), q

    def pair(self, a: int, b: int, *, with_floor: bool) -> StylePair:
        """Return the report of two models (a < b)."""
        names = self.evidence.models[a].id, self.evidence.models[b].id
        comparison = self.comparisons.get((a, b))
        if comparison is None:
            return _undefined(*names, "no prompt in common")
        if not len(self.evidence.vocabulary):
            return _undefined(*names, "no symbol is common enough", comparison, self.copies.get((a, b), 0))
        units = comparison.units
        call, q = self.call(comparison)
        kl_ab, kl_ba, js = self._measured[a, b]
        by_prompt = self._se_prompts(comparison)
        kinship_ab, kin, why_not = self.kin(a, b)
        return StylePair(
            a=names[0],
            b=names[1],
            prompts=units.prompts,
            unit=units.kind,
            units=units.count,
            groups=units.groups,
            kl_ab=kl_ab,
            kl_ba=kl_ba,
            js=js,
            kinship=kinship_ab,
            floor=self.floor(comparison) if with_floor and units.count >= FEW_UNITS else None,
            p=comparison.p if units.count >= FEW_UNITS else None,
            q=q,
            call=call,
            copies=self.copies.get((a, b), 0),
            length_ratio=comparison.length_ratio,
            length_rule=comparison.kept is not None,
            se_prompts=by_prompt[0],
            se_prompts_ba=by_prompt[1],
            likely_kin=kin,
            kinship_undefined=why_not,
            undefined=None if units.groups >= 2 else "one unit has no error",
        )

    def _se_prompts(self, comparison: Comparison) -> tuple[float | None, float | None]:
        """Return the standard errors of kl_ab and kl_ba over prompts, where the unit is the reply."""
        if comparison.units.kind == "prompt" or comparison.units.prompts < 2:
            return None, None
        units = deal(comparison.units.slots, self.evidence.ranks, by_prompt=True)
        sides = self.side(comparison.a, units), self.side(comparison.b, units)
        kl_ab, kl_ba, *_ = divergences(*sides, self.evidence.options.skew)
        error = jackknife(np.array([kl_ab, kl_ba]), units.fractions).se
        return float(error[0]), float(error[1])


@lru_cache(maxsize=4)  # models that lack a prompt or two have as many units fewer
def _signs(seed: int, units: int) -> NDArray[np.float64]:
    """Return the drawn exchanges (R, U): the same ones for all pairs with as many units."""
    return np.concatenate(list(_signs_in_blocks(seed, units)))


def _signs_in_blocks(seed: int, units: int) -> Iterator[NDArray[np.float64]]:
    """Yield the same exchanges in blocks of rows, so that many units need no more memory than some."""
    random = np.random.default_rng([seed, units])
    rows = max(1, min(EXCHANGES, _HELD // (8 * max(units, 1))))
    for first in range(0, EXCHANGES, rows):
        drawn = random.integers(0, 2, (min(rows, EXCHANGES - first), units))
        yield np.where(drawn > 0, 1.0, -1.0)


def _undefined(
    a: str, b: str, reason: str, comparison: Comparison | None = None, copied: int = 0
) -> StylePair:
    units = comparison.units if comparison else None
    return StylePair(
        a=a,
        b=b,
        prompts=units.prompts if units else 0,
        unit=units.kind if units else "prompt",
        units=units.count if units else 0,
        groups=units.groups if units else 0,
        kl_ab=None,
        kl_ba=None,
        js=None,
        kinship=None,
        floor=None,
        p=None,
        q=None,
        call="cannot say",
        copies=copied,
        length_ratio=comparison.length_ratio if comparison else None,
        length_rule=False,
        se_prompts=None,
        kinship_undefined=reason,
        undefined=reason,
    )

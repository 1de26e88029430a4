"""What the findings are made from: every test of an edition, and of every two editions that follow each other."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from stylekl.lenses.verdicts.exact import Counts, Test, differ, homogeneous, more
from stylekl.lenses.verdicts.questions import disagreements
from stylekl.lenses.verdicts.standings import standings
from stylekl.measure.families import Family

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from stylekl.lenses.frame import LensPair
    from stylekl.lenses.verdicts.aggregate import Cell
    from stylekl.lenses.verdicts.material import Material
    from stylekl.lenses.verdicts.reports import Standing

PAIRS, FORM, DIVIDED, EDITIONS = (
    "verdicts:pairs",
    "verdicts:form",
    "verdicts:questions",
    "verdicts:editions",
)


def framing_key(condition: str) -> str:
    """Return the key of the family of a condition: every model under it against the control."""
    return f"verdicts:framing {condition}"


@dataclass(frozen=True, slots=True)
class Change:
    """A model's answers on one side and the other, question by question, where it has both.

    `moved` counts the questions on which the majority differs; the sides are the control and a condition, or two
    editions.
    """

    model: str
    sides: tuple[tuple[Counts, Counts], ...]
    moved: int
    test: Test

    @property
    def samples(self) -> tuple[int, int]:
        """The least and the most samples on a side of a question."""
        sizes = [sum(side) for pair in self.sides for side in pair]
        return min(sizes, default=0), max(sizes, default=0)

    def totals(self) -> tuple[Counts, Counts]:
        """Return the counts on either side over all questions."""
        first, second = (np.sum([pair[n] for pair in self.sides], axis=0).tolist() for n in (0, 1))
        return tuple(first), tuple(second)


class Ground:
    """The tests, computed once; models by id, questions and conditions in the order of the file."""

    def __init__(self, material: Material) -> None:
        self.material = material
        self.period = material.period
        self.models = material.in_edition(material.period)
        self.names = {model.id: model.label for model in material.models}
        self.standings: dict[str, Standing] = standings(material, material.period)[0]
        self.pairs: list[LensPair] = disagreements(material)
        self.framings = [each for each in material.conditions if each != material.control]
        self.moves = {each: [self._move(model, each) for model in self.models] for each in self.framings}
        self.form = [self._form(model) for model in self.models]
        self.divided = [self._divided(question.id) for question in material.questions]
        self.changes = [
            (first, second, self._change(model, first, second))
            for first, second in pairwise(material.periods)
            for model in sorted({*material.in_edition(first)} & {*material.in_edition(second)})
        ]

    def families(self) -> list[Family]:
        """Return the hypotheses: pairs, each framing, form, questions, editions."""
        tests = {
            PAIRS: [pair.p for pair in self.pairs],
            **{framing_key(key): [each.test.p for each in found] for key, found in self.moves.items()},
            FORM: [test.p for _, test in self.form],
            DIVIDED: [test.p for _, test in self.divided],
            EDITIONS: [change.test.p for _, _, change in self.changes],
        }
        return [
            Family(key, np.array([np.nan if p is None else p for p in found], np.float64))
            for key, found in tests.items()
            if found
        ]

    def named(self, models: Iterable[str]) -> list[dict[str, str]]:
        """Return models by id with their names, as facts hold them."""
        return [{"model": model, "name": self.names[model]} for model in sorted(set(models))]

    def base(self, **more: Any) -> dict[str, Any]:
        """Return what every fact says: the edition, how many questions, the samples to each."""
        sizes = [cell.samples for cell in self.material.of(period=self.period) if cell.samples]
        return {
            "period": self.period,
            "editions": len(self.material.periods),
            "questions": len({cell.question for cell in self.material.of(period=self.period)}),
            "least_samples": min(sizes, default=0),
            "samples": max(sizes, default=0),
            **more,
        }

    def _move(self, model: str, condition: str) -> Change:
        control = self.material.control
        return self._compared(
            model,
            [
                (
                    self.material.cell(model, question.id, control, self.period),
                    self.material.cell(model, question.id, condition, self.period),
                )
                for question in self.material.questions
            ],
        )

    def _change(self, model: str, first: str | None, second: str | None) -> Change:
        condition = self.material.condition
        return self._compared(
            model,
            [
                (
                    self.material.cell(model, question.id, condition, first),
                    self.material.cell(model, question.id, condition, second),
                )
                for question in self.material.questions
            ],
        )

    def _compared(self, model: str, cells: Sequence[tuple[Cell | None, Cell | None]]) -> Change:
        both = [(x, y) for x, y in cells if x and y and x.samples and y.samples]
        sides = tuple((x.counts, y.counts) for x, y in both)
        return Change(model, sides, sum(x.majority != y.majority for x, y in both), differ(sides))

    def _form(self, model: str) -> tuple[list[tuple[int, int, int, int]], Test]:
        """Return replies of other than one word, of this model and of all others, by question and condition."""
        strata = []
        for cell in self.material.of(model=model, period=self.period):
            others = [
                found
                for other in self.models
                if other != model
                and (found := self.material.cell(other, cell.question, cell.condition, self.period))
            ]
            rest = sum(each.samples for each in others)
            long = sum(each.samples - each.followed for each in others)
            strata.append((cell.samples - cell.followed, cell.samples, long, rest))
        return strata, more(strata)

    def _divided(self, question: str) -> tuple[list[Cell], Test]:
        cells = [
            cell
            for model in self.models
            if (cell := self.material.cell(model, question, self.material.condition, self.period))
            and cell.samples
        ]
        # Whether an answer takes a side at all is another question, and decides nothing here.
        return cells, homogeneous([(cell.yes, cell.yes + cell.no) for cell in cells])

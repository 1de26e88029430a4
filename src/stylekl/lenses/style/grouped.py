"""Prompts in groups, compared as single prompts are: groups are the units, and what needs single prompts is left open.

Two models are compared on the groups in which they answered the same prompts, each as often. So a group is a column of
the counts for each set of prompts that some model answered of it: models with different sets do not meet there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stylekl.errors import UsageError
from stylekl.lenses.style.study import Study
from stylekl.measure.units import FEW_PROMPTS
from stylekl.measure.vocabulary import least_share, sizes
from stylekl.results.records import Prompt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from stylekl.counts import Counts
    from stylekl.counts.scale.cells import Cells
    from stylekl.lenses.reports import Estimate
    from stylekl.lenses.style.options import StyleOptions

_NO_KINSHIP = "kinship needs single prompts, not groups of them"


class GroupedStudy(Study):
    """Comparisons of which the units are groups of prompts."""

    def kin(self, a: int, b: int) -> tuple[Estimate | None, bool | None, str | None]:  # noqa: ARG002
        """Return no kinship, and why there is none."""
        return None, None, _NO_KINSHIP


def require_groupable(options: StyleOptions) -> None:
    """Raise UsageError for what needs single prompts."""
    if options.measure == "kinship":
        raise UsageError(_NO_KINSHIP, "measure kl or js")
    if options.prompts:
        raise UsageError(
            "--prompts names single prompts, which are in groups", "leave it out, or --topic narrows them"
        )


def in_columns(
    cells: Cells, asked: NDArray[np.int64], prompts: Sequence[Prompt]
) -> tuple[Cells, list[Prompt], int]:
    """Return cells with a column for each set of prompts of a group, the columns, and in how many groups models differ.

    `cells` are by model and group, sorted; `asked` (A, 3) has the sum of the digests of each, `prompts` are the groups.
    """
    sums = {(model, group): total for model, group, total in asked.tolist()}
    at = cells.at.astype(np.int64)
    mine = np.array([sums[model, group] for model, group in at[:, :2].tolist()], np.int64)
    columns, column = np.unique(np.column_stack([at[:, 1], mine]), axis=0, return_inverse=True)
    at[:, 1] = column.reshape(-1)
    named = [
        Prompt(id=f"{prompts[group].id} {total & (1 << 64) - 1:016x}", text=prompts[group].text)
        for group, total in columns.tolist()
    ]
    for each in named:
        each.text = each.id
    differing = len(columns) - len(np.unique(columns[:, 0]))
    several = np.count_nonzero(np.bincount(columns[:, 0]) > 1) if differing else 0
    return cells.moved_to(at), named, int(several)


def warnings_of(groups: int, used: int, differing: int) -> list[str]:
    """Return what to know of a comparison of groups: how many there are, and in how many models differ."""
    said = [
        f"the prompts are in {groups:,} groups by a hash of their text: groups are the units, numbers of prompts are "
        "those of groups, and every reply of a group weighs the same"
    ]
    if differing:
        said.append(
            f"in {differing:,} of {used:,} groups not all models answered the same prompts equally often: such a group "
            "does not count for two models that differ in it; more groups lose fewer (--prompt-groups)"
        )
    return said


def require_common(samples: NDArray[np.int64]) -> None:
    """Raise UsageError where no two models answered the same prompts of ten groups."""
    answered = (samples > 0).astype(np.float64)
    common = answered @ answered.T
    if not (common[np.triu_indices(len(common), 1)] >= FEW_PROMPTS).any():
        raise UsageError(
            f"no two models answered the same prompts of {FEW_PROMPTS} groups",
            "more groups lose fewer: --prompt-groups",
        )


def by_reply(counts: Counts, threshold: float) -> NDArray[np.int64]:
    """Return the style vocabulary by the share of replies that hold a symbol, averaged over the models, ascending.

    A group of many prompts holds nearly every symbol, so the share of groups says nothing. Of single replies to
    prompts the two shares are the same.
    """
    total, models = np.zeros(counts.limit), 0
    for model in range(counts.models):
        rows = counts.rows(model)
        if rows.start == rows.stop:
            continue
        held = slice(int(counts.starts[rows.start]), int(counts.starts[rows.stop]))
        weights = None if counts.holders is None else counts.holders[held]
        replies = rows.stop - rows.start if counts.replies is None else int(counts.replies[rows].sum())
        total += np.bincount(counts.symbols[held], weights, counts.limit) / replies
        models += 1
    least = least_share(*sizes(counts), threshold) - 1e-9
    return np.flatnonzero(total / max(models, 1) >= least)

"""Is the winner longer, or more formatted? Bradley-Terry with the differences between the two replies beside it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stylekl.measure.jackknife import two_sided_p
from stylekl.measure.logistic import controlled
from stylekl.results.select_votes import text_key

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stylekl.lenses.votes.ballots import Ballots
    from stylekl.results import Results
    from stylekl.results.select_votes import Fight

COVARIATES = ("length", "headings", "list items", "bold")
FEWEST_FIGHTS = 40  # decided fights with both texts: ten for each covariate
_WHITE = re.compile(r"\s+")
_LISTS = ("bullet", "numbered item", "typed bullet", "typed number")


@dataclass(frozen=True, slots=True)
class Taste:
    """What one doubling does to the odds of a win at equal strength: `odds` with its 95 % interval, and p.

    `apart` is the share of the fights in which the two replies differ in it.
    """

    covariate: str
    odds: float
    low: float
    high: float
    p: float
    apart: float


@dataclass(frozen=True, slots=True)
class Tastes:
    """The tastes that could be estimated, from `fights` decided fights whose texts are both known, of `units` units."""

    fights: int
    units: int
    tastes: tuple[Taste, ...]


def tastes(ballots: Ballots) -> Tastes:
    """Return how length and layout bear on who wins; no tastes where too few texts are known."""
    rows, more = _differences(ballots)
    fights = ballots.selection.fights
    won = np.array([fights[row].outcome == "a" for row in rows], bool)
    more = np.where(won[:, None], more, -more)
    units = len(np.unique(ballots.unit[rows]))
    varies = [
        column for column in range(more.shape[1]) if np.count_nonzero(more[:, column]) >= len(rows) / 20
    ]
    if len(rows) < FEWEST_FIGHTS or units < FEWEST_FIGHTS // 4 or not varies:
        return Tastes(len(rows), units, ())
    first, second = ballots.first[rows], ballots.second[rows]
    winner, loser = np.where(won, first, second), np.where(won, second, first)
    models, place = np.unique(np.concatenate([winner, loser]), return_inverse=True)
    kept = more[:, varies]
    found = controlled(
        place[: len(rows)],
        place[len(rows) :],
        kept,
        ballots.unit[rows],
        len(models),
        pseudo=ballots.options.pseudo_wins or 0.1,
    )
    listed = [
        _taste(COVARIATES[column], float(beta), float(error), units, kept[:, number])
        for number, (column, beta, error) in enumerate(zip(varies, found.beta, found.error, strict=True))
        if np.isfinite(beta) and np.isfinite(error) and error > 0
    ]
    return Tastes(len(rows), units, tuple(listed))


def _taste(name: str, beta: float, error: float, units: int, more: NDArray[np.float64]) -> Taste:
    from scipy.special import stdtrit

    half = float(stdtrit(units - 1, 0.975)) * error
    return Taste(
        name,
        float(np.exp(beta)),
        float(np.exp(beta - half)),
        float(np.exp(beta + half)),
        two_sided_p(beta, error, units - 1),
        float(np.count_nonzero(more)) / len(more),
    )


def _differences(ballots: Ballots) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the decided fights (indices) whose two texts are known, and how many doublings a has more than b."""
    texts = _texts(ballots.results)
    known: dict[str, tuple[float, ...]] = {}
    rows, more = [], []
    for row, fight in enumerate(ballots.selection.fights):
        if fight.outcome not in ("a", "b"):
            continue
        a, b = _reply(texts, fight, "a"), _reply(texts, fight, "b")
        if a is None or b is None:
            continue
        for text in (a, b):
            if text not in known:
                known[text] = _measures(text)
        rows.append(row)
        more.append([x - y for x, y in zip(known[a], known[b], strict=True)])
    return np.array(rows, np.int64), np.array(more).reshape(len(rows), len(COVARIATES))


def _measures(text: str) -> tuple[float, ...]:
    """Return the doublings of length (characters that are not white space), headings, list items and bold."""
    from stylekl.facets.layout import symbols

    found = Counter(symbols(text))
    headings = sum(found[f"heading {level}"] for level in range(1, 7))
    counts = (len(_WHITE.sub("", text)), headings, sum(found[name] for name in _LISTS), found["bold"])
    return tuple(float(np.log2(1 + count)) for count in counts)


def _texts(results: Results) -> dict[tuple[str, str], list[str]]:
    """Return the texts of each model and prompt, under the control, that are not flagged."""
    found: dict[tuple[str, str], list[str]] = {}
    for reply in results.replies:
        if (reply.condition or results.control) == results.control and not reply.flags:
            found.setdefault((reply.model, reply.prompt), []).append(reply.text)
    return found


def _reply(texts: dict[tuple[str, str], list[str]], fight: Fight, side: str) -> str | None:
    """Return the text that stood on one side; null where that cannot be told.

    Where a model has several replies to the prompt, `reply_a` and `reply_b` of the vote say which: `text_key` of it.
    """
    model = fight.a if side == "a" else fight.b
    known = list(dict.fromkeys(texts.get((model, fight.prompt or ""), ())))
    if len(known) == 1:
        return known[0]
    key = fight.row.get(f"reply_{side}")
    return next((text for text in known if text_key(text) == key), None)

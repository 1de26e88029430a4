"""Who is foremost, and is it sure? The closest pair, the farthest, the outlier, the longest replies.

The winner is picked after looking, so it is compared with every other candidate, two-sided, and the greatest p of
these comparisons is that of the claim: the intersection-union test (Berger 1982, doi:10.1080/00401706.1982.10487790).
A one-sided test of a winner picked by the data would be wrong twice as often as it says (Hung and Fithian 2019,
doi:10.1214/17-AOS1634: the two-sided one against the runner-up is right).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from stylekl.lenses.claims import two_sided

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from stylekl.lenses.style.claims.distances import Difference

T = TypeVar("T")
FAR = 100.0  # times as much text, beyond which no number is given
P_OPEN = 0.05


@dataclass(frozen=True, slots=True)
class Contest(Generic[T]):
    """A winner, and every other candidate with how far it stands behind; `ranked` has the least sure first."""

    winner: T
    ranked: tuple[tuple[T, Difference], ...]

    @property
    def runner_up(self) -> T:
        """The candidate nearest to the winner."""
        return min(self.ranked, key=lambda each: each[1].value)[0]

    @property
    def rival(self) -> tuple[T, Difference]:
        """The candidate that the winner is least surely ahead of."""
        return self.ranked[0]

    @property
    def p(self) -> float:
        """The p-value of the winner's being foremost."""
        return p_of(self.rival[1])

    @property
    def open(self) -> list[T]:
        """The candidates that may be ahead of the winner."""
        return [candidate for candidate, difference in self.ranked if p_of(difference) >= P_OPEN]


def p_of(difference: Difference) -> float:
    """Return the two-sided p of a difference; 1 where it is not above 0."""
    return two_sided(difference.t, difference.degrees)


def contest(
    winner: T, others: Sequence[T], ahead: Callable[[T, T], Difference], name: Callable[[T], Any]
) -> Contest[T] | None:
    """Return the contest of a winner with the others; `ahead(winner, other)`; None without others.

    `name` breaks ties.
    """
    found = [(other, ahead(winner, other)) for other in others]
    if not found:
        return None
    found.sort(key=lambda each: (-p_of(each[1]), each[1].t, name(each[0])))
    return Contest(winner, tuple(found))


def factor_to_settle(difference: Difference) -> float | None:
    """Return how many times as much text it would roughly take to be sure of a difference, if it stays as it is.

    The t grows with the root of the units, and has to reach the 97.5 % point of Student's. None above 100.
    """
    from stylekl.measure.jackknife import student_quantiles

    if difference.t <= 0 or difference.degrees < 1:
        return None
    needed = (student_quantiles(difference.degrees)[0] / difference.t) ** 2
    return needed if needed <= FAR else None

"""The exact tests against SciPy, against plain enumeration, and by simulation under no difference."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from stylekl.lenses.verdicts.exact import NOTHING, differ, homogeneous, interval, more

counts = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)).filter(any)


def plainly(pairs: list[tuple[tuple[int, int, int], tuple[int, int, int]]]) -> float:
    """Return the p of `differ` by dealing the samples of every question in every way."""

    def distance(a: list[int], b: list[int]) -> float:
        shares = [Counter(side) for side in (a, b)]
        return sum(abs(shares[0][v] / len(a) - shares[1][v] / len(b)) for v in range(3)) / 2

    spread, observed = [], 0.0
    for a, b in pairs:
        first, second = ([v for v in range(3) for _ in range(side[v])] for side in (a, b))
        whole = first + second
        observed += distance(first, second)
        found = []
        for chosen in combinations(range(len(whole)), len(first)):
            side = [whole[place] for place in chosen]
            rest = [whole[place] for place in range(len(whole)) if place not in chosen]
            found.append(distance(side, rest))
        spread.append(found)
    sums = [sum(each) for each in product(*spread)]
    return sum(total >= observed - 1e-9 for total in sums) / len(sums)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(counts, counts).filter(lambda p: sum(p[0]) + sum(p[1]) <= 7), min_size=1, max_size=2)
)
def test_differ_is_the_enumeration_of_every_dealing(pairs: list) -> None:
    assert differ(pairs).p == pytest.approx(plainly(pairs), abs=1e-9)


def test_one_question_with_three_samples_each_can_say_nothing() -> None:
    """Three yes against three no is the most that there is: two of twenty dealings."""
    found = differ([((3, 0, 0), (0, 3, 0))])

    assert found.p == pytest.approx(0.1)
    assert found.least == pytest.approx(0.1)
    assert not found.could
    assert differ([((3, 0, 0), (0, 3, 0))] * 3).p == pytest.approx(0.001)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(counts, counts), min_size=1, max_size=4))
def test_no_p_is_below_the_least(pairs: list) -> None:
    """Whatever the answers; and swapping the sides, or the questions, changes nothing."""
    found = differ(pairs)

    assert found.least - 1e-12 <= found.p <= 1
    assert differ([(b, a) for a, b in reversed(pairs)]).p == pytest.approx(found.p)


def test_questions_without_samples_on_a_side_say_nothing() -> None:
    assert differ([((0, 0, 0), (3, 0, 0))]) == NOTHING
    assert differ([]) == NOTHING
    assert more([(0, 0, 3, 3)]) == NOTHING
    assert homogeneous([(1, 3), (0, 0)]) == NOTHING


@pytest.mark.parametrize("table", [(3, 3, 0, 3), (1, 3, 0, 6), (5, 9, 2, 11), (0, 3, 3, 3), (14, 27, 2, 99)])
def test_more_on_one_question_is_fisher_s_exact_test(table: tuple[int, int, int, int]) -> None:
    here, n, there, m = table
    expected = stats.fisher_exact([[here, n - here], [there, m - there]], alternative="greater").pvalue

    assert more([table]).p == pytest.approx(expected, rel=1e-9)


def test_more_over_questions_is_the_sum_of_hypergeometric_counts() -> None:
    strata = [(2, 3, 1, 6), (3, 3, 0, 4)]
    first, second = (stats.hypergeom(n + m, k + r, n) for k, n, r, m in strata)
    expected = sum(first.pmf(i) * second.pmf(j) for i in range(4) for j in range(4) if i + j >= 5)

    assert more(strata).p == pytest.approx(expected, rel=1e-9)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(2, 3)), min_size=2, max_size=3))
def test_homogeneous_is_the_enumeration_of_every_dealing(sides: list[tuple[int, int]]) -> None:
    size, hits = sum(n for _, n in sides), sum(k for k, _ in sides)

    def statistic(places: tuple[int, ...]) -> float:
        total, start = 0.0, 0
        for _, n in sides:
            total += sum(start <= place < start + n for place in places) ** 2 / n
            start += n
        return total

    observed = sum(k * k / n for k, n in sides)
    dealt = [statistic(places) for places in combinations(range(size), hits)]

    expected = sum(each >= observed - 1e-9 for each in dealt) / len(dealt)
    assert homogeneous(sides).p == pytest.approx(expected, abs=1e-9)


def test_false_alarms_are_at_most_five_in_a_hundred() -> None:
    """Two sides that answer alike, with chances that differ by question: p below .05 in at most 5 % of 2,000 pairs."""
    chance = random.Random(7)
    alarms = 0
    for _ in range(2000):
        pairs = []
        for share in (0.1, 0.5, 0.8):
            sides = []
            for _ in range(2):
                yes = sum(chance.random() < share for _ in range(3))
                sides.append((yes, 3 - yes, 0))
            pairs.append(tuple(sides))
        alarms += differ(pairs).p < 0.05

    assert alarms / 2000 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 2000)


@given(st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_of_a_share_is_clopper_and_pearson_s(share: tuple[int, int]) -> None:
    k, n = share
    expected = stats.binomtest(k, n).proportion_ci(0.95, "exact")

    assert interval(k, n) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert interval(0, 0) == (None, None)


@pytest.mark.parametrize(
    ("here", "n", "there", "m"), [(700, 1200, 600, 1100), (40, 3000, 9, 2000), (5, 2000, 1, 3)]
)
def test_a_question_of_thousands_of_samples_is_as_exact(here: int, n: int, there: int, m: int) -> None:
    """The number of dealings is beyond any float, the p is not."""
    found = more([(here, n, there, m)])

    assert found.p == pytest.approx(stats.hypergeom(n + m, here + there, n).sf(here - 1), rel=1e-6)
    assert found.least is not None
    assert 0.0 <= found.least < 1.0


def test_where_there_are_too_many_states_there_is_no_p() -> None:
    """Null, as for other tests whose enumeration has no end."""
    many = 100_000
    assert differ([((many, many, many), (many, many, 0))]).p is None
    assert more([(many, 2 * many, many, 2 * many)] * 2).p is None

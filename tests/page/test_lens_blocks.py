"""Models and pairs by the lenses other than style: the figures of their reports, drawn where they have intervals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.lenses.frame import LensMatrix
from stylekl.show.page import others
from stylekl.show.page.density import density
from stylekl.show.page.lens_blocks import parts_of_model
from stylekl.show.page.tables import cell
from stylekl.show.page.tells import BAR
from stylekl.show.sections import shown

from .made import lens_report

LENSES = ("choices", "verdicts", "votes", "judgments")
ROOM = density(4, paired=True)


@pytest.mark.parametrize("name", LENSES)
def test_the_table_of_a_model_and_of_a_pair_has_every_figure_of_the_report(name: str) -> None:
    answers = lens_report(name).lenses[name]
    models = {block.ids[0]: block for block in others.lens_models(answers, ROOM)}
    pairs = {tuple(block.ids): block for block in others.lens_details(answers)}

    assert models.keys() == answers.focus.keys()
    assert pairs.keys() == answers.pairs.keys()
    held = [(models[key], shown(name).focus_rows(found)) for key, found in answers.focus.items()]
    held += [(pairs[key], shown(name).pair_rows(found)) for key, found in answers.pairs.items()]
    for block, (header, rows) in held:
        table = block.table
        assert table is not None
        kept = [i for i in range(len(header)) if any(row[i] is not None for row in rows)]
        assert list(table.head) == [header[i].replace("_", " ") for i in kept]
        assert [list(row) for row in table.rows] == [[cell(header[i], row[i]) for i in kept] for row in rows]
        assert block.line
        assert block.title


@pytest.mark.parametrize("name", LENSES)
def test_a_model_stands_beside_each_other_one_with_its_interval(name: str) -> None:
    """Nearest first where the map is of distances, the one that it won most against first where it is of shares."""
    answers = lens_report(name).lenses[name]
    whole = answers.matrix
    assert isinstance(whole, LensMatrix)
    for block in others.lens_models(answers, ROOM):
        assert block.neighbours is not None
        rows = [row for row, _ in block.neighbours.rows]
        known = {frozenset((pair.a, pair.b)): pair for pair in whole.pairs}
        names = {model.name: model.id for model in whole.models}
        values = [row.value for row in rows if row.value is not None]
        assert values == sorted(values, reverse=whole.diverging)
        for row in rows:
            pair = known[frozenset((block.ids[0], names[row.name]))]
            turned = pair.b == block.ids[0] and whole.diverging
            value = None if pair.value is None else 1 - pair.value if turned else pair.value
            assert row.value == (None if value is None else pytest.approx(value))
            if pair.low is not None and pair.high is not None and row.value is not None:
                ends = (1 - pair.high, 1 - pair.low) if turned else (pair.low, pair.high)
                assert (row.low, row.high) == pytest.approx(ends)
                assert row.interval


@pytest.mark.parametrize("name", LENSES)
def test_bars_are_full_and_their_table_has_their_parts(name: str) -> None:
    answers = lens_report(name).lenses[name]
    for found in answers.focus.values():
        parts = parts_of_model(name, shown(name).focus_rows(found))
        assert parts is not None
        assert len(parts.bars) == len(parts.table.head) - 1
        for place, bar in enumerate(parts.bars, 1):
            shares = [row[place] for row in parts.table.rows]
            assert sum(float(segment.width) for segment in bar.segments) == pytest.approx(BAR, abs=0.5)
            assert len(bar.segments) == sum(not share.startswith("0 ") for share in shares)
        assert {row[0] for row in parts.table.rows} == parts.colours.keys()


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_the_interval_of_a_share_seen_from_the_other_side_is_the_rest_of_it(
    one: float, two: float, three: float
) -> None:
    from stylekl.lenses.frame import LensPair

    low, value, high = sorted((one, two, three))
    pair = LensPair(a="a", b="b", value=value, back=1 - value, low=low, high=high, n=1)
    back, lower, upper = others._turned(pair, diverging=True)

    assert back == 1 - value
    assert (lower, upper) == (1 - high, 1 - low)
    assert others._turned(pair, diverging=False)[1:] == (None, None)

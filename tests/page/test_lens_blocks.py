"""Models and pairs by the lenses other than style: the figures of their reports, drawn where they have intervals."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.lenses.frame import LensMatrix
from stylekl.show.page import others
from stylekl.show.page.answer_parts import choices_against, choices_model, verdicts_against
from stylekl.show.page.density import density
from stylekl.show.page.preference_parts import judgments_model
from stylekl.show.page.tables import cell, plot
from stylekl.show.page.tells import BAR
from stylekl.show.sections import shown
from stylekl.show.whiskers import Whisker
from tests.lenses.choices_made import make

from .made import asked, lens_report, page_of

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
    blocks = [*others.lens_models(answers, ROOM), *others.lens_details(answers)]
    for block in blocks:
        drawn = [part for part in block.parts if part.bars]
        assert drawn
        for part in drawn:
            assert part.table is not None
            assert len(part.bars) == len(part.table.head) - 1
            for place, bar in enumerate(part.bars, 1):
                shares = [row[place] for row in part.table.rows]
                assert sum(float(segment.width) for segment in bar.segments) == pytest.approx(BAR, abs=0.5)
                assert len(bar.segments) == sum(not share.startswith("0 ") for share in shares)
            assert {row[0] for row in part.table.rows} == part.colours.keys()


def test_what_questions_come_to_is_counted_alike_over_all_and_pair_by_pair() -> None:
    """The bar is of the report's outcomes; the pairs of words of the fingerprint add up to the same."""
    for found in lens_report("choices").lenses["choices"].focus.values():
        kept = sum(stand.a + stand.b for stand in found.fingerprint)
        lost = sum(sum(stand.reasons.values()) for stand in found.fingerprint)
        part = next(part for part in choices_model(found, whole=True) if part is not None)
        assert part.table is not None
        counts = [int(row[1].partition(" ")[0].replace(",", "")) for row in part.table.rows]
        assert sum(counts) == kept + lost
        assert counts[0] == kept or not kept


def test_words_that_two_take_against_each_other_stand_on_either_side() -> None:
    """Each opposite choice is a chip of both, with its count, and with what the other did."""
    seen_some = False
    for found in lens_report("choices").lenses["choices"].pairs.values():
        opposed = [each for each in found.stands if each.verdict == "opposite"]
        sides = {
            voice.side: voice
            for voice in choices_against(found, ("one", "other"))
            if "opposite" in voice.title
        }
        assert bool(sides) == bool(opposed)
        for side, voice in sides.items():
            seen_some = True
            own = {getattr(each, side).word: each for each in opposed}
            assert {tell.symbol for tell in voice.tells} == own.keys()
            for tell in voice.tells:
                stand, other = (
                    getattr(own[tell.symbol], side),
                    getattr(own[tell.symbol], "ba"["ab".index(side)]),
                )
                assert tell.note == f"{max(stand.a, stand.b)}/{stand.answered}"
                assert f"over {other.word}" in tell.figures
                assert f"the other: {other.word} in {max(other.a, other.b)}" in tell.figures
    assert seen_some


def test_answers_that_tell_two_apart_are_those_whose_majorities_differ_with_the_question() -> None:
    for found in lens_report("verdicts").lenses["verdicts"].pairs.values():
        differ = [row for row in found.rows if row.differ]
        texts = {question.id: question.text for question in found.questions}
        voices = verdicts_against(found, ("one", "other"))
        assert len(voices) == (2 if differ else 0)
        for voice in voices:
            assert len(voice.tells) + voice.more == len(differ)
            asked = {f"{row.question}, {row.condition}": texts[row.question] for row in differ}
            for tell in voice.tells:
                (place,) = tell.places
                assert place.before.strip() == asked[tell.note]
                assert place.symbol == tell.symbol


def test_a_row_without_an_interval_has_a_dot_and_no_whisker() -> None:
    held = Whisker("", "a", 0.4, 0.2, 0.6, None, ".40", "[.20 .60]")
    bare = Whisker("", "b", 0.4, 0.4, 0.4, None, ".40", "")
    none = Whisker("", "c", None, 0.0, 0.0, None, "", "", "no value")
    marks = [mark for _, mark in plot([held, bare, none]).rows]
    assert [(mark.dot is not None, mark.line is not None) for mark in marks] == [
        (True, True),
        (True, False),
        (False, False),
    ]


def test_means_of_a_single_prompt_have_no_interval_and_no_whisker() -> None:
    answers = lens_report("judgments").lenses["judgments"]
    for found in answers.focus.values():
        bare = replace(found, means=tuple(replace(each, low=None, high=None) for each in found.means))
        means = next(
            part for part in judgments_model(bare, whole=True) if part is not None and part.file == "means"
        )
        assert means.plot is not None
        assert all(mark.dot is not None and mark.line is None for _, mark in means.plot.rows)
        assert all(row.interval == "" for row, _ in means.plot.rows)


@pytest.mark.parametrize("name", LENSES)
def test_a_ranking_is_drawn_where_its_scores_have_intervals(name: str) -> None:
    """Composite scores of verdicts have none, and choices have no ranking."""
    found = others.ranking(lens_report(name).lenses[name])
    assert (found.table is not None) == (name != "choices")
    assert (found.picture is not None) == (name in ("votes", "judgments"))
    if found.picture is not None:
        assert found.picture.plot is not None
        assert all(row.interval and mark.line for row, mark in found.picture.plot.rows)


def test_where_mean_totals_rank_they_are_drawn_with_their_intervals() -> None:
    answers = lens_report("judgments").lenses["judgments"]
    scored = replace(answers, rank=replace(answers.rank, ranked_by="scores"))
    picture = others.ranking(scored).picture
    assert picture is not None
    assert picture.plot is not None
    assert picture.heads[1] == "mean total"
    held = {each.name: each.total for each in answers.rank.standings}
    for row, _ in picture.plot.rows:
        total = held[row.name]
        assert (row.value, row.low, row.high) == (total.value, total.low, total.high)


def test_two_models_of_one_name_are_told_apart_by_their_ids() -> None:
    answers = lens_report("choices").lenses["choices"]
    key, found = next(iter(answers.pairs.items()))
    twins = replace(found, a=replace(found.a, name="Twin"), b=replace(found.b, name="Twin"))
    (block,) = others.lens_details(replace(answers, pairs={key: twins}))
    outcomes = next(part for part in block.parts if part.bars)
    assert [bar.title for bar in outcomes.bars] == [f"Twin ({each})" for each in key]


def test_a_long_table_of_figures_is_folded_away() -> None:
    """More rows than a page shows at once: their number stands in the words that unfold them."""
    found = asked(make({"one": _first, "two": _second}, pairs=14, envelopes=3))
    assert "All figures (14 rows)" in page_of(found)


def _first(_pair: int, _envelope: int, _swapped: bool, _sample: int) -> str:
    return f"left{_pair}"


def _second(_pair: int, _envelope: int, _swapped: bool, _sample: int) -> str:
    return f"right{_pair}"


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

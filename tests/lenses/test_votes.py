from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from stylekl.errors import UnknownModelError, UsageError
from stylekl.lenses.votes import Options, Sealed, focus, has_data, matrix, pair, rank
from stylekl.measure import bradley_terry
from stylekl.results import Reply
from tests.rankings import SETS, battle_set
from tests.votes import session, simulated, vote, with_votes

TRUTH = {"ash": 1650.0, "birch": 1550.0, "cedar": 1450.0, "elm": 1350.0}
FAST = Options(resamples=200)
PICKS = {"a": "left", "b": "right", "tie": "both_good", "tie_bad": "both_weak"}


def of_set(battles, source):
    votes = []
    for number, winner in enumerate(battles.winner):
        a, b = battles.models[battles.first[number]], battles.models[battles.second[number]]
        more = {} if battles.session is None else {"session": f"w{battles.session[number]:03}"}
        votes.append(vote(number, a, b, PICKS[winner], source, **more))
    return with_votes(votes, models=tuple(battles.models))


@pytest.mark.parametrize("name", SETS)
def test_scores_of_the_battle_sets_agree_with_independent_code(shared, name):
    battles = battle_set(shared, name)
    variants = {
        "bt_decided_pseudo01_all_pairings": {},
        "bt_decided_only": {"pseudo_wins": 0.0},
        "bt_ties_half": {"pseudo_wins": 0.0, "draws": "half"},
        "bt_decided_pseudo01_fought_pairings": {"pairings": "met"},
        "bt_ties_half_pseudo01_all_pairings": {"draws": "half"},
    }
    for variant, given in variants.items():
        report = rank(of_set(battles, "import"), Options(resamples=0, **given))
        found = {row.model: row.score for row in report.standings}
        expected = battles.expected[variant]["scores"]
        assert max(abs(found[model] - expected[model]) for model in expected) < 1e-6, variant
        assert report.gradient < 1e-8


@pytest.mark.parametrize("name", SETS)
def test_elo_and_records_of_the_battle_sets_agree_with_independent_code(shared, name):
    battles = battle_set(shared, name)
    opened = Options(seal_battles=0, seal_votes=0, resamples=0)
    report = rank(of_set(battles, "arena"), opened)
    expected = battles.expected["elo_k32"]["scores"]
    records = {f"{each.a} || {each.b}": each for each in report.records}

    assert max(abs(row.elo - expected[row.model]) for row in report.standings) < 1e-6
    assert [row.elo for row in report.standings] == sorted(expected.values(), reverse=True) or (
        np.allclose([row.elo for row in report.standings], sorted(expected.values(), reverse=True))
    )
    assert records.keys() == battles.expected["head_to_head"].keys()
    for name_of, wanted in battles.expected["head_to_head"].items():
        found = records[name_of]
        assert (found.wins_a, found.wins_b, found.both_good, found.both_weak) == (
            wanted["first_wins"],
            wanted["second_wins"],
            wanted["tie"],
            wanted["tie_bad"],
        )


def test_intervals_over_sessions_agree_with_independent_code(shared):
    battles = battle_set(shared, "llmfao_crowd")
    report = rank(of_set(battles, "import"))
    expected = battles.expected["bootstrap"]

    assert (report.base.unit, report.base.units, report.resamples) == ("session", 124, 2000)
    for row in report.standings:
        assert abs(row.low - expected["low"][row.model]) < 20
        assert abs(row.high - expected["high"][row.model]) < 20


def test_the_figures_of_a_panel_by_hand():
    mark = {"side": "left", "line": 1}
    votes = [
        vote(1, "ash", "birch", "left", session="s", marks=[mark | {"laugh_ms_after_read": 100}]),
        vote(2, "ash", "birch", "neither", session="s", forced_pick="left", marks=[]),
        vote(3, "ash", "birch", "neither", session="t", marks=[mark | {"laugh_ms_after_read": 300}]),
        vote(
            4,
            "birch",
            "ash",
            "left",
            session="t",
            marks=[mark | {"laugh_after_reveal": True, "laugh_ms_after_read": 9000}],
        ),
        vote(5, "ash", "cedar", "left", session="u"),
    ]
    replies = [Reply(model="ash", prompt="p", text="", flags=["refusal"], sample=n) for n in (1,)]
    replies += [Reply(model="ash", prompt="q", text="Yes.")]
    results = with_votes(
        votes, [session(name) for name in "stu"], prompts={"p": "x", "q": "x"}, replies=replies
    )
    report = rank(results, FAST)
    ash, birch = (next(row for row in report.standings if row.model == m) for m in ("ash", "birch"))

    assert (ash.fights, ash.decided, ash.wins, ash.neither, ash.shown) == (5, 4, 3, 1, 5)
    assert ash.win_share == 3 / 4
    assert ash.direct_win_share == 2 / 3
    assert ash.mark_rate == 2 / 5
    assert (ash.onset_ms, ash.onsets) == (200.0, 2)
    assert birch.mark_rate == 1 / 4  # a mark after the buttons counts here
    assert (birch.onset_ms, birch.onsets) == (None, 0)  # and not here
    assert (ash.refused, ash.replies, ash.refusal_rate) == (1, 2, 0.5)
    assert birch.refusal_rate is None
    assert ash.score > birch.score
    assert np.mean([row.score for row in report.standings]) == pytest.approx(1500.0)
    assert (report.base.sessions, report.base.valid, report.base.units) == (3, 3, 3)
    assert ash.low is None  # three sessions say nothing of a fourth
    assert "won every decided fight" not in " ".join(report.warnings)
    assert any("Birch" not in warning and "Cedar" in warning for warning in report.warnings)


def test_marks_that_nobody_recorded_are_no_rate_of_nought():
    report = rank(with_votes([vote(1, "ash", "birch", "left")]), FAST)

    assert {row.mark_rate for row in report.standings} == {None}


def test_the_true_order_and_its_scores_are_found():
    report = rank(simulated(TRUTH, sessions=300), Options(resamples=300))

    assert [row.model for row in report.standings] == list(TRUTH)
    for row in report.standings:
        assert abs(row.score - TRUTH[row.model]) < 30
        assert row.low < row.score < row.high


def test_intervals_cover_the_truth_about_as_often_as_they_say():
    hits = [
        row.low <= TRUTH[row.model] <= row.high
        for seed in range(60)
        for row in rank(simulated(TRUTH, sessions=40, seed=seed), FAST).standings
    ]

    assert 0.90 < np.mean(hits) < 0.99


def test_neighbours_are_level_where_their_intervals_overlap():
    close = {"ash": 1510.0, "birch": 1505.0, "cedar": 1300.0}
    rows = rank(simulated(close, sessions=100, seed=1), FAST).standings

    assert [row.level_with_next for row in rows] == [True, False, None]
    for row, following in pairwise(rows):
        assert row.level_with_next == (following.high >= row.low)


def test_without_pseudo_wins_a_strict_order_has_no_scores():
    names = [f"m{n}" for n in range(5)]
    votes = [
        vote(len(names) * i + j + 100 * k, names[i], names[j], "left")
        for i in range(5)
        for j in range(i + 1, 5)
        for k in range(3)
    ]
    results = with_votes(votes, models=tuple(names))
    refused = rank(results, Options(pseudo_wins=0.0, resamples=50))
    pseudo = rank(results, Options(resamples=50))

    assert {row.score for row in refused.standings} == {None}
    assert {row.rank for row in refused.standings} == {None}
    assert all("not scoreable" in row.undefined for row in refused.standings)
    assert [row.model for row in pseudo.standings] == names
    assert any("rests on the pseudo-wins" in warning for warning in pseudo.warnings)


def test_without_pseudo_wins_there_is_no_interval_where_a_resample_has_no_fit():
    votes = [vote(n, "ash", "birch", "right" if n == 0 else "left") for n in range(12)]
    report = rank(with_votes(votes), Options(pseudo_wins=0.0, resamples=100))

    assert [row.score is not None for row in report.standings] == [True, True]
    assert {row.low for row in report.standings} == {None}
    assert report.resamples == 0


def test_a_model_with_draws_alone_has_no_score():
    votes = [vote(n, "ash", "birch", "left" if n % 3 else "right") for n in range(9)]
    votes += [vote(20 + n, "ash", "cedar", "neither") for n in range(3)]
    report = rank(with_votes(votes), FAST)
    cedar = report.standings[-1]

    assert (cedar.model, cedar.score, cedar.rank) == ("cedar", None, None)
    assert cedar.undefined == "no decided fight"


def shuffled(results, seed=5):
    models = list(results.models)
    random.Random(seed).shuffle(models)
    return replace(results, models=models, other=dict(results.other))


@pytest.mark.parametrize(
    "ask",
    [
        rank,
        matrix,
        lambda results, options: pair(results, "elm", "ash", options),
        lambda results, options: focus(results, "cedar", options),
    ],
)
def test_reports_are_the_same_on_every_run_and_whatever_the_order_of_the_models(ask):
    results = simulated(TRUTH, sessions=20)

    assert ask(results, FAST) == ask(results, FAST) == ask(shuffled(results), FAST)


def test_a_matrix_holds_the_share_that_the_row_won_with_its_interval():
    results = simulated(TRUTH, sessions=60)
    report = matrix(results, FAST)
    won = next(f for f in rank(results, FAST).records if (f.a, f.b) == ("ash", "elm"))
    cell = next(each for each in report.pairs if (each.a, each.b) == ("ash", "elm"))

    assert report.diverging
    assert report.order == tuple(TRUTH)
    assert [(each.a, each.b) for each in report.pairs] == sorted((each.a, each.b) for each in report.pairs)
    assert cell.value == won.wins_a / (won.wins_a + won.wins_b)
    assert cell.value + cell.back == pytest.approx(1.0)
    assert cell.low < cell.value < cell.high
    assert (cell.n, cell.detail["wins_a"], cell.call) == (won.decided, won.wins_a, "ahead")


def test_models_that_never_met_have_a_reason_and_no_number():
    results = with_votes([vote(1, "ash", "birch", "left"), vote(2, "birch", "cedar", "left")])
    cell = next(each for each in matrix(results, FAST).pairs if (each.a, each.b) == ("ash", "cedar"))
    report = pair(results, "cedar", "ash", FAST)

    assert (cell.value, cell.n, cell.undefined) == (None, 0, "they never met")
    assert (report.record.decided, report.odds, report.record.undefined) == (0, None, "they never met")


def test_few_fights_are_never_called():
    results = with_votes([vote(n, "ash", "birch", "left") for n in range(5)])

    assert matrix(results, FAST).pairs[0].call == "cannot say"
    assert matrix(results, FAST).pairs[0].p is None


def test_a_pair_turns_with_the_order_in_which_it_is_named():
    results = simulated(TRUTH, sessions=60)
    there, back = pair(results, "ash", "elm", FAST), pair(results, "elm", "ash", FAST)

    assert (there.record.wins_a, there.record.wins_b) == (back.record.wins_b, back.record.wins_a)
    assert there.odds == pytest.approx(1 / back.odds)
    assert there.odds_low == pytest.approx(1 / back.odds_high)
    assert there.gap.points == pytest.approx(-back.gap.points)
    assert there.gap.low == pytest.approx(-back.gap.high)
    assert there.odds_low < there.odds < there.odds_high
    assert sum(each.wins for each in there.topics) == there.record.wins_a
    assert [each.topic for each in there.topics] == ["play", "work"]


def test_odds_of_a_shutout_have_no_upper_end():
    report = pair(with_votes([vote(n, "ash", "birch", "left") for n in range(9)]), "ash", "birch", FAST)

    assert report.odds is None
    assert report.odds_low > 1.0
    assert report.odds_high is None


def test_a_gap_that_rests_on_pseudo_wins_is_not_settled_by_resampling_them():
    """Both beat everybody else in every resample; only fights between the two could tell them apart."""
    votes = [vote(n, "ash", "cedar", "left") for n in range(30)]
    votes += [vote(50 + n, "birch", "cedar", "left") for n in range(12)]
    report = pair(with_votes(votes), "ash", "birch", FAST)

    assert report.gap.p == 1.0


def test_a_focus_lists_rivals_most_won_first_and_what_each_topic_adds():
    report = focus(simulated(TRUTH, sessions=100), "ash", FAST)
    shares = [each.share for each in report.rivals]

    assert {each.a for each in report.rivals} == {"ash"}
    assert shares == sorted(shares, reverse=True)
    assert (report.standing.rank, report.ranked) == (1, 4)
    assert all(each.q > 0.01 for each in report.topics)  # no topic was made to matter


def test_what_is_shown_changes_no_number():
    results = simulated(TRUTH, sessions=30)
    whole, part = rank(results, FAST), rank(results, replace(FAST, models=("elm", "birch")))
    kept = {row.model: row for row in whole.standings}

    assert [row.model for row in part.standings] == ["birch", "elm"]
    assert all(row == kept[row.model] for row in part.standings)
    assert [(each.a, each.b) for each in part.records] == [("birch", "elm")]
    with pytest.raises(UnknownModelError):
        rank(results, replace(FAST, models=("oak",)))


def test_a_few_judges_are_no_sample_of_judges():
    votes = [
        vote(n, "ash", "birch", "left" if n % 3 else "right", "import", session=f"j{n % 2}")
        for n in range(30)
    ]
    report = rank(with_votes(votes), FAST)

    assert (report.base.unit, report.base.units) == ("vote", 30)
    assert "2 sessions or judges, too few to resample" in report.warnings[0]


def test_the_source_with_data_is_taken_and_the_others_are_named():
    votes = [vote(1, "ash", "birch", "left", "arena"), vote(2, "ash", "birch", "left", "import")]
    report = rank(with_votes(votes), FAST)

    assert (report.source, report.base.others) == ("import", {"arena": 1})
    with pytest.raises(UsageError, match="no votes of source panel"):
        rank(with_votes(votes), Options(source="panel"))
    with pytest.raises(UsageError, match="hold no votes"):
        rank(with_votes([]))
    with pytest.raises(UsageError, match='no source of votes "web"'):
        rank(with_votes(votes), Options(source="web"))


def test_votes_that_all_fall_out_are_an_error_with_the_reasons():
    with pytest.raises(UsageError) as error:
        rank(with_votes([vote(1, "ash", "birch", "left", check="plain")]))

    assert "check pair (1)" in error.value.hint


def test_a_name_that_nobody_voted_on_is_an_error():
    results = with_votes([vote(1, "ash", "birch", "left")])

    with pytest.raises(UsageError, match="Elm"):
        focus(results, "elm")
    with pytest.raises(UsageError, match="same model"):
        pair(results, "ash", "ASH")


def test_the_lens_has_data_where_there_are_votes():
    assert has_data(with_votes([vote(1, "ash", "birch", "left")]))
    assert not has_data(with_votes([]))


# The seal


@pytest.fixture
def arena():
    """An arena of 2,000 votes in which three models have enough battles and the fourth has 99."""
    votes = [
        vote(n, ("ash", "birch", "cedar")[n % 3], ("birch", "cedar", "ash")[n % 3], "left", "arena")
        for n in range(1901)
    ]
    votes += [vote(3000 + n, "elm", "ash", "right", "arena") for n in range(99)]
    return with_votes(votes, prompts={"p": "work"})


def asked(results, options):
    return [
        rank(results, options),
        matrix(results, options),
        pair(results, "ash", "birch", options),
        focus(results, "elm", options),
    ]


def test_one_battle_too_few_seals_every_question(arena):
    for report in asked(arena, FAST):
        if isinstance(report, Sealed):
            assert report.sealed
            assert (report.votes, report.votes_needed, report.battles_needed) == (2000, 1000, 100)
        else:
            assert {each.value for each in report.pairs} == {None}
            assert {each.n for each in report.pairs} == {0}
            assert report.order == ("ash", "birch", "cedar", "elm")


def test_both_thresholds_must_be_met_and_either_can_be_set(arena):
    assert isinstance(rank(arena, replace(FAST, seal_battles=99, seal_votes=2001)), Sealed)
    assert isinstance(rank(arena, replace(FAST, seal_battles=100)), Sealed)
    assert not isinstance(rank(arena, replace(FAST, seal_battles=99, seal_votes=2000)), Sealed)


def test_a_model_of_the_file_without_a_battle_keeps_the_seal(arena):
    arena.models.append(type(arena.models[0])(id="fir"))

    assert isinstance(rank(arena, replace(FAST, seal_battles=1)), Sealed)


@pytest.mark.parametrize(
    "narrowed", [{"models": ("ash", "birch")}, {"prompts": ("p",)}, {"topics": ("work",)}]
)
def test_no_choice_of_models_topics_or_prompts_opens_the_seal(arena, narrowed):
    assert isinstance(rank(arena, replace(FAST, **narrowed)), Sealed)


def test_a_sealed_report_is_the_same_whoever_won(arena):
    """Nothing that depends on a pick is in it, so no order can leak."""
    turned = replace(
        arena,
        other={
            "votes": [
                row | {"pick": "right" if n % 2 else "both_weak"}
                for n, row in enumerate(arena.other["votes"])
            ]
        },
    )

    assert asked(arena, FAST) == asked(turned, FAST)


def test_check_pairs_and_flagged_replies_do_not_count_towards_the_seal(arena):
    votes = [row | ({"check": "plain"} if n < 10 else {}) for n, row in enumerate(arena.other["votes"])]
    report = rank(replace(arena, other={"votes": votes}), FAST)

    assert report.votes == 1990


def test_panel_and_imported_votes_are_never_sealed():
    for source in ("panel", "import"):
        report = rank(with_votes([vote(1, "ash", "birch", "left", source)]), FAST)
        assert not isinstance(report, Sealed)


def test_a_million_votes_are_counted_once():
    """The fit works on counts: the same votes three times over give the scores of three times the counts."""
    random_ = np.random.default_rng(1)
    winner = random_.integers(0, 100, 1_000_000)
    loser = (winner + random_.integers(1, 100, 1_000_000)) % 100
    wins = bradley_terry.count_wins(winner, loser, 100)

    assert wins.sum() == 1_000_000
    assert bradley_terry.fit(3 * wins).scores == pytest.approx(bradley_terry.fit(wins).scores)

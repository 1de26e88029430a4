from __future__ import annotations

import pytest

from stylekl.errors import RecordError, UnknownChoiceError
from stylekl.results import Reply
from stylekl.results.select_votes import Excluded, select_votes, too_fast, vote_sources
from tests.votes import session, vote, with_votes


def outcomes(results, source="panel", **narrowed):
    return [fight.outcome for fight in select_votes(results, source, **narrowed).fights]


def test_a_pick_names_a_side_and_the_side_a_model():
    """Without `shown_left`, a stands on the left."""
    results = with_votes(
        [
            vote(1, "ash", "birch", "left"),
            vote(2, "ash", "birch", "left", shown_left="birch"),
            vote(3, "ash", "birch", "right", shown_left="birch"),
        ]
    )

    assert outcomes(results) == ["a", "b", "a"]


def test_the_two_kinds_of_draw_and_neither_stay_apart():
    picks = ["both_weak", "both_good", "neither"]
    results = with_votes([vote(n, "ash", "birch", pick) for n, pick in enumerate(picks)])

    assert outcomes(results) == picks


def test_a_forced_pick_decides_after_neither_only():
    results = with_votes(
        [
            vote(1, "ash", "birch", "neither", forced_pick="right"),
            vote(2, "ash", "birch", "left", forced_pick="right"),
        ]
    )
    fights = select_votes(results, "panel").fights

    assert [(fight.outcome, fight.forced) for fight in fights] == [("b", True), ("a", False)]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("check", "weather"),
        ("pick", "A"),
        ("pick", None),
        ("pick", "tie"),
        ("shown_left", "elm"),
        ("source", "web"),
    ],
)
def test_an_unknown_label_is_an_error_that_names_vote_field_and_label(field, value):
    results = with_votes([vote(1, "ash", "birch", "left"), vote(2, "ash", "birch", "left") | {field: value}])

    ask = vote_sources if field == "source" else lambda given: select_votes(given, "panel")
    with pytest.raises(RecordError) as error:
        ask(results)

    assert "vote 2" in error.value.message
    assert f"field {field}" in error.value.message
    assert str(value or "nothing") in error.value.message


def test_an_unknown_forced_pick_is_an_error():
    results = with_votes([vote(1, "ash", "birch", "neither", forced_pick="none")])

    with pytest.raises(RecordError, match='forced_pick: "none"'):
        select_votes(results, "panel")


def test_a_model_that_the_file_does_not_hold_is_an_error():
    with pytest.raises(RecordError, match='no model "oak"'):
        select_votes(with_votes([vote(1, "ash", "oak", "left")]), "panel")


SESSIONS = [
    (session("fine", attention_instructed_pass=True, attention_nonjoke_pass=True, words_per_second=4), None),
    (session("unknown", attention_instructed_pass=None, attention_nonjoke_pass=None), None),
    (session("misses the plain check alone", attention_nonjoke_pass=False, words_per_second=5), None),
    (session("fast alone", attention_nonjoke_pass=True, words_per_second=30), None),
    (session("unfinished", finished=False), "session not finished"),
    (session("instructed", attention_instructed_pass=False), "session failed the instructed check"),
    (
        session("plain and fast", attention_nonjoke_pass=False, words_per_second=25.5),
        "session failed the plain check and was too fast",
    ),
    (
        session("plain and flagged fast", attention_nonjoke_pass=False, too_fast=True),
        "session failed the plain check and was too fast",
    ),
]


@pytest.mark.parametrize(("row", "reason"), SESSIONS, ids=[row["id"] for row, _ in SESSIONS])
def test_a_session_is_excluded_for_these_reasons_alone(row, reason):
    votes = [vote(1, "ash", "birch", "left", session=row["id"]), vote(2, "ash", "elm", "left")]
    found = select_votes(with_votes(votes, [row]), "panel")

    assert found.sessions == 1
    assert found.valid == (reason is None)
    assert found.left_out == ({} if reason is None else {reason: 1})
    assert found.excluded == (() if reason is None else (Excluded(row["id"], reason, 1),))


def test_a_session_excludes_its_votes_whatever_source_it_names():
    rows = [session("s", "import", attention_instructed_pass=False), session("unused", "arena")]
    found = select_votes(with_votes([vote(1, "ash", "birch", "left", session="s")], rows), "panel")

    assert found.left_out == {"session failed the instructed check": 1}
    assert (found.sessions, found.valid) == (1, 0)


def test_exactly_the_limit_is_not_too_fast_and_the_speed_beats_the_flag():
    assert too_fast({"words_per_second": 25}) is False
    assert too_fast({"words_per_second": 25.01}) is True
    assert too_fast({"words_per_second": 6, "too_fast": True}) is False
    assert too_fast({}) is None

    rows = [session("s", too_fast=True, words_per_second=6)]
    assert "6 words per second" in select_votes(with_votes([], rows), "panel").warnings[0]


def test_every_exclusion_is_counted_by_reason_and_by_model():
    results = with_votes(
        [
            vote(1, "ash", "birch", "left", prompt="old"),
            vote(2, "ash", "birch", "left", check="plain", session="out"),
            vote(3, "ash", "birch", "right", check="instructed"),
            vote(4, "ash", "cedar", "left", prompt="p"),
            vote(5, "ash", "elm", "left", session="out"),
            vote(6, "ash", "ash", "left"),
            vote(7, "ash", "elm", "left", prompt="p"),
            vote(8, "ash", "elm", "left", prompt="gone"),
            vote(9, "ash", "elm", "left", source="arena"),
        ],
        [session("out", finished=False)],
        prompts={"old": "x", "p": "x"},
        replies=[
            Reply(model="cedar", prompt="p", text="much too long", flags=["over_length"]),
            Reply(model="elm", prompt="p", text="", flags=["error"], sample=1),
            Reply(model="elm", prompt="p", text="Yes.", sample=2),
        ],
    )
    results.prompts[0].retired = {"on": "2026-01-01", "why": "weak"}
    found = select_votes(results, "panel")

    assert found.votes == 8
    assert [fight.row["id"] for fight in found.fights] == ["v7", "v8"]
    assert found.left_out == {
        "check pair": 2,
        "flagged reply: over_length": 1,
        "one model on both sides": 1,
        "retired prompt": 1,
        "session not finished": 1,
    }
    assert found.left_out_by_model["cedar"] == {"flagged reply: over_length": 1}
    assert found.left_out_by_model["elm"] == {"session not finished": 1}


def test_topics_and_prompts_narrow_and_change_no_battle_count():
    votes = [vote(1, "ash", "birch", "left", prompt="p"), vote(2, "ash", "birch", "left", prompt="q")]
    results = with_votes(votes, prompts={"p": "work", "q": "play"})

    for narrowed, reason in (({"topics": ["work"]}, "topic"), ({"prompts": ["p"]}, "prompt")):
        found = select_votes(results, "panel", **narrowed)
        assert [fight.prompt for fight in found.fights] == ["p"]
        assert found.left_out == {reason: 1}
        assert found.battles == {"ash": 2, "birch": 2, "cedar": 0, "elm": 0}
        assert found.battles_in_all == 2
    with pytest.raises(UnknownChoiceError):
        select_votes(results, "panel", topics=["rest"])


def test_votes_come_in_the_order_in_which_they_were_cast():
    """By time where every vote has one, whatever the time zone; else as in the file."""
    times = ["2026-01-01T12:00:00+02:00", "2026-01-01T09:00:00Z", "2026-01-01T11:00:00+00:00"]
    rows = [vote(n, "ash", "birch", "left", cast=time) for n, time in enumerate(times)]

    def order(votes):
        return [fight.row["id"] for fight in select_votes(with_votes(votes), "panel").fights]

    assert order(rows) == ["v1", "v0", "v2"]
    assert order([*rows, vote(3, "ash", "birch", "left")]) == ["v0", "v1", "v2", "v3"]


def test_marks_after_the_reveal_of_the_buttons_have_no_onset():
    marks = [
        {"side": "left", "line": 1, "laugh_ms_after_read": -120},
        {"side": "right", "line": 2, "laugh_ms_after_read": 900, "laugh_after_reveal": True},
    ]
    (fight,) = select_votes(with_votes([vote(1, "ash", "birch", "left", marks=marks)]), "panel").fights

    assert [(mark.model, mark.onset) for mark in fight.marks] == [("ash", -120.0), ("birch", None)]
    with pytest.raises(RecordError, match="marks: side"):
        select_votes(with_votes([vote(1, "ash", "birch", "left", marks=[{"side": "top"}])]), "panel")


def test_arena_sessions_exclude_nothing():
    rows = [session("s", "arena", finished=False, attention_instructed_pass=False)]
    results = with_votes([vote(1, "ash", "birch", "left", "arena", session="s")], rows)

    assert len(select_votes(results, "arena").fights) == 1

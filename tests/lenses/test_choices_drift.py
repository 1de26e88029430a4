"""Dates and effort levels of one model: what flips, and what turns into a refusal."""

from __future__ import annotations

import pytest

from stylekl.errors import UsageError
from stylekl.lenses.choices import Options, drift

from .choices_made import make, prefers, words


def flips(*pairs: int):
    return prefers(lambda p: int(p in pairs))


def refusing(*pairs: int):
    def say(p: int, _envelope: int, _swapped: bool, _sample: int) -> str:
        return "Neither." if p in pairs else words(p)[0]

    return say


EFFORTS = {
    "m@30max-2026-03-01": refusing(1, 2),
    "m@00low-2026-03-01": prefers(lambda _: 0),
    "m@10medium-2026-03-01": flips(4),
    "m@00low-2026-05-01": prefers(lambda _: 1),
    "other": prefers(lambda _: 0),
}


def test_effort_levels_of_one_date_are_compared_in_the_order_of_their_prefixes() -> None:
    report = drift(make(EFFORTS, envelopes=10), "m@2026-03-01", Options(), axis="effort")

    assert (report.model, report.axis) == ("m@2026-03-01", "effort")
    assert [sibling.label for sibling in report.siblings] == ["low", "medium", "max"]
    assert [(step.old, step.new, step.against) for step in report.steps] == [
        ("m@00low-2026-03-01", "m@10medium-2026-03-01", ("first", "previous")),
        ("m@00low-2026-03-01", "m@30max-2026-03-01", ("first",)),
        ("m@10medium-2026-03-01", "m@30max-2026-03-01", ("previous",)),
    ]


def test_what_flips_and_what_turns_into_a_refusal_is_named() -> None:
    report = drift(make(EFFORTS, envelopes=10), "m@10medium", axis="effort")

    moved = [[(each.kind, each.old.pair) for each in step.moved] for step in report.steps]
    assert moved == [
        [("flip", "p4")],
        [("refusal", "p1"), ("refusal", "p2")],
        [("flip", "p4"), ("refusal", "p1"), ("refusal", "p2")],
    ]
    assert [step.pair.value for step in report.steps] == pytest.approx([1 / 12, 2 / 12, 3 / 12])
    assert {step.pair.call for step in report.steps} == {"apart"}
    assert report.steps[1].moved[0].old.word == "left1"


def test_dates_are_compared_in_order() -> None:
    dates = {
        "m-t0@2026-02-01": flips(0, 1, 2),
        "m-t0@2026-01-01": prefers(lambda _: 0),
        "m-t0@2026-03-01": flips(0, 1, 2),
    }
    report = drift(make(dates, envelopes=6), "m-t0")

    assert [step.pair.detail["opposite"] for step in report.steps] == [3, 3, 0]
    assert [step.pair.call for step in report.steps] == ["apart", "apart", "too close to call"]
    assert len(drift(make(dates, envelopes=6), "m-t0", last=True).steps) == 2


def test_periods_of_one_model_are_siblings_too() -> None:
    results = make({"one": prefers(lambda _: 0)}, envelopes=6)
    later = make({"one": flips(3)}, envelopes=6).other["choices"]
    for rows, period in ((results.other["choices"], "w1"), (later, "w2")):
        for row in rows:
            row["period"] = period
    results.other["choices"] += later

    report = drift(results, "one")

    assert (report.axis, [sibling.label for sibling in report.siblings]) == ("period", ["w1", "w2"])
    assert [(each.kind, each.old.pair) for each in report.steps[0].moved] == [("flip", "p3")]


def test_a_choice_lost_by_position_is_no_refusal_and_one_gained_is_told() -> None:
    def wavering(p: int, _envelope: int, swapped: bool, _sample: int) -> str:
        return words(p)[int(swapped)] if p == 0 else words(p)[0]

    dates = {
        "m@2026-01-01": prefers(lambda _: 0),
        "m@2026-02-01": wavering,
        "m@2026-03-01": prefers(lambda _: 0),
    }
    steps = drift(make(dates, envelopes=6), "m").steps

    assert [[each.kind for each in step.moved] for step in steps] == [["lost"], [], ["gained"]]


def test_a_model_without_siblings_cannot_be_compared() -> None:
    results = make({"m@2026-01-01": prefers(lambda _: 0), "other": prefers(lambda _: 0)})

    with pytest.raises(UsageError, match="no sibling of another date"):
        drift(results, "other")
    with pytest.raises(UsageError, match="effort level"):
        drift(results, "other", axis="effort")

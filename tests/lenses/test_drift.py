"""A model against itself: over dates in one file, over two files, and what a gate makes of it."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from stylekl.errors import UsageError
from stylekl.lenses.reports import Estimate
from stylekl.lenses.style import StyleOptions, diff, drift, pair
from stylekl.lenses.style.changes import Change, Gate, judge, together
from stylekl.measure.exchange import benjamini_hochberg
from stylekl.results import Model, Results, load
from stylekl.results.records import Source
from stylekl.show.json import plain

from .make import make_results

if TYPE_CHECKING:
    from pathlib import Path

DATES = {
    "m@2026-01-05": ("delve", 0.0),
    "m@2026-02-02": ("delve", 0.0),
    "m@2026-03-02": ("delve", 0.12),
    "n": ("honestly", 0.05),
}
FIRST, SECOND, THIRD, OTHER = DATES
GATE = Gate(None, True, 0.5)


def renamed(results: Results, ids: dict[str, str]) -> Results:
    """Return results whose models have other ids."""
    return replace(
        results,
        models=[msgspec.structs.replace(m, id=ids.get(m.id, m.id)) for m in results.models],
        replies=[msgspec.structs.replace(r, model=ids.get(r.model, r.model)) for r in results.replies],
    )


def only(results: Results, *ids: str) -> Results:
    """Return the results of some models alone."""
    return replace(
        results,
        models=[model for model in results.models if model.id in ids],
        replies=[reply for reply in results.replies if reply.model in ids],
    )


def shuffled(results: Results, seed: int = 0) -> Results:
    found = replace(results, models=[*results.models], replies=[*results.replies], prompts=[*results.prompts])
    for records in (found.models, found.replies, found.prompts):
        random.Random(seed).shuffle(records)
    return found


@pytest.fixture(scope="module")
def dated() -> Results:
    return make_results(DATES, prompts=60)


def test_each_date_is_compared_with_the_first_and_the_one_before(dated: Results) -> None:
    """Each pair once; the second date's first and previous are one."""
    changes = drift(dated, "m").changes

    assert [(c.old, c.new, c.against) for c in changes] == [
        (FIRST, SECOND, ("first", "previous")),
        (FIRST, THIRD, ("first",)),
        (SECOND, THIRD, ("previous",)),
    ]
    assert [c.call for c in changes] == ["too close to call", "apart", "apart"]
    assert [c.label for c in changes] == ["2026-02-02", "2026-03-02", "2026-03-02"]


def test_a_drift_gives_the_numbers_that_a_pair_does(dated: Results) -> None:
    """But for q, whose family is the comparisons that the drift makes."""
    changes = drift(dated, "m").changes

    for change in changes:
        found = pair(dated, change.new, change.old, StyleOptions(facets=False)).style.pair
        same = ("js", "floor", "p", "prompts", "unit", "units", "groups", "length_ratio", "length_rule")
        assert change.kl == found.kl_ab
        for name in same:
            assert plain(getattr(change, name)) == plain(getattr(found, name)), name
    q = benjamini_hochberg(np.array([change.p for change in changes]))
    assert [change.q for change in changes] == pytest.approx(q.tolist())


def test_the_order_of_the_file_changes_nothing(dated: Results) -> None:
    assert plain(drift(shuffled(dated), "m")) == plain(drift(dated, "m"))
    assert plain(diff(shuffled(dated), shuffled(dated, 1)).changes) == plain(diff(dated, dated).changes)


def test_the_last_date_alone(dated: Results) -> None:
    changes = drift(dated, "m", last=True).changes

    assert [(c.old, c.new, c.against) for c in changes] == [
        (FIRST, THIRD, ("first",)),
        (SECOND, THIRD, ("previous",)),
    ]
    assert changes[0].kl == drift(dated, "m").changes[1].kl


def test_the_vocabulary_is_that_of_the_whole_file(dated: Results) -> None:
    """So a drift prints what matrix and pair print; --models narrows the siblings alone."""
    whole, narrow = drift(dated, "m"), drift(dated, "m", StyleOptions(models=(FIRST, THIRD)))

    assert whole.vocabulary == narrow.vocabulary
    assert [(c.old, c.new) for c in narrow.changes] == [(FIRST, THIRD)]
    assert narrow.changes[0].kl == whole.changes[1].kl
    with pytest.raises(UsageError, match="fewer than two siblings"):
        drift(dated, "m", StyleOptions(models=(FIRST, OTHER)))


def test_periods_are_compared_like_dates(dated: Results) -> None:
    """One model whose replies are of three periods gives what three dated models give."""
    spans = {FIRST: "2026-01-05", SECOND: "2026-02-02", THIRD: "2026-03-02"}
    one = replace(
        dated,
        models=[Model(id="m"), Model(id=OTHER)],
        replies=[
            msgspec.structs.replace(r, model="m" if r.model in spans else r.model, period=spans.get(r.model))
            for r in dated.replies
        ],
    )
    found, expected = drift(one, "m"), drift(dated, "m")

    assert (found.axis, expected.axis) == ("period", "date")
    assert [replace(c, old="", new="", name="") for c in found.changes] == [
        replace(c, old="", new="", name="") for c in expected.changes
    ]
    assert [sibling.label for sibling in found.siblings] == [sibling.label for sibling in expected.siblings]


def test_few_prompts_are_compared_by_reply() -> None:
    """As in a pair, with the error over prompts beside it; what it takes is counted in replies."""
    few = make_results({FIRST: ("delve", 0.0), SECOND: ("delve", 0.2)}, prompts=4, samples=12)
    (change,) = drift(few, "m").changes

    assert (change.unit, change.prompts, change.units) == ("reply", 4, 48)
    assert change.se_prompts == pytest.approx(
        pair(few, SECOND, FIRST, StyleOptions(facets=False)).style.pair.se_prompts
    )
    assert change.needed is not None


def test_a_larger_size_takes_fewer_prompts(dated: Results) -> None:
    small, large = (drift(dated, "m", size=size).changes[0] for size in (0.005, 0.05))

    assert small.needed > large.needed
    assert small.visible == large.visible
    assert (small.needed > small.units) == (small.visible > 0.005)


def test_a_diff_compares_each_model_with_itself(dated: Results) -> None:
    """The numbers are those of a pair in one file that holds both under two names."""
    old = renamed(only(dated, FIRST, OTHER), {FIRST: "m"})
    new = renamed(only(dated, THIRD, OTHER), {THIRD: "m"})
    report = diff(old, new)

    together_ = renamed(dated, {FIRST: "old m", THIRD: "new m", OTHER: "old n"})
    together_ = only(together_, "old m", "new m", "old n")
    together_.models.append(Model(id="new n"))
    together_.replies += [
        msgspec.structs.replace(r, model="new n") for r in together_.replies if r.model == "old n"
    ]
    found = pair(together_, "new m", "old m", StyleOptions(facets=False)).style.pair

    assert [(c.old, c.new, c.call) for c in report.changes] == [
        ("m", "m", "apart"),
        ("n", "n", "too close to call"),
    ]
    assert report.changes[0].kl == found.kl_ab
    assert report.changes[0].p == found.p
    assert report.changes[1].kl.value == report.changes[1].kl.high == 0.0
    assert (report.changes[0].same, report.changes[1].same) == (0, 60)
    assert not report.identical


def test_models_are_the_same_by_id_else_by_a_name_of_their_own() -> None:
    old = make_results({"a": ("x", 0.0), "b": ("x", 0.0), "c": ("x", 0.0), "gone": ("x", 0.0)}, prompts=12)
    new = renamed(
        make_results(
            {"a": ("x", 0.0), "B2": ("x", 0.0), "c": ("x", 0.0), "come": ("x", 0.0)}, prompts=12, seed=1
        ),
        {},
    )
    for results, ids in ((old, ("b", "c")), (new, ("B2", "c"))):
        for model in results.models:
            if model.id == ids[0]:
                model.name = "the second"
    report = diff(old, new)

    assert {(c.old, c.new) for c in report.changes} == {("a", "a"), ("b", "B2"), ("c", "c")}
    assert (report.only_old, report.only_new) == (("gone",), ("come",))
    assert {c.new for c in diff(old, new, StyleOptions(models=("the second",))).changes} == {"B2"}


def test_a_name_that_two_models_have_matches_nothing() -> None:
    old = make_results({"a": ("x", 0.0), "b": ("x", 0.0)}, prompts=8)
    new = renamed(old, {"a": "c", "b": "d"})
    for model in (*old.models, *new.models):
        model.name = "both"

    with pytest.raises(UsageError, match="share no model"):
        diff(old, new)


def test_prompts_are_joined_by_their_text(dated: Results) -> None:
    """Whatever their ids; a prompt of one file alone does not count."""
    moved = {prompt.id: f"q{place}" for place, prompt in enumerate(reversed(dated.prompts))}
    new = replace(
        dated,
        prompts=[msgspec.structs.replace(p, id=moved[p.id]) for p in dated.prompts],
        replies=[
            msgspec.structs.replace(r, prompt=moved[r.prompt]) for r in dated.replies if r.prompt != "p7"
        ],
    )
    report = diff(dated, new)

    assert {(c.prompts, c.same, c.kl.raw) for c in report.changes} == {(59, 59, 0.0)}


def test_without_a_prompt_in_common_nothing_is_said(dated: Results) -> None:
    new = replace(
        dated, prompts=[msgspec.structs.replace(p, text=f"Another {p.text}") for p in dated.prompts]
    )
    report = diff(dated, new, gate=GATE)

    assert {(c.call, c.undefined, c.kl, c.q, c.gate) for c in report.changes} == {
        ("cannot say", "no prompt in common", None, None, "could not tell")
    }
    assert report.gate.outcome == "could not tell"


def test_what_else_two_files_hold_does_not_hinder(dated: Results) -> None:
    """Votes with one id and two contents would be an error where files are merged."""
    old, new = (
        replace(dated, other={"votes": [{"id": "v", "pick": pick}]}, unknown={"key": pick}) for pick in "ab"
    )

    assert diff(old, new).changes == diff(dated, dated).changes


def test_the_same_file_twice_is_said_to_be_the_same(dated: Results) -> None:
    same = replace(dated, sources=[Source("a.json", "0" * 64)])
    report = diff(same, replace(same, sources=[Source("b.json", "0" * 64)]), gate=Gate(0.001, True, 0.001))

    assert report.identical
    assert (report.old, report.new) == ("a.json", "b.json")
    assert {(c.p, c.same, c.needed, c.visible) for c in report.changes} == {(1.0, 60, None, None)}
    assert report.gate.outcome == "passed"


BASE = Change(
    old="a",
    new="b",
    name="b",
    label="b",
    against=("old",),
    prompts=50,
    unit="prompt",
    units=50,
    groups=20,
    kl=None,
    js=None,
    floor=0.01,
    p=0.5,
    q=0.5,
    same=0,
    call="too close to call",
    needed=40,
    visible=0.008,
    length_ratio=1.0,
    length_rule=False,
    se_prompts=None,
)
ABOVE, WITHIN, BELOW = (
    Estimate(value, value, value - 0.02, value + 0.02, 0.01, value + 0.017) for value in (0.1, 0.04, 0.01)
)
CASES = {
    "surely above": (0.05, False, {"kl": ABOVE, "call": "apart"}, "failed"),
    "surely not above": (0.05, False, {"kl": BELOW, "call": "apart"}, "passed"),
    "within the interval": (0.05, False, {"kl": WITHIN, "call": "apart"}, "could not tell"),
    "no value": (0.05, False, {"call": "cannot say"}, "could not tell"),
    "apart": (None, True, {"kl": WITHIN, "call": "apart"}, "failed"),
    "close, and enough text": (None, True, {"kl": WITHIN}, "passed"),
    "close, and too little text": (None, True, {"kl": WITHIN, "visible": 0.011}, "could not tell"),
    "close, without a spread": (None, True, {"kl": WITHIN, "visible": None}, "could not tell"),
    "all the same text": (None, True, {"kl": BELOW, "visible": None, "same": 50}, "passed"),
    "too few prompts": (None, True, {"call": "cannot say"}, "could not tell"),
    "both fail": (0.05, True, {"kl": ABOVE, "call": "apart"}, "failed"),
    "apart, but small": (0.05, True, {"kl": BELOW, "call": "apart"}, "passed"),
    "apart, perhaps small": (0.05, True, {"kl": WITHIN, "call": "apart"}, "could not tell"),
    "not apart, perhaps large": (0.05, True, {"kl": WITHIN}, "passed"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_gate_judges_a_comparison(name: str) -> None:
    """Fail where it is sure, pass where it is sure of the contrary, else say that it could not tell."""
    above, apart, changes, outcome = CASES[name]

    assert judge(replace(BASE, **changes), Gate(above, apart, 0.01))[0] == outcome


@pytest.mark.parametrize(
    ("outcomes", "whole"),
    [
        (["passed", "passed"], "passed"),
        (["passed", "could not tell"], "could not tell"),
        (["could not tell", "failed", "passed"], "failed"),
        ([], "could not tell"),
    ],
)
def test_one_failure_fails_and_one_doubt_leaves_a_doubt(outcomes: list[str], whole: str) -> None:
    assert together(outcomes) == whole


@pytest.mark.parametrize(
    ("prompts", "size", "outcome"),
    [(60, 0.5, "passed"), (60, 0.001, "could not tell"), (5, 0.5, "could not tell")],
)
def test_the_gate_passes_where_a_difference_would_have_been_seen(
    prompts: int, size: float, outcome: str
) -> None:
    results = make_results({FIRST: ("delve", 0.0), SECOND: ("delve", 0.0)}, prompts=prompts, seed=3)
    report = drift(results, "m", size=size, gate=Gate(None, True, size))

    assert (report.gate.outcome, report.changes[0].gate) == (outcome, outcome)


def test_without_a_gate_nothing_is_judged(dated: Results) -> None:
    report = drift(dated, "m", gate=Gate(None, False, 0.01))

    assert report.gate is None
    assert {change.gate for change in report.changes} == {None}


def test_real_dates_are_apart_and_one_model_on_two_servers_is_not(shared: Path) -> None:
    """805 prompts: three snapshots of one product, and one model behind two servers, which the gate lets pass."""
    folder = shared / "data" / "alpaca_eval"
    snapshots = {"gpt4_0314": "2023-03-14", "gpt4_0613": "2023-06-13", "gpt4_1106_preview": "2023-11-06"}
    dates = load(*(folder / f"{name}.json.gz" for name in snapshots))
    report = drift(renamed(dates, {name: f"m@{day}" for name, day in snapshots.items()}), "m")

    assert {change.call for change in report.changes} == {"apart"}
    assert min(change.kl.low for change in report.changes) > 0.03
    assert max(change.visible for change in report.changes) < 0.003

    servers = ("vicuna-13b-v1.5", "vicuna-13b-v1.5-togetherai")
    old, new = (renamed(load(folder / f"{name}.json.gz"), {name: "m"}) for name in servers)
    report = diff(old, new, gate=Gate(None, True, 0.01))

    assert [(change.call, change.gate) for change in report.changes] == [("too close to call", "passed")]
    assert report.changes[0].visible < 0.002

"""The views of judgments: widths, colours, ASCII, hostile text, and what must be said."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from wcwidth import wcswidth

from stylekl.lenses import judgments as lens
from stylekl.lenses.judgments.changes import compare_runs
from stylekl.lenses.judgments.questions import focus, pair, rank
from stylekl.show import judgments as show
from stylekl.show.judgments_asked import package_text
from stylekl.show.judgments_changes import changes_lines, outcome_lines
from stylekl.show.terminal import Terminal
from tests.lenses.judgments_made import DIMENSIONS, judged, row
from tests.lenses.judgments_made import results as made

from .factory import HOSTILE
from .output import MODES, acting, bare, printed

if TYPE_CHECKING:
    from stylekl.results import Results

WIDTHS = (20, 40, 57, 80, 120, 200)
VIEWS = ("pair", "focus", "rank")


def told(judge: str, first: str, second: str, number: int) -> str:
    if judge == "one":
        return "A"
    return "tie" if number == 3 else "A" if first < second else "B"


def results() -> Results:
    """Return judgments of two judges on three models, one of whom takes what stands first; one reply is invalid."""
    found = judged(told, models=("ant", "bee", "cow"), prompts=8, judges=("one", "two"), both=True)
    found.other["judgments"][5] |= {"verdict": None, "scores": None, "invalid": "no_json"}
    found.other["judgments"][40] |= {"verdict": "tie", "flags": ["verdict_contradicts_totals"]}
    return found


def hostile() -> Results:
    """Return judgments in which every name of the file is out to do harm."""
    found = results()
    for place, model in enumerate(found.models):
        model.name = HOSTILE[place % len(HOSTILE)]
    names = {name: f"{name}{HOSTILE[place % len(HOSTILE)]}" for place, name in enumerate(DIMENSIONS)}
    for place, each in enumerate(found.other["judgments"]):
        each["judge"] += HOSTILE[5]
        each["rubric"] = each["rubric"] | {"id": HOSTILE[3], "dimensions": list(names.values())}
        if each.get("scores"):
            each["scores"] = {
                side: {names[name]: value for name, value in own.items()}
                for side, own in each["scores"].items()
            }
        if each.get("invalid"):
            each["invalid"] = HOSTILE[place % len(HOSTILE)]
    return found


def report(verb: str, found: Results) -> Any:
    return {
        "pair": lambda: pair(found, "ant", "bee"),
        "focus": lambda: focus(found, "bee"),
        "rank": lambda: rank(found),
    }[verb]()


def view(verb: str, found: Results, terminal: Terminal) -> str:
    return printed(getattr(show, f"{verb}_view")(report(verb, found), terminal), terminal)


@pytest.mark.parametrize("verb", VIEWS)
@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_is_wider_than_the_terminal(verb: str, width: int) -> None:
    for found in (results(), hostile(), judged(told, prompts=2), made([row("j", 0, "ant", "bee", "A")])):
        for mode in MODES.values():
            lines = bare(view(verb, found, replace(mode, width=width)))

            assert max(map(wcswidth, lines)) <= width


@pytest.mark.parametrize("verb", VIEWS)
@pytest.mark.parametrize("mode", MODES)
def test_nothing_from_the_file_acts_on_the_terminal(verb: str, mode: str) -> None:
    terminal = replace(MODES[mode], width=80)
    lines = "\n".join(bare(view(verb, hostile(), terminal)))

    assert acting(lines) == set()
    assert not terminal.ascii or lines.isascii()


@pytest.mark.parametrize("verb", VIEWS)
def test_json_and_tables_hold_the_report(verb: str) -> None:
    found = report(verb, results())
    data = getattr(show, f"{verb}_data")(found)
    header, rows = getattr(show, f"{verb}_rows")(found)

    json.dumps(data, allow_nan=False)
    assert data["base"]["judgments"] == found.base.judgments
    assert rows
    assert all(len(each) == len(header) for each in rows)


def test_the_pair_says_verdicts_scores_position_and_agreement() -> None:
    out = " ".join(view("pair", results(), Terminal(colour="none", width=100)).split())

    assert "Ant and Bee by verdicts" in out
    assert "one: position bias: 100% of decided verdicts for the reply shown first" in out
    assert "two: no sign of position bias" in out
    assert "one: invalid, neither tie nor loss: no_json 1" in out
    assert "Krippendorff's alpha" in out
    assert "Asked in both orders, a judge prefers a reply where it does so both times" in out


def test_few_prompts_a_fixed_order_and_a_single_judge_are_said() -> None:
    few = judged(told, prompts=3, judges=("two",), order=None)
    out = " ".join(view("pair", few, Terminal(colour="none", width=100)).split())

    assert "cannot say" in out
    assert "the order was neither drawn nor asked both ways" in out
    assert "Fewer than six prompts" in out
    assert "One judge" in out


def test_a_verdict_against_its_totals_is_listed() -> None:
    found = judged(told, prompts=8, judges=("two",), score=lambda _j, model, _n: 5 if model == "bee" else 2)
    out = " ".join(view("pair", found, Terminal(colour="none", width=100)).split())

    assert "Against the scores: 8 verdicts that the totals speak against; they stand" in out
    assert "two on q0: Ant, totals 6 : 15" in out


def test_packages_are_printed_so_that_json_gives_back_the_bytes() -> None:
    body = {"content": "a\x1b]52;c;x\x07 \u202e \u2028 文 é \ud800".encode("utf-8", "replace").decode()}
    out = package_text([{"url": "u", "body": body}])

    assert json.loads(out) == [{"url": "u", "body": body}]
    assert acting(out) == set()
    assert "文" in out


def test_what_became_of_a_run_is_counted_by_judge_and_reason() -> None:
    found = results()

    assert outcome_lines(found) == [
        "one: 47 judgments; 1 reply invalid (no_json 1)",
        "two: 48 judgments",
    ]


def test_what_a_rerun_changed_is_said() -> None:
    before = made([row("j", n, "ant", "bee", "A") | {"raw": "x"} for n in range(3)])
    now = made(
        [
            row("j", 0, "ant", "bee", "A") | {"raw": "x"},
            row("j", 1, "ant", "bee", "A") | {"raw": "y"},
            row("j", 2, "ant", "bee", "B") | {"raw": "z"},
        ]
    )

    assert changes_lines(compare_runs(before, now)) == [
        "against the earlier run, 3 judgments in both: same bytes 1, same verdict, other words 1, other verdict 1",
        "  j on q2: ant, now bee",
    ]
    header, rows = show.changes_rows(compare_runs(before, now))
    assert (len(rows), rows[0][header.index("change")]) == (3, "same bytes")
    assert lens.NAME == "judgments"

"""Votes as they are drawn: widths, colours, hostile names, tables, and a seal that nothing passes."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from wcwidth import wcswidth

from stylekl.lenses.findings import conclude
from stylekl.lenses.votes import Options, focus, inquire, matrix, pair, rank
from stylekl.show import lens_matrix, votes
from stylekl.show.findings import findings_data, findings_rows, findings_view
from stylekl.show.json import plain
from stylekl.show.tables import to_csv, to_markdown
from stylekl.show.terminal import Terminal
from tests.votes import MODELS, session, simulated, vote, with_votes

from .factory import HOSTILE
from .output import MODES, acting, bare, printed

FAST = Options(resamples=100)
TRUTH = {"ash": 1650.0, "birch": 1560.0, "cedar": 1550.0, "elm": 1350.0}
WIDTHS = (40, 60, 80, 120, 200)


@pytest.fixture(scope="module")
def panel():
    results = simulated(TRUTH, sessions=30)
    for number, row in enumerate(results.other["votes"]):
        row["marks"] = [{"side": "left", "line": 1, "laugh_ms_after_read": 100}] if number % 3 else []
    results.other["sessions"][0]["attention_instructed_pass"] = False
    return results


def views(results, terminal, options=FAST):
    a, b = (model.id for model in results.models[:2])
    return {
        "rank": votes.rank_view(rank(results, options), terminal),
        "pair": votes.pair_view(pair(results, a, b, options), terminal),
        "focus": votes.focus_view(focus(results, a, options), terminal),
    }


def text(results, terminal=MODES["none"], options=FAST):
    return {name: printed(lines, terminal) for name, lines in views(results, terminal, options).items()}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("mode", MODES)
def test_no_line_is_wider_than_the_terminal(panel, width, mode):
    terminal = replace(MODES[mode], width=width)
    for name, shown in text(panel, terminal).items():
        for line in bare(shown):
            assert wcswidth(line) <= width, (name, line)
        if mode == "ascii":
            assert shown.isascii(), name
        if mode in ("none", "ascii"):
            assert "\x1b" not in shown


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("name", HOSTILE)
def test_names_and_topics_cannot_act(name, width):
    results = simulated(TRUTH, sessions=8, each=4)
    for model in results.models:
        model.name = name
    for prompt in results.prompts:
        prompt.topic = name
    for shown in text(results, Terminal(width=width), replace(FAST, resamples=20)).values():
        assert acting(shown) == set()


def test_neighbours_whose_order_is_open_are_marked_and_the_mark_is_said_in_words(panel):
    shown = text(panel)["rank"]

    assert any(line.startswith("Birch") and "≈" in line for line in shown.splitlines())
    assert "≈ The interval overlaps that of the next in rank: their order is not settled." in " ".join(
        shown.split()
    )


def test_the_ranking_says_what_it_rests_on(panel):
    shown = " ".join(text(panel, Terminal(width=200))["rank"].split())

    for said in (
        "Sessions: 29 valid of 30. Excluded: failed the instructed check: 1.",
        "Votes left out: session failed the instructed check: 8.",
        "100 resamples of 29 sessions",
        ".10 pseudo-wins each way for every pairing",
        "marked",
        "onset",
    ):
        assert said in shown


def test_a_pair_says_record_odds_gap_and_topics(panel):
    shown = " ".join(text(panel, Terminal(width=120))["pair"].split())

    for said in ("odds of Ash", "to 1 [", "gap in score", "By topic", "play", "work"):
        assert said in shown


def test_a_shutout_has_odds_without_a_number():
    results = with_votes([vote(n, "ash", "birch", "left") for n in range(9)])
    shown = " ".join(
        printed(votes.pair_view(pair(results, "ash", "birch", FAST), MODES["none"]), MODES["none"]).split()
    )

    assert "one side won all; at least" in shown


def test_models_without_a_score_say_why():
    results = with_votes([vote(n, "ash", "birch", "left") for n in range(9)])
    shown = printed(
        votes.rank_view(rank(results, replace(FAST, pseudo_wins=0.0)), MODES["none"]), MODES["none"]
    )

    assert "Without a score: not scoreable" in " ".join(shown.split())


def test_tables_have_a_row_for_each_model_rival_and_topic(panel):
    tables = {
        "rank": (votes.rank_rows(rank(panel, FAST)), 4),
        "pair": (votes.pair_rows(pair(panel, "ash", "birch", FAST)), 3),
        "focus": (votes.focus_rows(focus(panel, "ash", FAST)), 3),
    }
    for name, ((header, rows), number) in tables.items():
        assert len(rows) == number, name
        assert all(len(row) == len(header) for row in rows), name
        assert len(set(header)) == len(header)
        assert to_csv(header, rows).count("\n") == number + 1
        assert to_markdown(header, rows)


def test_the_json_of_every_question_says_whether_it_is_sealed(panel):
    found = [
        votes.rank_data(rank(panel, FAST)),
        votes.pair_data(pair(panel, "ash", "birch", FAST)),
        votes.focus_data(focus(panel, "ash", FAST)),
    ]

    assert [each["sealed"] for each in found] == [False] * 3
    assert found[0]["by"] == "votes"
    assert [row["model"] for row in found[0]["standings"]] == ["ash", "birch", "cedar", "elm"]
    assert found[0]["base"]["excluded"] == [
        {"session": "s0", "reason": "session failed the instructed check", "fights": 8}
    ]
    for each in found:
        assert json.loads(json.dumps(plain(each), allow_nan=False)) == plain(each)
        assert not {"params", "warnings", "a", "b", "model"} & each.keys()


# The seal


def arena(picks: str) -> Any:
    """Return an arena of 330 votes whose winners are drawn by `picks`, with texts, topics and sessions."""
    sides = {"first": ("left", "left"), "second": ("right", "right"), "draws": ("both_weak", "both_good")}
    rows = []
    for n in range(330):
        a, b = MODELS[n % 4], MODELS[(n + 1 + n // 4 % 3) % 4]
        more = {"prompt": f"p{n % 2}", "session": f"s{n % 9}", "marks": [{"side": "left", "line": 1}]}
        if picks != "first":
            more["marks"] = []
        rows.append(vote(n, a, b, sides[picks][n % 2], "arena", **more))
    topics = {"p0": "work", "p1": "play"}
    return with_votes(rows, [session(f"s{n}", "arena") for n in range(9)], prompts=topics)


def everything(results: Any, options: Options) -> list[Any]:
    """Return all that any question lets out: on every terminal, as JSON, CSV and Markdown."""
    reports = {
        "rank": rank(results, options),
        "pair": pair(results, "elm", "ash", options),
        "focus": focus(results, "cedar", options),
    }
    square, said = matrix(results, options), conclude([inquire(results, options)])
    out: list[Any] = [repr(report) for report in (*reports.values(), square, said)]
    for mode in MODES.values():
        for width in (40, 120):
            terminal = replace(mode, width=width)
            for name, report in reports.items():
                out.append(printed(getattr(votes, f"{name}_view")(report, terminal), terminal))
            out.append(printed(lens_matrix.matrix_view(square, terminal), terminal))
            out.append(printed(findings_view(said, terminal), terminal))
    for name, report in reports.items():
        out.append(json.dumps(plain(getattr(votes, f"{name}_data")(report))))
        out.append(to_csv(*getattr(votes, f"{name}_rows")(report)))
        out.append(to_markdown(*getattr(votes, f"{name}_rows")(report)))
    out += [json.dumps(plain(lens_matrix.matrix_data(square))), to_csv(*lens_matrix.matrix_rows(square))]
    out += [json.dumps(plain(findings_data(said))), to_csv(*findings_rows(said))]
    return out


@pytest.mark.parametrize(
    "options",
    [
        FAST,
        replace(FAST, models=("ash", "elm")),
        replace(FAST, topics=("work",)),
        replace(FAST, seal_votes=1, seal_battles=400),
    ],
    ids=["all", "models", "topics", "battles"],
)
def test_a_sealed_arena_lets_out_the_same_bytes_whoever_won(options):
    first, *others = (everything(arena(picks), options) for picks in ("first", "second", "draws"))

    for other in others:
        assert other == first
    assert "sealed" in first[0]


def test_open_the_same_arena_tells_them_apart():
    opened = replace(FAST, seal_battles=10, seal_votes=100)

    assert everything(arena("first"), opened) != everything(arena("second"), opened)


def test_a_sealed_view_says_how_far_it_is_and_names_models_by_id():
    shown = printed(votes.rank_view(rank(arena("first"), FAST), MODES["none"]), MODES["none"])
    flat = " ".join(shown.split())

    assert "The arena is sealed" in flat
    assert "Votes so far: 330 of 1,000." in flat
    assert [line.split()[0] for line in shown.splitlines() if " of 100" in line] == [
        "Ash",
        "Birch",
        "Cedar",
        "Elm",
    ]
    assert votes.rank_data(rank(arena("first"), FAST))["sealed"] is True

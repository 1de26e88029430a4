"""The views of one-word answers: widths, colours, ASCII, hostile text, the quadrant, and what must be said."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wcwidth import wcswidth

from stylekl.lenses import verdicts as lens
from stylekl.lenses.verdicts import Options
from stylekl.results import Condition, Model, Prompt, Results
from stylekl.show import verdicts as show
from stylekl.show.quadrant import LEAST, Dot, Frame, quadrant
from stylekl.show.terminal import Terminal
from tests.lenses.verdicts_made import editions, make, replies_of

from .factory import HOSTILE, NAMES
from .output import MODES, acting, bare, printed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

WIDTHS = (20, 40, 57, 80, 120, 200)
VIEWS = ("rank", "pair", "focus", "verdicts")
REGIONS = ("Considered Voices", "Category Definers", "Emerging Participants", "Rapid Responders")


def results(names: Sequence[str] = NAMES, odd: Sequence[str] = ()) -> Results:
    """Return answers of these models, two of which are unlike the others; `odd` names questions and conditions."""
    questions = list(odd[:3]) or ["soup-cereal", "soup-smoothie", "soup-fondue"]
    conditions = ["control", *(odd[3:5] or ("asserted", "denied"))]
    found = Results(
        models=[Model(id=f"m{number}", name=name) for number, name in enumerate(names)],
        prompts=[Prompt(id=q, text=f"Is {q} a soup?", kind="one_word") for q in questions],
        conditions=[Condition(id=c, system=c if place else None) for place, c in enumerate(conditions)],
    )
    for number, model in enumerate(found.models):
        for question in questions:
            for place, condition in enumerate(conditions):
                marks = "xxx" if number == 3 else "lre" if number == 2 else "yyn" if number % 2 else "nny"
                if place == 2 and number % 3 == 0 and number != 3:
                    marks = "yyy"
                found.replies += replies_of(
                    model.id,
                    question,
                    condition,
                    marks,
                    latency_ms=100.0 + 37 * number,
                    first_content_ms=90.0,
                    usage={"output": 2 + number},
                )
    return found


def view(name: str, given: Results, terminal: Terminal) -> list[Text]:
    if name == "pair":
        return show.pair_view(lens.pair(given, "m0", "m1"), terminal)
    if name == "focus":
        return show.focus_view(lens.focus(given, "m0"), terminal)
    if name == "rank":
        return show.rank_view(lens.rank(given), terminal)
    return show.verdicts_view(lens.verdicts(given), terminal)


def words_of(lines: list[Text], terminal: Terminal) -> str:
    return " ".join(" ".join(bare(printed(lines, terminal))).split())


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", VIEWS)
def test_no_line_is_wider_than_the_terminal(name: str, width: int) -> None:
    """In any colours, and where only ASCII can be written there is nothing else."""
    for mode, terminal in MODES.items():
        text = printed(view(name, results(), replace(terminal, width=width)), replace(terminal, width=width))

        assert max(wcswidth(line) for line in bare(text)) <= width
        assert mode != "ascii" or text.isascii()
        assert mode not in ("none", "ascii") or "\x1b" not in text


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("name", VIEWS)
def test_hostile_names_leave_no_control_character(name: str, width: int) -> None:
    """Names of models, questions and conditions, the questions' text and the answers."""
    given = results(HOSTILE, odd=HOSTILE[3:8])
    for reply, text in zip(given.replies, HOSTILE * 100, strict=False):
        reply.text = reply.text and text.replace(" ", "")
    for terminal in MODES.values():
        shape = replace(terminal, width=width)
        lines = bare(printed(view(name, given, shape), shape))

        assert acting("\n".join(lines)) == set()
        assert max(wcswidth(line) for line in lines) <= width


@pytest.mark.parametrize("name", ["rank", "pair", "focus"])
def test_constructed_scores_say_that_they_are_and_how(name: str) -> None:
    text = words_of(view(name, results(), Terminal()), Terminal())

    assert (
        "Constructed, not observed: decisiveness = 0.6 × share of yes or no + 0.4 × share of exactly" in text
    )
    assert "efficiency = 0.7 × inverted latency" in text
    assert "composite = (decisiveness + efficiency) / 2" in text
    assert "no measure of a model's speed" in text


def test_the_leaderboard_lists_models_without_answers_and_why() -> None:
    text = words_of(view("rank", results(), Terminal()), Terminal())

    assert f"{NAMES[3]}: unavailable (every call failed); scores are 0 and no verdict." in text
    assert "Nothing is ranked by tokens." in text


def test_the_plot_has_every_model_with_a_region_its_ends_and_its_regions() -> None:
    terminal = Terminal(width=100)
    report = lens.rank(results())
    lines = bare(printed(show.rank_view(report, terminal), terminal))
    start = next(place for place, line in enumerate(lines) if line.startswith("more decided"))
    end = next(place for place, line in enumerate(lines) if "slower, longer" in line)
    plot = " ".join(line[1:] for line in lines[start + 2 : end - 2])

    numbers = [place for place, each in enumerate(report.standings, 1) if each.region]
    assert sorted(map(int, re.findall(r"\d+", plot))) == numbers
    assert all(region in " ".join(lines[start:end]) for region in REGIONS)
    assert "less decided" in lines[end - 1]
    assert "quicker, shorter" in lines[end]


dot = st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda xy: (xy[0] / 40, xy[1] / 40))


@settings(max_examples=80, deadline=None)
@given(st.lists(dot, min_size=1, max_size=30), st.integers(20, 120), st.booleans())
def test_each_dot_is_drawn_once_in_its_own_region(
    places: list[tuple[float, float]], width: int, ascii_only: bool
) -> None:
    """Whatever lies where: every number once, or a + where there was no room, on its side of both cuts."""
    xs, ys = (sorted(place[axis] for place in places) for axis in (0, 1))
    cut_x, cut_y = xs[len(xs) // 2], ys[len(ys) // 2]
    frame = Frame(cut_x, cut_y, ("left", "below"), ("right", "above"), REGIONS)
    dots = [Dot(number, f"model {number}", x, y) for number, (x, y) in enumerate(places, 1)]
    terminal = Terminal(width=width, ascii=ascii_only)
    lines = bare(printed(quadrant(dots, frame, terminal), terminal))

    assert max(wcswidth(line) for line in lines) <= width
    listed = " ".join(lines)
    assert all(f"{each.number} " in listed for each in dots)
    if width < LEAST:
        return
    plot = lines[2 : next(place for place, line in enumerate(lines) if REGIONS[2] in line)]
    drawn = {int(found): row for row, line in enumerate(plot) for found in re.findall(r"\d+", line)}
    pluses = sum(line.count("+") for line in plot)
    assert len(drawn) == len(dots) or pluses
    cut_row = next((row for row, line in enumerate(plot) if ("- - " if ascii_only else "· · ") in line), None)
    for each in dots:
        if each.number in drawn and cut_row is not None:
            assert (drawn[each.number] <= cut_row) == (each.y >= cut_y)


def test_a_tie_is_shown_as_one_and_a_move_has_its_star() -> None:
    table = {"a": {"q": {"control": "yyy", "denied": "yno"}}, "b": {"q": {"control": "nnn", "denied": "nnn"}}}
    text = words_of(show.pair_view(lens.pair(make(table), "a", "b"), Terminal()), Terminal())

    assert "denied tie 1:1:1* no 3/3" in text
    assert "* the majority differs from that under control" in text
    assert "control yes 3/3 no 3/3 yes .10" in text
    assert "cannot say whether they answer alike" in text


def test_without_times_there_is_no_plot_and_the_text_says_why() -> None:
    given = make({"a": {"q": {"control": "yyy"}}, "b": {"q": {"control": "nnn"}}})
    text = words_of(show.rank_view(lens.rank(given), Terminal()), Terminal())

    assert "more decided" not in text
    assert "Without time and tokens of its answers a model has no efficiency and no composite." in text


def test_several_editions_are_named_and_not_pooled() -> None:
    first = {"a": {"q": {"control": "yyy"}}, "b": {"q": {"control": "nnn"}}}
    second = {"a": {"q": {"control": "nnn"}}, "b": {"q": {"control": "nnn"}}}
    given = editions({"2026-W9": first, "2026-W10": second})
    focus = words_of(show.focus_view(lens.focus(given, "a"), Terminal()), Terminal())
    whole = words_of(show.verdicts_view(lens.verdicts(given), Terminal()), Terminal())

    assert "Edition 2026-W10, the latest of 2; editions are not pooled" in focus
    for text in (focus, whole):
        assert "a, q, control: yes (2026-W9) → no (2026-W10)" in text
    assert "efficiency, composite, region are not comparable between them" in whole


def test_no_text_keeps_answers_and_questions_out_of_every_form() -> None:
    given = make({"a": {"q": {"control": "ooo"}}, "b": {"q": {"control": "yyy"}}})
    options = Options(text=False)
    focus = lens.focus(given, "a", options)
    whole = lens.verdicts(given, options)
    forms: list[Any] = [
        show.focus_data(focus),
        show.verdicts_data(whole),
        show.verdicts_rows(whole),
        words_of(show.focus_view(focus, Terminal()), Terminal()),
        words_of(show.verdicts_view(whole, Terminal()), Terminal()),
    ]

    assert "perhaps" in str(show.focus_data(lens.focus(given, "a")))
    for form in forms:
        assert "perhaps" not in str(form).lower()
        assert "Is q one" not in str(form)


@pytest.mark.parametrize("name", ["rank", "pair", "focus", "verdicts"])
def test_a_table_has_as_many_cells_as_its_header(name: str) -> None:
    given = results()
    rows = {
        "rank": lambda: show.rank_rows(lens.rank(given)),
        "pair": lambda: show.pair_rows(lens.pair(given, "m0", "m3")),
        "focus": lambda: show.focus_rows(lens.focus(given, "m0")),
        "verdicts": lambda: show.verdicts_rows(lens.verdicts(given)),
    }[name]
    header, body = rows()

    assert len(set(header)) == len(header)
    assert body
    assert {len(row) for row in body} == {len(header)}


def test_a_pair_without_answers_in_common_says_so() -> None:
    text = words_of(show.pair_view(lens.pair(results(), "m0", "m3"), Terminal()), Terminal())

    assert f"{NAMES[0]} and {NAMES[3]} cannot be compared: no question with answers of both." in text


def test_models_of_one_name_are_shown_by_id() -> None:
    given = results(["same", "same", "other"])
    lines = bare(printed(view("verdicts", given, Terminal()), Terminal()))

    assert {line.split()[0] for line in lines if line.startswith(("m0", "m1", "other"))} == {
        "m0",
        "m1",
        "other",
    }
    assert not any(line.startswith("same") for line in lines)

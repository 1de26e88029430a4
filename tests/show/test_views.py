"""The three views: golden pictures, widths, hostile text, and what their sentences say."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from wcwidth import wcswidth

from stylekl.lenses.reports import ClassTotal, Context, Copy, Estimate, ModelRow
from stylekl.show.style import focus_view, matrix_view, pair_view
from stylekl.show.terminal import Terminal
from stylekl.show.whiskers import Whisker, whiskers

from .factory import HOSTILE, facet, facets, focus_report, matrix, pair_report, tell
from .output import MODES, acting, bare, printed

GOLDEN = Path(__file__).parent / "golden"
FEW = {"unit": "reply", "units": 50, "prompts": 5, "se_prompts": 0.05, "length_rule": True, "copies": 2}
VIEWS = {
    "matrix-4": lambda terminal: matrix_view(matrix(4), terminal),
    "matrix-12": lambda terminal: matrix_view(matrix(12), terminal),
    "matrix-40": lambda terminal: matrix_view(matrix(40), terminal),
    "pair": lambda terminal: pair_view(pair_report(), terminal),
    "pair-examples": lambda terminal: pair_view(pair_report(**FEW), terminal, show_examples=True),
    "focus": lambda terminal: focus_view(focus_report(), terminal),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("view", VIEWS)
def test_a_view_is_the_golden_picture(view, mode):
    """Every view at 40, 60, 80 and 120 columns; STYLEKL_UPDATE_GOLDEN=1 draws the pictures anew."""
    parts = []
    for width in (40, 60, 80, 120):
        terminal = replace(MODES[mode], width=width)
        parts.append(f"== {width} columns\n" + printed(VIEWS[view](terminal), terminal))
    drawn = "".join(parts).replace("\x1b", "␛")
    path = GOLDEN / f"{view}.{mode}.txt"
    if os.environ.get("STYLEKL_UPDATE_GOLDEN") == "1":
        path.write_text(drawn, encoding="utf-8")

    assert path.read_text(encoding="utf-8") == drawn


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("view", VIEWS)
def test_no_line_of_a_view_exceeds_the_width(view, mode):
    """From 40 to 200 columns."""
    for width in (40, 47, 60, 80, 100, 120, 200):
        terminal = replace(MODES[mode], width=width)
        out = printed(VIEWS[view](terminal), terminal)

        assert max(map(wcswidth, bare(out))) <= width
        assert mode != "ascii" or out.isascii()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("width", [40, 80])
def test_hostile_text_leaves_no_control_character(width, mode):
    """Names, symbols, examples, reasons and paths that would act on a terminal only show."""
    terminal = replace(MODES[mode], width=width)
    named = [f"{text}{i}" for i, text in enumerate(HOSTILE)]
    lines = []
    for i, text in enumerate(HOSTILE):
        report = pair_report(text, HOSTILE[i - 1], undefined=text, call="cannot say")
        row = ModelRow("m00", text, 1, 1, 1, {text: 2})
        place = Context(text, text, f"see {text} here {text}", 4, 4 + len(text))
        told = tell(
            text or "x", "m00", 3.0, text, contexts=(place, replace(place, model="m01", start=0, end=1))
        )
        style = replace(
            report.style,
            tells=(told,),
            classes=(ClassTotal(text, 0.1, -0.1, 2.0, 1.0), ClassTotal("other", -0.05, 0.0, -1.0, 0.0)),
            facets=(
                facet(text or "x", 0.1, 0.2),
                replace(facets()[-1], facet=text, unit=text, undefined=text),
            ),
            copied=(Copy(text, 100, text), Copy(text * 9, 100, text * 50)),
        )
        vocabulary = replace(report.vocabulary, source=text)
        report = replace(report, a=row, vocabulary=vocabulary, style=style)
        lines += pair_view(report, terminal, show_examples=True)
    lines += focus_view(focus_report(len(named) - 1, named), terminal)
    lines += matrix_view(matrix(len(named), named), terminal)
    out = "\n".join(bare(printed(lines, terminal)))

    assert not acting(out)
    assert out.encode("utf-8")
    assert mode != "ascii" or out.isascii()
    assert max(map(wcswidth, out.splitlines())) <= width


@pytest.mark.parametrize("n", [1, 2, 10, 30, 79])
@pytest.mark.parametrize("width", [40, 80, 200])
def test_whiskers_of_any_number_stay_aligned(n, width):
    """All values of a focus end in the same column."""
    terminal = Terminal(width=width)
    lines = bare(printed(focus_view(focus_report(n), terminal), terminal))
    ends = {wcswidth(line) for line in lines[1 : n + 1] if "●" in line and not line.endswith("4")}

    assert max(map(wcswidth, lines)) <= width
    assert len(ends) <= 1


def text_of(lines):
    return " ".join(" ".join(line.plain for line in lines).split())


def test_a_pair_says_its_call_in_words():
    """Apart, too close to call, and cannot say with the reason."""
    wide = Terminal(width=200)
    nothing = dict.fromkeys(("kl_ab", "kl_ba", "js", "floor", "p", "q"))

    assert "Alder 3 and Birch 5 are apart (p < .001, q < .001)" in text_of(pair_view(pair_report(), wide))
    close = pair_report(call="too close to call", p=0.3, q=0.41)
    assert "Alder 3 and Birch 5: too close to call (p = .30, q = .41)" in text_of(pair_view(close, wide))
    unknown = pair_report(call="cannot say", undefined="no prompt in common", **nothing)
    assert "cannot say, no prompt in common" in text_of(pair_view(unknown, wide))


def test_both_directions_stand_with_their_intervals():
    """The model before ‖ is the one whose text is read."""
    text = text_of(pair_view(pair_report(), Terminal(width=200)))

    assert "Alder 3 ‖ Birch 5 .13 bits per token [.11 .15]" in text
    assert "Birch 5 ‖ Alder 3 .14 bits per token [.12 .16]" in text


def test_a_symbol_that_one_side_never_uses_has_counts_for_a_lift():
    """The chip says 812:0 under the name of the only one who says it."""
    text = text_of(pair_view(pair_report(), Terminal(width=200)))

    assert "Only Alder 3 [testament 812:0]" in text
    assert "Only Birch 5 [lol 812:0]" in text


def test_few_prompts_are_said():
    """Where the reply is the unit, the output speaks of these prompts only."""
    wide = Terminal(width=200)

    assert "these 5 prompts only" in text_of(pair_view(pair_report(**FEW), wide))
    assert "these 5 prompts only" in text_of(matrix_view(matrix(4, unit="reply", prompts=5), wide))


def test_a_matrix_counts_its_calls_and_names_the_close_pairs():
    """How many pairs are apart, too close, unknown; which are close; what was left out."""
    text = text_of(matrix_view(matrix(12), Terminal(width=200)))

    assert "64 of 66 pairs apart at q < .05, 1 too close to call, 1 cannot say" in text
    assert "Too close to call: Alder 3 and Birch 5 (q = .41)" in text
    assert "Left out 4 replies: refusal 3, empty 1; all from Gemini 3.1 Pro" in text
    assert "KL(row ‖ column), α = .99" in text


def test_a_focus_says_which_ranks_are_not_settled():
    """From the ranges of the ranks, not from the overlap of intervals."""
    assert "Order not settled within 3–6, 7–8" in text_of(focus_view(focus_report(), Terminal(width=200)))


def test_without_text_there_are_no_examples():
    """A report made with --no-text prints its figures without a sentence."""
    report = pair_report()
    bare_tells = tuple(replace(t, example=None, span=None, contexts=()) for t in report.style.tells)
    report = replace(report, style=replace(report.style, tells=bare_tells))
    text = text_of(pair_view(report, Terminal(width=200), show_examples=True))

    assert "layered story" not in text
    assert "delve ×14 [9.9 20], 812 : 58 times in 301 : 40 prompts" in text


def test_a_single_unit_prints_its_value_without_an_interval():
    """Where the jackknife has no error, no figure is made up for it."""
    nan = float("nan")
    alone = Estimate(0.13, 0.14, nan, nan, nan, nan)
    report = pair_report(kl_ab=alone, kl_ba=replace(alone, value=-0.1), call="cannot say")
    text = text_of(pair_view(report, Terminal(width=200)))
    focus = focus_report(3)
    nearest = tuple(replace(n, kl=alone) for n in focus.style.neighbours)
    drawn = text_of(focus_view(replace(focus, style=replace(focus.style, neighbours=nearest)), Terminal()))

    assert "Alder 3 ‖ Birch 5 .13 bits per token Birch 5 ‖ Alder 3 0, limit unknown bits per token" in text
    assert "nan" not in (text + drawn).replace("nuanced", "")


def test_removed_layout_is_said():
    """The figures under --plain are not those of the whole replies."""
    for view, report in ((pair_view, pair_report()), (focus_view, focus_report()), (matrix_view, matrix(3))):
        assert "Layout was removed" not in text_of(view(report, Terminal()))
        assert "Layout was removed" in text_of(view(replace(report, params={"plain": True}), Terminal()))


def test_a_name_of_any_length_takes_at_most_a_line():
    """A megabyte of name is cut in sentences as well, and two such names stay apart."""
    long = "x" * 1_000_000
    text = text_of(pair_view(pair_report(long + "a", long + "b"), Terminal()))

    assert len(text) < 5000
    assert "~1… and " in text


def test_identical_replies_are_listed_with_their_first_words():
    """On how many prompts, the length, five at most; without their words under --no-text."""
    report = pair_report(copies=8)
    lines = [line.plain for line in pair_view(report, Terminal(width=60))]
    at = lines.index("  Identical replies (7 of 805 prompts)")

    assert lines[at + 1].startswith("    p1 (1,412 characters) “The quick brown fox")
    assert lines[at + 6] == "    and 3 more"
    bare_copies = tuple(replace(copy, text=None) for copy in report.style.copied)
    quiet = replace(report, style=replace(report.style, copied=bare_copies))
    assert "p1 (1,412 characters) p1 (1,411 characters) p2" in text_of(pair_view(quiet, Terminal(width=60)))
    assert "Identical" not in text_of(pair_view(pair_report(), Terminal(width=60)))


def test_tells_of_some_classes_alone_are_announced():
    """With tells and without."""
    for view, report in ((pair_view, pair_report()), (focus_view, focus_report())):
        some = replace(report, params={"classes": ["punctuation", "emoji"]})
        none = replace(some, style=replace(some.style, tells=()))

        assert "Tells of these classes only: punctuation, emoji." in text_of(view(some, Terminal()))
        assert "only: punctuation, emoji. No tells among" in text_of(view(none, Terminal()))
        assert "classes only" not in text_of(view(report, Terminal()))


def test_the_unit_is_that_of_the_facet():
    """A symbol of rhythm is a length, one of layout an element; the vocabulary has no plural to make."""
    report = pair_report()
    own = replace(facets()[3], unit="bits per length")
    vocabulary = replace(report.vocabulary, facet="rhythm", size=28)
    report = replace(report, vocabulary=vocabulary, style=replace(report.style, facets=(own,)))
    text = text_of(pair_view(report, Terminal(width=200)))

    assert ".13 bits per length [.11 .15]" in text
    assert "style vocabulary: 28 symbols of rhythm in at least 2% of prompts, 71% of the rhythm" in text


def test_no_tells_are_said():
    """An empty list is a sentence, not a gap."""
    report = pair_report()
    report = replace(report, style=replace(report.style, tells=()))

    assert "No tells among 1,311 symbols." in text_of(pair_view(report, Terminal()))


def test_an_outlier_leaves_the_others_their_room():
    """A neighbour more than three times as far as most goes beyond the axis, its figure stays."""
    rows = [
        Whisker(str(rank), f"m{rank}", value, value - 0.01, value + 0.01, 0.01, f"{value:.2f}", "")
        for rank, value in enumerate([0.10, 0.12, 0.14, 0.16, 3.0], 1)
    ]
    lines = [text.plain for text in whiskers(rows, Terminal(width=60))]

    assert lines[3].index("●") > 40
    assert "→" in lines[4]
    assert lines[4].endswith("3.00")
    assert lines[-1].strip() == "→ lies beyond the axis"


def test_a_focus_on_few_prompts_says_so_with_the_error_over_prompts():
    """The reply was the unit: what it speaks of, and how much larger the error over prompts is."""
    report = focus_report(4)
    few = tuple(replace(n, unit="reply", prompts=5, se_prompts=0.05) for n in report.style.neighbours)
    report = replace(report, style=replace(report.style, neighbours=few))
    said = text_of(focus_view(report, Terminal(width=200)))

    assert "speaks of these 5 prompts only; over prompts the errors are" in said
    assert "Few prompts" not in text_of(focus_view(focus_report(4), Terminal(width=200)))


def test_where_nothing_was_compared_there_is_no_axis_and_no_jackknife():
    """No figure is drawn or named for what does not exist."""
    rows = [Whisker("", "m1", None, 0.0, 0.0, None, "", "", "no prompt in common")]
    nothing = dict.fromkeys(("kl_ab", "kl_ba", "js", "floor", "p", "q"))
    unknown = pair_report(call="cannot say", undefined="no prompt in common", groups=0, prompts=0, **nothing)

    assert len(whiskers(rows, Terminal(width=60))) == 1
    assert "jackknife" not in text_of(pair_view(unknown, Terminal(width=120)))

"""What drift, diff and a baseline look like: widths, hostile text, and what their sentences say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from wcwidth import wcswidth

from stylekl.lenses.reports import Estimate, ModelRow
from stylekl.lenses.style.changes import Baseline, Change, DiffReport, DriftReport, Gate, Moved, Sibling
from stylekl.show.drift import bits, change_rows, diff_view, drift_view, power_lines, round_about
from stylekl.show.style import matrix_view
from stylekl.show.tables import to_csv, to_markdown
from stylekl.show.terminal import Terminal

from .factory import HOSTILE, VOCABULARY, estimate, matrix
from .output import MODES, acting, bare, printed

UNIT = "bits per token"


def change(old: str, new: str, value: float | None = 0.05, **fields: object) -> Change:
    """Return a comparison that is apart unless the fields say otherwise."""
    found = None if value is None else estimate(value, 0.006)
    given = {
        "name": new,
        "label": new,
        "against": ("old",),
        "prompts": 90,
        "unit": "prompt",
        "units": 90,
        "groups": 20,
        "js": found,
        "floor": 0.004,
        "p": 0.00001,
        "q": 0.0002,
        "call": "apart",
        "same": 0,
        "needed": 123,
        "visible": 0.0123,
        "length_ratio": 1.0,
        "length_rule": False,
        "se_prompts": None,
    }
    return Change(old=old, new=new, kl=found, **(given | fields))


def drift_report(names: list[str] | None = None, **fields: object) -> DriftReport:
    """Return a drift over dates: the second too close to call, the last without a prompt in common."""
    ids = names or ["m@2026-01-05", "m@2026-02-02", "m@2026-03-02", "m@2026-04-06"]
    siblings = tuple(Sibling(name, ModelRow(name, name, 90, 90, 9000, {"truncated": 2})) for name in ids)
    close = {"call": "too close to call", "p": 0.3, "q": 0.41, "gate": "passed", "reason": "not apart"}
    missing = {"call": "cannot say", "p": None, "q": None, "floor": None, "needed": None, "visible": None}
    missing |= {"prompts": 0, "units": 0, "undefined": "no prompt in common", "gate": "could not tell"}
    changes = [change(ids[0], ids[1], -0.001, against=("first", "previous"), **close)]
    for i, name in enumerate(ids[2:], 2):
        given = missing if i == len(ids) - 1 else {"gate": "failed", "reason": "apart"}
        value = None if given is missing else 0.1 * i
        changes += [change(ids[0], name, value, against=("first",), **given)]
        changes += [change(ids[i - 1], name, value, against=("previous",), **given)]
    given = {"gate": Gate(None, True, 0.01, "failed"), "params": {}} | fields
    return DriftReport(
        names[0] if names else "m",
        "date",
        UNIT,
        siblings,
        tuple(changes),
        0.01,
        vocabulary=VOCABULARY,
        **given,
    )


def diff_report(names: list[str], **fields: object) -> DiffReport:
    """Return a diff of models, every third unchanged, with others that one file lacks."""
    same = {"same": 90, "call": "too close to call", "q": 1.0, "needed": None, "visible": None}
    changes = [change(name, name, 0.2 / (i + 1)) for i, name in enumerate(names)]
    for i in range(2, len(names), 3):
        changes[i] = replace(changes[i], kl=Estimate(0.0, 0.0, 0.0, 0.0, 0.0, 0.0), **same)
    given = {
        "old": "old.json",
        "new": "new.json",
        "identical": False,
        "only_old": (),
        "only_new": (),
        "gate": None,
    }
    return DiffReport(unit=UNIT, changes=tuple(changes), size=0.01, vocabulary=VOCABULARY, **(given | fields))


def baseline_report(path: str = "old.json"):
    """Return a matrix of which two cells moved and one model changed."""
    report = matrix(4)
    ids = report.order
    moved = (
        Moved(ids[0], ids[2], estimate(0.12), estimate(0.2), 0.0001, 0.002),
        Moved(ids[3], ids[2], estimate(-0.01), estimate(0.3), 0.001, 0.01),
    )
    changes = (change(ids[0], ids[0]), change(ids[1], ids[1], call="too close to call", q=0.5))
    return replace(report, baseline=Baseline(path, "0" * 64, 12, moved, changes))


VIEWS = {
    "drift": lambda terminal: drift_view(drift_report(), terminal),
    "diff": lambda terminal: diff_view(
        diff_report([f"Alder {i}" for i in range(8)], only_old=("Birch 5",)), terminal
    ),
    "baseline": lambda terminal: matrix_view(baseline_report(), terminal),
}


def text_of(lines: list) -> str:
    return " ".join(" ".join(line.plain for line in lines).split())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("view", VIEWS)
def test_no_line_exceeds_the_width(view: str, mode: str) -> None:
    for width in (40, 47, 60, 80, 120, 200):
        terminal = replace(MODES[mode], width=width)
        out = printed(VIEWS[view](terminal), terminal)

        assert max(map(wcswidth, bare(out))) <= width
        assert mode != "ascii" or out.isascii()


@pytest.mark.parametrize("mode", MODES)
def test_hostile_text_leaves_no_control_character(mode: str) -> None:
    """Names, labels, paths and reasons, on the terminal and in tables."""
    terminal = replace(MODES[mode], width=60)
    names = [f"{text}{i}" for i, text in enumerate(HOSTILE)]
    lines = drift_view(drift_report(names), terminal)
    report = diff_report(names, old=names[0], new=names[1], only_old=tuple(names), only_new=tuple(names))
    told = tuple(
        replace(c, gate="failed", reason=c.name, undefined=c.name, call="cannot say") for c in report.changes
    )
    report = replace(report, gate=Gate(0.1, False, 0.1, "failed"), changes=told)
    lines += [*diff_view(report, terminal), *matrix_view(baseline_report(HOSTILE[0]), terminal)]
    out = "\n".join(bare(printed(lines, terminal)))

    assert not acting(out)
    assert mode != "ascii" or out.isascii()
    assert max(map(wcswidth, out.splitlines())) <= 60
    for write in (to_csv, to_markdown):
        assert not acting(write(*change_rows(report)))


def test_a_drift_says_what_is_apart_from_the_first_and_from_the_one_before() -> None:
    text = text_of(drift_view(drift_report(), Terminal(width=200)))

    assert text.startswith("m: 4 dates, m@2026-01-05 to m@2026-04-06 Against the first, m@2026-01-05")
    assert text.count("Apart: m@2026-03-02 (q < .001).") == 2
    assert text.count("Too close to call: m@2026-02-02 (q = .41).") == 2
    assert text.count("Cannot say: m@2026-04-06 (no prompt in common).") == 2
    assert "0 to 90 prompts in common; q over 5 comparisons" in text


def test_two_dates_are_shown_once() -> None:
    """The first and the one before are the same then."""
    report = drift_report()
    report = replace(report, siblings=report.siblings[:2], changes=report.changes[:1])
    text = text_of(drift_view(report, Terminal()))

    assert "Against the first" in text
    assert "the one before" not in text


def test_the_gate_says_its_exit_code_and_what_did_not_pass() -> None:
    text = text_of(drift_view(drift_report(), Terminal(width=200)))

    assert "Gate: failed (exit 1)" in text
    assert "m@2026-03-02 against m@2026-01-05: failed, apart" in text
    assert "m@2026-02-02 against" not in text
    assert "Gate" not in text_of(drift_view(drift_report(gate=None), Terminal()))


def test_unchanged_models_are_said_to_be_so_and_not_too_close_to_call() -> None:
    lines = diff_view(diff_report(["Alder", "Birch", "Cedar"], only_new=("Date",)), Terminal(width=200))
    text = text_of(lines)

    assert "Unchanged: Cedar; every reply is the same text." in text
    assert "Too close" not in text
    assert "Replies of the same text on both sides: 90 of 270, in 1 of 3 comparisons." in text
    assert "Only in new.json: Date." in text


def test_the_same_bytes_are_said_to_be_the_same() -> None:
    assert "byte for byte" in text_of(diff_view(diff_report(["Alder"], identical=True), Terminal()))


def test_what_it_takes_to_see_a_difference_is_said() -> None:
    """Rounded up to two digits, over all comparisons; in replies where those are the unit."""
    changes = [change("a", "b"), change("a", "c", needed=4321, visible=0.00567, units=57)]

    assert power_lines(changes, 0.01) == [
        "A difference of .01 bits takes about 130 to 4,400 prompts to see; "
        "the 57 to 90 here show one of about .0057 to .012 (four times in five)."
    ]
    (of_replies,) = power_lines([change("a", "b", unit="reply", needed=40_000_000)], 0.25)
    assert of_replies.startswith(
        "A difference of .25 bits takes over a million replies to these prompts to see"
    )
    assert power_lines([change("a", "b", needed=None)], 0.01) == []


@pytest.mark.parametrize(("value", "shown"), [(6, 6), (99, 99), (100, 100), (101, 110), (1234, 1300)])
def test_prompts_are_rounded_up(value: int, shown: int) -> None:
    assert round_about(value) == shown


@pytest.mark.parametrize(
    ("size", "shown"), [(0.01, ".01"), (0.00345, ".0034"), (0.2, ".2"), (1.0, "1"), (12.0, "12")]
)
def test_sizes_are_written_short(size: float, shown: str) -> None:
    assert bits(size) == shown


def test_cells_that_moved_have_a_star_and_a_sentence() -> None:
    lines = matrix_view(baseline_report(), Terminal(width=120))
    names = {row.id: row.name for row in matrix(4).models}
    order = [names[i] for i in matrix(4).order]
    body = [line.plain for line in lines[:5]]
    text = text_of(lines)

    assert [row.count("*") for row in body] == [0, 1, 0, 0, 1]
    assert f"Moved since old.json (*, 2 of 12 cells at q < .05): {order[0]} ‖ {order[2]} .12 → .20" in text
    assert f"{order[3]} ‖ {order[2]} 0 → .30" in text
    assert f"Apart from their earlier selves: {order[0]} (.050, q < .001)" in text


def test_without_a_baseline_there_is_no_star() -> None:
    assert "*" not in text_of(matrix_view(matrix(4), Terminal(width=120)))
    still = replace(baseline_report().baseline, moved=(), changes=())
    assert "Moved since old.json: none of 12 cells" in text_of(
        matrix_view(replace(matrix(4), baseline=still), Terminal(width=120))
    )


def test_a_gate_of_many_lists_the_failures_first() -> None:
    report = diff_report([f"Alder {i}" for i in range(30)], gate=Gate(None, True, 0.01, "failed"))
    told = [
        replace(c, gate="failed" if i == 29 else "could not tell", reason="x")
        for i, c in enumerate(report.changes)
    ]
    lines = [line.plain for line in diff_view(replace(report, changes=tuple(told)), Terminal())]
    gate = lines[lines.index("Gate: failed (exit 1)") + 1 :]

    assert gate[0] == "  Alder 29: failed, x"
    assert len(gate) == 11
    assert gate[-1] == "  and 20 more"

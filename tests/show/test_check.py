"""The report of a check on a terminal: within its width, and nothing from a file acts on it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from stylekl.lenses.quality import ORDER, QualityFinding, QualityReport, examine
from stylekl.results import Condition, Model, Prompt, Reply, Results
from stylekl.results.records import Source
from stylekl.show.check import check_rows, check_view
from stylekl.show.check_findings import TITLES, finding_lines
from stylekl.show.terminal import Terminal

from .output import acting, bare, printed

HOSTILE = "\x1b]52;c;AA==\x07\u202e[bold]x[/]\0\n\u2028"
WIDTHS = (20, 40, 80, 120)


def results(text: str) -> Results:
    """Return results that hold `text` wherever a file can say something."""
    models = [Model(id=f"{text}{n}", name=text, requested=text, unknown={"system": text}) for n in range(3)]
    return Results(
        models=models,
        prompts=[Prompt(id=f"{text}{n}", text=f"{text} and {n}") for n in range(6)],
        conditions=[Condition(id=f"{text}c"), Condition(id=f"{text}d", system=text)],
        replies=[
            Reply(
                model=model.id,
                prompt=f"{text}{n}",
                text=("" if place == 2 else f"{text} &amp; {n} of {place}"),
                version=text,
                condition=f"{text}c",
                flags=[text] if n == 1 else [],
            )
            for place, model in enumerate(models)
            for n in range(5 + (place == 0))
        ],
        warnings=[f"{text} is left out"],
        sources=[Source(text, "0" * 64)],
        places=[(f"{text}: line", n) for n in range(16)],  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_from_a_file_acts_on_the_terminal(width: int, ascii_only: bool) -> None:
    terminal = Terminal(width=width, ascii=ascii_only)
    out = printed(check_view(examine(results(HOSTILE), [f"{HOSTILE} differs"]), terminal), terminal)

    assert acting(out) == set()
    assert max(map(cell_len, bare(out))) <= width
    assert not ascii_only or out.isascii()


@given(st.text(max_size=60), st.sampled_from(WIDTHS))
@settings(max_examples=40, deadline=None)
def test_any_text_fits(text: str, width: int) -> None:
    terminal = Terminal(width=width)
    lines = check_view(examine(results(text)), terminal)

    assert max(line.cell_len for line in lines) <= width
    assert acting("\n".join(line.plain for line in lines)) == set()


def report(findings: tuple[QualityFinding, ...]) -> QualityReport:
    found = examine(Results(models=[Model(id="m", name="Model M"), Model(id="n")]))
    return QualityReport(
        **{name: getattr(found, name) for name in found.__slots__ if name != "findings"}, findings=findings
    )


def told(*findings: QualityFinding) -> str:
    return "\n".join(line.plain for line in finding_lines(report(findings), Terminal(width=200)))


def test_every_kind_has_a_title() -> None:
    assert set(TITLES) == set(ORDER)


def test_trouble_is_told_one_by_one_with_its_place() -> None:
    finding = QualityFinding(
        "loop", "trouble", ("m",), "the same over and over", 3, 9, 3, ("p",), "r.json: reply 4"
    )

    assert told(finding) == "Trouble (1)\n  Model M: the same over and over, 3 of 9 replies (r.json: reply 4)"


def test_prompts_stand_where_no_reply_can() -> None:
    finding = QualityFinding("missing_prompts", "trouble", ("n",), "no reply", prompts=7, listed=("a", "b"))

    assert told(finding).endswith("\n  n: no reply, 7 prompts (a, b, and others)")


def test_many_of_a_kind_are_cut_and_counted() -> None:
    many = tuple(QualityFinding("loop", "trouble", ("m",), f"loop {n}", n, 99) for n in range(20))
    out = told(*many)

    assert "Trouble (20)" in out
    assert out.endswith("    and 12 more")


def test_notes_of_a_kind_share_a_line() -> None:
    notes = tuple(QualityFinding("loop", "note", (model,), "loop", 1, 9) for model in ("m", "n"))

    assert told(*notes) == "No trouble found.\n\nNotes (2)\n  Loops: 2 models: Model M 1 of 9, n 1 of 9"


def test_the_rows_name_the_kinds_of_a_model() -> None:
    found = report(
        (
            QualityFinding("loop", "trouble", ("m",), "loop"),
            QualityFinding("copies", "trouble", ("m", "n"), "copies"),
            QualityFinding("empty", "note", ("n",), "empty"),
        )
    )
    header, rows = check_rows(found)
    by_name = [dict(zip(header, row, strict=True)) for row in rows]

    assert [(row["model"], row["troubles"], row["notes"]) for row in by_name] == [
        ("m", "loop; copies", ""),
        ("n", "copies", "empty"),
    ]

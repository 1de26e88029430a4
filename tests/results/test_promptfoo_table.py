"""Results of promptfoo as CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pytest

from stylekl.errors import UnknownFormatError
from stylekl.results import Results, load

from .strategies import write

if TYPE_CHECKING:
    from pathlib import Path

MARKS = ("Status", "Score", "Named Scores", "Grader Reason", "Comment")


def table(folder: Path, *rows: tuple[str, ...]) -> Results:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return load(write(folder, "t.csv", text.getvalue()))


def said(found: Results) -> set[tuple[str, str, str, tuple[str, ...]]]:
    texts = {each.id: each.text for each in found.prompts}
    return {(each.model, texts[each.prompt], each.text, tuple(each.flags)) for each in found.replies}


def test_the_table_holds_what_the_json_of_the_same_run_holds(shared: Path) -> None:
    """But for repeats, which the JSON has and the table has not; the lines leave out what failed."""
    folder = shared / "data" / "formats" / "promptfoo"
    rows, whole, lines = (load(folder / f"pf_out.{suffix}") for suffix in ("csv", "json", "jsonl"))

    assert said(rows) == said(whole)
    assert said(lines) == {each for each in said(whole) if not each[3]}
    assert {each.text for each in rows.prompts} == {each.text for each in whole.prompts}
    assert {each.id for each in rows.models} == {each.id for each in whole.models}
    assert sum("error" in each.flags for each in rows.replies) == 2


def test_variables_are_put_into_the_template(tmp_path: Path) -> None:
    """Into a chat as JSON without breaking it; a failed assertion is a reply, an ERROR none; repeats are samples."""
    chat = '[{"role": "system", "content": "S"}, {"role": "user", "content": "Say {{ q }}"}]'
    found = table(
        tmp_path,
        ("q", "[v/m] Is it {{q}}?", *MARKS, f"[v/m] {chat}", *MARKS),
        ('a "b"', "Yes", "PASS", "1.00", "", "ok", "", "No", "FAIL", "0.00", "", "not so", ""),
        ('a "b"', "Yes!", "PASS", "1.00", "", "ok", "", "blocked", "ERROR", "0.00", "", "", ""),
    )

    assert said(found) == {
        ("v/m", 'Is it a "b"?', "Yes", ()),
        ("v/m", 'Say a "b"', "No", ()),
        ("v/m", 'Is it a "b"?', "Yes!", ()),
        ("v/m", 'Say a "b"', "", ("error",)),
    }
    assert [each.system for each in found.conditions] == [None, "S"]
    assert [each.sample for each in found.replies] == [1, 1, 2, 2]
    assert found.replies[1].extra == {
        "vars": {"q": 'a "b"'},
        "Status": "FAIL",
        "Score": "0.00",
        "Grader Reason": "not so",
    }
    assert found.replies[3].extra["error"] == "blocked"


@pytest.mark.parametrize(
    ("cell", "text", "flags", "extra"),
    [
        ("[PASS] Yes", "Yes", [], {"Status": "PASS"}),
        (
            "[FAIL] no word\n---\nYes\n---\nNo",
            "Yes\n---\nNo",
            [],
            {"Status": "FAIL", "Grader Reason": "no word"},
        ),
        (
            "[PASS] (1.00, tone: 0.50)\n\nYes\n\nNo\n\nPass Reason: fine",
            "Yes\n\nNo",
            [],
            {"Status": "PASS", "Score": "1.00, tone: 0.50", "Grader Reason": "Pass Reason: fine"},
        ),
        ("[ERROR] blocked", "", ["error"], {"Status": "ERROR", "error": "blocked"}),
    ],
)
def test_marks_in_the_cells_of_older_versions_are_taken_off(
    cell: str, text: str, flags: list[str], extra: dict[str, str], tmp_path: Path
) -> None:
    (reply,) = table(tmp_path, ("q", "[m] {{q}}"), ("Rain?", cell)).replies

    assert (reply.text, reply.flags, reply.extra) == (text, flags, {"vars": {"q": "Rain?"}} | extra)


def test_a_label_in_place_of_the_template_is_said(tmp_path: Path) -> None:
    """The variables keep the prompts apart."""
    found = table(
        tmp_path, ("q", "[m] short", *MARKS), ("Rain?", "Yes", *[""] * 5), ("Snow?", "No", *[""] * 5)
    )

    assert [each.text for each in found.prompts] == ["short\n\nq: Rain?", "short\n\nq: Snow?"]
    assert "known by their labels" in found.warnings[0]


def test_brackets_alone_make_no_table_of_promptfoo(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormatError):
        table(tmp_path, ("q", "[m] {{q}}"), ("Rain?", "Yes"))

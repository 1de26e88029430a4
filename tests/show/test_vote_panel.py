"""The screens of a paced session: whole, at every size, and without anything that acts or tells who wrote what."""

from __future__ import annotations

import json
import re

import msgspec
import pytest
from rich.cells import cell_len

from stylekl.gather.panel_file import Plan
from stylekl.show.terminal import Terminal
from stylekl.show.vote_panel import panel_frame
from tests.cli.made import HOSTILE
from tests.gather.test_panel import Reader, plan_of


def hostile(plan: Plan) -> Plan:
    """Return the plan with text that acts on terminals wherever text from a file is shown."""
    content = json.loads(msgspec.json.encode(plan))
    for place, pair in enumerate(content["pairs"]):
        pair["text"] = HOSTILE[place % len(HOSTILE)] + pair["text"]
        pair["lines_a"] = [*HOSTILE[:6], "文字化け" * 12]
        pair["lines_b"] = list(HOSTILE[6:])
    content |= {"question": HOSTILE[1] + "?", "marking": HOSTILE[0], "completion_code": HOSTILE[2]}
    content["calibration"] = [text + " words" for text in HOSTILE[:5]]
    return msgspec.convert(content, Plan)


def screens(plan: Plan, shape: Terminal, height: int) -> dict[str, list[str]]:
    """Return a screen of each stage."""
    reader = Reader(plan)
    reader.session.consent = "\n".join(HOSTILE)
    found: dict[str, list[str]] = {}

    def look() -> None:
        frame = panel_frame(reader.session, shape, height, 0)
        found[reader.session.stage] = [line.plain for line in frame.lines]

    look()
    for key in ("y", "enter", *["enter"] * 5, "enter"):
        reader.press(key, 1)
        look()
    for key in ("space", "up"):
        reader.press(key, 0.1)
        look()
    while reader.session.due is not None:
        reader.now = reader.session.due
        reader.session.tick(reader.now)
        look()
    reader.press("n")
    look()
    reader.session.stage = "code"
    look()
    return found


@pytest.mark.parametrize("width", [20, 40, 80, 200])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_every_screen_fits_and_holds_nothing_that_acts(tmp_path, width, ascii_only) -> None:
    shape = Terminal(width=width, ascii=ascii_only)
    found = screens(hostile(plan_of(tmp_path)), shape, 40)

    assert set(found) == {"consent", "ready", "sentence", "prompt", "reveal", "pick", "forced", "code"}
    for lines in found.values():
        assert len(lines) == 40
        assert all(cell_len(line) <= width for line in lines)
        text = "".join(lines)
        assert not any(
            ord(char) < 32 or 127 <= ord(char) < 160 or char in "\u202e\u2066\u200b\ufeff" for char in text
        )
        assert text.isascii() or not ascii_only


@pytest.mark.parametrize("height", [12, 24, 50])
def test_the_newest_line_is_always_seen_and_so_are_the_keys(tmp_path, height) -> None:
    plan = plan_of(tmp_path)
    content = json.loads(msgspec.json.encode(plan))
    for pair in content["pairs"]:
        pair["lines_a"] = [f"left {number}" for number in range(1, 21)]
        pair["lines_b"] = [f"right {number}" for number in range(1, 21)]
    reader = Reader(msgspec.convert(content, Plan))
    reader.begin()
    reader.press("enter")
    shape = Terminal()
    while reader.session.due is not None:
        lines = [line.plain for line in panel_frame(reader.session, shape, height, 0).lines]
        newest = reader.session.newest
        assert newest is not None
        assert any(line.endswith(reader.session.pair.line(newest)) for line in lines)
        assert any("[space] mark" in line for line in lines)
        reader.now = reader.session.due
        reader.session.tick(reader.now)
    for _ in range(45):
        reader.press("up")
    lines = [line.plain for line in panel_frame(reader.session, shape, height, 0).lines]
    assert any(re.fullmatch("A >  (left|right) 1", line) for line in lines)
    assert any("[n] Neither" in line for line in lines)


def test_no_screen_names_a_model(tmp_path) -> None:
    plan = plan_of(tmp_path)
    content = json.loads(msgspec.json.encode(plan))
    for pair in content["pairs"]:
        pair["lines_a"], pair["lines_b"] = ["one"], ["two"]
    found = screens(msgspec.convert(content, Plan), Terminal(), 24)

    text = "\n".join(line for lines in found.values() for line in lines).casefold()
    assert not any(name in text for name in ("ash ", "birch", "cedar", "elm"))

"""Text from a file on the screens of a vote: safe, no wider than it may be, and nothing of it lost."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.text import Text

from stylekl.show.terminal import Terminal
from stylekl.show.vote_text import framed, wrapped

SHAPE = Terminal()


def rows(text: str, width: int) -> list[str]:
    return [row.plain for row in wrapped(text, width, SHAPE)]


@example("\taaaa文文文 \u200da", 14)
@given(st.text(alphabet="ab 文\n\te\u0301\u202e\x1b👩‍👧", max_size=120), st.integers(4, 60))
def test_rows_fit_and_hold_the_text(text, width) -> None:
    from rich.cells import cell_len

    from stylekl.text import visible

    found = rows(text, width)
    assert found
    assert all(cell_len(row) <= width for row in found)
    assert not any(set(row) & {"\x1b", "\u202e", "\n", "\t"} for row in found)
    joiners = str.maketrans("", "", "\u200d\u200c")  # those at the end of a row join nothing
    kept = "".join(visible(line.expandtabs(4)) for line in text.split("\n"))
    assert "".join("".join(found).split()).translate(joiners) == "".join(kept.split()).translate(joiners)


def test_line_breaks_and_indentation_stay() -> None:
    assert rows("- one two three\n\n    four five\n\tsix\r\nend", 10) == [
        "- one two",
        "three",
        "",
        "   four",
        "   five",
        "   six",
        "end",
    ]


@pytest.mark.parametrize("text", ["x" * 50_000, "文字" * 25_000, "a\u0301" * 20_000, "word " * 20_000])
def test_a_very_long_text_takes_no_more_than_a_moment(text) -> None:
    """CPU time; quadratic work would take minutes."""
    start = time.process_time()
    wrapped(text, 38, SHAPE)

    assert time.process_time() - start < 5


@given(st.integers(0, 60), st.integers(4, 30), st.integers(-5, 80))
def test_a_frame_is_as_high_as_the_screen_and_scrolls_to_both_ends(length, height, offset) -> None:
    body = [Text(str(place)) for place in range(length)]
    frame = framed([Text("head")], body, [Text("foot")], SHAPE, height, offset)
    last = framed([Text("head")], body, [Text("foot")], SHAPE, height, frame.most)

    assert len(frame.lines) == height
    assert (frame.lines[0].plain, frame.lines[-1].plain) == ("head", "foot")
    assert length == 0 or str(length - 1) in [line.plain for line in last.lines]
    assert ("lines" in frame.lines[-2].plain) == (length > height - 2)

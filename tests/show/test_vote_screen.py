"""The terminal during a vote: keys are read for what they are, and all is put back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.show.vote_keys import decode
from tests.cli.keyboard import AtKeyboard

PIECES = [b"a", b"B", b" ", b"\r", b"\x1b[A", b"\x1bOB", b"\x1b[5~", b"\x1b[1;5D", b"\x1b", b"\x1b\x1b[A"]
PIECES += [b"\x1bx", b"\xc3\xa4", b"\x1b[<"]
RAISES = """
from stylekl.show.terminal import Terminal
from stylekl.show.vote_screen import Screen
from rich.text import Text
with Screen(Terminal) as screen:
    screen.draw([Text("here")])
    screen.key()
    raise ValueError("in the middle")
"""


@pytest.mark.parametrize(
    ("sent", "keys"),
    [
        (b"aB 7", ["a", "b", "space", "7"]),
        (b"\r\n\t\x03", ["enter", "enter", "tab", "interrupt"]),
        (b"\x1b[A\x1bOA\x1b[1;2A", ["up", "up", "up"]),
        (b"\x1b[5~\x1b[6~\x1b[H\x1b[4~", ["pageup", "pagedown", "home", "end"]),
        (b"\x1b[15~\x1b[200~\x1bOP", []),
        (b"\x1ba", []),
        (b"\x1b\x1b[A", ["up"]),
        ("é文".encode(), []),
    ],
)
def test_keys_by_their_bytes(sent, keys) -> None:
    assert decode(sent) == (keys, b"")


@given(st.lists(st.sampled_from(PIECES), max_size=6).map(b"".join), st.data())
def test_where_the_bytes_are_parted_makes_no_difference(sent, data) -> None:
    """A sequence that comes in two pieces is never read as letters."""
    place = data.draw(st.integers(0, len(sent)))
    first, rest = decode(sent[:place])
    second, left = decode(rest + sent[place:])

    assert (first + second, left) == decode(sent)


@given(st.binary(max_size=40))
def test_no_bytes_break_it(sent) -> None:
    keys, rest = decode(sent)

    assert len(keys) <= len(sent)
    assert sent.endswith(rest)


def test_an_error_puts_the_terminal_back() -> None:
    with AtKeyboard(program=("-c", RAISES)) as user:
        user.wait("here")
        user.press("a")
        code, err = user.end()
        assert code == 1
        assert "ValueError: in the middle" in err
        assert user.put_back

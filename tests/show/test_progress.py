"""A collection's progress: a live line a provider at a terminal, plain lines every half minute elsewhere."""

from __future__ import annotations

import io

import pytest

from stylekl.gather.collect import Tally
from stylekl.show.progress import EVERY, Progress, duration, line_of, money


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_without_a_terminal_a_plain_line_comes_every_half_minute(clock: Clock) -> None:
    stream = io.StringIO()
    progress = Progress(stream, None, clock=clock)
    for _ in range(100):
        clock.now += 1
        progress({"local": Tally(total=10, done=2), "other": Tally(total=5)})

    lines = stream.getvalue().splitlines()
    assert len(lines) == 2 * int(100 // EVERY)
    assert lines[0].startswith("local ")
    assert "\x1b" not in stream.getvalue()


def test_a_short_run_without_a_terminal_says_nothing_on_the_way(clock: Clock) -> None:
    stream = io.StringIO()
    progress = Progress(stream, None, clock=clock)
    clock.now += 3
    progress({"local": Tally(total=2, done=2)})
    progress.close()

    assert stream.getvalue() == ""


def test_at_a_terminal_the_lines_are_drawn_over_and_the_cursor_comes_back(clock: Clock) -> None:
    stream = io.StringIO()
    progress = Progress(stream, 40, clock=clock)
    for done in (1, 2):
        clock.now += 1
        progress({"local": Tally(total=3, done=done), "a provider\x1b[31m with a name": Tally(total=9)})
    progress.say("warning: something")
    clock.now += 1
    progress({"local": Tally(total=3, done=3)})
    progress.close()

    text = stream.getvalue()
    assert "\x1b[2A\x1b[J" in text
    assert text.endswith("\x1b[?25h")
    assert "\x1b[31m" not in text
    assert "warning: something\n" in text
    for line in text.split("\n"):
        shown = line.replace("\x1b[?25l", "").replace("\x1b[?25h", "").replace("\x1b[2A\x1b[J", "")
        assert len(shown) < 40


def test_a_line_says_all_that_there_is_to_say() -> None:
    tally = Tally(
        total=100, done=50, earlier=10, failed=1, open=2, retried=3, again=4, tokens=12345, spent={"USD": 1.5}
    )

    assert line_of("local", tally, 80.0).split(maxsplit=1)[1] == (
        "50/100, 2 min left, 4 asked again, 3 retried, 1 failed, 2 left open, 12,345 tokens, USD 1.50"
    )


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "1 s"),
        (89, "89 s"),
        (100, "2 min"),
        (5369, "89 min"),
        (5400, "1 h 30 min"),
        (36000, "10 h 0 min"),
    ],
)
def test_a_span_of_time_is_short(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (0, "USD 0.00"),
        (0.0031, "USD 0.0031"),
        (0.5, "USD 0.5000"),
        (1, "USD 1.00"),
        (12345.678, "USD 12,345.68"),
    ],
)
def test_an_amount_keeps_the_digits_that_matter(amount: float, text: str) -> None:
    assert money(amount, "USD") == text

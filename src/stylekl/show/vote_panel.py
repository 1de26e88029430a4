"""A paced session on the screen: what each of its stages shows, and which keys it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from stylekl.show.flow import line, prose
from stylekl.show.labels import named, shown
from stylekl.show.vote_text import Frame, framed, keys_row, wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.gather.panel import PanelSession, Place
    from stylekl.show.terminal import Terminal

_SELECT = (("up/down", "choose a line"), ("x", "mark it, or take its mark away"))


def panel_frame(session: PanelSession, terminal: Terminal, rows: int, offset: int) -> Frame:
    """Return the screen of the stage at hand. Models are never named."""
    if session.stage == "consent":
        return _consent(session, terminal, rows, offset)
    if session.stage in ("ready", "sentence"):
        return _calibration(session, terminal, rows)
    if session.stage in ("code", "left"):
        return _code(session, terminal, rows)
    return _pair(session, terminal, rows, offset)


def _consent(session: PanelSession, terminal: Terminal, rows: int, offset: int) -> Frame:
    head = [Text("Before you begin", "bold"), Text()]
    keys = (("y", "I agree"), ("n", "I do not agree, and leave"))
    foot = [Text(), *keys_row(keys, terminal.width)]
    return framed(head, wrapped(session.consent, terminal.width, terminal), foot, terminal, rows, offset)


def _calibration(session: PanelSession, terminal: Terminal, rows: int) -> Frame:
    width, sentences = terminal.width, session.plan.calibration
    if session.stage == "ready":
        text = (
            f"First, {len(sentences)} sentences measure how fast you read. Read each one once, as you would read "
            "anything, and press enter as soon as you have read it."
        )
        foot = [Text(), *keys_row((("enter", "show the first sentence"),), width)]
        return framed(
            [Text("Reading speed", "bold"), Text()], prose(Text(text), width), foot, terminal, rows, 0
        )
    head = [Text(f"Reading speed: sentence {session.sentence + 1} of {len(sentences)}", "bold"), Text()]
    foot = [Text(), *keys_row((("enter", "I have read it"),), width)]
    return framed(head, wrapped(sentences[session.sentence], width, terminal), foot, terminal, rows, 0)


def _code(session: PanelSession, terminal: Terminal, rows: int) -> Frame:
    code = shown(session.plan.completion_code, terminal.ascii)
    body = prose(
        line("All pairs are answered. Your completion code is ", (code, "bold"), "."), terminal.width
    )
    foot = [Text(), *keys_row((("enter", "close"),), terminal.width)]
    return framed([Text("Thank you", "bold"), Text()], body, foot, terminal, rows, 0)


def _pair(session: PanelSession, terminal: Terminal, rows: int, offset: int) -> Frame:
    """Return a pair: its prompt, the lines that have come, and what may be done now.

    Where the lines do not fit, those around the selected or the newest one are seen.
    """
    width, pair = terminal.width, session.pair
    total = len(session.planned.items)
    head = [Text(f"Pair {session.item + 1} of {total}", "bold")]
    body = [*wrapped(pair.prompt, width, terminal, "bold"), Text()]
    here = session.selected or session.newest
    focus = 0
    for place in pair.places if session.shown else ():
        if place == ("right", 1):
            body.append(Text())
        if place in session.shown:
            body += _line(session, place, terminal)
            focus = len(body) if place == here else focus
    foot = [Text(), *_foot(session, terminal)]
    room = max(1, rows - len(head) - len(foot) - 1)
    if session.stage == "prompt":
        return framed(head, body, foot, terminal, rows, offset)
    return framed(head, body, foot, terminal, rows, max(0, focus - room), scrolls=False)


def _line(session: PanelSession, place: Place, terminal: Terminal) -> list[Text]:
    """Return a line with the letter of its side, `>` where it is selected and `*` where it is marked."""
    side, number = place
    letter = ("A" if side == "left" else "B") if number == 1 else " "
    signs = (">" if place == session.selected else " ") + ("*" if place in session.marks else " ")
    style = "bold" if place in session.marks else ""
    texts = wrapped(session.pair.line(place), terminal.width - 5, terminal, style)
    first = line((letter, "bold"), " ", (signs, "bold"), " ").append_text(texts[0])
    return [first, *(line(" " * 5).append_text(more) for more in texts[1:])]


def _foot(session: PanelSession, terminal: Terminal) -> Sequence[Text]:
    width = terminal.width
    question = prose(Text(named(session.pair.question, terminal.ascii), "bold"), width)
    if session.stage == "prompt":
        return keys_row((("enter", "show the replies, line by line"),), width)
    if session.stage == "forced":
        asked = prose(Text("If you had to choose one?", "bold"), width)
        return [*asked, *keys_row((("a", "A"), ("b", "B")), width)]
    say = session.notice or session.plan.marking
    note = prose(Text(shown(say, terminal.ascii), "dim"), width)
    marking = keys_row((("space", "mark the newest line"), *_SELECT), width)
    if session.stage == "reveal":
        return [*note, *marking]
    return [*note, *marking, *question, *keys_row((("a", "A"), ("b", "B"), ("n", "Neither")), width)]

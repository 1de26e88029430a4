"""What a judge was asked, as FastChat keeps it: the question of the first turn in the text that the judge was given."""

from __future__ import annotations

import re
from typing import Any

# One answer: "[Question]" or "[User Question]" and the text, up to the reference or the answer. Two turns: the first
# "### User:" of the conversation, or of the reference that stands before it. Only the first of each opening is looked
# at, so that the time is that of reading the text once.
_ONE_TURN = re.compile(r"(?:\A|\n\n)\[(?:User )?Question\]\n")
_ANSWER = re.compile(r"\n\n\[The Start of (?:Reference Answer|Assistant)")
_TWO_TURNS = re.compile(r"\A\s*<\|The Start of [^|\n]{1,80}\|>\n\n### User:\n")
_FIRST_ANSWER = re.compile(r"\n\n### (?:Assistant A|Reference answer):\n")


def question_in(given: Any) -> str | None:
    """Return the question that a judge's prompt holds, null where it holds none or is of another template."""
    if not isinstance(given, str):
        return None
    opening, end = _TWO_TURNS.match(given), _FIRST_ANSWER
    if opening is None:
        opening, end = _ONE_TURN.search(given), _ANSWER
    closing = end.search(given, opening.end()) if opening else None
    question = given[opening.end() : closing.start()] if opening and closing else ""
    return question if question.strip() else None

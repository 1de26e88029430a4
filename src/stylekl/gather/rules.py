"""When a reply is asked for once more, which of two is kept, and how it is flagged."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.gather.ask import Answer
    from stylekl.gather.battery import Length

ATTEMPTS = 2
TEXT_RULE = "text/1"
# From the least to the worst; a reply with any of these is asked for once more.
_AGAIN = ("over_length", "invalid", "refusal", "empty", "error")
_BLANK = re.compile("[\\s\xad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]*")
# Openings of replies that decline in their first sentence. English only, and blind to what follows: hence off.
_DECLINING = re.compile(
    r"\W*(?:i(?:['’]m| am) (?:very |so )?sorry,? (?:but|i)\b[^.!?\n]{0,60}\b(?:can(?:['’]t|not)|unable|won['’]t)"
    r"|(?:sorry, )?(?:but )?i (?:can(?:['’]t|not)|won['’]t|am (?:not able|unable) to|['’]m (?:not able|unable) to) "
    r"(?:help|assist|comply|fulfil|fulfill|provide|do that|write|create|engage|answer|continue)"
    r"|i must (?:decline|refuse))",
    re.IGNORECASE,
)


def flags_of(answer: Answer, length: Length | None, *, by_text: bool = False) -> list[str]:
    """Return the flags of an answer: refusal, empty, error, over_length, truncated.

    A refusal is what the provider signals as one; with `by_text` also a reply that begins by declining. `truncated` is
    cut by the cap. `error` is an answer that ended otherwise: by a filter that is no refusal, a call of a tool, or a
    reason not known.
    """
    found = []
    declined = answer.refusal is not None or (by_text and _DECLINING.match(answer.text) is not None)
    if declined:
        found.append("refusal")
    elif _BLANK.fullmatch(answer.text):
        found.append("empty")
    if not declined and answer.stop in ("filter", "refusal", "tool", "other"):
        found.append("error")
    if length is not None and length.over == "ask_again" and length.is_over(answer.text):
        found.append("over_length")
    if answer.stop == "length":
        found.append("truncated")
    return found


def again(flags: Sequence[str]) -> bool:
    """Return whether a reply with these flags is asked for once more."""
    return any(flag in _AGAIN for flag in flags)


def kept(attempts: Sequence[Sequence[str]]) -> int:
    """Return which of the attempts, given by their flags, is kept: the first of the least faulty.

    Sound comes before over length, that before an invalid reply, a refusal, an empty one and an error. So where both
    are over length the first is kept.
    """
    return min(range(len(attempts)), key=lambda place: _severity(attempts[place]))


def _severity(flags: Sequence[str]) -> int:
    return max((_AGAIN.index(flag) + 1 for flag in flags if flag in _AGAIN), default=0)

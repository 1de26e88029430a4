"""The only door by which text from a file reaches a terminal.

Model names, replies, prompts and file names are hostile until shown otherwise: an escape sequence in a reply
may set the clipboard, a bidirectional override may reverse a name. `visible` leaves nothing that acts.
"""

from __future__ import annotations

import re
import unicodedata

_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "␡", 0x09: "→", 0x0A: "⏎"}
_JOINERS = {0x200C, 0x200D}  # zero-width (non-)joiner: part of emoji and of Persian and Indic words
_SUSPECT = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000110bd\U000110cd\U00013430-\U0001345f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def _token(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code in _PICTURES:
        return _PICTURES[code]
    if code in _JOINERS:
        return match.group()
    category = unicodedata.category(match.group())
    if category in ("Cc", "Cs"):
        return "\ufffd"
    if category in ("Cf", "Zl", "Zp"):
        return f"⟨U+{code:04X}⟩"
    return match.group()


def visible(text: str) -> str:
    """Return `text` with every character that could act on a terminal turned into one that only shows.

    C0 controls become their pictures (ESC → ␛), a newline ⏎, a tab →, C1 controls and lone surrogates �,
    format characters such as bidirectional overrides ⟨U+202E⟩; the two joiners stay. One character in gives
    one token out, so an unterminated sequence hides nothing after it. Idempotent and always encodable.
    """
    return _SUSPECT.sub(_token, text)


LONGEST = 2_000  # characters of a message: more of it than any field that it quotes would be read


def shortened(text: str) -> str:
    """Return a message with its middle left out where it is long: it names the place first and the reason last."""
    if len(text) <= LONGEST:
        return text
    return f"{text[: LONGEST * 3 // 4]} … {text[-(LONGEST // 4) :]}"

"""What keeps a page harmless: its policy, and how JSON and text from a file stand in it."""

from __future__ import annotations

import base64
import hashlib

from stylekl.show.labels import shown, symbol

# What could end a script element or a comment, or a line of JavaScript, as JSON may write it.
_ACTIVE = str.maketrans({each: f"\\u{ord(each):04x}" for each in "<>&\u2028\u2029"})
_NO_TEXT = "\ufffd"
# Code points that are no characters; a parser complains of them.
_NEVER = {plane * 0x10000 + last: _NO_TEXT for plane in range(17) for last in (0xFFFE, 0xFFFF)}


def script_json(document: str) -> str:
    """Return JSON that may stand in a script element: no `<`, `>`, `&`, U+2028 or U+2029, and equal when it is read."""
    return document.translate(_ACTIVE)


def digest(text: str) -> str:
    """Return the source expression by which a policy admits an inline element of exactly this text."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def policy(script: str, style: str) -> str:
    """Return the Content-Security-Policy of a page that runs this script and this style, and fetches nothing."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {digest(script)}",
            f"style-src {digest(style)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def seen(text: object) -> str:
    """Return text from a file as the page shows it: nothing in it acts or turns the reading direction."""
    return shown(str(text))


def seen_symbol(text: str) -> str:
    """Return a symbol as the page shows it, its white space made visible."""
    return symbol(text)


def markup(text: str) -> str:
    """Return a page without the characters that no page may hold."""
    return text.translate(_NEVER)

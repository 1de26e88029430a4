"""The content of a message, in each of its forms: a text, a list of parts, or an object that holds either."""

from __future__ import annotations

from typing import Any

_DEEPEST = 4  # a part in a message in an answer; what is deeper is not content
_KEYS = ("answer", "text", "content", "value", "parts")
_SILENT = ("reasoning", "thinking", "redacted_thinking", "summary_text")


def content_text(value: Any, depth: int = 0) -> str | None:
    """Return the text of a content, null where it holds none.

    The parts of a list are put together without anything between, as a provider cut them; parts of another kind
    (images, tool calls, reasoning) give nothing.
    """
    if isinstance(value, str):
        return value
    if depth == _DEEPEST:
        return None
    if isinstance(value, dict):
        if value.get("type") in _SILENT:
            return None
        return next(
            (text for key in _KEYS if (text := content_text(value.get(key), depth + 1)) is not None), None
        )
    if isinstance(value, list):
        texts = [text for part in value if (text := content_text(part, depth + 1)) is not None]
        return "".join(texts) if texts else None
    return None

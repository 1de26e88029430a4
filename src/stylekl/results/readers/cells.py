"""What stands in one cell of a record: a text, or a conversation, turns or a provider's answer as JSON in a text."""

from __future__ import annotations

import ast
import json
import re
import warnings
from typing import TYPE_CHECKING, Any

from stylekl.results.readers.completion import Said, completions, is_completion
from stylekl.results.readers.content import content_text
from stylekl.results.readers.conversation import Asked, asked, speaker, talk

if TYPE_CHECKING:
    from stylekl.results.reading import Turn

_MESSAGES = re.compile(r"\s*\[\s*\{\s*['\"](?:role|from|content|value)['\"]")
_LONGEST_LITERAL = 1 << 20  # characters: Python's own parser takes a hundred bytes for each
BETWEEN = "\n\n"  # turns taken together


def asked_in(value: Any, turn: Turn = "first") -> Asked | None:
    """Return what a cell asks, null where it holds neither text nor messages nor turns."""
    turns = listed_turns(value)
    if turns is not None:
        return Asked(taken(turns, turn))
    return asked(messages_in(value) or value)


def replies_in(value: Any, turn: Turn = "first", *, turns: bool = False) -> list[Said] | None:
    """Return the replies in a cell, null where it holds none; a null or an empty text is one flagged "empty".

    A list of texts is as many samples, or with `turns` the turns of one reply. Text that is JSON stays the text that a
    model wrote, unless it is a conversation or a provider's answer.
    """
    if value is None or value == "":
        return [Said("", ["empty"])]
    if isinstance(value, str):
        inner = _parsed(value)
        if turns and (said := listed_turns(value)) is not None:
            return [Said(taken(said, turn))]
        return [Said(value)] if inner is None else _structured(inner, turn) or [Said(value)]
    if isinstance(value, list) and value and all(each is None or isinstance(each, str) for each in value):
        if turns:
            return [Said(taken([each or "" for each in value], turn))]
        return [Said(each) if each else Said("", ["empty"]) for each in value]
    found = _structured(value, turn)
    if found is None and (text := content_text(value)) is not None:
        found = [Said(text)]
    return found


def messages_in(value: Any) -> list[Any] | None:
    """Return the messages in a list, or in one as a text: JSON, or as Python writes a list; null where it is none."""
    if isinstance(value, str):
        if not _MESSAGES.match(value):
            return None
        value = _loaded(value, python=True)
    found = isinstance(value, list) and value and all(_is_message(each) for each in value)
    return value if found else None


def listed_turns(value: Any) -> list[str] | None:
    """Return the turns in a list of texts, or in one as JSON in a text, null where it is neither; no turn is null."""
    if isinstance(value, str):
        value = _loaded(value) if value.lstrip().startswith("[") else None
    if not isinstance(value, list) or not any(isinstance(each, str) for each in value):
        return None
    if not all(each is None or isinstance(each, str) for each in value):
        return None
    return [each or "" for each in value]


def taken(turns: list[str], turn: Turn) -> str:
    """Return the first turn, the last or all as one text."""
    return turns[0] if turn == "first" else turns[-1] if turn == "last" else BETWEEN.join(turns)


def _structured(value: Any, turn: Turn) -> list[Said] | None:
    """Return the replies in a conversation or a provider's answer, null where a value is neither."""
    if is_completion(value):
        return completions(value)
    if not isinstance(value, list) or not value or not all(_is_message(each) for each in value):
        return None
    found = talk(value, turn)
    if found is not None:
        rest = {"turns": found.rest} if found.rest else {}
        return [Said(found.reply or "", [] if found.reply else ["empty"], rest=rest)]
    texts = [
        text
        for each in value
        if speaker(each) == "assistant" and (text := content_text(each.get("content"))) is not None
    ]
    return [Said(taken(texts, turn))] if texts else None


def _is_message(value: Any) -> bool:
    return speaker(value) is not None and ("content" in value or "value" in value)


def _parsed(text: str) -> Any:
    """Return the messages or the answer that a text holds as JSON, null where it is a text of another kind."""
    if text.lstrip().startswith("{"):
        return _loaded(text) if '"choices"' in text else None
    return messages_in(text)


def _loaded(text: str, *, python: bool = False) -> Any:
    """Return what a text holds as JSON, or as a literal of Python, null where it is neither."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    if not python or len(text) > _LONGEST_LITERAL:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that are none
            return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None

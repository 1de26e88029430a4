"""Conversations: what was asked and what was said, in lists of messages of any tool's making."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stylekl.results.readers.content import content_text

if TYPE_CHECKING:
    from stylekl.results.reading import Turn

_SPEAKERS = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "assistant": "assistant",
    "chatgpt": "assistant",
    "bing": "assistant",
    "bard": "assistant",
    "model": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "system": "system",
    "developer": "system",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked: the prompt, and the system prompt where there is one."""

    prompt: str
    system: str | None = None


@dataclass(frozen=True, slots=True)
class Talk:
    """One prompt and the reply to it (null where none was given); `rest` are the messages that are in neither.

    `turns` counts the turns of the whole conversation.
    """

    prompt: str
    reply: str | None
    system: str | None = None
    rest: list[Any] = field(default_factory=list)
    message: dict[str, Any] = field(default_factory=dict)
    turns: int = 1


def speaker(message: Any) -> str | None:
    """Return who speaks in a message: "user", "assistant" or "system"; null for others and for no message."""
    if not isinstance(message, dict):
        return None
    said = message.get("role", message.get("from"))
    return _SPEAKERS.get(said.lower()) if isinstance(said, str) else None


def is_talk(value: Any) -> bool:
    """Whether a value is a list of messages in which a user and an assistant speak."""
    return isinstance(value, list) and {"user", "assistant"} <= {speaker(message) for message in value}


def asked(value: Any) -> Asked | None:
    """Return what was asked by a text, a list of messages, or such a list as JSON in a text; null where nothing was.

    A user's only message is the prompt as it is. Several messages (earlier turns, examples) are one prompt, each with
    its speaker before it.
    """
    if isinstance(value, str):
        messages = _parsed(value)
        if messages is None:
            return Asked(value)
        value = messages
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list):
        return None
    spoken: list[tuple[str, str]] = []
    for message in value:
        text = (
            content_text(message.get("content", message.get("value"))) if isinstance(message, dict) else None
        )
        role = message.get("role", message.get("from")) if isinstance(message, dict) else None
        if text is not None:
            spoken.append((speaker(message) or str(role), text))
    systems = [text for role, text in spoken if role == "system"]
    said = [(role, text) for role, text in spoken if role != "system"]
    if not said:
        return None
    system = "\n\n".join(systems) if systems else None
    if len(said) == 1:
        return Asked(said[0][1], system)
    return Asked("\n\n".join(f"{role}: {text}" for role, text in said), system)


def talk(messages: list[Any], turn: Turn | None = "first") -> Talk | None:
    """Return a prompt and its reply: those of the first turn, of the last, or of all with a blank line between them.

    A turn is what a user says and the assistant's answer to it; the last is the last that has an answer. The prompt is
    what the user says in the turns that are taken. A null `turn` is the first. Null where no user says anything.
    """
    turns: list[tuple[list[int], int | None]] = []
    systems: list[int] = []
    for place, message in enumerate(messages):
        who = speaker(message)
        if who == "system" and not turns:
            systems.append(place)
        elif who == "user":
            if not turns or turns[-1][1] is not None:
                turns.append(([], None))
            turns[-1][0].append(place)
        elif who == "assistant" and turns and turns[-1][1] is None:
            turns[-1] = (turns[-1][0], place)
    if not turns:
        return None
    answered = [each for each in turns if each[1] is not None] or turns
    taken = turns if turn == "all" else answered[-1:] if turn == "last" else turns[:1]
    users = [place for each, _ in taken for place in each]
    replies = [place for _, place in taken if place is not None]
    used = {*systems, *users, *replies}
    return Talk(
        prompt=_joined(messages, users) or "",
        reply=_joined(messages, replies),
        system=_joined(messages, systems),
        rest=[message for place, message in enumerate(messages) if place not in used],
        message=_beside(messages[replies[0]]) if len(replies) == 1 else {},
        turns=len(turns),
    )


def several_turns(path: str, conversations: int, turn: Turn | None) -> list[str]:
    """Return the warning that a file has so many `conversations` of several turns, and which turn was read."""
    if not conversations:
        return []
    read = {"last": "the last is read", "all": "all are read as one"}.get(turn or "", "the first is read")
    other = "first or all" if turn == "last" else "first or last" if turn == "all" else "last or all"
    number = f"{conversations:,} conversation{'s have' if conversations > 1 else ' has'}"
    return [f"{path}: {number} several turns, of which {read} (--turn {other} for the others)"]


def _joined(messages: list[Any], places: list[int]) -> str | None:
    found = [content_text(messages[place].get("content", messages[place].get("value"))) for place in places]
    texts = [text for text in found if text is not None]
    return "\n\n".join(texts) if texts else None


def _beside(message: dict[str, Any]) -> dict[str, Any]:
    """Return what a message says beside its speaker and its text."""
    kept = {key: item for key, item in message.items() if key not in ("role", "from", "content", "value")}
    content = message.get("content")
    if isinstance(content, dict):
        kept |= {key: item for key, item in content.items() if key not in ("answer", "text")}
    elif isinstance(content, list) and any(content_text(part) is None for part in content):
        kept["parts"] = [part for part in content if content_text(part) is None]
    return kept


def _parsed(text: str) -> list[Any] | None:
    """Return the messages that a text holds as JSON, null where it is a text of another kind."""
    if not text.lstrip().startswith("["):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) and value and all(_is_message(each) for each in value) else None


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and "role" in value and "content" in value

"""A writer that needs no network: its replies are made from the question alone, the same in every run."""

from __future__ import annotations

import asyncio
import hashlib
import random
import re
from typing import TYPE_CHECKING

from stylekl.gather.ask import Answer, Usage
from stylekl.gather.transport import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stylekl.gather.ask import Ask, Writer
    from stylekl.gather.keys import Secret
    from stylekl.gather.schedule import Lane

_WORDS = re.findall(
    r"\w+",
    "the of and to a in is it you that was for on are with as his they at be this from have or by one had not but what "
    "all were when we there can an your which their said if do into has more her two like him see time could no make "
    "than first been its who now people my made over did down only way find use may water long little very after words "
    "called just where most know get through back much before go good new write our used me man too any day same right",
)
_ENDS = (".", ".", ".", "!", "?", ":\n\n- ", ".\n\n")


class MockWriter:
    """Answers every question with words drawn by writer and question. `delay` is seconds before each answer.

    `words` are the two words of each text of a probe, in the order in which it says them.
    """

    def __init__(
        self, *, kind: str = "open", delay: float = 0.0, words: Mapping[str, tuple[str, str]] | None = None
    ) -> None:
        self.kind = kind
        self.delay = delay
        self.words = words or {}

    async def call(self, writer: Writer, ask: Ask, key: Secret | None, lane: Lane, name: str) -> Outcome:  # noqa: ARG002
        """Return a made-up answer."""
        await lane.turn()
        if self.delay:
            await asyncio.sleep(self.delay)
        if self.kind == "choice" and ask.user in self.words:
            text = mock_choice(writer.id, ask, name, self.words[ask.user])
        else:
            text = mock_text(writer.id, ask, name, self.kind)
        raw = {"mock_words_in": len(ask.user.split()), "mock_words_out": len(text.split())}
        usage = Usage(raw["mock_words_in"], raw["mock_words_out"], None, None, None, None, raw)
        return Outcome(
            Answer(
                text,
                "stop",
                "mock",
                None,
                f"mock-{writer.requested}",
                usage,
                None,
                None,
                None,
                None,
            ),
            None,
        )


def mock_text(writer: str, ask: Ask, name: str, kind: str = "open") -> str:
    """Return the words of a made-up reply: each writer has a taste of its own, each question a draw of its own."""
    taste = random.Random(_seed(writer))
    weights = [taste.random() ** 2 for _ in _WORDS]
    chance = random.Random(_seed(writer, name, ask.user, ask.system or ""))
    if kind == "one_word":
        return chance.choices(("Yes", "No", "Perhaps.", "Yes."), [taste.random() for _ in range(4)])[0]
    parts = []
    for _ in range(chance.randint(2, 6)):
        words = chance.choices(_WORDS, weights, k=chance.randint(4, 14))
        parts.append(" ".join(words).capitalize() + chance.choices(_ENDS, weights[: len(_ENDS)])[0])
    return " ".join(parts).strip().rstrip(":-\n ") or "."


def mock_choice(writer: str, ask: Ask, name: str, words: tuple[str, str]) -> str:
    """Return a made-up choice: each writer has tastes, a weakness for the first word, and sometimes refuses."""
    taste = random.Random(_seed(writer))
    position, refusing = 0.5 * taste.random(), 0.3 * taste.random()
    likes = random.Random(_seed(writer, *sorted(words))).random()
    at_zero = "" if ask.temperature == 0 else name
    chance = random.Random(_seed(writer, at_zero, ask.user))
    if chance.random() < refusing:
        return chance.choice(("Neither.", "Both", "I cannot choose.", ""))
    first, second = words if words[0] < words[1] else words[::-1]
    word = words[0] if chance.random() < position else first if chance.random() < likes else second
    return chance.choice(("{}", "{}.", "**{}**", "{}, since it suits me.")).format(word)


def _seed(*names: str) -> int:
    return int.from_bytes(hashlib.sha256("\0".join(names).encode()).digest()[:8], "big")

"""What the sentences about choices share: keys of hypotheses, preferences, shares and lists in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.lenses import words
from stylekl.lenses.words import listed, number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stylekl.lenses.choices.reports import Share, Stand
    from stylekl.lenses.words import Voice

TOLD = 6  # preferences that a sentence names before "and n more"


def key(kind: str, name: str = "") -> str:
    """Return the key of a family of hypotheses."""
    return f"choices:{kind} {name}" if name else f"choices:{kind}"


def percent(share: float) -> str:
    """Write a share in per cent; none at all as 0%."""
    return words.percent(share) if share else "0%"


def share_facts(share: Share) -> dict[str, Any]:
    """Return a share as facts."""
    return {
        "value": share.value,
        "low": share.low,
        "high": share.high,
        "n": share.n,
        "units": share.units,
    }


def share_text(share: Mapping[str, Any]) -> str:
    """Write a share with its interval."""
    told = percent(share["value"])
    if share["low"] is None or share["high"] is None:
        return told
    return f"{told} [{percent(share['low'])} {percent(share['high'])}]"


def preference_facts(stand: Stand, q: float | None = None) -> dict[str, Any]:
    """Return a preference as facts: the word, the other, the envelopes for it, with a preference, and answered."""
    first, other = stand.words if stand.pick == "a" else stand.words[::-1]
    n = stand.a if stand.pick == "a" else stand.b
    told = {"pair": stand.pair, "word": first, "over": other, "for": n, "real": stand.real}
    return told | {"answered": stand.answered} | ({} if q is None else {"q": q})


def over(each: Mapping[str, Any], voice: Voice, *, counted: bool = True) -> str:
    """Write a preference: "tea" over "milk" (14 of 29)."""
    text = f"{voice.symbol(each['word'])} over {voice.symbol(each['over'])}"
    return f"{text} ({each['for']} of {each['answered']})" if counted else text


def some(told: list[str], n: int) -> str:
    """Write what is told of n things, and how many more there are."""
    rest = n - len(told)
    return listed(told) if not rest else f"{', '.join(told)} and {number(rest)} more"

"""How numbers, names and symbols stand in a sentence. Nothing but ASCII comes from here; names are the file's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

NAMED = 6  # models that a sentence names before "and n more"


def quoted(symbol: str) -> str:
    r"""Return a symbol as text can hold it: ` word` as "word", line breaks and tabs as \n and \t."""
    body = symbol[1:] if symbol[:1] == " " and symbol[1:2].isalnum() else symbol
    mark = "'" if '"' in body else '"'
    return mark + body.replace("\n", r"\n").replace("\t", r"\t").replace("\r", r"\r") + mark


@dataclass(frozen=True, slots=True)
class Voice:
    """How names and symbols are said: as in the file, or as a terminal may show them."""

    name: Callable[[str], str] = str
    symbol: Callable[[str], str] = quoted


PLAIN = Voice()


def call(facts: Mapping[str, Any], model: str, voice: Voice) -> str:
    """Return the name of a model that the facts speak of."""
    return voice.name(next(str(each["name"]) for each in facts["names"] if each["model"] == model))


def listed(entries: Sequence[str], most: int = NAMED, noun: str = "") -> str:
    """Return `A`, `A and B`, `A, B and C`, or the first `most` of them and how many more there are."""
    if len(entries) > most:
        return f"{', '.join(entries[:most])} and {number(len(entries) - most)} more{noun and ' ' + noun}"
    return " and ".join([", ".join(entries[:-1]), entries[-1]]) if len(entries) > 1 else "".join(entries)


def called(facts: Mapping[str, Any], models: Sequence[str], voice: Voice) -> str:
    """Return the names of several models as a list."""
    return listed([call(facts, model, voice) for model in models])


def number(value: float) -> str:
    """Write a number without a leading zero, with as many places as it deserves: 1,200, 1.2, .49, .049, .0049."""
    size = abs(value)
    if isinstance(value, int) or size >= 9.95:
        return f"{value:,.0f}"
    places = 1 if size >= 0.995 else 2 if size >= 0.0995 else 3 if size >= 0.00995 else 4
    text = f"{value:.{places}f}"
    return "0" if not text.strip("-0.") else text.replace("0.", ".", 1) if size < 0.995 else text


def bits(estimate: Mapping[str, float]) -> str:
    """Write a divergence; one that is not above 0 by what it is at most, with 95 %."""
    if estimate["value"] > 0:
        return number(estimate["value"]) if estimate["value"] >= 0.00005 else "<.0001"
    return f"0 (at most {number(max(estimate['upper'], 0.0001))})"


def times(ratio: float) -> str:
    """Write a ratio: 14, 3.7."""
    return f"{ratio:,.0f}" if ratio >= 9.95 else f"{ratio:.1f}"


def percent(share: float) -> str:
    """Write a share in per cent, with a decimal below 1 %."""
    value = 100 * share
    return f"{value:.0f}%" if value >= 0.95 else "<.1%" if value < 0.05 else f"{value:.1f}%".lstrip("0")


def chance(name: str, value: float) -> str:
    """Write p or q: `q < .001`, `q = .004`, `q = .41`; what is below .05 is never written as .05."""
    if value < 0.001:
        return f"{name} < .001"
    if value < 0.0095 or 0.045 <= value < 0.05:
        return f"{name} = {value:.3f}".replace("= 0.", "= .")
    return f"{name} = {value:.2f}".replace("= 0.", "= .")


def at_most(name: str, value: float) -> str:
    """Write the greatest of several p or q: `q < .001`, `q at most .012`."""
    return chance(name, value).replace(" = ", " at most ")


def plural(count: int, noun: str) -> str:
    """Write a count with its noun."""
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {noun[:-1] + 'ies' if noun.endswith('ly') else noun + 's'}"


def prompts(facts: Mapping[str, Any]) -> str:
    """Write on which prompts it rests; where the unit is the reply, it speaks of these alone."""
    most, least = facts["prompts"], facts.get("least_prompts", facts["prompts"])
    if facts["unit"] == "reply":
        return "on this one prompt" if most == 1 else f"on these {most:,} prompts"
    return f"on {plural(most, 'prompt')}" if least == most else f"on {least:,} to {most:,} prompts"


def wanted(facts: Mapping[str, Any]) -> str:
    """Write how much text something would take, to two digits: `factor` times that of now, in prompts or in replies.

    Where the unit is the reply, more prompts say nothing of these, and more replies do.
    """
    now = facts["units"] / facts["prompts"] if facts["unit"] == "reply" else facts["prompts"]
    value = max(math.ceil(facts["factor"] * now), 1)
    step = 10 ** max(len(str(value)) - 2, 0)
    value = -(-value // step) * step
    if facts["unit"] == "reply":
        return f"about {plural(value, 'reply')} to each of these prompts"
    return f"about {plural(value, 'prompt')}" if value < 1_000_000 else "more than a million prompts"

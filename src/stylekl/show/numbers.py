"""How numbers are written: `.49` without the zero, `0, at most .004` where nothing was found, `×14`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stylekl.lenses.reports import Estimate


def decimals(scale: float) -> int:
    """Return how many decimals a number of this size deserves: 1.2, .49, .049."""
    size = abs(scale)
    if not math.isfinite(size) or size >= 9.95:
        return 0
    if size >= 0.995:
        return 1
    return 2 if size >= 0.0995 else 3


def number(value: float, places: int | None = None) -> str:
    """Write a number without a leading zero; nothing is written as `0`, never as `-.00`."""
    places = decimals(value) if places is None else places
    text = f"{value:,.{places}f}"
    if not text.strip("-0.,"):
        return "0"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def estimate(number_of: Estimate) -> str:
    """Write an estimate; one that is not above 0 as `0, at most .004` by its one-sided 95 % limit."""
    if number_of.value > 0:
        return number(number_of.value) if number_of.value >= 0.0005 else "<.001"
    upper = limit(number_of)
    return f"0, at most {upper}" if upper else "0, limit unknown"


def limit(number_of: Estimate) -> str:
    """Write the one-sided 95 % limit of an estimate; one that rounds to nothing as `<.001`.

    A single unit has no limit: nothing is written.
    """
    if not math.isfinite(number_of.upper):
        return ""
    text = number(max(number_of.upper, 0.0))
    return "<.001" if text == "0" else text


def interval(number_of: Estimate) -> str:
    """Write the 95 % interval `[.11 .15]`; a divergence is never below 0, so neither is its interval.

    A single unit has no interval: nothing is written.
    """
    if not (math.isfinite(number_of.low) and math.isfinite(number_of.high)):
        return ""
    high = max(number_of.high, 0.0)
    places = decimals(max(number_of.value, 0.0) or high)
    return f"[{number(max(number_of.low, 0.0), places)} {number(high, places)}]"


def lift(ratio: float, times: str = "×") -> str:
    """Write a lift: ×14 from 10, else ×8.4."""
    return f"{times}{ratio:,.0f}" if ratio >= 9.95 else f"{times}{ratio:.1f}"


def probability(name: str, value: float | None) -> str:
    """Write `p < .001`, `p = .004`, `p = .41`; nothing where there is none."""
    if value is None:
        return ""
    if value < 0.001:
        return f"{name} < .001"
    # .0496 is below .05 and must not be printed as if it were not.
    exact = value < 0.0095 or 0.045 <= value < 0.05
    return f"{name} = {number(value, 3 if exact else 2)}"


def count(value: int) -> str:
    """Write a count with thousands separators."""
    return f"{value:,}"


def percent(share: float | None) -> str:
    """Write a share as a whole percentage, one decimal below 1%; a dash where there is none."""
    if share is None:
        return "-"
    value = 100 * share
    text = f"{value:.0f}" if abs(value) >= 0.95 or abs(value) < 0.05 else f"{value:.1f}"
    return f"{'0' if text == '-0' else text}%"


def plural(value: int, noun: str) -> str:
    """Write a count with its noun: 1 prompt, 805 prompts, 3 replies."""
    if value == 1:
        return f"1 {noun}"
    return f"{count(value)} {noun[:-1] + 'ies' if noun.endswith('ly') else noun + 's'}"

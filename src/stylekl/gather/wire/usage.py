"""Token counts in one normal form.

`input` includes cached tokens, whether read or written. `output`, `reasoning` and `total` are what the provider
gives; `reasoning_included` says whether `output` holds the reasoning. A count that is absent, negative or no whole
number is None.
"""

from __future__ import annotations

from typing import Any

from stylekl.gather.ask import Usage


def count(value: object) -> int | None:
    """Return a count of tokens, None where `value` is none."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return None
    return value


def reasoning_included(
    prompt: int | None,
    output: int | None,
    reasoning: int | None,
    total: int | None,
    documented: bool | None,
) -> bool | None:
    """Return whether `output` holds the reasoning tokens, None where that cannot be told.

    The provider's own sum decides where it can: total = input + output + reasoning says no, total = input +
    output says yes. Without reasoning tokens, or where neither sum holds, what the provider documents counts.
    """
    if reasoning and prompt is not None and output is not None:
        if total == prompt + output + reasoning:
            return False
        if total == prompt + output:
            return True
    return documented


def normal(
    raw: dict[str, Any],
    *,
    prompt: object,
    output: object,
    reasoning: object = None,
    cached: object = None,
    total: object = None,
    documented: bool | None = None,
) -> Usage | None:
    """Return the normal form of the provider's object `raw`, None where that is empty."""
    if not raw:
        return None
    counts = count(prompt), count(output), count(reasoning), count(total)
    return Usage(
        input=counts[0],
        output=counts[1],
        reasoning=counts[2],
        cached=count(cached),
        total=counts[3],
        reasoning_included=reasoning_included(*counts, documented),
        raw=raw,
    )

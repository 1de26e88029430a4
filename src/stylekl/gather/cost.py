"""What a collection costs: a bound before it starts, what is spent while it runs.

Estimates from the prices of the models file, never figures of an invoice. Cached input counts at the full rate.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from stylekl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stylekl.gather.ask import Ask, Usage, Writer

_AROUND = 64  # tokens that a provider may put around each message: roles, markers, a template's own words
_MILLION = 1_000_000


def cost_of(usage: Usage | None, writer: Writer) -> float | None:
    """Return what an attempt cost in the currency of the writer's price; null where price or counts are unknown.

    Reasoning that is not inside output, or may not be, is added to it.
    """
    price = writer.price
    if price is None or usage is None or usage.input is None or usage.output is None:
        return None
    output = usage.output + (0 if usage.reasoning_included else usage.reasoning or 0)
    return (usage.input * price.input + output * price.output) / _MILLION


def bound(ask: Ask, writer: Writer) -> float | None:
    """Return what one call costs at most, null without a price.

    No tokeniser makes more tokens than a text has bytes, and no reply is longer than the cap.
    """
    price = writer.price
    if price is None:
        return None
    texts = [ask.user, ask.system or "", *(text for pair in ask.examples for text in pair)]
    tokens = sum(len(text.encode("utf-8", "surrogatepass")) + _AROUND for text in texts)
    return (tokens * price.input + ask.max_output_tokens * price.output) / _MILLION


@dataclass(slots=True)
class Budget:
    """What may be spent in all, what has been, and what calls in flight may still take.

    Without a limit it only counts. `spent` is by currency; `limit` is in the one currency of all prices.
    """

    limit: float | None = None
    spent: dict[str, float] = field(default_factory=dict)
    _held: float = 0.0

    def hold(self, most: float | None) -> bool:
        """Reserve what a call may cost; false where the limit does not allow it."""
        if self.limit is not None and sum(self.spent.values()) + self._held + (most or 0) > self.limit:
            return False
        self._held += most or 0
        return True

    def settle(self, most: float | None, cost: float | None, currency: str | None) -> None:
        """Release what `hold` reserved, and count what was spent."""
        self._held = max(0.0, self._held - (most or 0))
        self.spend(cost, currency)

    def spend(self, cost: float | None, currency: str | None) -> None:
        """Count what was spent."""
        if cost and currency:
            self.spent[currency] = self.spent.get(currency, 0.0) + cost


def check_limit(writers: Iterable[Writer]) -> None:
    """Raise UsageError where a limit cannot be kept: a writer without a price, or prices in several currencies."""
    writers = list(writers)
    unknown = [w.id for w in writers if w.price is None and w.key is not None]
    if unknown:
        raise UsageError(
            f"--max-cost needs a price, and these models have none: {', '.join(unknown[:8])}",
            "give each a price in the models file, or leave them out with --only",
        )
    currencies = sorted({w.price.currency for w in writers if w.price})
    if len(currencies) > 1:
        raise UsageError(
            f"--max-cost is one amount, and the prices are in {', '.join(currencies)}",
            "collect the models of one currency at a time, with --only",
        )


def totals(pairs: Iterable[tuple[float | None, str | None]]) -> dict[str, float]:
    """Return the sum of the amounts of each currency; amounts that are null count as none."""
    found: dict[str, float] = {}
    for amount, currency in pairs:
        if amount is not None and currency is not None:
            found[currency] = found.get(currency, 0.0) + amount
    return found

"""What `stylekl probe` says before it asks: pairs, envelopes, distinct texts, samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from stylekl.gather.probe import Probe, distinct
from stylekl.show.labels import named
from stylekl.show.numbers import count, plural

if TYPE_CHECKING:
    from stylekl.gather.plan import Plan
    from stylekl.show.terminal import Terminal


def asked_lines(plan: Plan, terminal: Terminal) -> list[str]:
    """Return what a probe asks, in sentences."""
    probe = cast("Probe", plan.battery)
    what = f"{named(probe.id, terminal.ascii)} version {probe.version}"
    period = f", period {named(plan.period, terminal.ascii)}" if plan.period else ""
    least, most = distinct(probe)
    texts = count(least) if least == most else f"{count(least)} to {count(most)}"
    samples = sorted({probe.samples_of(w, rejected=w.id in plan.rejected) for w in plan.asked})
    each = " or ".join(plural(n, "sample") for n in samples)
    lines = [
        f"{what}: {plural(len(probe.pairs), 'pair')} of words in {plural(len(probe.envelopes), 'envelope')}, both "
        f"orders{period}.",
        f"{count(len(probe.prompts))} distinct texts ({texts} envelopes a pair that differ), {each} each.",
    ]
    if probe.fixed is None and any(w.temperature == 0 for w in plan.asked):
        lines.append(
            "Should a provider not take temperature 0, its models are asked five times: at most so much more."
        )
    return lines

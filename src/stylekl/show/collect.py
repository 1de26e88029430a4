"""What `stylekl collect` says before and after: what is to be asked and what it costs, what came."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stylekl.show.flow import prose
from stylekl.show.labels import named, shown
from stylekl.show.numbers import count, plural
from stylekl.show.progress import money

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.text import Text

    from stylekl.gather.collect import Ended
    from stylekl.gather.plan import Plan
    from stylekl.gather.session import Outlook
    from stylekl.show.terminal import Terminal


def outlook_view(plan: Plan, outlook: Outlook, terminal: Terminal) -> list[Text]:
    """Return how many calls a run takes, of whom, and an upper bound of the cost."""
    battery = plan.battery
    if battery.probe is not None:
        from stylekl.show.choices_probe import asked_lines

        return _outlook_lines(asked_lines(plan, terminal), plan, outlook, terminal)
    if battery.judging is not None:
        from stylekl.show.judgments_asked import asked_lines as judged_lines

        return _outlook_lines(judged_lines(plan, terminal), plan, outlook, terminal)
    arms = f" under {plural(len(battery.arms), 'condition')}" if len(battery.arms) > 1 else ""
    samples = f", {plural(battery.samples, 'sample')} each" if battery.samples > 1 else ""
    period = f", period {named(plan.period, terminal.ascii)}" if plan.period else ""
    what = f"{named(battery.id, terminal.ascii)} version {battery.version}"
    first = f"{what}: {plural(len(battery.in_use), 'prompt')}{arms}{samples}{period}."
    return _outlook_lines([first], plan, outlook, terminal)


def _outlook_lines(first: list[str], plan: Plan, outlook: Outlook, terminal: Terminal) -> list[Text]:
    lines = [
        *first,
        f"{plural(outlook.calls, 'question')} to ask, {count(outlook.total - outlook.calls)} answered already.",
        f"At most {plural(2 * outlook.calls, 'call')}: a faulty reply is asked for once more.",
        *_costs(outlook, terminal),
        f"Cap {count(plan.battery.cap)} tokens, seed {plan.seed}.",
    ]
    shown_lines: list[Text] = []
    for text in lines:
        shown_lines += prose(_text(text), terminal.width)
    shown_lines.append(_text(""))
    for model, calls, amount, currency in outlook.models:
        cost = money(amount, currency) if amount is not None and currency else "no price"
        told = f"{named(model, terminal.ascii)}: {plural(calls, 'question')}, {cost if calls else 'nothing left'}"
        shown_lines += prose(_text(told), terminal.width, 2, 4)
    return shown_lines


def _text(text: str) -> Text:
    from rich.text import Text

    return Text(text)


def _costs(outlook: Outlook, terminal: Terminal) -> list[str]:
    found = []
    if outlook.most:
        most, once = _amounts(outlook.most), _amounts(outlook.once)
        found.append(
            f"Cost: at most {most}; {once} if nothing is asked again. "
            "Both take every reply to fill the cap; calls that break off and are repeated come on top."
        )
    if outlook.spent:
        found.append(f"Spent so far: about {_amounts(outlook.spent)}.")
    if outlook.unpriced:
        names = ", ".join(named(name, terminal.ascii) for name in outlook.unpriced[:6])
        more = f" and {count(len(outlook.unpriced) - 6)} more" if len(outlook.unpriced) > 6 else ""
        found.append(f"Without a price, so not in the cost: {names}{more}.")
    return found


def _amounts(amounts: Mapping[str, float]) -> str:
    return " + ".join(money(amount, currency) for currency, amount in sorted(amounts.items()))


def ended_lines(ended: Ended, output: str, ascii_only: bool = False) -> list[str]:
    """Return what became of a run, in sentences."""
    tallies = ended.tallies.values()
    new = sum(tally.done - tally.earlier for tally in tallies)
    total, done = sum(t.total for t in tallies), sum(t.done for t in tallies)
    spent: dict[str, float] = {}
    for tally in tallies:
        for currency, amount in tally.spent.items():
            spent[currency] = spent.get(currency, 0.0) + amount
    cost = f", about {_amounts(spent)} spent" if spent else ""
    if not new and not ended.left:
        return [f"nothing to ask: all {plural(total, 'question')} answered: {shown(output, ascii_only)}"]
    lines = [
        f"{plural(new, 'question')} answered, {count(done)} of {count(total)} in all{cost}: {shown(output, ascii_only)}"
    ]
    failed = sum(tally.failed for tally in tallies)
    if failed:
        lines.append(
            f"{plural(failed, 'reply')} failed twice and stays in the file, flagged; --redo asks a prompt again"
        )
    lines += [
        f"{named(model, ascii_only)} was not asked on: {shown(why, ascii_only)}"
        for model, why in ended.stopped.items()
    ]
    if ended.why and ended.left:
        lines.append(f"stopped: {ended.why}; {plural(ended.left, 'question')} left")
    return lines

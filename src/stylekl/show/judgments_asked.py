"""What a judge is to be asked, before anything is sent; and what was noticed in the replies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from stylekl.show.labels import named
from stylekl.show.numbers import count, plural
from stylekl.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stylekl.gather.judge import Docket
    from stylekl.gather.plan import Plan
    from stylekl.show.terminal import Terminal

_LISTED = 6


def asked_lines(plan: Plan, terminal: Terminal) -> list[str]:
    """Return in a sentence what is to be judged, by which rubric."""
    judging = plan.battery.judging or {}
    uses = [use for package in judging["packages"].values() for use in package["uses"]]
    prompts = len({use["prompt"] for use in uses})
    both = any(use["order"] == "swapped" for use in uses)
    rubric = judging["rubric"]
    order = "both orders" if both else f"the order of A and B drawn from seed {judging['seed']}"
    return [
        f"Rubric {named(str(rubric['id']), terminal.ascii)} version {rubric['version']}: "
        f"{plural(len(judging['packages']), 'package')} on {plural(prompts, 'prompt')}, {order}."
    ]


def docket_lines(docket: Docket) -> list[str]:
    """Return what was noticed: pairs of replies that are not judged, and replies that name their writer."""
    lines = [f"not judged: {reason}: {count(number)}" for reason, number in docket.skipped.items()]
    if docket.namings:
        told = [f'{each.model} on {each.prompt} ("{each.words}")' for each in docket.namings[:_LISTED]]
        more = f" and {len(docket.namings) - _LISTED} more" if len(docket.namings) > _LISTED else ""
        masked = sum(use.masks for uses in docket.bench.uses.values() for use in uses)
        what = f"; {plural(masked, 'name')} masked" if docket.bench.mask else "; --mask-names masks them"
        number = len(docket.namings)
        verb = "reply names its writer" if number == 1 else "replies name their writer"
        lines.append(f"{count(number)} {verb}: {', '.join(told)}{more}{what}")
    if docket.mentions:
        some = "1 reply holds" if docket.mentions == 1 else f"{count(docket.mentions)} replies hold"
        lines.append(f"{some} a name of its own model, which may tell the judge who wrote it")
    return lines


def package_text(requests: Iterable[dict[str, Any]]) -> str:
    """Return requests as they are sent, as one JSON array; what a terminal may not show is escaped as JSON does."""
    text = json.dumps(list(requests), ensure_ascii=False, indent=2) + "\n"
    return "".join(map(_shown, text)) if not text.isascii() else text


def _shown(mark: str) -> str:
    if mark == "\n" or (mark.isprintable() and visible(mark) == mark):
        return mark
    return json.dumps(mark)[1:-1]

"""What a page does not hold and the command that shows it, and what did not count and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.lenses.everything import FLOORS, FOCUSED, NEAREST, PAIRED
from stylekl.show.numbers import count, plural
from stylekl.show.page.density import MANY
from stylekl.show.page.safe import seen
from stylekl.show.page.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.everything import Everything, LensAnswers


def left_of(answers: LensAnswers) -> list[str]:
    """Return what the page does not show of a lens, each with the command that does."""
    if answers.matrix is None:
        return []
    found, models = [], plural(len(answers.matrix.models), "model")
    if not answers.paired:
        found.append(
            f"With {models} (more than {PAIRED}), what tells a pair apart is here for "
            f"{plural(len(answers.pairs), 'pair')} alone: the {NEAREST} nearest and those named with --pair. "
            "`stylekl pair A B` shows it of any."
        )
        found.append(
            "The numbers of every pair are here. Of each model the strongest tells and the nearest "
            f"{FLOORS} are drawn, and only these have a floor. `stylekl focus MODEL --examples` shows all."
        )
    if answers.name == "style" and len(answers.matrix.models) > MANY:
        found.append(
            f"Above {MANY} models the JSON of the page has each estimate of a pair with its interval alone. "
            "`stylekl matrix --json` has its plug-in value, standard error and limit too."
        )
    if not answers.focused:
        found.append(
            f"Above {FOCUSED} models, single models are here where they are named with --focus. "
            "`stylekl focus MODEL` shows any."
        )
    return found


def left_out(report: Everything) -> list[str]:
    """Return what the page does not show, of every lens."""
    return [f"{name}: {text}" for name, answers in report.lenses.items() for text in left_of(answers)]


def brought(name: str, models: Sequence[Any]) -> Table:
    """Return what each model brings to a lens: what counts, and what was left out or taken off, and why."""
    counted: dict[str, None] = {}
    for model in models:
        counted |= dict.fromkeys(_counts(model))
    rows = []
    for model in models:
        counts = _counts(model)
        reasons = ", ".join(f"{seen(reason)} {count(n)}" for reason, n in sorted(model.left_out.items()) if n)
        taken = ", ".join(
            f"{seen(what)} {count(n)}" for what, n in sorted(getattr(model, "removed", {}).items()) if n
        )
        figures = [count(counts[each]) if each in counts else "" for each in counted]
        rows.append([seen(model.name), *figures, reasons or "nothing", taken or "nothing"])
    head = [
        "model",
        *(seen(each).replace("_", " ") for each in counted),
        "left out",
        "taken off before counting",
    ]
    if all(row[-1] == "nothing" for row in rows):
        head, rows = head[:-1], [row[:-1] for row in rows]
    return Table("What counts, and what was left out", f"models-{name}", head, rows)


def _counts(model: Any) -> dict[str, int]:
    if hasattr(model, "counts"):
        return dict(model.counts)
    return {"prompts": model.prompts, "replies": model.replies, "symbols": model.symbols}

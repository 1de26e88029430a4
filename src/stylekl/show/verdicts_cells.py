"""What the views of verdicts share: how a cell, a score, an edition and a series are said."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.text import Text

from stylekl.show.flow import line, prose
from stylekl.show.labels import fit, named, shown
from stylekl.show.numbers import count, number, percent
from stylekl.show.progress import money

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from stylekl.lenses.frame import LensModel
    from stylekl.lenses.verdicts.aggregate import Cell, Spread
    from stylekl.lenses.verdicts.editions import Edition
    from stylekl.lenses.verdicts.reports import Question, Series, Standing
    from stylekl.show.terminal import Terminal

_TEXT = 200  # cells of a question
_SERIES = 8  # changed series that are listed before "and n more"
TIMES = (
    "Times are medians from request to end, network and queue included: no measure of a model's speed. Tokens are "
    "counted by each provider in its own way, and are not comparable between providers."
)


def names_of(models: Iterable[LensModel]) -> dict[str, str]:
    """Return a name for each id: the model's own, or the id where another model has that name."""
    models = list(models)
    owners = Counter(model.name for model in models)
    return {model.id: model.name if owners[model.name] == 1 else model.id for model in models}


def question_title(question: Question, terminal: Terminal, *after: str) -> list[Text]:
    """Return the heading of a question: its id, what comes after it, its text where it may be shown."""
    title = line((named(question.id, terminal.ascii), "bold"))
    title.append("".join(f", {named(part, terminal.ascii)}" for part in after))
    if question.text is not None:
        title.append(f": {fit(shown(question.text, terminal.ascii), _TEXT, terminal.ascii)}", "dim")
    return prose(title, terminal.width, 0, 2)


def said(cell: Cell | None) -> str:
    """Write what a cell says: `yes 2/3`, a tie as `tie 1:1:1` (yes, no, other), no answer as `failed`."""
    if cell is None:
        return "-"
    if cell.majority is None:
        return "failed"
    found = {"yes": cell.yes, "no": cell.no, "other": cell.other}[cell.majority]
    if cell.majority == "other" and sum(each >= found for each in cell.counts) > 1:
        return f"tie {cell.yes}:{cell.no}:{cell.other}"
    return f"{cell.majority} {found}/{cell.samples}"


def edition_name(edition: Edition, terminal: Terminal) -> str:
    """Write an edition by its period."""
    return named(edition.label, terminal.ascii)


def edition_note(edition: Edition, editions: Sequence[Edition], terminal: Terminal) -> list[str]:
    """Return which edition a report speaks of, where there is a choice, and that it is made up, where it is."""
    found = []
    if len(editions) > 1:
        which = "the latest" if edition.period == editions[-1].period else "one"
        found.append(
            f"Edition {edition_name(edition, terminal)}, {which} of {count(len(editions))}; editions are not pooled, "
            "and scores are not comparable between them."
        )
    if edition.mock:
        found.append("Made-up replies (mock): nothing here says anything about a model.")
    return found


def seconds(spread: Spread | None) -> str:
    """Write a median time; a dash where there is none."""
    if spread is None:
        return "-"
    value = spread.median
    return f"{value:.0f} ms" if value < 999.5 else f"{value / 1000:.1f} s"


def tokens(spread: Spread | None) -> str:
    """Write a median count or rate; a dash where there is none."""
    if spread is None:
        return "-"
    whole = float(spread.median).is_integer()
    return f"{spread.median:,.0f}" if whole or spread.median >= 9.95 else f"{spread.median:.1f}"


def cost(of: Cell | Standing) -> str:
    """Write an estimate of cost; a dash where a price is unknown."""
    return "-" if of.cost is None or of.currency is None else money(of.cost, of.currency)


def score(value: float | None) -> str:
    """Write a constructed score with three places; a dash where there is none."""
    if value is None:
        return "-"
    return f"{value:.3f}"


def followed(of: Cell | Standing) -> str:
    """Write how many samples are one word, of how many."""
    return f"{count(of.followed)}/{count(of.samples)}" if of.samples else "-"


def compliance(of: Standing) -> str:
    """Write the share of samples in one word."""
    return percent(of.followed_rate)


def constructed(which: Mapping[str, str], names: Sequence[str], terminal: Terminal) -> list[str]:
    """Return that these scores are constructed, and how each is."""
    times = "x" if terminal.ascii else "×"
    told = "; ".join(f"{name} = {which[name]}" for name in names).replace("*", times)
    return [f"Constructed, not observed: {told}."]


def price_note(of: Sequence[Cell | Standing], terminal: Terminal) -> list[str]:
    """Return what a cost is, with the dates on which its prices were read."""
    priced = [each for each in of if each.cost is not None]
    if not priced:
        return []
    dates = sorted({named(each.price_date, terminal.ascii) for each in priced if each.price_date is not None})
    read = f"prices read {', '.join(dates)}" if dates else "the file has no date of the prices"
    return [f"Cost: an upper bound, cached input at the full rate; {read}."]


def series_lines(series: Sequence[Series], names: Mapping[str, str], terminal: Terminal) -> list[Text]:
    """Return the majorities over the editions of those that changed, and how many did not."""
    if not series:
        return []
    to = " -> " if terminal.ascii else " → "
    changed = [each for each in series if each.flips]
    lines = [Text(), *prose(line(("Over the editions", "bold")), terminal.width)]
    for each in changed[:_SERIES]:
        lines += prose(
            Text(f"{_place(each, names, terminal)}: {to.join(points_of(each, terminal))}"),
            terminal.width,
            2,
            4,
        )
    if len(changed) > _SERIES:
        lines.append(line((f"  and {count(len(changed) - _SERIES)} more", "dim")))
    same = len(series) - len(changed)
    if same:
        text = f"{count(same)} of {count(len(series))} series without a change of majority."
        lines += prose(line((text, "dim")), terminal.width, 2)
    return lines


def _place(each: Series, names: Mapping[str, str], terminal: Terminal) -> str:
    parts = (names.get(each.model, each.model), each.question, each.condition)
    return ", ".join(named(part, terminal.ascii) for part in parts)


def points_of(each: Series, terminal: Terminal) -> Iterator[str]:
    """Yield the majority in each edition, with its period."""
    for point in each.points:
        period = "undated" if point.period is None else named(point.period, terminal.ascii)
        yield f"{point.majority or 'no answer'} ({period})"


def share(value: float | None, moved: int, of: int) -> str:
    """Write a sensitivity: `.33 (1 of 3)`, a dash where nothing is comparable."""
    return "-" if value is None else f"{number(value, 2)} ({count(moved)} of {count(of)})"

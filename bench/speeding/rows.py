"""The rows of the table, and its three forms: for a terminal, as Markdown, as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.speeding.runs import Spent, best

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Bar:
    """What a figure is held against: at most `value`, or at least; of the ratio, or of our own figure."""

    value: float
    least: bool = False
    ours: bool = False


@dataclass(frozen=True)
class Row:
    """One comparison: `ours` and `theirs` in `unit`, each the best of `runs` runs of the same run of the bench.

    The ratio is ours ÷ theirs, or theirs ÷ ours where `faster` is set: how many times as fast ours is. A row that was
    not measured has no `ours`, and says why in `note`.
    """

    family: str
    what: str
    against: str
    ours: float | None = None
    theirs: float | None = None
    unit: str = "s"
    bar: Bar | None = None
    runs: int = 0
    faster: bool = False
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Return the ratio, None where a side is missing or 0."""
        if not self.ours or not self.theirs:
            return None
        return self.theirs / self.ours if self.faster else self.ours / self.theirs

    @property
    def met(self) -> bool | None:
        """Return whether the bar is met, None where there is none or nothing was measured."""
        figure = self.ours if self.bar and self.bar.ours else self.ratio
        if self.bar is None or figure is None:
            return None
        return figure >= self.bar.value if self.bar.least else figure <= self.bar.value

    def cells(self) -> tuple[str, ...]:
        """Return the texts of the row, in the order of HEAD."""
        return (
            self.what,
            _figure(self.ours, self.unit),
            f"{self.against} {_figure(self.theirs, self.unit)}".strip(),
            "" if self.ratio is None else f"{self.ratio:.2f}" if self.ratio < 10 else f"{self.ratio:.0f}",
            self._bar(),
            {None: "", True: "yes", False: "no"}[self.met],
            str(self.runs or ""),
            self.note,
        )

    def _bar(self) -> str:
        if self.bar is None:
            return ""
        side = "at least" if self.bar.least else "at most"
        return f"{side} {self.bar.value:g}" + (f" {self.unit}" if self.bar.ours else "")

    def json(self) -> dict[str, Any]:
        """Return the row as an object."""
        bar = self.bar and {
            "value": self.bar.value,
            "side": "at least" if self.bar.least else "at most",
            "of": "ours" if self.bar.ours else "ratio",
        }
        return {
            "family": self.family,
            "what": self.what,
            "against": self.against,
            "unit": self.unit,
            "ours": self.ours and round(self.ours, 4),
            "theirs": self.theirs and round(self.theirs, 4),
            "ratio": self.ratio and round(self.ratio, 4),
            "ratio_of": "theirs / ours" if self.faster else "ours / theirs",
            "bar": bar,
            "met": self.met,
            "runs": self.runs,
            "note": self.note,
        }

    @classmethod
    def again(cls, row: dict[str, Any]) -> Row:
        """Return the row that `json` made an object of."""
        bar = row["bar"] and Bar(
            row["bar"]["value"], row["bar"]["side"] == "at least", row["bar"]["of"] == "ours"
        )
        same = ("family", "what", "against", "ours", "theirs", "unit", "runs", "note")
        faster = row["ratio_of"] == "theirs / ours"
        return cls(bar=bar, faster=faster, **{name: row[name] for name in same})


def compared(
    family: str,
    what: str,
    against: str,
    ours: Sequence[Spent],
    theirs: Sequence[Spent],
    figure: str,
    *,
    bar: Bar | None = None,
    faster: bool = False,
    note: str = "",
) -> Row:
    """Return a row of one figure of Spent: the best of as many runs as both have.

    Where one side has none, or the system does not say the figure, the row has no figures and keeps its note.
    """
    n = min(len(ours), len(theirs))
    ours, theirs = ours[:n], theirs[:n]
    unit = "s" if figure in {"cpu", "wall"} else "MiB"
    if not n or any(getattr(spent, figure) is None for spent in (*ours, *theirs)):
        return Row(family, what, against, unit=unit, bar=bar, note=note or "not measured")
    return Row(
        family,
        what,
        against,
        best(ours, figure),
        best(theirs, figure),
        unit,
        bar,
        n,
        faster=faster,
        note=note,
    )


HEAD = ("what", "ours", "theirs", "ratio", "bar", "met", "n", "note")
MARKS = ("<!-- speed -->", "<!-- end of speed -->")
LEGEND = (
    "Each figure is the best of n runs, what is compared taking turns. The ratio is ours ÷ theirs; beside "
    "another program, theirs ÷ ours: how many times as fast ours is."
)


def markdown(rows: Sequence[Row], machine: dict[str, Any]) -> str:
    """Return the tables as Markdown, a heading for each family, after the machine and before the legend."""
    lines = [sentence(machine), ""]
    for family in dict.fromkeys(row.family for row in rows):
        lines += [
            f"**{family}**",
            "",
            "| " + " | ".join(HEAD) + " |",
            "|:--|--:|--:|--:|:--|:--|--:|:--|",
        ]
        for row in rows:
            if row.family == family:
                lines.append("| " + " | ".join(cell.replace("|", r"\|") for cell in row.cells()) + " |")
        lines.append("")
    return "\n".join([*lines, LEGEND, ""])


def inserted(page: str, text: str) -> str:
    """Return a page with `text` in place of what stands between its two marks; raises ValueError where it has none."""
    before, _, rest = page.partition(MARKS[0])
    _, mark, after = rest.partition(MARKS[1])
    if not mark:
        raise ValueError(f"the page has no {MARKS[0]} with {MARKS[1]} after it")
    return f"{before}{MARKS[0]}\n\n{text}\n{mark}{after}"


def terminal(rows: Sequence[Row], machine: dict[str, Any]) -> None:
    """Print the tables to stdout."""
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    if not console.is_terminal:
        console.width = 132
    console.print(Text(sentence(machine)))
    for family in dict.fromkeys(row.family for row in rows):
        table = Table(title=Text(family, style="bold"), title_justify="left", box=SIMPLE)
        for name in HEAD[:-1]:
            number = name in {"ours", "theirs", "ratio", "n"}
            table.add_column(
                name, justify="right" if number else "left", no_wrap=name in {"ours", "ratio", "n"}
            )
        for row in rows:
            if row.family == family:
                what, *cells, note = row.cells()
                first = Text(what).append(f"\n{note}" if note else "", style="dim")
                table.add_row(first, *map(Text, cells), style="red" if row.met is False else None)
        console.print(table)
    console.print(Text(LEGEND))


def sentence(machine: dict[str, Any]) -> str:
    """Return what a reader must know of the machine and the run."""
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    return (
        f"{machine['date']}: {machine['cpu']}, {machine['cores']} cores, {machine['system']}, {versions}. "
        f"Load average before the run: {machine['load']:.2f}"
        + (f", after it: {machine['load_after']:.2f}." if machine["load_after"] is not None else ".")
        + (" Something else was running: these figures are disturbed." if machine["disturbed"] else "")
        + (" A quick run, on fewer files." if machine["quick"] else "")
    )


def _figure(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    if not unit:
        return f"{value:g}"
    return f"{value:.0f} {unit}" if value >= 100 else f"{value:.2f} {unit}"

"""How sharp every model's choices are: a row for each model, a column for each pair of words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from stylekl.show.choices_parts import STAND, pair_values, plain_share, share, word
from stylekl.show.columns import Column, notes, table
from stylekl.show.flow import columns, line
from stylekl.show.json import plain
from stylekl.show.labels import named, pad, shorten, shown
from stylekl.show.numbers import count, number, plural
from stylekl.show.ramps import colour, tone

if TYPE_CHECKING:
    from stylekl.lenses.choices.reports import SharpnessReport, Stand
    from stylekl.show.tables import Header, Rows
    from stylekl.show.terminal import Terminal

_CELL = 3
_LABEL = 24
_LEAST = 4  # columns of a map; below there is a table alone
_KEYS = ("measure", "unit", "models", "order", "columns", "mean", "stands", "rates", "asked", "notes")


def sharpness_view(report: SharpnessReport, terminal: Terminal, *, ramp: str = "lajolla") -> list[Text]:
    """Return models against pairs of words: the sharpest on the left, the softest on the right, as many as fit."""
    names = {model.id: model.name for model in report.models}
    held = {model: {stand.pair: stand for stand in stands} for model, stands in report.stands.items()}
    wide = max((cell_len(shown(names[each], terminal.ascii)) for each in report.order), default=1)
    wide = min(wide, _LABEL, max(terminal.width - _CELL * _LEAST - 7, 4))
    room = (terminal.width - wide - 7) // _CELL
    chosen = _ends(report.columns, room)
    lines: list[Text] = []
    if room >= _LEAST and chosen:
        gap = len(chosen) < len(report.columns)
        half = (len(chosen) + 1) // 2
        labels = shorten([names[each] for each in report.order], wide, terminal.ascii)
        head = "".join(f"{report.columns.index(pair) + 1:>{_CELL}}" for pair in chosen)
        if gap:
            head = head[: half * _CELL] + " " + head[half * _CELL :]
        lines.append(line((f"{'':{wide}}  mean{head}", "dim")))
        for model, label in zip(report.order, labels, strict=True):
            mean = report.mean.get(model)
            row = line((pad(label, wide), "bold"), f"  {'-' if mean is None else number(mean, 2):>4}")
            for i, pair in enumerate(chosen):
                row.append(" " if gap and i == half else "")
                row.append_text(_cell(held[model].get(pair), terminal, ramp))
            lines.append(row)
        lines += [Text(), *_legend(report, chosen, held, terminal)]
    lines += [Text(), *_totals(report, names, terminal), Text()]
    told = ["A cell is in tenths: 10 where every envelope gave the same word, 0 where none is ahead."]
    if len(chosen) < len(report.columns):
        told.append(
            f"The {count(len(chosen))} sharpest and softest of {plural(len(report.columns), 'pair')} of words; --csv "
            f"has all."
        )
    return lines + notes([*told, *report.notes[1:]], terminal)


def _ends(pairs: tuple[str, ...], room: int) -> list[str]:
    """Return the first and the last pairs, as many as fit; all where they fit."""
    if len(pairs) <= room:
        return list(pairs)
    half = (room + 1) // 2
    return [*pairs[:half], *pairs[len(pairs) - (room - half) :]]


def _cell(stand: Stand | None, terminal: Terminal, ramp: str) -> Text:
    if stand is None or stand.sharpness is None:
        return Text(" " * _CELL)
    text = f"{int(10 * stand.sharpness + 1e-9):>{_CELL}}"
    if terminal.colour == "16":
        return line((text, tone(0 if stand.sharpness >= 0.5 else 1 if stand.sharpness >= 0.2 else 2)))
    style = (
        Style() if terminal.colour == "none" else colour(ramp, _step(1 - stand.sharpness), terminal.colour)
    )
    return line((text, style))


def _step(value: float) -> float:
    return round(256 * value) / 256


def _legend(
    report: SharpnessReport, chosen: list[str], held: dict[str, dict[str, Stand]], terminal: Terminal
) -> list[Text]:
    """Return the words of each column."""
    known = {pair: stand for stands in held.values() for pair, stand in stands.items()}
    entries = []
    for pair in chosen:
        both = " or ".join(word(each, terminal) for each in known[pair].words)
        text = line((f"{report.columns.index(pair) + 1:>{_CELL}} ", "dim"), both)
        entries += [text] if text.cell_len <= terminal.width else [line(text.plain[: terminal.width])]
    return columns(entries, terminal.width)


def _totals(report: SharpnessReport, names: dict[str, str], terminal: Terminal) -> list[Text]:
    rows = [report.rates[each] for each in report.order]
    return table(
        [named(names[each], terminal.ascii) for each in report.order],
        [
            Column("same word", [share(each.real) for each in rows]),
            Column("by position", [plain_share(each.order_bias) for each in rows], 1),
            Column("chose", [plain_share(each.commit) for each in rows], 2),
            Column("took the first", [share(each.first) for each in rows], 3),
        ],
        terminal,
    )


def sharpness_data(report: SharpnessReport) -> dict[str, Any]:
    """Return the `data` of `stylekl matrix --by choices --measure sharpness --json`."""
    return {"by": "choices"} | {key: plain(getattr(report, key)) for key in _KEYS}


def sharpness_rows(report: SharpnessReport) -> tuple[Header, Rows]:
    """Return one row for each model and pair of words."""
    header = ["model", *STAND, "sharpness", "pick", "a", "b", "answered"]
    return header, [
        [model, *pair_values(each), each.sharpness, each.pick, each.a, each.b, each.answered]
        for model in report.order
        for each in report.stands[model]
    ]

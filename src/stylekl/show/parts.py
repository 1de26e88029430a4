"""The parts that the views of a pair and of a focus share: fields, class totals, tells, examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from stylekl.show.chips import Chip, Side, chips, ground
from stylekl.show.flow import line, prose
from stylekl.show.glyphs import glyphs
from stylekl.show.labels import NAME, fit, named, pad, shown, symbol
from stylekl.show.numbers import count, lift, percent, probability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.reports import ClassTotal, Tell, Vocabulary
    from stylekl.show.terminal import Terminal

FLOOR = "what no difference would look like"
_BAR = 30
_AROUND = 160  # characters of an example kept on either side of its symbol
_BESIDE = 26  # columns that a field's text needs beside its label


@dataclass(frozen=True, slots=True)
class Speaker:
    """One side of a comparison: the id that its tells carry, and the titles of what it says."""

    side: Side
    id: str
    more: str
    only: str


def fields(rows: Sequence[tuple[str, str]], width: int) -> list[Text]:
    """Return label and text side by side, the texts in one column; one below the other where it is narrow."""
    wide = max((cell_len(label) for label, _ in rows), default=0) + 4
    lines: list[Text] = []
    for label, text in rows:
        if wide + _BESIDE > width:
            lines += [*prose(Text(label), width, 2), *prose(Text(text), width, 4)]
            continue
        first, *rest = prose(Text(text), width, wide)
        lines += [line("  ", pad(label, wide - 2)).append_text(first[wide:]), *rest]
    return lines


def vocabulary_note(vocabulary: Vocabulary, terminal: Terminal) -> str:
    """Return the vocabulary in words: its size, the share that admits a symbol, what it covers."""
    chosen = f"in at least {percent(vocabulary.threshold)} of {vocabulary.unit}"
    if vocabulary.source != "file":
        chosen = f"from {named(vocabulary.source, terminal.ascii)}"
    kind = named(vocabulary.facet, terminal.ascii)
    size = f"{count(vocabulary.size)} {kind.removesuffix('s') if vocabulary.size == 1 else kind}"
    return f"style vocabulary: {size} {chosen}, {percent(vocabulary.coverage)} of the text"


def class_totals(totals: Sequence[ClassTotal], title: str, terminal: Terminal) -> list[Text]:
    """Return what each class of symbols adds to both directions in per cent, and to the first as a bar."""
    if not totals:
        return []
    marks = glyphs(terminal)
    names = [named(total.kind, terminal.ascii) for total in totals]
    wide = max(cell_len(name) for name in names)
    room = min(_BAR, terminal.width - wide - 2 - 2 - 12)
    greatest = max(*(total.share_ab or 0.0 for total in totals), 0.01)
    lines = prose(line((title, "bold")), terminal.width)
    for name, total in zip(names, totals, strict=True):
        halves = round(max(total.share_ab or 0.0, 0.0) / greatest * 2 * max(room, 0))
        bar = (marks.bar * (halves // 2) + marks.half_bar * (halves % 2)).rstrip()
        shares = f"{percent(total.share_ab):>5} {percent(total.share_ba):>5}"
        lines.append(line("  ", pad(name, wide), " ", shares, f"  {bar}" if bar else ""))
    return lines


def tell_chips(tells: Sequence[Tell], speaker: Speaker, terminal: Terminal, limit: int) -> list[Text]:
    """Return the chips of one side: those with a lift, then those that the other side never uses."""
    marks = glyphs(terminal)
    own = [tell for tell in tells if tell.more == speaker.id]
    more = [
        Chip(symbol(tell.symbol, terminal.ascii), lift(tell.lift, marks.times), tell.lift)
        for tell in own
        if tell.lift is not None
    ]
    only = [
        Chip(symbol(tell.symbol, terminal.ascii), "{}:{}".format(*_counts(tell, speaker)))
        for tell in own
        if tell.lift is None
    ]
    lines: list[Text] = []
    for title, items in ((speaker.more, more), (speaker.only, only)):
        if items:
            heading = prose(line((title, "bold")), terminal.width)
            lines += [Text(), *heading, *chips(items, speaker.side, terminal, limit=limit)]
    return lines


def examples(tells: Sequence[Tell], speaker: Speaker, terminal: Terminal, limit: int) -> list[Text]:
    """Return each tell of one side with its figures and the sentence it stands in."""
    own = [tell for tell in tells if tell.more == speaker.id][:limit]
    if not own:
        return []
    lines = [Text(), *prose(line((speaker.more, "bold"), (", each in its sentence", "")), terminal.width)]
    for tell in own:
        lines += prose(_figures(tell, speaker, terminal), terminal.width, 2, 4)
        if tell.example is not None:
            lines += prose(_sentence(tell, speaker, terminal), terminal.width, 4)
    return lines


def _counts(tell: Tell, speaker: Speaker) -> tuple[str, str]:
    pair = count(tell.count_a), count(tell.count_b)
    return pair if speaker.side == "a" else pair[::-1]


def _figures(tell: Tell, speaker: Speaker, terminal: Terminal) -> Text:
    marks = glyphs(terminal)
    ours, theirs = _counts(tell, speaker)
    prompts = count(tell.prompts_a), count(tell.prompts_b)
    here, there = prompts if speaker.side == "a" else prompts[::-1]
    ratio = "never by the other" if tell.lift is None else lift(tell.lift, marks.times)
    if tell.lift is not None and tell.low is not None and tell.high is not None:
        ratio += f" [{lift(tell.low, '')} {lift(tell.high, '')}]"
    text = line(
        (fit(symbol(tell.symbol, terminal.ascii), NAME, terminal.ascii), "bold"),
        f" {ratio}, {ours} : {theirs} times ",
    )
    share = "" if tell.share is None else f"{percent(tell.share)} of the divergence, "
    rates = (tell.rate_a, tell.rate_b) if speaker.side == "a" else (tell.rate_b, tell.rate_a)
    text.append(
        f"in {here} : {there} prompts, {percent(rates[0])} : {percent(rates[1])} of the text, {share}"
    )
    return text.append(probability("q", tell.q))


def _sentence(tell: Tell, speaker: Speaker, terminal: Terminal) -> Text:
    """Return the example with its symbol marked, cut to its surroundings."""
    example, ascii_only = tell.example or "", terminal.ascii
    marks = glyphs(terminal)
    start, end = tell.span or (0, 0)
    start, end = max(0, min(start, len(example))), max(0, min(end, len(example)))
    before, found, after = example[:start], example[start:end], example[end:]
    if len(before) > _AROUND:
        before = marks.ellipsis + before[-_AROUND:]
    if len(after) > _AROUND:
        after = after[:_AROUND] + marks.ellipsis
    if found[:1] == " " and found[1:2].isalnum():
        before, found = before + " ", found[1:]
    marked = symbol(found, ascii_only) if found else ""
    if marked and terminal.colour == "none":
        marked = f"{marks.opening}{marked}{marks.closing}"
    style = ground(speaker.side, tell.lift, terminal) + Style(bold=True)
    return line(shown(before, ascii_only), (marked, style), shown(after, ascii_only))

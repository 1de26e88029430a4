"""The parts that the views of a pair and of a focus share: fields, copies, chips and figures of tells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from stylekl.show.chips import Chip, Side, chips
from stylekl.show.flow import line, prose
from stylekl.show.glyphs import glyphs
from stylekl.show.labels import NAME, fit, named, pad, shown, symbol
from stylekl.show.numbers import count, lift, percent, plural, probability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.reports import Copy, Tell, Vocabulary
    from stylekl.show.terminal import Terminal

FLOOR = "what no difference would look like"
_BESIDE = 26  # columns that a field's text needs beside its label
_LISTED = 5  # copies that are listed before "and n more"
_QUOTED = 100  # columns that a copy's line takes at most
_FEW = 12  # cells of a copy's first words below which they say nothing


@dataclass(frozen=True, slots=True)
class Speaker:
    """One side of a comparison: the id that its tells carry, and the titles of what it says.

    `facet` is that of the headline's divergence, which tells of another facet are no share of.
    """

    side: Side
    id: str
    more: str
    only: str
    facet: str


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
    size = plural(vocabulary.size, kind.removesuffix("s") if kind.endswith("s") else "symbol")
    size += "" if kind.endswith("s") else f" of {kind}"
    return f"style vocabulary: {size} {chosen}, {percent(vocabulary.coverage)} of {_all(kind)}"


def _all(facet: str) -> str:
    """Return what a share of a facet's symbols is a share of."""
    return "the text" if facet == "tokens" else f"all {facet}" if facet.endswith("s") else f"the {facet}"


def copied_lines(copied: Sequence[Copy], prompts: int, terminal: Terminal) -> list[Text]:
    """Return the long replies that both sides gave: on how many prompts, and the first words of some."""
    if not copied:
        return []
    held = len({copy.prompt for copy in copied})
    title = line(("Identical replies", "bold"), f" ({count(held)} of {plural(prompts, 'prompt')})")
    lines = prose(title, terminal.width, 2)
    for copy in copied[:_LISTED]:
        start = f"{named(copy.prompt, terminal.ascii)} ({plural(copy.characters, 'character')})"
        text = line("    ", fit(start, terminal.width - 4, terminal.ascii))
        room = min(terminal.width, _QUOTED) - text.cell_len - 3
        if copy.text is not None and room >= _FEW:
            opening, closing = '""' if terminal.ascii else "“”"
            quoted = fit(shown(copy.text, terminal.ascii), room, terminal.ascii)
            text.append(f" {opening}{quoted}{closing}")
        lines.append(text)
    if len(copied) > _LISTED:
        lines.append(line((f"    and {count(len(copied) - _LISTED)} more", "dim")))
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


def _counts(tell: Tell, speaker: Speaker) -> tuple[str, str]:
    pair = count(tell.count_a), count(tell.count_b)
    return pair if speaker.side == "a" else pair[::-1]


def figures(tell: Tell, speaker: Speaker, terminal: Terminal) -> Text:
    """Return a tell's figures in one sentence: lift, counts, prompts, rates, share, q; the own side's come first."""
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
    rates = (tell.rate_a, tell.rate_b) if speaker.side == "a" else (tell.rate_b, tell.rate_a)
    own, facet = tell.facet == speaker.facet, named(tell.facet, terminal.ascii)
    text.append(f"in {here} : {there} prompts, {percent(rates[0])} : {percent(rates[1])} of ")
    text.append(f"{_all(facet)}, ")
    if tell.share is not None:
        text.append(f"{percent(tell.share)} of the divergence{'' if own else f' in {facet}'}, ")
    return text.append(probability("q", tell.q))

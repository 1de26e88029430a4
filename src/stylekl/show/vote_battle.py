"""A blind battle on the screen: a prompt, two replies without names, and the names once the vote is cast."""

from __future__ import annotations

from collections import Counter
from itertools import zip_longest
from typing import TYPE_CHECKING

from rich.text import Text

from stylekl.show.flow import line, prose
from stylekl.show.glyphs import glyphs
from stylekl.show.labels import named, pad
from stylekl.show.numbers import plural
from stylekl.show.vote_text import Frame, framed, keys_row, wrapped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stylekl.gather.ballot import Battle
    from stylekl.gather.vote import Booth
    from stylekl.results.records import Model
    from stylekl.show.terminal import Terminal

BESIDE = 72  # columns from which the replies stand beside each other
_KEYS = (
    ("a", "A is better"),
    ("b", "B is better"),
    ("w", "both weak"),
    ("g", "both good"),
    ("s", "skip"),
    ("q", "quit"),
)
_CHOSEN = {
    "left": "You chose A.",
    "right": "You chose B.",
    "both_weak": "You found both weak.",
    "both_good": "You found both good.",
}


def model_labels(models: Sequence[Model]) -> dict[str, str]:
    """Return the name of each model by id; where two share a name, with the id behind it."""
    owners = Counter(model.label for model in models)
    return {
        model.id: model.label if owners[model.label] == 1 else f"{model.label} ({model.id})"
        for model in models
    }


def battle_frame(
    booth: Booth, names: Mapping[str, str], total: int, terminal: Terminal, rows: int, offset: int
) -> Frame:
    """Return the screen: before the vote nothing on it tells who wrote what, after it both names stand there.

    `total` is how many votes the file holds; there is no score.
    """
    width = terminal.width
    number = booth.cast + booth.skipped + (booth.pick is None)
    so_far = f" {glyphs(terminal).dot} {plural(total, 'vote')} in the file"
    head = prose(line((f"Battle {number}", "bold"), (so_far, "dim")), width)
    body = [*wrapped(booth.battle.prompt.text, width, terminal, "bold"), Text()]
    body += replies_rows(booth.battle, terminal)
    foot = [Text()]
    if booth.pick is None:
        foot += keys_row(_KEYS, width)
    else:
        left, right = (
            named(names.get(reply.model, reply.model), terminal.ascii)
            for reply in (booth.battle.left, booth.battle.right)
        )
        foot += prose(
            line(_CHOSEN[booth.pick], " A was ", (left, "bold"), "; B was ", (right, "bold"), "."), width
        )
        foot += keys_row((("space", "next battle"), ("q", "quit")), width)
    return framed(head, body, foot, terminal, rows, offset)


def replies_rows(battle: Battle, terminal: Terminal) -> list[Text]:
    """Return both replies, each row with the letter of its side: beside each other where there is room."""
    if terminal.width < BESIDE:
        rows = []
        for letter, reply in (("A", battle.left), ("B", battle.right)):
            texts = wrapped(reply.text, terminal.width - 2, terminal)
            rows += [
                line((f"{letter} ", "bold" if not place else "dim")).append_text(text)
                for place, text in enumerate(texts)
            ]
            rows.append(Text())
        return rows[:-1]
    column = (terminal.width - 6) // 2
    sides = (wrapped(reply.text, column, terminal) for reply in (battle.left, battle.right))
    rows = []
    for place, (left, right) in enumerate(zip_longest(*sides)):
        style = "bold" if not place else "dim"
        row = line(("A " if left is not None else "  ", style)).append_text(left or Text())
        row.append(pad("", column + 4 - row.cell_len))
        row.append("B " if right is not None else "  ", style)
        rows.append(row.append_text(right or Text()))
    return rows

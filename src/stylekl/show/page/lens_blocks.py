"""One model, or one pair, by a lens other than style: its line, its figures, what its counts are made of, a table.

Everything comes from the reports that `--json` reads, by the same functions that write them for a terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from stylekl.show import (
    choices_focus,
    choices_pair,
    judgments_focus,
    judgments_pair,
    judgments_rank,
    verdicts_focus,
    verdicts_pair,
    verdicts_rank,
    votes_focus,
    votes_pair,
    votes_rank,
)
from stylekl.show.numbers import count, percent
from stylekl.show.page.safe import seen
from stylekl.show.page.tables import Table
from stylekl.show.page.tells import BAR, PAGE, Bar, Segment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stylekl.show.whiskers import Whisker

    Rows = tuple[Sequence[str], Sequence[Sequence[Any]]]

# What a reply to a question of two words, or to one of yes and no, comes to, and the columns that count it.
_CHOICES = {
    "the same word in both orders": ("a", "b"),
    "by position": ("order_bias",),
    "one order only": ("one_sided",),
    "no choice": ("no_choice",),
    "both": ("both",),
    "refused": ("refused",),
    "empty or failed": ("empty", "error"),
}
_WORDS = {
    "yes": ("yes",),
    "no": ("no",),
    "another word": ("other",),
    "refused": ("refused",),
    "empty or failed": ("empty", "failed"),
}


class Said(NamedTuple):
    """What a lens says of a model or a pair in words: its line, labels with figures, and notes."""

    line: str
    fields: Sequence[tuple[str, str]] = ()
    notes: Sequence[str] = ()

    def seen(self) -> Said:
        """Return the same as the page shows it."""
        fields = [(seen(label), seen(text)) for label, text in self.fields]
        return Said(seen(self.line).strip(), fields, [seen(note) for note in self.notes])


class Parts(NamedTuple):
    """Counts as bars, a bar for each side or way of asking, with their table and the colour of each kind."""

    bars: Sequence[Bar]
    table: Table
    colours: Mapping[str, int]


def said_of_model(name: str, report: Any) -> Said:
    """Return what a lens says of one model."""
    if name == "choices":
        said = Said("", choices_focus.focus_fields(report), choices_focus.focus_notes(report))
    elif name == "verdicts":
        fields = verdicts_focus.focus_fields(report, PAGE)
        said = Said(
            verdicts_focus.standing_line(report, PAGE), fields, verdicts_focus.focus_notes(report, PAGE)
        )
    elif name == "votes":
        said = Said(votes_focus.standing_line(report))
    else:
        said = Said(judgments_focus.standing_line(report), notes=judgments_focus.focus_notes(report, PAGE))
    return said.seen()


def said_of_pair(name: str, report: Any, names: Sequence[str]) -> Said:
    """Return what a lens says of two models, called `names`."""
    if name == "choices":
        line = choices_pair.headline(report, PAGE).plain
        said = Said(line, choices_pair.pair_fields(report), choices_pair.pair_notes(report))
    elif name == "verdicts":
        line = verdicts_pair.headline(report, PAGE).plain
        said = Said(line, verdicts_pair.pair_fields(report, PAGE), verdicts_pair.pair_notes(report, PAGE))
    elif name == "votes":
        said = Said(votes_pair.call_of(report, *names).plain, votes_pair.pair_fields(report, names[0]))
    else:
        line = judgments_pair.headline(report, PAGE).plain
        said = Said(line, judgments_pair.pair_fields(report), judgments_pair.pair_notes(report, PAGE))
    return said.seen()


def notes_of_ranking(name: str, report: Any) -> list[str]:
    """Return what is to be known of a ranking."""
    if name == "verdicts":
        notes = verdicts_rank.rank_notes(report, PAGE)
    elif name == "votes":
        notes = votes_rank.rank_notes(report, PAGE)
    else:
        notes = judgments_rank.rank_notes(report, PAGE) if name == "judgments" else []
    return [seen(note) for note in notes]


def rivals(name: str, report: Any) -> list[Whisker]:
    """Return the share that a model won against each other one, where the report has that with an interval."""
    if name != "votes":
        return []
    return [votes_focus.rival_row(report, each) for each in report.rivals]


def parts_of_model(name: str, rows: Rows) -> Parts | None:
    """Return what a model's counts are made of; nothing where there are none."""
    if name == "choices":
        return _parts("What became of its questions", "outcomes", {"together": _summed(rows, _CHOICES)})
    if name == "verdicts":
        return _parts("Its samples by the word", "words", _by_condition(rows, ("",)))
    kinds = ("won", "undecided", "lost")
    return _parts("Its fights together", "fights", {"together": dict(zip(kinds, _fights(rows), strict=True))})


def parts_of_pair(name: str, rows: Rows, names: Sequence[str]) -> Parts | None:
    """Return what the counts of two models, called `names`, are made of; nothing where there are none."""
    if name == "choices":
        return None  # which of both answers it is, the table says of each pair of words
    if name == "verdicts":
        sides = {
            f"{who}, {way}": counts
            for who, side in zip(names, ("_a", "_b"), strict=True)
            for way, counts in _by_condition(rows, (side,)).items()
        }
        return _parts("Their samples by the word", "words", sides)
    kinds = (f"{names[0]} won", "undecided", f"{names[1]} won")
    fights = _fights((rows[0], rows[1][:1]))  # the first row is of all; others are parts of it
    return _parts("Their fights", "fights", {"together": dict(zip(kinds, fights, strict=True))})


def _fights(rows: Rows) -> tuple[int, int, int]:
    """Return how many fights one side won, how many neither won, and how many the other won."""
    header, _ = rows
    one, other = ("wins_a", "wins_b") if "wins_a" in header else ("wins", "losses")
    rest = ("neither", "both_weak", "both_good", "ties", "split", "half")
    found = _summed(rows, {"won": (one,), "neither": rest, "lost": (other,)})
    return found["won"], found["neither"], found["lost"]


def _by_condition(rows: Rows, ends: tuple[str]) -> dict[str, dict[str, int]]:
    """Return how many samples there are of each word, by the condition that they were asked under."""
    header, cells = rows
    place = list(header).index("condition")
    kinds = {kind: tuple(f"{column}{ends[0]}" for column in columns) for kind, columns in _WORDS.items()}
    ways = dict.fromkeys(row[place] for row in cells)
    return {str(way): _summed((header, [row for row in cells if row[place] == way]), kinds) for way in ways}


def _summed(rows: Rows, kinds: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return the sum of the columns of each kind that there are."""
    header, cells = rows
    places = {
        kind: [i for i, name in enumerate(header) if name in columns] for kind, columns in kinds.items()
    }
    return {kind: sum(row[i] or 0 for row in cells for i in held) for kind, held in places.items()}


def _parts(caption: str, file: str, ways: Mapping[str, Mapping[str, int]]) -> Parts | None:
    ways = {seen(way): counts for way, counts in ways.items() if sum(counts.values())}
    if not ways:
        return None
    kinds = [kind for kind in next(iter(ways.values())) if any(counts[kind] for counts in ways.values())]
    colours = {seen(kind): place for place, kind in enumerate(kinds)}
    table = Table(
        caption,
        file,
        ["what", *ways],
        [[seen(kind), *(_share(counts, kind) for counts in ways.values())] for kind in kinds],
    )
    return Parts([_bar(way, counts, kinds) for way, counts in ways.items()], table, colours)


def _share(counts: Mapping[str, int], kind: str) -> str:
    return f"{count(counts[kind])} ({percent(counts[kind] / sum(counts.values()))})"


def _bar(title: str, counts: Mapping[str, int], kinds: Sequence[str]) -> Bar:
    whole, at, segments = sum(counts.values()), 0.0, []
    for colour, kind in enumerate(kinds):
        width = BAR * counts[kind] / whole
        if width:
            segments.append(Segment(f"{at:.1f}", f"{width:.1f}", colour, ""))
        at += width
    return Bar(title, segments)

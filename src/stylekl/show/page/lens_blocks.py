"""One model, or one pair, by a lens other than style: its line, its figures, what its counts are made of, a table.

Everything comes from the reports that `--json` reads, by the same functions that write them for a terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from stylekl.show import (
    choices_focus,
    choices_pair,
    choices_parts,
    judgments_focus,
    judgments_pair,
    judgments_parts,
    judgments_rank,
    verdicts_focus,
    verdicts_pair,
    verdicts_rank,
    votes_focus,
    votes_pair,
    votes_rank,
    votes_words,
)
from stylekl.show.numbers import count, plural
from stylekl.show.page import answer_parts, preference_parts
from stylekl.show.page.block import counted
from stylekl.show.page.safe import seen
from stylekl.show.page.tells import PAGE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stylekl.show.page.block import Part
    from stylekl.show.page.tells import Voice

    Rows = tuple[Sequence[str], Sequence[Sequence[Any]]]

# What a sample of one word comes to, and the columns that count it.
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


def said_of_model(name: str, report: Any) -> Said:
    """Return what a lens says of one model."""
    if name == "choices":
        kept = choices_parts.kept_line(report.model.name, report.total, PAGE)
        notes = [*(line.plain for line in kept), *choices_focus.focus_notes(report)]
        said = Said("", choices_focus.focus_fields(report), notes)
    elif name == "verdicts":
        fields = verdicts_focus.focus_fields(report, PAGE)
        said = Said(
            verdicts_focus.standing_line(report, PAGE), fields, verdicts_focus.focus_notes(report, PAGE)
        )
    elif name == "votes":
        said = Said(votes_focus.standing_line(report), notes=_settled(report))
    else:
        # Those of single dimensions are a picture.
        total = [("mean total", judgments_parts.mean(each)) for each in report.means if each.name is None]
        line = judgments_focus.standing_line(report)
        said = Said(line, total, judgments_focus.focus_notes(report, PAGE))
    return said.seen()


def said_of_pair(name: str, report: Any, names: Sequence[str]) -> Said:
    """Return what a lens says of two models, called `names`."""
    if name == "choices":
        line = choices_pair.headline(report, PAGE).plain
        kept = [
            told.plain
            for name_of, rates in zip(names, report.rates, strict=True)
            for told in choices_parts.kept_line(name_of, rates, PAGE)
        ]
        said = Said(line, choices_pair.pair_fields(report), [*kept, *choices_pair.pair_notes(report)])
    elif name == "verdicts":
        line = verdicts_pair.headline(report, PAGE).plain
        said = Said(line, verdicts_pair.pair_fields(report, PAGE), verdicts_pair.pair_notes(report, PAGE))
    elif name == "votes":
        said = Said(votes_pair.call_of(report, *names).plain, votes_pair.pair_fields(report, names[0]))
    else:
        line = judgments_pair.headline(report, PAGE).plain
        said = Said(line, judgments_pair.pair_fields(report), judgments_pair.pair_notes(report, PAGE))
    return said.seen()


def _settled(report: Any) -> list[str]:
    """Return against how many of the others it is settled who is preferred, and to what votes were narrowed."""
    ahead = sum(each.call == "ahead" for each in report.rivals)
    return [
        f"{count(ahead)} of {plural(len(report.rivals), 'pair')} settled at q < .05.",
        *votes_words.only(report.params, PAGE),
    ]


def notes_of_ranking(name: str, report: Any) -> list[str]:
    """Return what is to be known of a ranking."""
    if name == "verdicts":
        notes = verdicts_rank.rank_notes(report, PAGE)
    elif name == "votes":
        notes = votes_rank.rank_notes(report, PAGE)
    else:
        notes = judgments_rank.rank_notes(report, PAGE) if name == "judgments" else []
    return [seen(note) for note in notes]


def voices_of_model(name: str, report: Any, title: str) -> list[Voice]:
    """Return what a model, called `title`, is firmest on; nothing by a lens that has no words of it."""
    return answer_parts.choices_voices(report, title) if name == "choices" else []


def voices_of_pair(name: str, report: Any, names: Sequence[str]) -> list[Voice]:
    """Return the words that tell two models, called `names`, apart; nothing by a lens that has none."""
    if name == "choices":
        return answer_parts.choices_against(report, names)
    return answer_parts.verdicts_against(report, names) if name == "verdicts" else []


def parts_of_model(name: str, report: Any, rows: Rows, title: str, *, whole: bool) -> list[Part]:
    """Return the pictures of one model, called `title`; where they are not `whole` the short ones alone."""
    parts: list[Part | None] = []
    if name == "choices":
        parts += answer_parts.choices_model(report, whole=whole)
    elif name == "verdicts":
        parts.append(counted("Its samples by the word", "words", _by_condition(rows, ("",))))
        parts += answer_parts.verdicts_model(report, whole=whole)
    else:
        fights = dict(zip(("won", "undecided", "lost"), _fights(rows), strict=True))
        parts.append(counted("Its fights together", "fights", {"together": fights}))
        if name == "votes":
            parts += preference_parts.votes_topics(report.topics, title)
        else:
            parts += preference_parts.judgments_model(report, whole=whole)
    return [part for part in parts if part is not None]


def parts_of_pair(name: str, report: Any, rows: Rows, names: Sequence[str]) -> list[Part]:
    """Return the pictures of two models, called `names`."""
    parts: list[Part | None] = []
    if name == "choices":
        parts += answer_parts.choices_pair(report, names)
    elif name == "verdicts":
        sides = {
            f"{who}, {way}": counts
            for who, side in zip(names, ("_a", "_b"), strict=True)
            for way, counts in _by_condition(rows, (side,)).items()
        }
        parts.append(counted("Their samples by the word", "words", sides))
        parts += answer_parts.verdicts_pair(report, names)
    else:
        kinds = (f"{names[0]} won", "undecided", f"{names[1]} won")
        fights = _fights((rows[0], rows[1][:1]))  # the first row is of all; others are parts of it
        parts.append(counted("Their fights", "fights", {"together": dict(zip(kinds, fights, strict=True))}))
        if name == "votes":
            parts += preference_parts.votes_topics(report.topics, names[0])
        else:
            parts += preference_parts.judgments_pair(report, names)
    return [part for part in parts if part is not None]


def parts_of_ranking(name: str, report: Any) -> list[Part]:
    """Return what a ranking rests on, where the lens has pictures of that."""
    found = preference_parts.judgments_rank(report) if name == "judgments" else ()
    return [part for part in found if part is not None]


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

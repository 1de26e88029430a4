"""What models answer, on a page: choices between two words, and answers in one word, with what tells two apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stylekl.show.choices_pair import theme_columns, weight
from stylekl.show.choices_parts import REASONS, rates_columns
from stylekl.show.choices_parts import share as written
from stylekl.show.columns import Column
from stylekl.show.numbers import count, number, percent, plural, probability
from stylekl.show.page.block import INTERVAL, Part, columns_table, counted
from stylekl.show.page.safe import seen
from stylekl.show.page.tables import plot
from stylekl.show.page.tells import PAGE, Place, Voice
from stylekl.show.page.tells import Said as Chip
from stylekl.show.verdicts_cells import points_of, said
from stylekl.show.verdicts_focus import answer_columns
from stylekl.show.verdicts_pair import side_columns
from stylekl.show.whiskers import Whisker

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from stylekl.lenses.choices.reports import (
        Both,
        ChoicesFocusReport,
        ChoicesPairReport,
        Rates,
        Share,
        Stand,
    )
    from stylekl.lenses.verdicts.aggregate import Cell
    from stylekl.lenses.verdicts.reports import SideBySide, VerdictsFocusReport, VerdictsPairReport

# What a question between two words comes to, and the outcomes that are counted there.
OUTCOMES = {
    "the same word in both orders": ("a", "b"),
    "by position": ("order_bias",),
    "one order only": ("one_sided",),
    "no choice": ("no_choice",),
    "both": ("both",),
    "refused": ("refused",),
    "empty or failed": ("empty", "error"),
}
_DEEP = (0.3, 0.6, 0.9)  # sharpness from which the ground of a chip is deeper by a step
_MOST = 12  # chips of one voice
_CHOSE = "replies that chose a word"
_ALL = "all themes"


def choices_voices(report: ChoicesFocusReport, name: str) -> list[Voice]:
    """Return the sharpest preferences of one model, as the report lists them."""
    held = {stand.pair: stand for stand in report.fingerprint}
    sharp = [stand for pair in report.sharpest if (stand := held[pair]).word is not None]
    return _voice("a", f"{name} is firmest on", [_chip(stand) for stand in sharp])


def choices_model(report: ChoicesFocusReport, *, whole: bool) -> Iterator[Part | None]:
    """Yield what a model's questions came to by theme and by family; where it is `whole` by envelope, and circles."""
    outcomes = {"together": _outcomes(report.total)}
    yield counted("What became of its questions", "outcomes", outcomes)
    yield counted("Its preferences by theme", "themes", _by_theme(report.fingerprint))
    families = report.families if len(report.families) > 1 else report.envelopes
    if families and whole:
        yield _rates("By family of envelopes" if len(report.families) > 1 else "By envelope", families)
    if len(report.families) > 1 and report.envelopes and whole:
        yield _rates("By envelope", report.envelopes, fold=f"By envelope ({count(len(report.envelopes))})")
    if report.triples and whole:
        loops = [" over ".join((*each.words, each.words[0])) for each in report.triples]
        known = f"{count(len(loops))} of {plural(report.triples_possible, 'triple')} of words go round."
        table = columns_table("Circles", "circles", "each over the next", loops, (), known)
        yield Part(table=table, fold=f"Circles ({count(len(loops))})")


def choices_against(report: ChoicesPairReport, names: Sequence[str]) -> list[Voice]:
    """Return the words on which two models, called `names`, are opposed, then those on which one alone chose."""
    opposed = _ranked(report, "opposite")
    alone = _ranked(report, "one chose")
    sides = ("a", "b") if names else ()
    voices = []
    for side, name in zip(sides, names, strict=True):
        chips = [_chip(*(_turn(each, side))) for each in opposed]
        voices += _voice(side, f"{name} takes, where the other takes the opposite", chips)
    for side, name in zip(sides, names, strict=True):
        own = [each for each in alone if _turn(each, side)[0].word is not None]
        voices += _voice(side, f"{name} alone has a preference", [_chip(*_turn(each, side)) for each in own])
    return voices


def choices_pair(report: ChoicesPairReport, names: Sequence[str]) -> Iterator[Part | None]:
    """Yield what the questions of two models came to, and how they compare on the pairs of words, theme by theme."""
    outcomes = {name: _outcomes(rates) for name, rates in zip(names, report.rates, strict=True)}
    yield counted("What became of their questions", "outcomes", outcomes)
    themes = report.themes
    kinds = {
        "the same word": "agree",
        "opposite": "opposite",
        "one chose": "one_chose",
        "neither chose": "neither_chose",
    }
    single = {
        each.theme or "no theme": {kind: getattr(each, key) for kind, key in kinds.items()} for each in themes
    }
    together = {kind: sum(counts[kind] for counts in single.values()) for kind in kinds}
    ways = {_ALL: together} | (single if len(single) > 1 else {})
    yield counted("Their pairs of words", "themes", ways)
    if len(themes) > 1:
        rows = [_whisker(each.theme or "no theme", each.differ) for each in themes]
        columns = [each for each in theme_columns(themes) if each.head != "differ"]
        yield Part(
            plot=plot(rows, end=1.0, more=columns),
            caption="The share of pairs of words on which they differ, by theme",
            file="themes-differ",
            heads=("theme", "differ", INTERVAL),
        )


def _ranked(report: ChoicesPairReport, verdict: str) -> list[Both]:
    return sorted(
        (each for each in report.stands if each.verdict == verdict),
        key=lambda each: (-weight(each), each.pair),
    )


def _turn(each: Both, side: str) -> tuple[Stand, Stand]:
    return (each.a, each.b) if side == "a" else (each.b, each.a)


def _chip(stand: Stand, other: Stand | None = None) -> Chip:
    """Return a preference as a chip: its figures say what it is over, and what the other model did."""
    words = stand.words if stand.pick == "a" else stand.words[::-1]
    ours, theirs = (stand.a, stand.b) if stand.pick == "a" else (stand.b, stand.a)
    sharp = stand.sharpness or 0.0
    told = (
        f"over {seen(words[1])}: {count(ours)} to {count(theirs)} of {plural(stand.answered, 'envelope')}, "
        f"sharpness {number(sharp, 2)}{_why(stand)}"
    )
    if other is not None:
        took = other.word
        n = other.a if other.pick == "a" else other.b
        says = (
            f"{seen(took)} in {count(n)}" if took else f"no preference, {count(other.a)} to {count(other.b)}"
        )
        told += f"; the other: {says} of {plural(other.answered, 'envelope')}{_why(other)}"
    note = f"{count(ours)}/{count(stand.answered)}"
    return Chip(seen(stand.word), note, 1 + sum(sharp >= step for step in _DEEP), told, ())


def _why(stand: Stand) -> str:
    """Return why envelopes gave no preference, the most frequent reason first."""
    ranked = sorted(stand.reasons.items(), key=lambda each: (-each[1], each[0]))
    told = ", ".join(f"{count(n)} {REASONS.get(name, seen(name))}" for name, n in ranked if n)
    return f" ({told})" if told else ""


def _voice(side: str, title: str, chips: Sequence[Chip]) -> list[Voice]:
    return [Voice(side, title, chips[:_MOST], max(len(chips) - _MOST, 0))] if chips else []


def _outcomes(rates: Rates) -> dict[str, int]:
    return {kind: sum(rates.outcomes.get(key, 0) for key in keys) for kind, keys in OUTCOMES.items()}


def _by_theme(stands: Iterable[Stand]) -> dict[str, dict[str, int]]:
    """Return how many pairs of words have a preference, have none or have no answer: of all, and of each theme."""
    kinds = ("a preference", "none", "not answered")
    found: dict[str, dict[str, int]] = {_ALL: dict.fromkeys(kinds, 0)}
    for stand in stands:
        kind = kinds[2] if stand.pick is None else kinds[0] if stand.word is not None else kinds[1]
        for way in (_ALL, stand.theme or "no theme"):
            found.setdefault(way, dict.fromkeys(kinds, 0))[kind] += 1
    mixed = sum(n > 0 for n in found[_ALL].values()) > 1
    return found if mixed and len(found) > 2 else {_ALL: found[_ALL]}


def _rates(caption: str, rows: Sequence[Rates], fold: str = "") -> Part:
    """Return the share of replies that chose a word with its interval, and the other rates beside it."""
    drawn = [_whisker(each.id or each.family or "no family", each.commit) for each in rows]
    columns = [each for each in rates_columns(rows) if each.head != "chose"]
    return Part(
        plot=plot(drawn, end=1.0, more=columns),
        caption=f"{caption}: {_CHOSE}",
        file=caption.lower().replace(" ", "-"),
        heads=("envelope", "chose", INTERVAL),
        fold=fold,
    )


def _whisker(name: str, share: Share) -> Whisker:
    if share.value is None:
        return Whisker("", name, None, 0.0, 0.0, None, "", "", "no value")
    if share.low is None or share.high is None:
        return Whisker("", name, share.value, share.value, share.value, None, percent(share.value), "")
    _, _, spread = written(share).partition(" ")
    return Whisker("", name, share.value, share.low, share.high, None, percent(share.value), spread)


def verdicts_model(report: VerdictsFocusReport, *, whole: bool) -> Iterator[Part | None]:
    """Yield a model's answers question by question, the words that it gave, and what changed over the editions."""
    texts = {each.id: each.text for each in report.questions}
    names, columns = answer_columns(report, PAGE)
    asked = Column("asked", [texts[name] or "" for name in names])
    yield Part(table=columns_table("Question by question", "answers", "question", names, [*columns, asked]))
    ways = {way: [each for each in report.cells if each.condition == way] for way in report.conditions}
    yield _words({way: _given(cells) for way, cells in ways.items()})
    changed = [each for each in report.series if each.flips]
    if changed and whole:
        over = [" → ".join(points_of(each, PAGE)) for each in changed]
        columns = [
            Column("condition", [each.condition for each in changed]),
            Column("majorities", over),
        ]
        known = (
            f"{count(len(report.series) - len(changed))} of {count(len(report.series))} series do not change."
        )
        asked_of = [each.question for each in changed]
        yield Part(table=columns_table("Over the editions", "editions", "question", asked_of, columns, known))


def verdicts_against(report: VerdictsPairReport, names: Sequence[str]) -> list[Voice]:
    """Return what each of two models says to the questions on which their majorities differ, with their texts."""
    texts = {each.id: each.text for each in report.questions}
    rows = [row for row in report.rows if row.differ and row.a is not None and row.b is not None]
    rows.sort(key=lambda row: (row.condition != report.condition, row.p if row.p is not None else 1.0))
    voices = []
    for place, side in enumerate(("a", "b")):
        chips = [_answer(row, names, texts, place) for row in rows]
        voices += _voice(side, f"Where they differ, {names[place]} says", chips)
    return voices


def _answer(row: SideBySide, names: Sequence[str], texts: Mapping[str, str | None], place: int) -> Chip:
    """Return what one of two says to a question as a chip, with what the other says and the text of the question."""
    own, other = (row.a, row.b) if place == 0 else (row.b, row.a)
    says = said(own)
    where = f"{seen(row.question)}, {seen(row.condition)}"
    test = f"; {p}" if (p := probability("p", row.p)) else ""
    text = texts.get(row.question)
    places = [Place(where, names[place], f"{seen(text)} ", says, "")] if text else []
    n = max(own.counts) / own.samples if own and own.samples else 0.0
    strength = 1 + sum(n >= step for step in (0.5, 0.7, 0.9))
    return Chip(says, where, strength, f"{where}; {names[1 - place]}: {said(other)}{test}", places)


def verdicts_pair(report: VerdictsPairReport, names: Sequence[str]) -> Iterator[Part | None]:
    """Yield two models' answers side by side, question by question, and the words that each gave."""
    texts = {each.id: each.text for each in report.questions}
    rows = report.rows
    columns = [
        Column("condition", [row.condition for row in rows]),
        *side_columns(rows, names),
        Column("asked", [texts.get(row.question) or "" for row in rows]),
    ]
    asked = [row.question for row in rows]
    yield Part(table=columns_table("Question by question", "side-by-side", "question", asked, columns))
    sides = ([row.a for row in rows], [row.b for row in rows])
    yield _words({name: _given(cells) for name, cells in zip(names, sides, strict=True)})


def _given(cells: Iterable[Cell | None]) -> dict[str, int]:
    """Return how often each word was given, by what cells keep of them."""
    found: dict[str, int] = {}
    for cell in cells:
        for word, n in (cell.said if cell is not None else {}).items():
            found[word] = found.get(word, 0) + n
    return found


def _words(ways: Mapping[str, Mapping[str, int]]) -> Part | None:
    """Return how often each word was given each way, the most frequent first; nothing where no text may be shown."""
    totals: dict[str, int] = {}
    for counts in ways.values():
        for word, n in counts.items():
            totals[word] = totals.get(word, 0) + n
    if not totals:
        return None
    ranked = sorted(totals, key=lambda word: (-totals[word], word))
    columns = [Column(way, [count(counts.get(word, 0)) for word in ranked]) for way, counts in ways.items()]
    note = "Of each question and condition only the most frequent words are counted here."
    return Part(table=columns_table("Words given", "words-given", "word", ranked, columns, note))

"""What the views of choices share: how a preference, a share and a distance are said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from stylekl.show.columns import Column, table
from stylekl.show.flow import line, prose
from stylekl.show.labels import fit, named, shown
from stylekl.show.numbers import count, number, percent, plural, probability

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stylekl.lenses.choices.reports import Asked, Rates, Share, Stand
    from stylekl.lenses.frame import LensPair
    from stylekl.show.tables import Value
    from stylekl.show.terminal import Terminal

WORD = 24  # cells of a word
_LANGUAGE_FREE = "in both orders"
REASONS = {
    "order_bias": "by position",
    "one_sided": "one order only",
    "no_choice": "neither word",
    "both": "both",
    "refused": "refused",
    "empty": "empty",
    "error": "failed",
}
STAND = ("pair", "theme", "word_a", "word_b")
COUNTS = ("pick", "word", "a", "b", "answered", "sharpness")


def word(text: str, terminal: Terminal) -> str:
    """Return a word of a file, cut to what a table takes."""
    return fit(shown(text, terminal.ascii), WORD, terminal.ascii)


def words_of(stand: Stand, terminal: Terminal) -> str:
    """Return both words of a pair: `tea or milk`."""
    return " or ".join(word(each, terminal) for each in stand.words)


def preference(stand: Stand, terminal: Terminal) -> str:
    """Return a preference with what it rests on: `tea 14/29`, `no preference 3:3/29`, `not answered`."""
    if stand.pick is None:
        return "not answered"
    if stand.word is None:
        return f"none {count(stand.a)}:{count(stand.b)}/{count(stand.answered)}"
    n = stand.a if stand.pick == "a" else stand.b
    return f"{word(stand.word, terminal)} {count(n)}/{count(stand.answered)}"


def share(value: Share) -> str:
    """Write a share with its interval: `12% [9% 15%]`; a dash without any."""
    if value.value is None:
        return "-"
    told = percent(value.value)
    if value.low is None or value.high is None:
        return told
    return f"{told} [{percent(value.low)} {percent(value.high)}]"


def plain_share(value: Share) -> str:
    """Write a share alone."""
    return "-" if value.value is None else percent(value.value)


def distance(pair: LensPair) -> str:
    """Write a distance: `12 of 48 pairs, .25 [.15 .39]`."""
    if pair.value is None or pair.low is None or pair.high is None:
        return pair.undefined or "no value"
    low, high = number(pair.low, 2), number(pair.high, 2)
    share = f"{number(pair.value, 2)} [{low} {high}]"
    return f"{count(pair.detail['differ'])} of {plural(pair.n, 'pair')} of words, {share}"


def chances(pair: LensPair) -> str:
    """Write p and q in brackets, nothing where there is no test."""
    told = ", ".join(each for each in (probability("p", pair.p), probability("q", pair.q)) if each)
    return f" ({told})" if told else ""


def reasons(outcomes: Mapping[str, int], n: int, most: int = 3) -> str:
    """Write why questions have no preference, the most frequent first: `61% by position, 8% refused`."""
    lost = sorted(
        ((name, value) for name, value in outcomes.items() if name in REASONS and value),
        key=lambda each: (-each[1], each[0]),
    )
    return ", ".join(f"{percent(value / n)} {REASONS[name]}" for name, value in lost[:most]) if n else ""


def asked_note(asked: Asked) -> str:
    """Write what was asked."""
    least, most = asked.distinct
    texts = count(least) if least == most else f"{count(least)} to {count(most)}"
    return (
        f"{plural(asked.pairs, 'pair')} of words in {plural(asked.envelopes, 'envelope')}, {texts} of them distinct "
        f"texts, "
        "each in both orders. A preference is the same word in both orders; that of a pair is the strict majority of "
        "those."
    )


def rates_table(rows: Sequence[Rates], terminal: Terminal) -> list[Text]:
    """Return a line for each envelope or family: commit rate, preference, order bias, first word."""
    names = [named(each.id or each.family or "no family", terminal.ascii) for each in rows]
    return table(names, rates_columns(rows), terminal)


def rates_columns(rows: Sequence[Rates]) -> list[Column]:
    """Return the columns of a table of envelopes or families."""
    return [
        Column("chose", [share(each.commit) for each in rows]),
        Column("same word", [plain_share(each.real) for each in rows]),
        Column("by position", [plain_share(each.order_bias) for each in rows], 1),
        Column("took the first", [share(each.first) for each in rows], 2),
        Column("replies", [count(each.commit.n) for each in rows], 3),
    ]


def kept_line(name: str, rates: Rates, terminal: Terminal) -> list[Text]:
    """Return how many questions come out with a preference, and why the others do not."""
    n = rates.real.n
    lost = reasons(rates.outcomes, n)
    text = line((name, "bold"), f" takes the same word {_LANGUAGE_FREE} in {share(rates.real)} of ")
    text.append(f"{plural(n, 'question')}{f'; {lost}' if lost else ''}.")
    return prose(text, terminal.width, 0, 2)


def stand_values(stand: Stand) -> list[Value]:
    """Return the values of a stand for a table: COUNTS."""
    return [stand.pick, stand.word, stand.a, stand.b, stand.answered, stand.sharpness]


def pair_values(stand: Stand) -> list[Value]:
    """Return what a row of a table says of the pair of words: STAND."""
    return [stand.pair, stand.theme, *stand.words]


def titled(title: str, lines: list[Text], width: int) -> list[Text]:
    """Return a part of a view with its title, or nothing where it has no lines."""
    return [Text(), *prose(line((title, "bold")), width), *lines] if lines else []

"""Sentences that say what a report supports, what it does not, and what was left out."""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING, Any

from stylekl.show.baseline import baseline_lines
from stylekl.show.flow import line, prose
from stylekl.show.glyphs import Glyphs, glyphs
from stylekl.show.labels import NAME, named, shorten
from stylekl.show.numbers import count, number, plural, probability
from stylekl.show.parts import vocabulary_note

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rich.text import Text

    from stylekl.lenses.frame import LensModel
    from stylekl.lenses.reports import Estimate, MatrixReport, ModelRow, Neighbour, StylePair
    from stylekl.show.terminal import Terminal

_NAMED = 5  # how many of a kind are named before "and n more"


def call_line(pair: StylePair, a: str, b: str, terminal: Terminal) -> Text:
    """Return the headline of a pair: the call with its p and q, or why there is none."""
    verb = " are apart" if pair.call == "apart" else f": {pair.call}"
    text = line((f"{a} and {b}{verb}", "bold"))
    chances = [chance for chance in (probability("p", pair.p), probability("q", pair.q)) if chance]
    if chances:
        text.append(f" ({', '.join(chances)})")
    if pair.undefined:
        text.append(f", {named(pair.undefined, terminal.ascii)}")
    return text


def matrix_lines(report: MatrixReport, measure: str, terminal: Terminal) -> list[Text]:
    """Return the lines below a heat map, each a sentence or two."""
    marks = glyphs(terminal)
    labels = shorten([model.name for model in report.models], NAME, terminal.ascii)
    names = {model.id: label for model, label in zip(report.models, labels, strict=True)}
    lines = [
        line(f"{plural(len(report.models), 'model')}, {_prompts(report.models, marks)}; "),
        *_calls(report.pairs),
        *baseline_lines(report, names, terminal),
        *_close(report.pairs, names),
        *_kin(report.pairs, names),
        *few_prompts((p.prompts, p.kl_ab, p.se_prompts) for p in report.pairs if p.unit == "reply"),
        *_copies(report.pairs, names),
        *_left_out(report.models, terminal),
        *_lengths(report.pairs),
        *(line(text) for text in plain_line(report.params)),
        line((_reading(report, measure, marks), "dim")),
    ]
    lines[0].append(vocabulary_note(report.vocabulary, terminal))
    return lines


def left_out_line(models: Iterable[ModelRow | LensModel], terminal: Terminal) -> list[Text]:
    """Return how many replies of these models do not count, and why, set for the terminal."""
    return [part for text in _left_out(models, terminal) for part in prose(text, terminal.width, 2)]


def copies_line(copies: Iterable[int]) -> list[str]:
    """Return how many replies are word for word those of another model."""
    total = sum(copies)
    return [f"{plural(total, 'reply')} of at least 100 characters identical on both sides."] if total else []


def plain_line(params: Mapping[str, Any]) -> list[str]:
    """Return that layout was removed, where it was: the figures are not those of the whole replies."""
    return ["Layout was removed before counting (--plain)."] if params.get("plain") else []


def unsettled_line(neighbours: Sequence[Neighbour], marks: Glyphs) -> list[str]:
    """Return the ranks whose order the data do not settle, from the ranges of the ranks."""
    groups: list[tuple[int, int]] = []
    for neighbour in neighbours:
        low, high = neighbour.rank_low, neighbour.rank_high
        if low is None or high is None or low == high:
            continue
        if groups and low <= groups[-1][1]:
            groups[-1] = min(groups[-1][0], low), max(groups[-1][1], high)
        else:
            groups.append((low, high))
    if not groups:
        return []
    named = ", ".join(f"{low}{marks.dash}{high}" for low, high in groups)
    return [f"Order not settled within {named}: a rank is given with its range."]


def _prompts(models: Sequence[ModelRow], marks: Glyphs) -> str:
    least, most = (pick((model.prompts for model in models), default=0) for pick in (min, max))
    return plural(most, "prompt") if least == most else f"{count(least)}{marks.dash}{plural(most, 'prompt')}"


def _calls(pairs: Sequence[StylePair]) -> list[Text]:
    calls = Counter(pair.call for pair in pairs)
    text = f"{count(calls['apart'])} of {plural(len(pairs), 'pair')} apart at q < .05"
    for call in ("too close to call", "cannot say"):
        if calls[call]:
            text += f", {count(calls[call])} {call}"
    return [line((text, "bold"))]


def _listed(title: str, entries: Sequence[str]) -> list[Text]:
    if not entries:
        return []
    rest = f", and {count(len(entries) - _NAMED)} more" if len(entries) > _NAMED else ""
    return [line(f"{title}: {', '.join(entries[:_NAMED])}{rest}")]


def _close(pairs: Sequence[StylePair], names: dict[str, str]) -> list[Text]:
    close = [pair for pair in pairs if pair.call == "too close to call"]
    close.sort(key=lambda pair: (-(pair.q or 0.0), pair.a, pair.b))
    entries = [f"{_both(pair, names)} ({probability('q', pair.q) or 'no q'})" for pair in close]
    return _listed("Too close to call", entries)


def _kin(pairs: Sequence[StylePair], names: dict[str, str]) -> list[Text]:
    kin = [(pair.kinship.value, pair) for pair in pairs if pair.likely_kin and pair.kinship is not None]
    kin.sort(key=lambda found: (-found[0], found[1].a, found[1].b))
    return _listed("Likely kin", [f"{_both(pair, names)} ({number(value, 2)})" for value, pair in kin])


def _both(pair: StylePair, names: dict[str, str]) -> str:
    return f"{names[pair.a]} and {names[pair.b]}"


def few_prompts(errors: Iterable[tuple[int, Estimate | None, float | None]]) -> list[Text]:
    """Return what few prompts mean for a result: what it speaks of, and how much larger its errors over prompts are.

    `errors` are, for each comparison whose unit is the reply, its prompts, its estimate and the standard error over
    prompts.
    """
    found = list(errors)
    if not found:
        return []
    most = max(prompts for prompts, _, _ in found)
    prompts = "this one prompt" if most == 1 else f"these {most} prompts"
    ratios = [
        over / value.se for _, value, over in found if value is not None and over is not None and value.se > 0
    ]
    more = (
        f"; over prompts the errors are {number(median(ratios), 1)} times as large (median)" if ratios else ""
    )
    return [line(f"Few prompts: intervals are over replies, and all of it speaks of {prompts} only{more}.")]


def _copies(pairs: Sequence[StylePair], names: dict[str, str]) -> list[Text]:
    copied = sorted((pair for pair in pairs if pair.copies), key=lambda pair: (-pair.copies, pair.a, pair.b))
    return _listed("Identical replies", [f"{_both(pair, names)} {count(pair.copies)}" for pair in copied])


def _left_out(models: Iterable[ModelRow | LensModel], terminal: Terminal) -> list[Text]:
    """Return how many replies do not count, and how many something was taken off, each with the reasons."""
    models = list(models)
    counted = [
        ("Left out {}: ", [(model, model.left_out) for model in models]),
        ("Taken off before counting, {}: ", [(model, getattr(model, "removed", {})) for model in models]),
    ]
    return [text for title, rows in counted for text in _reasons(title, rows, terminal)]


def _reasons(
    title: str, of: Sequence[tuple[ModelRow | LensModel, Mapping[str, int]]], terminal: Terminal
) -> list[Text]:
    rows = [(sum(counts.values()), named(model.name, terminal.ascii)) for model, counts in of]
    reasons: Counter[str] = Counter()
    for _, counts in of:
        reasons.update(counts)
    if not reasons.total():
        return []
    unit = next((getattr(model, "unit", "reply") for model, _ in of), "reply")
    ranked = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    text = ", ".join(f"{named(reason, terminal.ascii)} {count(n)}" for reason, n in ranked if n)
    most = max(rows, key=lambda row: row[0])
    source = (
        f"all from {most[1]}" if most[0] == reasons.total() else f"most from {most[1]} ({count(most[0])})"
    )
    return [line(f"{title.format(plural(reasons.total(), unit))}{text}; {source}")]


def _lengths(pairs: Sequence[StylePair]) -> list[Text]:
    unlike = sum(pair.length_rule for pair in pairs)
    if not unlike:
        return []
    text = f"{plural(unlike, 'pair')} with replies over three times as long on one side"
    return [line(f"{text}: rare symbols count as other there")]


def _reading(report: MatrixReport, measure: str, marks: Glyphs) -> str:
    if measure == "kinship":
        return "A cell is 1 less the kinship of its row and column: 1 for strangers, 0 for copies."
    if measure == "js":
        return f"A cell is the Jensen{marks.dash}Shannon divergence of its row and column."
    skew = report.params.get("skew")
    mixed = f", {marks.alpha} = {number(skew)}" if isinstance(skew, float) else ""
    return f"A cell is KL(row {marks.against} column){mixed}, corrected for bias; 0: no difference found."

"""Recognition in a terminal, as JSON and as a table: how well single replies tell models, and who wrote a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.text import Text

from stylekl.show.confusion import confusion_view
from stylekl.show.flow import line, prose
from stylekl.show.glyphs import glyphs
from stylekl.show.json import plain
from stylekl.show.labels import NAME, fit, named, pad, shorten
from stylekl.show.notes import plain_line
from stylekl.show.numbers import count, number, percent, plural, probability
from stylekl.show.parts import fields

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.style.recognition_report import (
        Attribution,
        RecognisedModel,
        RecognisedPair,
        RecognitionReport,
        WhoWroteReport,
    )
    from stylekl.measure.attribution import Rate
    from stylekl.show.tables import Header, Rows, Value
    from stylekl.show.terminal import Terminal

_PAIRS = 8  # pairs that are hard to tell apart, listed
_CANDIDATES = 8
_BAR = 24
_COLUMN = 14  # cells of a rate in the table of models


def who_wrote_view(report: WhoWroteReport, terminal: Terminal, *, ramp: str = "lajolla") -> list[Text]:
    """Return who wrote the text that was given, or how well the models are recognised where none was."""
    if report.text is None:
        return recognition_view(report.recognition, terminal, report.params, ramp=ramp)
    return attribution_view(report.text, report.recognition, terminal, report.params)


def recognition_view(
    report: RecognitionReport, terminal: Terminal, params: dict[str, Any], *, ramp: str = "lajolla"
) -> list[Text]:
    """Return how well single replies tell who wrote them: in all, the confusions, model by model, pair by pair."""
    names = {model.model: model.name for model in report.models}
    headline = f"{_percent(report.accuracy)} of held-out replies get the right name"
    lines = prose(
        line((headline, "bold"), f"; guessing gets {percent(report.chance)}."), terminal.width, 0, 2
    )
    lines += fields(_rows(report), terminal.width)
    for note in _notes(report, params):
        lines += prose(line((note, "dim")), terminal.width, 2)
    confused = confusion_view([names[model] for model in report.order], report.confusion, terminal, ramp=ramp)
    return [*lines, Text(), *confused, *_models(report, terminal), *_pairs(report, names, terminal)]


def _percent(found: Rate) -> str:
    """Write a share with its interval: `73% [71 74]`."""
    if found.value is None:
        return "none"
    if found.low is None or found.high is None:
        return percent(found.value)
    return f"{percent(found.value)} [{100 * found.low:.0f} {100 * found.high:.0f}]"


def _rows(report: RecognitionReport) -> list[tuple[str, str]]:
    given, closed = report.answers, report.answers_closed
    rows = [("named at .9", f"{_percent(given.given)} of replies, {_right(given.right)}")]
    if report.strangers is not None:
        rows.append(("without strangers", f"{_percent(closed.given)} of replies, {_right(closed.right)}"))
        rows.append(("strangers", f"{_percent(report.strangers)} of replies by a model left out get a name"))
    least = report.least_length
    enough = "no length tried is enough to name 1 in 20" if least is None else f"{count(least)} characters"
    return [*rows, ("least length", enough)]


def _right(found: Rate) -> str:
    return "none to be right" if found.value is None else f"{_percent(found)} of the names right"


def _notes(report: RecognitionReport, params: dict[str, Any]) -> list[str]:
    base = f"{plural(report.prompts, 'prompt')}, {plural(report.replies, 'reply')}"
    notes = [
        f"{base}, {report.folds} folds of prompts; 95% intervals over prompts; "
        f"{count(report.columns)} features. A name needs a probability of .9."
    ]
    return [*notes, *_prior(report, params), *plain_line(params)]


def _prior(report: RecognitionReport, params: dict[str, Any]) -> list[str]:
    """Return what is taken for granted about writers whom the file does not hold."""
    if report.strangers is not None:
        prior = percent(params.get("stranger", 0.0))
        return [f"Beforehand {prior} of texts are taken to be by a writer whom the file does not hold."]
    return [
        "Of two models one is taken to have written it: with one left out there is nobody to mistake it for."
    ]


def _models(report: RecognitionReport, terminal: Terminal) -> list[Text]:
    """Return one line a model: how many of its replies are recognised, how far its name is to be trusted."""
    place = {model: number for number, model in enumerate(report.order)}
    models = sorted(report.models, key=lambda model: place[model.model])
    if terminal.width < 4 * _COLUMN + 6:
        return [Text(), *_stacked(models, terminal)]
    longest = max(cell_len(named(model.name, terminal.ascii)) for model in models)
    wide = min(longest, terminal.width - 2 - 2 * (_COLUMN + 2))
    labels = shorten([model.name for model in models], wide, terminal.ascii)
    head = f"{'':{wide}}  {'recognised':<{_COLUMN}}  {'name is right':<{_COLUMN}}"
    room = terminal.width - wide - 2 * (_COLUMN + 2) - 2
    taken = room >= _COLUMN + 6
    others = _others(report, min(room - 5, 30) if taken else 4, terminal)
    lines = [line((head + ("  mostly taken for" if taken else ""), "dim"))]
    for label, model in zip(labels, models, strict=True):
        row = (
            f"{pad(label, wide)}  {_percent(model.recall):<{_COLUMN}}  {_percent(model.precision):<{_COLUMN}}"
        )
        other = model.most_confused_with
        if taken and other is not None:
            row += f"  {percent(other.share):>4} {others[other.model]}"
        lines.append(Text(row.rstrip()))
    return [Text(), *lines]


def _others(report: RecognitionReport, wide: int, terminal: Terminal) -> dict[str, str]:
    labels = shorten([model.name for model in report.models], wide, terminal.ascii)
    return {row.model: label for row, label in zip(report.models, labels, strict=True)}


def _stacked(models: Sequence[RecognisedModel], terminal: Terminal) -> list[Text]:
    """Return two lines a model, for a narrow terminal."""
    lines = []
    for model in models:
        lines.append(Text(fit(named(model.name, terminal.ascii), terminal.width, terminal.ascii)))
        text = f"recognised {_percent(model.recall)}, name is right {_percent(model.precision)}"
        lines += prose(line((text, "dim")), terminal.width, 2)
    return lines


def _pairs(report: RecognitionReport, names: dict[str, str], terminal: Terminal) -> list[Text]:
    """Return how many pairs are told apart by single replies, and those that are hardest."""
    told = [pair for pair in report.pairs if pair.call == "told apart"]
    pairs = sorted(report.pairs, key=lambda pair: (pair.accuracy.value or 0.0, pair.a, pair.b))
    text = (
        f"{count(len(told))} of {plural(len(report.pairs), 'pair')} told apart (q < .05); guessing gets 50%"
    )
    lines = [Text(), *prose(line(("Two at a time: ", "bold"), text), terminal.width, 0, 2)]
    safe = {model: named(name, terminal.ascii) for model, name in names.items()}
    for pair in pairs[:_PAIRS]:
        lines += prose(_pair_line(pair, safe), terminal.width, 2, 4)
    if len(pairs) > _PAIRS:
        rest = f"and {plural(len(pairs) - _PAIRS, 'pair')} with higher shares; --json has all"
        lines += prose(line((rest, "dim")), terminal.width, 2, 4)
    return lines


def _pair_line(pair: RecognisedPair, names: dict[str, str]) -> Text:
    who = f"{names[pair.a]} and {names[pair.b]}"
    text = line(f"{_percent(pair.accuracy)} {who}")
    if pair.call == "told apart":
        return text
    return text.append_text(line((f", could not tell ({probability('q', pair.q)})", "dim")))


def attribution_view(
    found: Attribution, report: RecognitionReport, terminal: Terminal, params: dict[str, Any]
) -> list[Text]:
    """Return who wrote a text as far as it can be said, the candidates, and how far to trust it."""
    lines = prose(_verdict(found, report, terminal), terminal.width, 0, 2)
    if found.call in ("named", "could not tell"):
        lines += [Text(), *_candidates(found, terminal), Text()]
    for note in _trust(found, report, params):
        lines += prose(line((note, "dim")), terminal.width, 2)
    return lines


def chance(value: float) -> str:
    """Write a probability: `.97`, and never `1` or `0`."""
    return "> .99" if value > 0.995 else "< .01" if value < 0.005 else number(value, 2)


def _verdict(found: Attribution, report: RecognitionReport, terminal: Terminal) -> Text:
    best = found.candidates[0]
    size = plural(found.characters, "character")
    if found.call == "named":
        name = named(best.name, terminal.ascii)
        return line((name, "bold"), f" wrote this, with a probability of {chance(best.probability)}.")
    if found.call == "could not tell":
        return line(
            ("Could not tell", "bold"),
            f": no model has a probability of .9; the best has {chance(best.probability)}.",
        )
    if found.call == "none of these":
        models = plural(len(report.models), "model")
        return line(("None of these", "bold"), f": the text fits none of the {models} well. {_unlike(found)}")
    if found.call == "too short to say":
        least = report.least_length
        why = (
            f"below {count(least)} fewer than 1 in 20 replies can be named"
            if least
            else "below 50 none can be named"
        )
        return line(("Too short to say", "bold"), f": {size}, and {why}.")
    return line(("Too few prompts to say", "bold"), f": {report.prompts}; from 10 on a text is attributed.")


def _unlike(found: Attribution) -> str:
    return f"{percent(found.unlike)} of replies of like length are as unlike all the others."


def _candidates(found: Attribution, terminal: Terminal) -> list[Text]:
    """Return the candidates with a bar for the probability of each, the most probable first."""
    rows = [(each.name, each.probability) for each in found.candidates]
    shown_rows = rows[:_CANDIDATES]
    labels = shorten([name for name, _ in rows], min(NAME, terminal.width - 10), terminal.ascii)
    drawn = [(label, value) for label, (_, value) in zip(labels, shown_rows, strict=False)]
    if len(rows) > _CANDIDATES:
        drawn.append((f"{len(rows) - _CANDIDATES} others", sum(value for _, value in rows[_CANDIDATES:])))
    if found.none:
        drawn.append(("none of these", found.none))
    wide = max(cell_len(label) for label, _ in drawn)
    bar = max(0, min(_BAR, terminal.width - wide - 10))
    mark = glyphs(terminal).bar
    lines = []
    for label, value in drawn:
        cells = mark * round(bar * value)
        lines.append(Text(f"  {pad(label, wide)} {chance(value):>5} {cells}".rstrip()))
    return lines


def _trust(found: Attribution, report: RecognitionReport, params: dict[str, Any]) -> list[str]:
    """Return what the answer rests on."""
    notes, given = [], report.answers
    if found.call == "named":
        notes.append(f"Of the names that held-out replies get, {_percent(given.right)} are right.")
        if report.strangers is not None:
            share = _percent(report.strangers)
            notes.append(
                f"A writer whom the file lacks may get a name too: so did {share} of replies by a model left out."
            )
        else:
            notes += _prior(report, params)
    elif found.call == "could not tell":
        notes.append(f"{_percent(given.given)} of held-out replies get a name, {_right(given.right)}.")
    if found.read < found.characters:
        notes.append(f"The first {count(found.read)} of {count(found.characters)} characters were looked at.")
    models = plural(len(report.models), "model")
    notes.append(
        f"{_percent(report.accuracy)} of single replies of the {models} get the right name, "
        f"guessing gets {percent(report.chance)} ({plural(report.prompts, 'prompt')})."
    )
    return [*notes, *plain_line(params)]


def who_wrote_data(report: WhoWroteReport) -> dict[str, Any]:
    """Return the `data` of `stylekl who-wrote --json`."""
    keys = (
        *("models", "order", "prompts", "replies", "folds", "columns", "accuracy", "chance", "answers"),
        *("answers_closed", "strangers", "confusion", "pairs", "calibration", "lengths", "least_length"),
        "undefined",
    )
    return {
        "recognition": {key: plain(getattr(report.recognition, key)) for key in keys},
        "text": plain(report.text),
    }


def who_wrote_rows(report: WhoWroteReport) -> tuple[Header, Rows]:
    """Return one row for each candidate where a text was given, else one for each model."""
    if report.text is not None:
        found = report.text
        header = ["call", "characters", "model", "name", "probability", "none", "unlike"]
        rows: Rows = [
            [found.call, found.characters, each.model, each.name, each.probability, found.none, found.unlike]
            for each in found.candidates
        ]
        return header, rows
    parts = ("", "_low", "_high")
    rates = [name + part for name in ("recall", "precision", "stranger") for part in parts]
    header = ["model", "name", "prompts", "replies", *rates, "taken_for", "taken_for_share"]
    header += ["accuracy", "accuracy_low", "accuracy_high", "chance"]
    whole = [*_bounds(report.recognition.accuracy), report.recognition.chance]
    return header, [[*_model_row(model), *whole] for model in report.recognition.models]


def _model_row(model: RecognisedModel) -> list[Value]:
    other = model.most_confused_with
    return [
        *(model.model, model.name, model.prompts, model.replies),
        *_bounds(model.recall),
        *_bounds(model.precision),
        *_bounds(model.stranger),
        *((None, None) if other is None else (other.model, other.share)),
    ]


def _bounds(found: Rate | None) -> list[Value]:
    return [None, None, None] if found is None else [found.value, found.low, found.high]

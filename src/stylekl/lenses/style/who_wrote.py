"""Who wrote this text? An answer only where it is sure enough, and where the text is long enough to say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stylekl.errors import UsageError
from stylekl.facets.texts import Texts
from stylekl.lenses.style.held_out import Held, hold
from stylekl.lenses.style.recognition import DECIMALS, LENGTHS, STRANGER, Cut, cut_replies, recognise
from stylekl.lenses.style.recognition_report import (
    Attribution,
    Candidate,
    RecognitionReport,
    Verdict,
    WhoWroteReport,
)
from stylekl.measure.attribution import ANSWER, fit_of, ranks_among, softmax
from stylekl.measure.ridge import inner_products, rounded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from stylekl.lenses.style.material import Material
    from stylekl.lenses.style.options import StyleOptions

FEW = 10  # prompts below which no text is attributed
UNLIKE = 0.02  # share of replies as unlike all others below which a text fits none of the models
READ = 200_000  # characters of a text that are looked at


def who_wrote(
    material: Material, options: StyleOptions, text: str | None = None, *, stranger: float = STRANGER
) -> WhoWroteReport:
    """Return how well the models of `options.models` (all where none is named) are recognised, and who wrote `text`.

    `material` is what `gather_material` returned for the same options; `stranger` is how likely it is beforehand that
    none of the models wrote the text. Raises UsageError for a text with nothing in it, and where fewer than two models
    answered, or 4 prompts; UnknownModelError for a name.
    """
    cleaned = None if text is None else prepared(text, options)
    held = hold(material, sorted({material.find(name) for name in options.models}))
    cut = cut_replies(held)
    report = recognise(held, stranger=stranger, cut=cut)
    params = _params(options, stranger)
    warnings = (*material.warnings, *report.warnings)
    return WhoWroteReport(
        recognition=report,
        text=None if cleaned is None else _attribute(held, cut, report, cleaned, stranger),
        params=params,
        warnings=warnings,
    )


def _params(options: StyleOptions, stranger: float) -> dict[str, Any]:
    names = ("plain", "keep_thinking", "match_length", "models", "topics", "prompts", "condition")
    return {name: getattr(options, name) for name in names} | {"answer": ANSWER, "stranger": stranger}


def prepared(text: str, options: StyleOptions) -> str:
    """Return a text as the replies of the file are looked at; raises UsageError where nothing is left of it."""
    given = text.replace("\r\n", "\n")
    if not options.keep_thinking:
        from stylekl.facets.cleaning import clean

        given = clean(given).text
    if options.plain:
        from stylekl.facets.plain import plain

        given = plain(given[: 2 * READ])
    given = given.strip()
    if not given:
        raise UsageError("the text is empty, or nothing but reasoning", "give a text with words in it")
    return given


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What is said of T texts.

    `chances` (T, C) are those of the models and `none` (T,) that of a stranger; `unlike` (T,) is the conformal p that
    each is as unlike all replies as it is.
    """

    chances: NDArray[np.float64]
    none: NDArray[np.float64]
    unlike: NDArray[np.float64]


def judge(held: Held, cut: Cut, texts: Sequence[str], stranger: float = STRANGER) -> Judged:
    """Return what is said of texts, prepared as `prepared` does it."""
    table, mass = held.columns.rows(Texts(list(texts)))
    products = inner_products(table, held.table) + 1.0
    scores = rounded(products @ held.ridge.dual)
    size = np.fromiter(map(len, texts), np.int64, len(texts))
    everything = np.arange(len(held.labels))
    # What is given may be a whole reply or a part of one, which says less: the more careful of the two.
    factor = np.minimum(held.temperature_by(everything).factor(size), cut.temperature.factor(size))
    explained = np.einsum("ij,ij->i", products @ held.ridge.inverse, products)
    unexplained = rounded(mass + 1.0 - explained)
    none = np.zeros(len(texts))
    if held.classes > 2:
        none = held.stranger_by(everything).chance(fit_of(scores, unexplained, size), stranger)
    return Judged(
        chances=held.confidence_by(everything).believed(softmax(scores * factor[:, None]))
        * (1.0 - none)[:, None],
        none=none,
        unlike=ranks_among(unexplained, size, held.unexplained, held.characters),
    )


def _attribute(held: Held, cut: Cut, report: RecognitionReport, text: str, stranger: float) -> Attribution:
    """Return who wrote a text, as far as it can be said."""
    found = judge(held, cut, [text[:READ]], stranger)
    chances, none, unlike = found.chances[0], float(found.none[0]), float(found.unlike[0])
    order = np.lexsort((np.arange(held.classes), -chances)).tolist()
    candidates = tuple(
        Candidate(held.ids[model], held.names[model], round(float(chances[model]), DECIMALS))
        for model in order
    )
    call = verdict(report, len(text), float(chances.max()), none, unlike)
    named = call == "named"
    return Attribution(
        call=call,
        model=candidates[0].model if named else None,
        probability=candidates[0].probability if named else None,
        characters=len(text),
        read=min(len(text), READ),
        none=round(none, DECIMALS),
        unlike=unlike,
        candidates=candidates,
    )


def verdict(report: RecognitionReport, characters: int, best: float, none: float, unlike: float) -> Verdict:
    """Return what is answered about a text of so many characters, by its chances and how unlike all replies it is."""
    if report.prompts < FEW:
        return "too few prompts to say"
    if characters < (report.least_length or LENGTHS[0]):
        return "too short to say"
    if unlike <= UNLIKE or none >= ANSWER:
        return "none of these"
    return "named" if best >= ANSWER else "could not tell"

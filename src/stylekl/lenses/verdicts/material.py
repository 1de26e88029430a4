"""What a file holds for this lens: every one-word reply classified, and the cells that they make."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stylekl.errors import UnknownChoiceError, UsageError
from stylekl.lenses.verdicts.aggregate import Cell, Sample, aggregate, sample_of
from stylekl.lenses.verdicts.classify import Answer, classify
from stylekl.lenses.verdicts.editions import Edition, Mock, chosen, kept
from stylekl.lenses.verdicts.words import Words, load_words
from stylekl.lenses.words import plural
from stylekl.results import find_model

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stylekl.lenses.verdicts.options import Options
    from stylekl.results import Model, Prompt, Reply, Results

KIND = "one_word"
CONTROL = "control"  # the condition of replies in a file that defines none
Place = tuple[str, str, str, str | None]  # model, question, condition, period


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """The cells of a file, by place, and what else the questions need.

    `models` are sorted by id and are those with a reply here or listed by a collection of an edition that counts;
    `shown` are those that `options.models` names, all where it names none. `questions` and `conditions` keep the order
    of the file, the control first. `periods` are the editions that count, the earliest first, `period` the one in view.
    """

    options: Options
    words: Words
    models: tuple[Model, ...]
    shown: tuple[str, ...]
    questions: tuple[Prompt, ...]
    conditions: tuple[str, ...]
    control: str
    periods: tuple[str | None, ...]
    period: str | None
    mock: bool
    samples: dict[Place, tuple[Sample, ...]]
    cells: dict[Place, Cell]
    listed: dict[str | None, frozenset[str]]
    unavailable: dict[str, str]
    left_out: dict[str, dict[str, int]]
    warnings: tuple[str, ...]

    @property
    def condition(self) -> str:
        """The condition in view."""
        return self.options.condition or self.control

    def cell(self, model: str, question: str, condition: str, period: str | None) -> Cell | None:
        """Return a cell, null where the model was not asked."""
        return self.cells.get((model, question, condition, period))

    def of(
        self, *, model: str | None = None, condition: str | None = None, period: str | None
    ) -> Iterator[Cell]:
        """Yield the cells of an edition, of one model and one condition where they are named, in the file's order."""
        for found in self.models if model is None else (self.model(model),):
            for question in self.questions:
                for each in self.conditions if condition is None else (condition,):
                    cell = self.cell(found.id, question.id, each, period)
                    if cell is not None:
                        yield cell

    def samples_of(self, model: str, condition: str, period: str | None) -> list[Sample]:
        """Return a model's samples under a condition of an edition, over all questions, failed ones included."""
        places = ((model, question.id, condition, period) for question in self.questions)
        return [sample for place in places for sample in self.samples.get(place, ())]

    def pooled_cell(self, model: str, condition: str, period: str | None) -> Cell:
        """Return the cell of a model's samples over all questions; its `question` is ""."""
        samples = self.samples_of(model, condition, period)
        return aggregate((model, "", condition, period), samples, self.model(model).price, text=False)

    def model(self, name: str) -> Model:
        """Return the model with this id."""
        return next(model for model in self.models if model.id == name)

    def in_edition(self, period: str | None) -> tuple[str, ...]:
        """Return the models that an edition asked, those without any answer included, by id."""
        asked = {cell.model for cell in self.cells.values() if cell.period == period}
        return tuple(sorted(asked | self.listed.get(period, frozenset())))

    def edition(self, period: str | None) -> Edition:
        """Return what an edition holds."""
        cells = [cell for cell in self.cells.values() if cell.period == period]
        return Edition(
            period=period,
            mock=self.mock,
            models=len(self.in_edition(period)),
            questions=len({cell.question for cell in cells}),
            conditions=len({cell.condition for cell in cells}),
            samples=sum(cell.samples for cell in cells),
            failed=sum(cell.failed for cell in cells),
        )


def gather(results: Results, options: Options) -> Material:
    """Return what the lens looks at.

    Refused and empty replies are samples, failed ones are counted; nothing is left out for its flags. Raises
    UnknownChoiceError for a topic, prompt, condition or period that is not there, UnknownModelError for a model,
    InputError for a bad file of word lists, UsageError where there are no one-word replies or an edition mixes made-up
    and real ones.
    """
    _check(results, options)
    words = load_words(options.words)
    shown = tuple(sorted({find_model(results, name).id for name in options.models}))
    barred = {prompt.id: _barred(prompt, options) for prompt in results.prompts}
    left_out: dict[str, Counter[str]] = {model.id: Counter() for model in results.models}
    places: dict[Place, list[int]] = defaultdict(list)
    mock, kinds = Mock(results), defaultdict[str | None, set[bool]](set)
    control = results.control or CONTROL
    for index, reply in enumerate(results.replies):
        reason = barred[reply.prompt]
        if reason is not None:
            left_out[reply.model][reason] += 1
            continue
        condition = reply.condition or control
        places[reply.model, reply.prompt, condition, reply.period].append(index)
        kinds[reply.period].add(mock.of(reply, condition))
    if not places:
        raise UsageError(
            "no replies to one-word questions in this file",
            "such questions are prompts of kind one_word; `stylekl collect one-word` asks some",
        )
    periods, out, warnings = kept(kinds, options.period)
    for place in [place for place in places if place[3] in out]:
        left_out[place[0]]["mock"] += len(places.pop(place))
    samples = _samples(results, places, words, options)
    prices = {model.id: model.price for model in results.models}
    cells = {
        place: aggregate(place, found, prices[place[0]], text=options.text)
        for place, found in samples.items()
    }
    listed = _listed(results, periods)
    there = {cell.model for cell in cells.values()}.union(*listed.values())
    asked = {cell.question for cell in cells.values()}
    framed = {cell.condition for cell in cells.values()}
    return Material(
        options=options,
        words=words,
        models=tuple(sorted((m for m in results.models if m.id in there), key=lambda model: model.id)),
        shown=shown or tuple(sorted(there)),
        questions=tuple(prompt for prompt in results.prompts if prompt.id in asked),
        conditions=tuple(each for each in [c.id for c in results.conditions] or [control] if each in framed),
        control=control,
        periods=tuple(periods),
        period=chosen(periods, options.period),
        mock=any(True in kinds[period] for period in periods),
        samples=samples,
        cells=cells,
        listed=listed,
        unavailable=_unavailable(results),
        left_out={model: dict(sorted(reasons.items())) for model, reasons in left_out.items()},
        warnings=(*warnings, *_doubts(results, places, cells, periods)),
    )


def _check(results: Results, options: Options) -> None:
    topics = list(dict.fromkeys(p.topic for p in results.prompts if p.topic is not None))
    conditions = [each.id for each in results.conditions] or [CONTROL]
    for kind, wanted, known in (
        ("topic", options.topics, topics),
        ("prompt", options.prompts, [prompt.id for prompt in results.prompts]),
        ("condition", () if options.condition is None else (options.condition,), conditions),
    ):
        for name in wanted:
            if name not in known:
                raise UnknownChoiceError(kind, name, known)


def _barred(prompt: Prompt, options: Options) -> str | None:
    """Return why a prompt does not count here, null where it does."""
    if options.topics and prompt.topic not in options.topics:
        return "topic"
    if options.prompts and prompt.id not in options.prompts:
        return "prompt"
    if prompt.retired is not None:
        return "retired prompt"
    return None if prompt.kind == KIND else f"kind {prompt.kind or 'open'}"


def _samples(
    results: Results, places: dict[Place, list[int]], words: Words, options: Options
) -> dict[Place, tuple[Sample, ...]]:
    answers: dict[str, Answer] = {}

    def sample(reply: Reply) -> Sample:
        if reply.text not in answers:
            answers[reply.text] = classify(reply.text, words, literal=options.literal)
        return sample_of(reply, answers[reply.text])

    return {
        place: tuple(sample(results.replies[index]) for index in indices) for place, indices in places.items()
    }


def _listed(results: Results, periods: list[str | None]) -> dict[str | None, frozenset[str]]:
    """Return the models that the collections of one-word questions asked in each edition, answers or not."""
    known = {model.id for model in results.models}
    one_word = {prompt.id for prompt in results.prompts if prompt.kind == KIND}
    found: dict[str | None, set[str]] = {period: set() for period in periods}
    for row in results.other.get("collection", []):
        prompts, models = row.get("prompts"), row.get("models")
        if row.get("period") not in found or not isinstance(models, list):
            continue
        if isinstance(prompts, list) and not one_word.isdisjoint(map(str, prompts)):
            found[row.get("period")].update(str(model) for model in models if model in known)
    return {period: frozenset(models) for period, models in found.items()}


def _unavailable(results: Results) -> dict[str, str]:
    """Return why models gave nothing, where the file says."""
    said = {model.id: model.unknown.get("unavailable") for model in results.models}
    return {
        model: str(told["why"]) for model, told in said.items() if isinstance(told, dict) and told.get("why")
    }


def _doubts(
    results: Results, places: dict[Place, list[int]], cells: dict[Place, Cell], periods: list[str | None]
) -> Iterator[str]:
    """Yield what a reader should know of how the samples came together."""
    even = sorted({cell.asked for cell in cells.values() if cell.asked % 2 == 0})
    if even:
        yield f"an even number of samples ({', '.join(map(str, even[:4]))}) can tie, and a tie counts as other"
    if None in periods and len(periods) > 1:
        dated = ", ".join(str(period) for period in periods if period is not None)
        yield f"replies without a period are an edition of their own, before {dated}"
    shared = sum(
        len({_file(results, index) for index in indices}) > 1
        for place, indices in places.items()
        if place[3] is None
    )
    if shared:
        asked = plural(shared, "question")
        yield (
            f"{asked} with samples from more than one file and without a period, counted as one edition: give the "
            "replies a period where they are several"
        )


def _file(results: Results, index: int) -> str:
    where = results.places[index][0] if index < len(results.places) else ""
    return where.rpartition(":")[0]

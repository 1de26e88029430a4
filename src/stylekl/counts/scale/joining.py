"""The records of all splits as those of one results, as if their files had been read one after the other."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from stylekl.counts.scale.mapping import decoded
from stylekl.errors import InputError
from stylekl.results.merge import Joined
from stylekl.results.names import name_models
from stylekl.results.readers.building import prompt_id
from stylekl.results.records import Condition, Model, Prompt, Results, Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from stylekl.counts.scale.partial import Head, Partial
    from stylekl.counts.scale.plan import Plan
    from stylekl.results import Named

_NUMBERED = re.compile(r"(.*: )(\d+)")


@dataclass(frozen=True, eq=False)
class Whole:
    """The results of all files, without replies, and what the names of the partial are in them.

    `models`, `prompts` and `conditions` are by the indices of the partial's names: the place of a model and of a prompt
    among those of `results`, -1 for one that is none of them, and the place of a condition among `called`, where the
    first is the control.
    """

    results: Results
    models: NDArray[np.int64]
    prompts: NDArray[np.int64]
    conditions: NDArray[np.int64]
    called: list[str | None]
    notes: tuple[str, ...]


def joined(partial: Partial, plan: Plan, names: Iterable[Named]) -> Whole:
    """Return the results of a partial that has every split of a plan.

    The errors are those of `merge`; InputError is raised too where two files that looked different are the same.
    """
    records = [decoded(Prompt, data) for data in partial.names.prompts]
    prompts = np.full(len(records), -1)
    ids: dict[str, int] = {}
    conditions: dict[str, str] = {}
    whole = Joined()
    beside: list[Source] = []
    _require_different(partial.heads, plan)
    for number, group in groupby(partial.heads, key=lambda head: plan.splits[head.split].place.number):
        heads = list(group)
        path = plan.places[number].path
        part, own = _part(heads, records)
        part.sources = [Source(path, _digest(heads), heads[0].form)]
        part.warnings = _summed(warning for head in heads for warning in head.warnings)
        moved = whole.add(part)
        whole.whole.warnings += plan.warnings.get(number, ())
        for prompt in whole.whole.prompts[len(ids) :]:
            ids[prompt.id] = len(ids)
        for place, name in own.items():
            prompts[place] = ids[moved.prompts.get(name, name)]
        for condition in part.conditions:
            key = f"{number}\0{condition.id}" if heads[0].native else condition.id
            conditions[key] = moved.conditions.get(condition.id, condition.id)
        beside += [Source(*each) for head in heads for each in head.beside]
    results = whole.whole
    _finish(results, beside, names)
    models = {model.id: place for place, model in enumerate(results.models)}
    called = [results.control, *(each.id for each in results.conditions[1:])]
    at = {"": 0, **{key: called.index(name) for key, name in conditions.items()}}
    return Whole(
        results=results,
        models=np.array([models.get(name, -1) for name in partial.names.models], np.int64),
        prompts=prompts,
        conditions=np.array([at[name] for name in partial.names.conditions], np.int64),
        called=called,
        notes=tuple(dict.fromkeys(note for head in partial.heads for note in head.notes)),
    )


def _finish(results: Results, beside: Iterable[Source], names: Iterable[Named]) -> None:
    known = {(source.path, source.sha256) for source in results.sources}
    results.sources += [each for each in dict.fromkeys(beside) if (each.path, each.sha256) not in known]
    results.sources = [
        replace(source, sha256="" if source.sha256.startswith("split-") else source.sha256)
        for source in results.sources
    ]
    name_models(results, names)


def _part(heads: Sequence[Head], records: Sequence[Prompt]) -> tuple[Results, dict[int, str]]:
    """Return the records of a file, and the id in it of each prompt, by its number among all records.

    Splits of a file of our own form have its records all; those of other forms have what is in them, and a prompt is
    its text.
    """
    if heads[0].native:
        first = heads[0]
        part = Results(
            models=[decoded(Model, data) for data in first.models],
            prompts=[records[place] for place in first.prompts.tolist()],
            conditions=[decoded(Condition, data) for data in first.conditions],
        )
        return part, {place: records[place].id for place in first.prompts.tolist()}
    part = Results()
    models: dict[str, Model] = {}
    texts: dict[str, str] = {}
    taken: set[str] = set()
    conditions: dict[str, Condition] = {}
    own: dict[int, str] = {}
    for head in heads:
        for data in head.models:
            _add_model(models, decoded(Model, data))
        for data in head.conditions:
            condition = decoded(Condition, data)
            conditions.setdefault(condition.id, condition)
        for place in head.prompts.tolist():
            prompt = records[place]
            if prompt.text not in texts:
                name = prompt.id if prompt.id not in taken else f"{prompt.id}~{prompt_id(prompt.text)}"
                texts[prompt.text] = name
                taken.add(name)
                part.prompts.append(prompt if name == prompt.id else _called(prompt, name))
            own[place] = texts[prompt.text]
    part.models = [*models.values()]
    part.conditions = [*conditions.values()]
    return part, own


def _called(prompt: Prompt, name: str) -> Prompt:
    import msgspec

    return msgspec.structs.replace(prompt, id=name)


def _add_model(models: dict[str, Model], model: Model) -> None:
    """Add a model, or fill what the one of its id leaves open, as a reader does record by record."""
    known = models.setdefault(model.id, model)
    if known is model:
        return
    for field in ("provider", "requested", "returned"):
        if getattr(known, field) is None:
            setattr(known, field, getattr(model, field))
    known.also(*model.known_as)


def _digest(heads: Sequence[Head]) -> str:
    """Return the sha256 of a file that was read whole; of another what tells it from others."""
    return heads[0].digest if heads[0].whole else "split-" + " ".join(head.digest for head in heads)


def _require_different(heads: Sequence[Head], plan: Plan) -> None:
    """Raise InputError where two files hold the same bytes: their replies would count twice."""
    seen: dict[str, str] = {}
    for number, group in groupby(heads, key=lambda head: plan.splits[head.split].place.number):
        path = plan.places[number].path
        first = seen.setdefault(_digest(list(group)), path)
        if first != path:
            raise InputError(f"{path}: the same bytes as {first}", "name one of the two")


def _summed(warnings: Iterable[str]) -> list[str]:
    """Return the warnings of the splits of a file as one reading of all of it gives them: numbers at the end add up."""
    numbers: dict[str, int | None] = {}
    for warning in warnings:
        found = _NUMBERED.fullmatch(warning)
        if found is None:
            numbers[warning] = None
        else:
            numbers[found[1]] = (numbers.get(found[1]) or 0) + int(found[2])
    return [text if number is None else f"{text}{number}" for text, number in numbers.items()]

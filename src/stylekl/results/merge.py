"""Several results as one: models by id, prompts by text, replies by identity."""

from __future__ import annotations

import hashlib
from array import array
from itertools import count, groupby
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from stylekl.errors import ConflictError
from stylekl.results.records import Condition, Model, Prompt, Reply, Results
from stylekl.results.store import NONE, Places, Replies

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

R = TypeVar("R", Model, Prompt, Condition)


def merge(parts: Iterable[Results]) -> Results:
    """Return one results for all parts, in their order; the parts are not changed.

    Models and conditions are joined by id, prompts by text: a prompt whose id another text has already gets a
    new id made from its text. Where parts differ in another field of one record the first that has it counts,
    with a warning. Replies of one explicit identity count once where their texts are equal; replies without a
    sample number are samples, numbered from 1 in their order where there are several. A file that comes twice
    (equal sha256) counts once, with a warning. Raises ConflictError, naming both places, where one explicit
    identity has two texts or one id of a condition or of another record two contents.
    """
    joined = Joined()
    for part in parts:
        joined.add(part)
    joined.settle_samples()
    return joined.whole


class Moved(NamedTuple):
    """The new ids of a part's prompts and conditions that have others in the whole."""

    prompts: dict[str, str]
    conditions: dict[str, str]


class Joined:
    """The whole that parts are added to, as `merge` says; the samples are settled when all are there."""

    def __init__(self) -> None:
        self.replies = Replies()
        self.whole = Results(replies=self.replies)
        self.models: dict[str, int] = {}
        self.prompts: dict[str, int] = {}
        self.conditions: dict[str, int] = {}
        self.condition_paths: dict[str, str] = {}
        self.texts: dict[str, str] = {}  # text of a prompt -> its id
        self.identities = _Identities()
        self.others: dict[tuple[str, str], tuple[dict[str, Any], str]] = {}  # (array, id) -> record, path

    def add(self, part: Results) -> Moved:
        """Add a part, and return what is called otherwise than in it."""
        whole = self.whole
        seen = {source.sha256 for source in whole.sources}
        if part.sources and all(source.sha256 in seen for source in part.sources):
            whole.warnings.extend(
                f"{s.path}: the same file as one before, counted once" for s in part.sources
            )
            return Moved({}, {})
        whole.sources.extend(part.sources)
        whole.warnings.extend(part.warnings)
        for model in part.models:
            self._join("model", whole.models, self.models, model)
        prompts = self._add_prompts(part)
        conditions = self._add_conditions(part)
        self._add_replies(part, prompts, conditions)
        self._add_others(part, prompts)
        for key, value in part.unknown.items():
            if whole.unknown.setdefault(key, value) != value:
                whole.warnings.append(
                    f"{_path(part)}: field {key} differs from that of a file before; left out"
                )
        return Moved(prompts, conditions)

    def _join(self, what: str, records: list[R], places: dict[str, int], record: R) -> None:
        """Add a record, or fill what the one of its id leaves open."""
        place = places.setdefault(record.id, len(records))
        if place == len(records):
            records.append(record)
        elif records[place] != record:
            filled, differing = _filled(records[place], record)
            records[place] = filled
            if differing:
                self.whole.warnings.append(
                    f'{what} "{record.id}": files differ in {", ".join(differing)}; the first file counts'
                )

    def _add_prompts(self, part: Results) -> dict[str, str]:
        """Join the prompts; return the new id of each that has another one now."""
        whole = self.whole
        moved: dict[str, str] = {}
        own = {prompt.id for prompt in part.prompts}
        added: list[Prompt] = []
        for prompt in part.prompts:
            place = self.prompts.get(prompt.id)
            if place is None or whole.prompts[place].text != prompt.text:
                known = self.texts.get(prompt.text)
                if known is not None:
                    moved[prompt.id] = known
                elif place is not None:
                    moved[prompt.id] = _free_id(prompt, own, self.prompts)
            target = moved.get(prompt.id, prompt.id)
            joined = prompt if target == prompt.id else msgspec.structs.replace(prompt, id=target)
            self._join("prompt", whole.prompts, self.prompts, joined)
            added.append(joined)
        # after the loop: within one file two ids with the same text are two prompts
        for prompt in added:
            self.texts.setdefault(prompt.text, prompt.id)
        return moved

    def _add_conditions(self, part: Results) -> dict[str, str]:
        """Join the conditions; return the new id of a control that is named otherwise."""
        whole = self.whole
        moved: dict[str, str] = {}
        for condition in part.conditions:
            place = self.conditions.get(condition.id)
            if place is not None and whole.conditions[place].added != condition.added:
                raise clash(f'condition "{condition.id}"', self.condition_paths[condition.id], _path(part))
            control = whole.control
            is_control = condition is part.conditions[0] and not any(condition.added)
            if place is None and control is not None and is_control and not any(whole.conditions[0].added):
                moved[condition.id] = control
            else:
                self._join("condition", whole.conditions, self.conditions, condition)
                self.condition_paths.setdefault(condition.id, _path(part))
        return moved

    def _add_replies(self, part: Results, prompts: dict[str, str], conditions: dict[str, str]) -> None:
        whole, whole_replies = self.whole, self.replies
        control = whole.control
        stored = part.replies if isinstance(part.replies, Replies) else Replies()
        if not stored.in_memory:
            whole_replies.to_disk()
        for index, given in enumerate(part.replies):
            reply = given
            if (prompts or conditions) and (given.prompt in prompts or (given.condition or "") in conditions):
                reply = msgspec.structs.replace(
                    given,
                    prompt=prompts.get(given.prompt, given.prompt),
                    condition=conditions.get(given.condition or "", given.condition),
                )
            condition = None if reply.condition == control else reply.condition
            self.identities.add(reply.model, reply.prompt, (condition, reply.period), reply.sample)
            if reply is given:
                whole_replies.adopt(stored, index, given)
            else:
                whole_replies.append(reply)
        whole.places.extend(
            part.places[: len(part.replies)] if len(part.places) > len(part.replies) else part.places
        )
        whole.places.extend(("reply", index + 1) for index in range(len(part.places), len(part.replies)))

    def _add_others(self, part: Results, prompts: dict[str, str]) -> None:
        path = _path(part)
        for name, rows in part.other.items():
            kept = self.whole.other.setdefault(name, [])
            for given in rows:
                prompt = given.get("prompt")
                moved = prompts.get(prompt) if isinstance(prompt, str) else None
                row = given if moved is None else given | {"prompt": moved}
                key = (name, row["id"]) if isinstance(row.get("id"), str) else None
                if key is None or key not in self.others:
                    kept.append(row)
                if key is not None:
                    known, before = self.others.setdefault(key, (row, path))
                    if known != row:
                        raise clash(f'record "{row["id"]}" of {name}', before, path)

    def settle_samples(self) -> None:
        """Count a reply that came twice once, and number the replies that share an identity and have no number."""
        twice = [place for places in self.identities.shared() for place in self._settle(places)]
        if twice:
            self._drop(twice)

    def _settle(self, places: list[int]) -> list[int]:
        """Settle the replies of one identity, those without a number first; return those that came twice."""
        sample = self.identities.sample
        free = [place for place in places if sample[place] == NONE]
        twice: list[int] = []
        first: dict[int, int] = {}
        for place in places[len(free) :]:
            known = first.setdefault(sample[place], place)
            if known != place:
                self._same(known, place)
                twice.append(place)
        if len(free) + len(first) > 1:
            numbers = (number for number in count(1) if number not in first)
            for place, number in zip(free, numbers, strict=False):
                self.replies.number(place, number)
        return twice

    def _same(self, first: int, second: int) -> None:
        one, other = self.replies[first], self.replies[second]
        if one.text != other.text:
            raise ConflictError(identity(other), self.whole.place(first), self.whole.place(second))

    def _drop(self, places: list[int]) -> None:
        dropped = set(places)
        kept = [place for place in range(len(self.replies)) if place not in dropped]
        self.whole.places = Places(self.whole.places[place] for place in kept)
        replies = Replies()
        if not self.replies.in_memory:
            replies.to_disk()
        for place in kept:
            replies.adopt(self.replies, place, self.replies[place])
        self.whole.replies = self.replies = replies


class _Identities:
    """The identities of replies as numbers, a few bytes for each however many there are."""

    def __init__(self) -> None:
        self._known: tuple[dict[Any, int], ...] = ({}, {}, {})
        self._answer, self._under = array("q"), array("l")
        self.sample = array("q")

    def add(self, model: str, prompt: str, under: tuple[str | None, str | None], sample: int | None) -> None:
        """Add the identity of the next reply; `under` is its condition and period."""
        models, prompts, others = self._known
        self._answer.append(
            models.setdefault(model, len(models)) << 32 | prompts.setdefault(prompt, len(prompts))
        )
        self._under.append(others.setdefault(under, len(others)))
        self.sample.append(NONE if sample is None else sample)

    def shared(self) -> Iterator[list[int]]:
        """Yield the places of each identity that several replies have, whatever their samples, those sorted."""
        answer, under, sample = self._answer, self._under, self.sample

        def base(place: int) -> int:
            return answer[place] << 32 | under[place]

        if len(set(zip(answer, under, strict=True))) == len(sample):
            return
        order = sorted(range(len(sample)), key=lambda place: (base(place) << 64) + sample[place])
        for _, group in groupby(order, key=base):
            places = list(group)
            if len(places) > 1:
                yield places


def clash(what: str, first: str, second: str) -> ConflictError:
    """Make the error for one id with two contents."""
    error = ConflictError(what, first, second)
    error.hint = "rename one of the two, or remove it"  # a sample number is no way out here
    return error


def _filled(first: R, second: R) -> tuple[R, list[str]]:
    """Return `first` with what only `second` has, and the fields in which the two differ."""
    filled = msgspec.structs.replace(first, unknown=second.unknown | first.unknown)
    differing = [key for key, value in second.unknown.items() if filled.unknown[key] != value]
    for name in first.__struct_fields__:
        mine, other = getattr(first, name), getattr(second, name)
        if name in ("unknown", "aliases") or other in (None, [], mine):
            continue
        if mine in (None, []):
            setattr(filled, name, other)
        else:
            differing.append(name)
    if isinstance(filled, Model) and isinstance(second, Model):
        filled.also(*second.known_as)  # what a name lost to is no reason to lose it
    return filled, differing


def _free_id(prompt: Prompt, *taken: Container[str]) -> str:
    name = f"{prompt.id}~{hashlib.sha256(prompt.text.encode('utf-8', 'replace')).hexdigest()[:8]}"
    while any(name in each for each in taken):
        name += "~"
    return name


def identity(reply: Reply) -> str:
    """Name a reply by what identifies it."""
    parts = (
        ("model", reply.model),
        ("prompt", reply.prompt),
        ("condition", reply.condition),
        ("period", reply.period),
        ("sample", reply.sample),
    )
    return "the reply with " + ", ".join(f"{name} {value}" for name, value in parts if value is not None)


def _path(part: Results) -> str:
    return part.sources[0].path if part.sources else "results made in memory"

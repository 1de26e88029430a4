"""Several results as one: models by id, prompts by text, replies by identity."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from stylekl.errors import ConflictError
from stylekl.results.records import Condition, Model, Prompt, Reply, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

Base = tuple[str, str, str | None, str | None]  # a reply's identity without its sample
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
    joined = _Joined()
    for part in parts:
        joined.add(part)
    joined.number_samples()
    return joined.whole


class _Joined:
    def __init__(self) -> None:
        self.whole = Results()
        self.models: dict[str, int] = {}
        self.prompts: dict[str, int] = {}
        self.conditions: dict[str, int] = {}
        self.condition_paths: dict[str, str] = {}
        self.texts: dict[str, str] = {}  # text of a prompt -> its id
        self.explicit: dict[tuple[Base, int], int] = {}  # identity -> index of the reply
        self.implicit: dict[Base, list[int]] = {}
        self.others: dict[tuple[str, str], tuple[dict[str, Any], str]] = {}  # (array, id) -> record, path

    def add(self, part: Results) -> None:
        whole = self.whole
        seen = {source.sha256 for source in whole.sources}
        if part.sources and all(source.sha256 in seen for source in part.sources):
            whole.warnings.extend(
                f"{s.path}: the same file as one before, counted once" for s in part.sources
            )
            return
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
                    moved[prompt.id] = _free_id(prompt, own | self.prompts.keys())
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
        whole = self.whole
        control = whole.control
        for index, given in enumerate(part.replies):
            reply = given
            if given.prompt in prompts or (given.condition or "") in conditions:
                reply = msgspec.structs.replace(
                    given,
                    prompt=prompts.get(given.prompt, given.prompt),
                    condition=conditions.get(given.condition or "", given.condition),
                )
            condition = None if reply.condition == control else reply.condition
            base = (reply.model, reply.prompt, condition, reply.period)
            place = len(whole.replies)
            if reply.sample is None:
                self.implicit.setdefault(base, []).append(place)
            else:
                first = self.explicit.setdefault((base, reply.sample), place)
                if first != place:
                    if whole.replies[first].text != reply.text:
                        raise ConflictError(_identity(reply), whole.place(first), part.place(index))
                    continue
            whole.replies.append(reply)
            whole.places.append(part.places[index] if index < len(part.places) else ("reply", index + 1))

    def _add_others(self, part: Results, prompts: dict[str, str]) -> None:
        path = _path(part)
        for array, rows in part.other.items():
            kept = self.whole.other.setdefault(array, [])
            for given in rows:
                prompt = given.get("prompt")
                moved = prompts.get(prompt) if isinstance(prompt, str) else None
                row = given if moved is None else given | {"prompt": moved}
                key = (array, row["id"]) if isinstance(row.get("id"), str) else None
                if key is None or key not in self.others:
                    kept.append(row)
                if key is not None:
                    known, before = self.others.setdefault(key, (row, path))
                    if known != row:
                        raise clash(f'record "{row["id"]}" of {array}', before, path)

    def number_samples(self) -> None:
        """Give numbers to the replies that share an identity and have none of their own."""
        taken: dict[Base, set[int]] = {}
        for base, sample in self.explicit:
            taken.setdefault(base, set()).add(sample)
        replies = self.whole.replies
        for base, places in self.implicit.items():
            used = taken.get(base, set())
            if len(places) + len(used) == 1:
                continue
            free = (number for number in range(1, len(places) + len(used) + 1) if number not in used)
            for place, number in zip(places, free, strict=False):
                replies[place] = msgspec.structs.replace(replies[place], sample=number)


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
        if name == "unknown" or other in (None, [], mine):
            continue
        if mine in (None, []):
            setattr(filled, name, other)
        else:
            differing.append(name)
    return filled, differing


def _free_id(prompt: Prompt, taken: set[str]) -> str:
    name = f"{prompt.id}~{hashlib.sha256(prompt.text.encode('utf-8', 'replace')).hexdigest()[:8]}"
    while name in taken:
        name += "~"
    return name


def _identity(reply: Reply) -> str:
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

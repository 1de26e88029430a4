"""What a user says of models: that one is another, and the name, family and colour that each has."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from stylekl.results.find import called, find_model
from stylekl.results.records import RECORD_NAMES, Results
from stylekl.results.store import Places, Replies

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from stylekl.results.records import Model, Reply, Source

COLOR = "color"  # a field of a model that only drawing needs
COLORS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_HEX = re.compile("#[0-9a-fA-F]{6}")
# Where the other arrays name models: by the id alone, and in lists of ids.
_FIELDS = {
    "votes": ("a", "b", "shown_left"),
    "choices": ("model",),
    "judgments": ("A", "B", "judge"),
    "archive": ("model",),
}
_LISTS = {"collection": ("models",)}
_Base = tuple[str, str, str | None, str | None]  # a reply's identity without its sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What is said of one model, found by `key` or by one of `aliases`; `place` is where, for warnings.

    `source` is the file that says it, which becomes a source of the results.
    """

    key: str
    name: str | None = None
    family: str | None = None
    provider: str | None = None
    color: str | None = None
    aliases: tuple[str, ...] = ()
    place: str = ""
    source: Source | None = None


def is_color(value: Any) -> bool:
    """Whether a value is a colour: #rrggbb, or one of COLORS."""
    return isinstance(value, str) and (value in COLORS or _HEX.fullmatch(value) is not None)


def color_of(model: Model) -> str | None:
    """Return the colour that a model's name is drawn in, null where it has none or one that is none."""
    value = model.unknown.get(COLOR)
    return value if is_color(value) else None


def rename_models(results: Results, rename: Mapping[str, str]) -> None:
    """Give each model that a key means the id that is its value, in every record that names it.

    A key is found like any model (`find_model`), one after the other. Where the new id is that of another model, or its
    name, in any case, the two become that one, and their replies samples of it: one reply where nothing but the model
    told them apart, with a new number where two have one number. Warnings count both. The names that the model had
    stay as aliases. Raises UnknownModelError for a key that means no model, or several.
    """
    for old, new in rename.items():
        _rename(results, find_model(results, old), new)


def rename_apart(several: Sequence[Results], rename: Mapping[str, str], *, strict: bool = True) -> None:
    """Rename models in results that stay apart: each key in all that have a model called so in full.

    A key that is no name in full is found like any model, in all of them together; where not `strict` it is passed
    over. Raises UnknownModelError for one that means no model, or several.
    """
    for old, new in rename.items():
        found = [
            (results, models[0]) for results in several if len(models := called(results.models, old)) == 1
        ]
        for results, model in found:
            _rename(results, model, new)
        if strict and not found:
            model = find_model(Results(models=[each for results in several for each in results.models]), old)
            for results in several:
                if any(each is model for each in results.models):
                    _rename(results, model, new)


def _rename(results: Results, model: Model, new: str) -> None:
    others = [other for other in results.models if other is not model]
    there = [other for other in called(others, new) if _is_called(other, new)]
    if len(there) == 1:
        _join(results, model, there[0])
    elif model.id != new:
        _call(results, model, new, others)


def name_models(results: Results, names: Iterable[Named]) -> None:
    """Say of every model what `names` say of it: what is null leaves the model's own.

    A model is meant by any of its names in full, in any case, never by a beginning: names for many files can stand
    together, and those of no model here mean nothing. Where two mean one model the one that has its id or name counts,
    else the first, with a warning; another warning says which models have one name afterwards.
    """
    names = list(names)
    for source in dict.fromkeys(named.source for named in names):
        if source is not None and source not in results.sources:
            results.sources.append(source)
    spoken: dict[str, Named] = {}
    before = {model.id: model.known_as for model in results.models}
    known = {name.casefold() for model in results.models for name in model.known_as}
    meant = [(named, model) for named in names for model in _meant(results.models, known, named)]
    meant.sort(
        key=lambda each: not any(_is_called(each[1], name) for name in (each[0].key, *each[0].aliases))
    )
    for named, model in meant:
        first = spoken.setdefault(model.id, named)
        if first is not named:
            results.warnings.append(
                f'{named.place or named.key}: model "{model.id}" is named by {first.place or first.key} too, '
                "which counts"
            )
    for named, model in meant:
        if spoken[model.id] is named:
            _say(model, named)
    for model in results.models:
        model.also(*before[model.id])
    labels = Counter(model.label for model in results.models if model.id in spoken)
    for label, count in labels.items():
        if count > 1:
            ids = ", ".join(model.id for model in results.models if model.label == label)
            results.warnings.append(
                f'models with the name "{label}" stay apart: {ids} (--rename makes them one)'
            )


def _meant(models: Sequence[Model], known: set[str], named: Named) -> list[Model]:
    names = [name for name in (named.key, *named.aliases) if name.casefold() in known]
    found = [model for name in names for model in called(models, name)]
    return list({model.id: model for model in found}.values())


def _is_called(model: Model, name: str) -> bool:
    return name.casefold() in (model.id.casefold(), model.label.casefold())


def _say(model: Model, named: Named) -> None:
    model.name = named.name or model.name
    model.family = named.family or model.family
    model.provider = named.provider or model.provider
    if named.color is not None:
        model.unknown = model.unknown | {COLOR: named.color}
    model.also(named.key, *named.aliases)


def _call(results: Results, model: Model, new: str, others: Iterable[Model]) -> None:
    """Give a model another id, where no other model has it."""
    old = model.known_as
    moved = {model.id: new}
    model.id, model.name = new, None
    taken = {name for other in others for name in other.known_as}
    model.also(*(name for name in old if name not in taken))
    for place, reply in enumerate(results.replies):
        if reply.model in moved:
            results.replies[place] = msgspec.structs.replace(reply, model=new)
    _move_others(results, moved)


def _join(results: Results, model: Model, into: Model) -> None:
    """Make one model of two: `into`, with what only the other says of itself."""
    for field in ("provider", "family", "requested", "returned", "node", "price"):
        if getattr(into, field) is None:
            setattr(into, field, getattr(model, field))
    into.unknown = model.unknown | into.unknown
    into.also(*model.known_as)
    results.models = [other for other in results.models if other is not model]
    _join_replies(results, model.id, into.id)
    _move_others(results, {model.id: into.id})
    if "choices" in results.other:
        results.other["choices"] = _numbered(results.other["choices"], into.id)


def _join_replies(results: Results, old: str, new: str) -> None:
    seen: dict[tuple[_Base, int], list[Reply]] = {}
    taken: dict[_Base, set[int]] = {}
    counts: Counter[_Base] = Counter()
    for reply in results.replies:
        if reply.model in (old, new):
            counts[_base(results, reply)] += 1
            if reply.sample is not None:
                taken.setdefault(_base(results, reply), set()).add(reply.sample)
    replies, places = Replies(), Places()
    same = renumbered = 0
    for index, given in enumerate(results.replies):
        reply = given
        if given.model in (old, new):
            reply = msgspec.structs.replace(given, model=new)
            base = _base(results, given)
            if reply.sample is not None:
                known = seen.setdefault((base, reply.sample), [])
                if reply in known:
                    same += 1
                    continue
                if known:
                    renumbered += 1
                    known.append(reply)
                    reply = msgspec.structs.replace(reply, sample=_free(taken[base]))
                else:
                    known.append(reply)
            elif counts[base] > 1:
                reply = msgspec.structs.replace(reply, sample=_free(taken.setdefault(base, set())))
        replies.append(reply)
        places.append(results.places[index] if index < len(results.places) else ("reply", index + 1))
    results.replies, results.places = replies, places
    if same:
        results.warnings.append(f'model "{new}": {_replies(same)} of "{old}" too, counted once')
    if renumbered:
        results.warnings.append(
            f'model "{new}": {_replies(renumbered)} got a new sample number, which another of "{old}" or "{new}" has'
        )


def _replies(number: int) -> str:
    return "1 reply" if number == 1 else f"{number:,} replies"


def _base(results: Results, reply: Reply) -> _Base:
    condition = None if reply.condition == results.control else reply.condition
    return ("", reply.prompt, condition, reply.period)


def _free(taken: set[int]) -> int:
    number = next(number for number in range(1, len(taken) + 2) if number not in taken)
    taken.add(number)
    return number


def _move_others(results: Results, moved: Mapping[str, str]) -> None:
    """Name a model by its new id in the arrays that have no type."""
    for array in RECORD_NAMES.keys() & results.other.keys():
        single, several = _FIELDS.get(array, ()), _LISTS.get(array, ())
        if single or several:
            results.other[array] = [_moved(row, single, several, moved) for row in results.other[array]]


def _numbered(rows: list[dict[str, Any]], model: str) -> list[dict[str, Any]]:
    """Return choices in which no two of a model have one number, unless they are the same."""

    def question(row: dict[str, Any]) -> tuple[str, ...]:
        return tuple(str(row.get(field)) for field in ("pair", "envelope", "order", "period"))

    def has_number(row: dict[str, Any]) -> bool:
        return row.get("model") == model and isinstance(row.get("sample"), int)

    taken: dict[tuple[str, ...], set[int]] = {}
    for row in filter(has_number, rows):
        taken.setdefault(question(row), set()).add(row["sample"])
    seen: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    found = []
    for given in rows:
        row = given
        if has_number(given):
            known = seen.setdefault((question(given), given["sample"]), [])
            if known and given not in known:
                row = given | {"sample": _free(taken[question(given)])}
            known.append(given)
        found.append(row)
    return found


def _moved(
    row: dict[str, Any], single: Iterable[str], several: Iterable[str], moved: Mapping[str, str]
) -> dict[str, Any]:
    changed: dict[str, Any] = {
        field: moved[row[field]]
        for field in single
        if isinstance(row.get(field), str) and row[field] in moved
    }
    for field in several:
        if isinstance(ids := row.get(field), list) and any(
            isinstance(each, str) and each in moved for each in ids
        ):
            names = [moved.get(each, each) if isinstance(each, str) else each for each in ids]
            changed[field] = list(dict.fromkeys(names)) if all(isinstance(e, str) for e in names) else names
    return row | changed if changed else row

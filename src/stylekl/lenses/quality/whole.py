"""What is odd about the file as a whole: prompts, copies, conditions, and what the reading and the collection said."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

from stylekl.lenses.quality import thresholds as at
from stylekl.lenses.quality.reports import QualityFinding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from stylekl.lenses.quality.tally import Ground
    from stylekl.results import Prompt
    from stylekl.results.check import CheckReport

# What a warning of the reading says where something is lost or in doubt; the others tell a choice that was made.
_LOST = (
    *(
        "left out",
        "cut short",
        "differ",
        "U+FFFD",
        "read as null",
        "cannot be read",
        "not known",
        "no prompt",
    ),
    *("may be missing", "status is"),
)


def of_reading(warnings: Sequence[str], conflicts: Sequence[str]) -> Iterator[QualityFinding]:
    """Yield what reading and joining the files had to leave out, fill, repair or choose."""
    for conflict in conflicts:
        yield QualityFinding("conflict", "trouble", (), conflict)
    for warning in warnings:
        lost = any(words in warning for words in _LOST)
        yield QualityFinding("warning", "trouble" if lost else "note", (), warning)


def of_collection(report: CheckReport) -> Iterator[QualityFinding]:
    """Yield what the collection did not get, and versions that changed while it ran."""
    for model in report.models:
        if model.unavailable is not None:
            yield QualityFinding("unavailable", "trouble", (model.id,), f"unavailable: {model.unavailable}")
        elif model.missing:
            text = "replies that were asked for are not in the file"
            yield QualityFinding("missing_replies", "trouble", (model.id,), text, model.missing, model.asked)
        if model.changed:
            text = "the version changed within a collection"
            yield QualityFinding("version_changed", "trouble", (model.id,), text)


def of_prompts(ground: Ground, asked: set[str]) -> Iterator[QualityFinding]:
    """Yield prompts that are alike, that nobody answered, and that a model lacks; not for the models `asked`.

    For those the collection says what is missing.
    """
    prompts = ground.results.prompts
    yield from _alike(prompts)
    retired = _mask(
        (place for place, prompt in enumerate(prompts) if prompt.retired is not None), len(prompts)
    )
    if len(prompts) * len(ground.tallies) > at.CELLS:
        yield _not_looked_for()
        return
    masks = [_mask(tally.samples, len(prompts)) & ~retired for tally in ground.tallies]
    whole = 0
    for mask in masks:
        whole |= mask
    silent = _places(_mask(range(len(prompts)), len(prompts)) & ~(whole | retired))
    if silent and whole:
        text = "no model has a reply to it" if len(silent) == 1 else "no model has a reply to them"
        yield QualityFinding(
            "unanswered", "note", (), text, prompts=len(silent), listed=_ids(prompts, silent)
        )
    lacking = _lacking(masks)
    if lacking is None:
        yield _not_looked_for()
        return
    for index, places in lacking.items():
        model = ground.results.models[index].id
        if model in asked:
            continue
        text = "no reply to prompts that most of the models beside it answered"
        yield QualityFinding(
            "missing_prompts", "trouble", (model,), text, prompts=len(places), listed=_ids(prompts, places)
        )


def _not_looked_for() -> QualityFinding:
    text = (
        "too many models with prompts of their own: which lack prompts that the others have is not looked for"
    )
    return QualityFinding("missing_prompts", "note", (), text)


def _mask(places: Iterable[int], size: int) -> int:
    """Return a number whose bits below `size` are those at the places."""
    data = bytearray(size // 8 + 1)
    for place in places:
        data[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(data, "little")


def _places(mask: int) -> list[int]:
    """Return the places of the bits of a number, in order."""
    return [place for place, bit in enumerate(bin(mask)[:1:-1]) if bit == "1"]


def _ids(prompts: Sequence[Prompt], places: Iterable[int]) -> tuple[str, ...]:
    return tuple(prompts[place].id for place in list(places)[: at.LISTED])


def _alike(prompts: Sequence[Prompt]) -> Iterator[QualityFinding]:
    """Yield prompts of one text under several ids, and such as differ in case and white space only."""
    texts: dict[str, list[str]] = {}
    for prompt in prompts:
        texts.setdefault(prompt.text, []).append(prompt.id)
    doubled = [ids for ids in texts.values() if len(ids) > 1]
    if doubled:
        said = "one text under several ids: replies to one are not compared with replies to the other"
        listed = tuple(name for ids in doubled for name in ids)[: at.LISTED]
        yield QualityFinding(
            "same_prompt", "trouble", (), said, prompts=sum(map(len, doubled)), listed=listed
        )
    folded: dict[str, list[str]] = {}
    for text, ids in texts.items():
        folded.setdefault(" ".join(text.split()).casefold(), []).append(ids[0])
    near = [ids for ids in folded.values() if len(ids) > 1]
    if near:
        said = "differ in white space or case only, and count as different prompts"
        listed = tuple(name for ids in near for name in ids)[: at.LISTED]
        yield QualityFinding("near_prompts", "note", (), said, prompts=sum(map(len, near)), listed=listed)


def _lacking(masks: Sequence[int]) -> dict[int, list[int]] | None:
    """Return, by model, the prompts that it lacks of those that at least half of its company answered.

    The company of a model are those that share COMPANY of the prompts of one of the two, itself included: models of
    another set of prompts are none. Null where so many models answered prompts of their own that all pairs of them take
    too long.
    """
    kinds: dict[int, list[int]] = {}
    for index, mask in enumerate(masks):
        if mask:
            kinds.setdefault(mask, []).append(index)
    if len(kinds) ** 2 * (32 + max(masks, default=0).bit_length()) > at.WORK:
        return None
    beside: dict[int, list[tuple[int, int]]] = {mask: [(mask, len(kinds[mask]))] for mask in kinds}
    for one, other in combinations(kinds, 2):
        least = min(one.bit_count(), other.bit_count())
        if (one & other).bit_count() >= at.COMPANY * least:
            beside[one].append((other, len(kinds[other])))
            beside[other].append((one, len(kinds[one])))
    found: dict[int, list[int]] = {}
    for mask, company in beside.items():
        size = sum(number for _, number in company)
        answered: Counter[int] = Counter()
        for other, number in company:
            for place in _places(other & ~mask):
                answered[place] += number
        lacked = [place for place, number in answered.items() if 2 * number >= size]
        if lacked:
            found |= dict.fromkeys(kinds[mask], sorted(lacked))
    return dict(sorted(found.items()))


def of_copies(ground: Ground) -> Iterator[QualityFinding]:
    """Yield the pairs of models that gave the same long text to the same prompt, and texts that many models gave."""
    models, tallies = ground.results.models, ground.tallies
    pairs = sorted(ground.copies.pairs(at.CROWD).items(), key=lambda item: (-item[1], item[0]))
    for crowd, number in sorted(ground.copies.crowds(at.CROWD).items(), reverse=True):
        text = f"{crowd:,} models gave the same long reply to the same prompt"
        yield QualityFinding("copies", "trouble", (), text, replies=crowd * number, prompts=number)
    if len(pairs) > at.PAIRS:
        text = f"{len(pairs) - at.PAIRS:,} more pairs of models gave the same long reply to the same prompt"
        yield QualityFinding("copies", "trouble", (), text)
    for (a, b), number in pairs[: at.PAIRS]:
        common = len(tallies[a].samples.keys() & tallies[b].samples.keys())
        grave = number >= at.SEVERAL and number >= at.COPIED * common
        yield QualityFinding(
            kind="copies",
            severity="trouble" if grave else "note",
            models=(min(models[a].id, models[b].id), max(models[a].id, models[b].id)),
            text="gave the same long reply to the same prompt",
            replies=number,
            of=common,
            prompts=number,
        )


def of_conditions(ground: Ground, compared: str | None) -> Iterator[QualityFinding]:
    """Yield the models that have no reply under the condition that is compared, where others have."""
    given = list(zip(ground.results.models, ground.tallies, strict=True))
    if not any(compared in tally.conditions for _, tally in given):
        return
    for model, tally in given:
        if tally.replies and compared not in tally.conditions:
            text = "no reply under the condition that is compared: another system prompt, prefix or suffix"
            place = ground.results.place(min(tally.conditions.values()))
            yield QualityFinding(
                "condition", "trouble", (model.id,), text, replies=0, of=tally.replies, place=place
            )

"""What one would like to say of verdicts and the file does not support: why not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.lenses.claims import Control, Lack, Missing
from stylekl.lenses.verdicts.claims import divided_facts, edition, in_edition, on_questions, sides_of
from stylekl.lenses.verdicts.ground import DIVIDED, EDITIONS, Change, Ground, framing_key
from stylekl.lenses.words import called, chance, listed, number, plural
from stylekl.measure.families import LEVEL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from stylekl.lenses.words import Voice


def lacks(ground: Ground, control: Control) -> Iterator[Lack]:
    """Yield every sentence that is not supported, given every q."""
    yield from _pairs(ground)
    if not ground.framings:
        yield Lack("framing", (), ground.base(names=[]))
    for condition, changes in ground.moves.items():
        q = [control.q(framing_key(condition), place) for place in range(len(changes))]
        yield from _changes("moved", ground, changes, q, condition=condition)
    yield from _editions(ground, control)
    yield from _divided(ground, control)


def few(facts: Mapping[str, Any]) -> str:
    """Write that so few samples cannot say: the least p that they could give."""
    one = facts["questions"] == 1
    samples = f"{facts['samples']} {'sample' if facts['samples'] == 1 else 'samples'}"
    return (
        f"{samples} each cannot say: {plural(facts['questions'], 'question')} {'gives' if one else 'give'} no p below "
        f"{number(facts['least'])} even where every answer differs."
    )


def _could(least: float | None) -> bool:
    return least is not None and least < LEVEL


def _pairs(ground: Ground) -> Iterator[Lack]:
    unsure = [pair for pair in ground.pairs if pair.call == "cannot say"]
    if unsure:
        least = min(
            (pair.detail["least"] for pair in unsure if pair.detail["least"] is not None), default=None
        )
        if least is not None:
            known = sum(pair.value is not None for pair in ground.pairs)
            facts = ground.base(pairs=known, unsure=len(unsure), least=least, names=[])
            yield Lack("apart", (), facts)


def _pairs_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    which = (
        "any" if facts["unsure"] == facts["pairs"] else f"{facts['unsure']:,} of {facts['pairs']:,} pairs of"
    )
    return f"Whether {which} models answer differently{in_edition(facts, voice)}.", few(facts)


def _framing_sentence(_facts: Mapping[str, Any], _voice: Voice) -> tuple[str, str]:
    return (
        "How far the framing moves anyone.",
        "All questions were asked under one condition; a second one would tell.",
    )


def _changes(
    kind: str, ground: Ground, changes: Sequence[Change], q: Sequence[float | None], **which: Any
) -> Iterator[Lack]:
    """Yield a lack for the models that the samples are too few for, and one for those that may move by chance."""
    blind = [each for each in changes if each.sides and not _could(each.test.least)]
    if blind:
        least = min(each.test.least for each in blind if each.test.least is not None)
        sizes = [size for each in blind for size in each.samples]
        facts = ground.base(
            models=len(blind),
            moved=sum(each.moved > 0 for each in blind),
            least=least,
            names=[],
            **which,
        ) | {
            "questions": max(len(each.sides) for each in blind),
            "least_samples": min(sizes),
            "samples": max(sizes),
        }
        yield Lack(f"{kind}, few", tuple(each.model for each in blind), facts)
    unsure = [
        (each, value)
        for each, value in zip(changes, q, strict=True)
        if each.moved and _could(each.test.least) and value is not None and value >= LEVEL
    ]
    if unsure:
        facts = ground.base(
            of=[
                {"model": each.model, "moved": each.moved, "questions": len(each.sides)} for each, _ in unsure
            ],
            least_p=min(each.test.p for each, _ in unsure if each.test.p is not None),
            least_q=min(value for _, value in unsure),
            names=ground.named(each.model for each, _ in unsure),
            **which,
        )
        yield Lack(kind, tuple(each.model for each, _ in unsure), facts)


def _few_moved_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    seen = f" ({facts['moved']:,} of {facts['models']:,} have another majority)" if facts["moved"] else ""
    return (
        f"Whether {voice.name(facts['condition'])} moves {plural(facts['models'], 'model')}"
        f"{in_edition(facts, voice)}{seen}.",
        few(facts),
    )


def _which(facts: Mapping[str, Any], voice: Voice) -> str:
    told = {each["model"]: voice.name(str(each["name"])) for each in facts["names"]}
    each = (
        f"{told[row['model']]} ({row['moved']} of {plural(row['questions'], 'question')})"
        for row in facts["of"]
    )
    return listed(list(each))


def _moved_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    which = f"{_which(facts, voice)}{in_edition(facts, voice)}"
    return f"That {voice.name(facts['condition'])} moves the majority of {which}.", _by_chance(facts)


def _by_chance(facts: Mapping[str, Any]) -> str:
    return (
        f"Samples differ as much by chance, or too much was looked at: the least p is {_bare(facts['least_p'])}, "
        f"the least q {_bare(facts['least_q'])}."
    )


def _bare(value: float) -> str:
    return chance("", value).strip().removeprefix("= ")


def _editions(ground: Ground, control: Control) -> Iterator[Lack]:
    if len(ground.material.periods) < 2:
        yield Lack("editions", (), ground.base(names=[]))
    steps = list(dict.fromkeys((first, second) for first, second, _ in ground.changes))
    for step in steps:
        here = [
            (place, change)
            for place, (first, second, change) in enumerate(ground.changes)
            if (first, second) == step
        ]
        q = [control.q(EDITIONS, place) for place, _ in here]
        changes = [change for _, change in here]
        yield from _changes("flipped", ground, changes, q, first=step[0], second=step[1])


def _editions_sentence(_facts: Mapping[str, Any], _voice: Voice) -> tuple[str, str]:
    return (
        "Whether answers change over time.",
        "There is one edition; asking again, with another period, would tell.",
    )


def _few_flipped_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    first, second = (edition(facts[side], voice) for side in ("first", "second"))
    seen = f" ({facts['moved']:,} of {facts['models']:,} have another majority)" if facts["moved"] else ""
    return (
        f"Whether the answers of {plural(facts['models'], 'model')} changed from edition {first} to {second}{seen}.",
        few(facts),
    )


def _flipped_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    first, second = (edition(facts[side], voice) for side in ("first", "second"))
    return (
        f"That the majority of {_which(facts, voice)} changed from edition {first} to {second}.",
        _by_chance(facts),
    )


def _divided(ground: Ground, control: Control) -> Iterator[Lack]:
    for place in range(len(ground.divided)):
        q, (yes, no) = control.q(DIVIDED, place), sides_of(ground, place)
        if yes and no and (q is None or q >= LEVEL):
            yield Lack("divided", tuple(sorted([*yes, *no])), divided_facts(ground, place) | {"q": q})


def _divided_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    yes, no = (called(facts, facts[side], voice) for side in ("yes", "no"))
    on = on_questions({**facts, "questions": 1})
    why = f"{on[:1].upper()}{on[1:]}, so great a difference comes by chance: "
    why = "So many samples were not tested." if facts["p"] is None else f"{why}{chance('p', facts['p'])}."
    return (
        f"That question {voice.name(facts['question'])} divides {yes} (yes) from {no} (no){in_edition(facts, voice)}.",
        why,
    )


MISSING = {
    "apart": Missing(_pairs_sentence),
    "framing": Missing(_framing_sentence),
    "moved, few": Missing(_few_moved_sentence),
    "moved": Missing(_moved_sentence),
    "editions": Missing(_editions_sentence),
    "flipped, few": Missing(_few_flipped_sentence),
    "flipped": Missing(_flipped_sentence),
    "divided": Missing(_divided_sentence),
}

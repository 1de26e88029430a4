"""What one would like to claim about choices and the file does not support."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.lenses.choices.ground import LEAST_FAMILIES
from stylekl.lenses.choices.saying import key
from stylekl.lenses.choices.sides import FEW
from stylekl.lenses.claims import Lack, Missing
from stylekl.lenses.words import call, called, chance, number, plural
from stylekl.measure.families import LEVEL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from stylekl.lenses.choices.ground import Ground
    from stylekl.lenses.claims import Control
    from stylekl.lenses.words import Voice


def lacks(ground: Ground, control: Control) -> Iterator[Lack]:
    """Yield what is not supported, given every q."""
    pairs = len(ground.found.pairs)
    if pairs < FEW:
        yield Lack("few pairs", (), {"pairs": pairs, "least": FEW})
    if len(ground.families) < LEAST_FAMILIES:
        facts = {"families": len(ground.families), "least": LEAST_FAMILIES}
        yield Lack("few phrasings", (), facts)
    else:
        for node in ground.shown:
            yield from _undecided(ground, control, node)
    for axis, name, members in ground.chains:
        for place, (old, new) in enumerate(ground.steps(members)):
            q = control.q(key(axis, name), place)
            if q is not None and q >= LEVEL:
                models = tuple(sorted((ground.ids[old], ground.ids[new])))
                told = ground.facts([old, new], old=ground.ids[old], new=ground.ids[new], q=q)
                yield Lack("moved", models, told | {"differ": len(ground.moved(old, new))})
    yield from _close(ground, control)


def _undecided(ground: Ground, control: Control, node: int) -> Iterator[Lack]:
    name = ground.ids[node]
    open_pairs = [
        pair.id
        for place, pair in enumerate(ground.found.pairs)
        if (stand := ground.stands[node].get(pair.id)) is not None
        and stand.pick in ("a", "b")
        and control.holds(key("across", name), place) is None
    ]
    if open_pairs:
        decided = sum(stand.pick in ("a", "b") for stand in ground.stands[node].values())
        facts = ground.facts([node], model=name, open=len(open_pairs), decided=decided)
        yield Lack("undecided", (name,), facts)


def _close(ground: Ground, control: Control) -> Iterator[Lack]:
    tested = [i for i in range(len(ground.pairs)) if control.q(key("apart"), i) is not None]
    close = [i for i in tested if control.holds(key("apart"), i) is None]
    if not close:
        return
    nearest = max(
        close, key=lambda i: (control.q(key("apart"), i) or 0.0, ground.pairs[i].a, ground.pairs[i].b)
    )
    pair = ground.pairs[nearest]
    places = [ground.ids.index(each) for each in (pair.a, pair.b)]
    facts: dict[str, Any] = ground.facts(
        places, a=pair.a, b=pair.b, close=len(close), pairs=len(tested), q=control.q(key("apart"), nearest)
    )
    yield Lack("apart", (pair.a, pair.b) if len(close) == 1 else (), facts)


def _few_sentence(facts: Mapping[str, Any], _voice: Voice) -> tuple[str, str]:
    return (
        f"Anything about other words than these {plural(facts['pairs'], 'pair')}.",
        f"So few stand for no others; {facts['least']} or more would.",
    )


def _phrasings_sentence(facts: Mapping[str, Any], _voice: Voice) -> tuple[str, str]:
    n = facts["families"]
    kinds = "1 family" if n == 1 else f"{n} families"
    return (
        "That any preference is more than the phrasing's.",
        f"The envelopes are of {kinds}; {facts['least']} or more could tell.",
    )


def _undecided_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    who = call(facts, facts["model"], voice)
    return (
        f"That {number(facts['open'])} of the {plural(facts['decided'], 'preference')} of {who} "
        f"{'is' if facts['open'] == 1 else 'are'} more than the phrasing's.",
        "Their words did not win in enough different families of envelopes, or not among all that was looked at.",
    )


def _moved_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    both = called(facts, [facts["old"], facts["new"]], voice)
    return (
        f"That {both} do not choose alike.",
        f"They differ on {plural(facts['differ'], 'pair')}, as one responder might ({chance('q', facts['q'])}).",
    )


def _close_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    both = called(facts, [facts["a"], facts["b"]], voice)
    if facts["close"] == 1:
        return (
            f"That {both} choose differently.",
            f"One responder might differ as much ({chance('q', facts['q'])}).",
        )
    return (
        f"That {number(facts['close'])} of {plural(facts['pairs'], 'pair')} of models choose differently, such as "
        f"{both}.",
        f"One responder might differ from itself as much ({chance('q', facts['q'])} for these two).",
    )


MISSING = {
    "few pairs": Missing(_few_sentence),
    "few phrasings": Missing(_phrasings_sentence),
    "undecided": Missing(_undecided_sentence),
    "moved": Missing(_moved_sentence),
    "apart": Missing(_close_sentence),
}

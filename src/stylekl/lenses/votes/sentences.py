"""How the findings of the votes lens are said, from their facts alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.lenses.claims import Kind, Missing
from stylekl.lenses.words import NAMED, at_most, call, chance, listed, number, percent, plural, times
from stylekl.measure.families import LEVEL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stylekl.lenses.words import Voice

_SCORE = "Bradley-Terry"


def _over(facts: Mapping[str, Any]) -> str:
    return f"{facts['decided']:,} decided fights, {plural(facts['units'], facts['unit'])}"


def _leader(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    leader, second = call(facts, facts["leader"], voice), call(facts, facts["second"], voice)
    return "Leader", (
        f"{leader} leads the {facts['models'] - 1:,} others: {facts['score']:.0f} ({_SCORE}), "
        f"{number(facts['points'])} above the next, {second}"
        f"{_interval(facts)}, a win in {percent(facts['chance'])} of their fights "
        f"({chance('q', facts['q'])}; {_over(facts)})."
    )


def _interval(facts: Mapping[str, Any]) -> str:
    if facts["low"] is None or facts["high"] is None:
        return ""
    return f" [{facts['low']:.0f} {facts['high']:.0f}]"


def _leader_check(facts: Mapping[str, Any]) -> bool:
    return bool(facts["score"] > facts["second_score"] and facts["p"] <= facts["q"] * (1 + 1e-9) < LEVEL)


def _ahead(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    widest = facts["widest"]
    ahead, behind = call(facts, widest["ahead"], voice), call(facts, widest["behind"], voice)
    if facts["pairs"] == 1:
        return "Head to head", (
            f"{ahead} is preferred to {behind}: {widest['wins']:,} : {widest['losses']:,} ({chance('q', facts['q'])}; "
            f"{_over(facts)})."
        )
    q = chance("q", facts["q"]) if facts["settled"] == 1 else at_most("q", facts["q"])
    return "Head to head", (
        f"In {facts['settled']:,} of {plural(facts['pairs'], 'pair')} that met, one model is preferred ({q}). "
        f"The widest: {ahead} beat {behind} {widest['wins']:,} : {widest['losses']:,}."
    )


def _ahead_check(facts: Mapping[str, Any]) -> bool:
    widest = facts["widest"]
    return bool(
        0 < facts["settled"] <= facts["tested"] and widest["wins"] > widest["losses"] and facts["q"] < LEVEL
    )


def _topic(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    more = facts["share"] > facts["expected"]
    return "Topic", (
        f"{call(facts, facts['model'], voice)} wins {'more' if more else 'less'} on {voice.name(facts['topic'])} than "
        f"its strength leads to expect: {facts['wins']:,} : {facts['losses']:,}, {percent(facts['share'])} where "
        f"{percent(facts['expected'])} were expected ({chance('q', facts['q'])})."
    )


def _topic_check(facts: Mapping[str, Any]) -> bool:
    share = facts["wins"] / (facts["wins"] + facts["losses"])
    return bool(abs(share - facts["share"]) < 1e-9 and share != facts["expected"] and facts["q"] < LEVEL)


def _circle(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    steps = [
        f"{call(facts, each['winner'], voice)} beat {call(facts, each['loser'], voice)} "
        f"{each['wins']:,} : {each['losses']:,}"
        for each in facts["circle"]
    ]
    return "Circle", (
        f"{listed(steps)}, each preference for itself ({at_most('q', facts['q'])}): no single scale of strength holds "
        "all three."
    )


def _circle_check(facts: Mapping[str, Any]) -> bool:
    steps = facts["circle"]
    closed = all(step["loser"] == steps[(i + 1) % 3]["winner"] for i, step in enumerate(steps))
    return bool(closed and all(step["wins"] > step["losses"] for step in steps) and facts["q"] < LEVEL)


def _taste(facts: Mapping[str, Any], _voice: Voice) -> tuple[str, str]:
    what = facts["covariate"]
    likes = facts["odds"] > 1
    if what == "length":
        lead, more = ("Longer wins" if likes else "Shorter wins"), "twice as long"
    else:
        lead, more = f"{'More' if likes else 'Fewer'} {what} win", f"with twice as many {what}"
    if what == "bold":
        lead, more = f"{'More' if likes else 'Less'} bold wins", "with twice as much bold"
    return lead, (
        f"At equal strength a reply {more} has its odds of winning multiplied by {times(facts['odds'])} "
        f"[{facts['low']:.2f} {facts['high']:.2f}] ({chance('q', facts['q'])}; {facts['with_texts']:,} decided fights "
        f"with both texts, which differ in it in {percent(facts['apart'])}). It may stand for something else that such "
        "replies have."
    )


def _taste_check(facts: Mapping[str, Any]) -> bool:
    return bool(
        facts["low"] < facts["odds"] < facts["high"]
        and (facts["low"] > 1) == (facts["odds"] > 1)
        and facts["q"] < LEVEL
    )


def _draws(facts: Mapping[str, Any], _voice: Voice) -> tuple[str, str]:
    tie = "tied" if facts["source"] == "import" else "both good"
    kinds = [
        f"{facts[key]:,} {name}"
        for key, name in (
            ("both_weak", "both weak"),
            ("both_good", tie),
            ("neither", "neither, undecided"),
        )
        if facts[key]
    ]
    return (
        "No winner",
        f"{percent(facts['share'])} of {facts['fights']:,} fights had no winner: {listed(kinds)}.",
    )


def _draws_check(facts: Mapping[str, Any]) -> bool:
    undecided = facts["both_weak"] + facts["both_good"] + facts["neither"]
    return bool(undecided == facts["fights"] - facts["decided"] > 0)


def _no_leader(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    leader = call(facts, facts["leader"], voice)
    named, more = facts["rivals"][:NAMED], facts["rivals_in_all"] - NAMED
    names = [call(facts, model, voice) for model in named]
    rivals = f"{', '.join(names)} and {more:,} more" if more > 0 else listed(names)
    if facts["low"] is None:
        verb = "is" if facts["units"] == 1 else "are"
        why = f"{plural(facts['units'], facts['unit'])} {verb} too few to say how far the next would be off."
    elif facts["low"] <= 0:
        why = (
            f"{number(facts['points'])} points above {call(facts, facts['second'], voice)}{_interval(facts)}: "
            "the interval holds 0."
        )
    else:
        q = "" if facts["q"] is None else f" ({chance('q', facts['q'])})"
        why = f"Their fights do not settle it{q}."
    return f"That {leader} leads: it stands first, but not surely before {rivals}.", why


def _unsettled(facts: Mapping[str, Any], _voice: Voice) -> tuple[str, str]:
    text = f"Who is preferred in {facts['open']:,} of {plural(facts['pairs'], 'pair')} that met."
    if not facts["few"]:
        return text, "The fights between the two are too few or too even."
    verb = "has" if facts["few"] == 1 else "have"
    few = f"{facts['few']:,} of them {verb}" if facts["few"] < facts["open"] else "They have"
    return (
        text,
        f"{few} decided fights in fewer than {facts['fewest']} {facts['unit']}s; what is even stays open.",
    )


def _no_circle(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    first, second, third = (call(facts, model, voice) for model in facts["example"])
    return (
        f"{plural(facts['circles'], 'circle')} of three, such as {first} over {second} over {third} over {first}.",
        "By majority they are there, but not every one of the three preferences is settled.",
    )


def _no_taste(facts: Mapping[str, Any], _voice: Voice) -> tuple[str, str]:
    return (
        "Whether longer or more formatted replies win.",
        f"{plural(facts['with_texts'], 'decided fight')} with both texts known: too few, or too alike in length "
        "and layout.",
    )


def _sealed(facts: Mapping[str, Any], _voice: Voice) -> tuple[str, str]:
    return (
        "Anything on the arena: it is sealed.",
        f"{facts['votes']:,} of {facts['votes_needed']:,} votes; the model with the fewest battles has "
        f"{facts['fewest']:,} of {facts['battles_needed']:,}.",
    )


KINDS = {
    "leader": Kind(_leader, _leader_check),
    "ahead": Kind(_ahead, _ahead_check),
    "topic": Kind(_topic, _topic_check),
    "circle": Kind(_circle, _circle_check),
    "length": Kind(_taste, _taste_check),
    "layout": Kind(_taste, _taste_check),
    "draws": Kind(_draws, _draws_check),
}
MISSING = {
    "leader": Missing(_no_leader),
    "ahead": Missing(_unsettled),
    "circle": Missing(_no_circle),
    "taste": Missing(_no_taste),
    "sealed": Missing(_sealed),
}

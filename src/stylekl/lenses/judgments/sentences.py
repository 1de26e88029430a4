"""How the findings of the judgments lens are said, from their facts alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.lenses.claims import Kind, Missing
from stylekl.lenses.words import call, called, chance, listed, number, percent, plural
from stylekl.measure.families import LEVEL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stylekl.lenses.words import Voice


def _tested(facts: Mapping[str, Any]) -> str:
    return f"{chance('p', facts['p'])}, {chance('q', facts['q'])}"


def _over(facts: Mapping[str, Any]) -> str:
    return f"over {plural(facts['prompts'], 'prompt')}"


def _placed(facts: Mapping[str, Any], name: str) -> str:
    """Write that a model always stood in one place, where it did."""
    shown = facts["shown"]
    return f" {name} was always shown as {shown}: its place may be why." if shown else ""


def _by(facts: Mapping[str, Any]) -> str:
    return "the judge" if facts["judges"] == 1 else "the judges"


def _holds(facts: Mapping[str, Any]) -> bool:
    return bool(facts["p"] <= facts["q"] * (1 + 1e-9) and facts["q"] < LEVEL)


def _preferred(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    model, other = (call(facts, facts[side], voice) for side in ("model", "other"))
    ends = f"{percent(facts['low'])} to {percent(facts['high'])}"
    rest = f", {facts['undecided']:,} without a preference" if facts["undecided"] else ""
    verb = "prefers" if facts["judges"] == 1 else "prefer"
    return "Preferred by judges", (
        f"{_by(facts).capitalize()} {verb} {model} to {other} in {facts['wins']:,} of "
        f"{facts['wins'] + facts['losses']:,} decided verdicts{rest}: {percent(facts['share'])}, {ends}, "
        f"{_over(facts)} ({_tested(facts)}).{_placed(facts, model)}"
    )


def _preferred_check(facts: Mapping[str, Any]) -> bool:
    share = facts["wins"] / (facts["wins"] + facts["losses"])
    return bool(facts["wins"] > facts["losses"] and abs(share - facts["share"]) < 1e-9 and _holds(facts))


def _points(facts: Mapping[str, Any]) -> str:
    points = "point" if abs(facts["points"] - 1.0) < 1e-9 else "points"
    return f"{number(facts['points'])} {points} ({number(facts['low'])} to {number(facts['high'])})"


def _scored(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    model, other = (call(facts, facts[side], voice) for side in ("model", "other"))
    verb = "scores" if facts["judges"] == 1 else "score"
    return "Scored higher", (
        f"{_by(facts).capitalize()} {verb} {model} {_points(facts)} above {other} in all, of "
        f"{number(facts['most'])} that two can be apart, {_over(facts)} ({_tested(facts)}).{_placed(facts, model)}"
    )


def _dimension(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    model, other = (call(facts, facts[side], voice) for side in ("model", "other"))
    name = voice.name(facts["dimension"])
    return "Scored higher", (
        f"On {name} {model} is {_points(facts)} above {other}, {_over(facts)} ({_tested(facts)})."
        f"{_placed(facts, model)}"
    )


def _gap_check(facts: Mapping[str, Any]) -> bool:
    return bool(facts["points"] > 0 and facts["low"] <= facts["points"] <= facts["high"] and _holds(facts))


def _position(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    share = facts["share"]
    which, part = ("first", share) if share >= 0.5 else ("second", 1.0 - share)
    twice = ""
    if facts["asked_twice"]:
        twice = (
            f"; asked in both orders, {facts['follows']:,} of {facts['asked_twice']:,} verdicts changed the reply and "
            "kept the place"
        )
    return "Position bias", (
        f"{voice.name(facts['judge'])} takes the reply shown {which} in {percent(part)} of decided verdicts "
        f"{_over(facts)}{twice} ({_tested(facts)})."
    )


def _agreement(facts: Mapping[str, Any], _voice: Voice) -> tuple[str, str]:
    value = facts["value"]
    how = (
        "closely"
        if facts["low"] >= 0.8
        else "in part"
        if facts["low"] > 0
        else "no more than chance would have it"
    )
    if facts["low"] <= 0 and value > 0:
        how = "no more than could be chance"
    what = "the verdict" if facts["what"] == "verdict" else "the difference of totals"
    return "Agreement", (
        f"{plural(facts['judges'], 'judge')} agree {how} on {what}: Krippendorff's alpha ({facts['level']}) "
        f"{number(value)}, {number(facts['low'])} to {number(facts['high'])}, on {plural(facts['units'], 'unit')} "
        f"{_over(facts)}."
    )


def _rows(rows: Sequence[Mapping[str, Any]], part: str, whole: str, voice: Voice) -> str:
    return listed([f"{voice.name(row['judge'])} {row[part]:,} of {row[whole]:,}" for row in rows])


def _invalid(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    told = _rows(facts["of"], "invalid", "replies", voice)
    return (
        "No judgment",
        f"Replies of judges that are no judgment, and count neither as ties nor as losses: {told}.",
    )


def _contradictions(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    told = _rows(facts["of"], "against", "judgments", voice)
    return "Against the scores", f"Verdicts that their own totals speak against; they stand: {told}."


KINDS = {
    "preferred": Kind(_preferred, _preferred_check),
    "scored": Kind(_scored, _gap_check),
    "dimension": Kind(_dimension, _gap_check),
    "position": Kind(_position, _holds),
    "agreement": Kind(
        _agreement,
        lambda facts: bool(facts["low"] <= facts["value"] <= facts["high"] and facts["judges"] > 1),
    ),
    "invalid": Kind(_invalid, lambda facts: all(0 < row["invalid"] <= row["replies"] for row in facts["of"])),
    "contradictions": Kind(
        _contradictions, lambda facts: all(0 < row["against"] <= row["judgments"] for row in facts["of"])
    ),
}


def _close(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    if facts["names"]:
        who = called(facts, [each["model"] for each in facts["names"]], voice)
        what = f"Which of {who} the judges prefer."
    else:
        what = f"Which of the two the judges prefer, for {facts['pairs']:,} of {plural(facts['of'], 'pair')}."
    return (
        what,
        f"Verdicts fall as unevenly by chance, or too much was looked at: least {chance('q', facts['least_q'])}.",
    )


def _few(facts: Mapping[str, Any], _voice: Voice) -> tuple[str, str]:
    which = (
        "any pair"
        if facts["pairs"] == facts["of"]
        else f"{facts['pairs']:,} of {plural(facts['of'], 'pair')}"
    )
    return (
        f"Whom the judges prefer, for {which}.",
        "It takes six prompts with a preference, or with scores of both where there are no verdicts; "
        f"{'there is' if facts['prompts'] == 1 else 'there are'} at most {facts['prompts']:,}.",
    )


def _one_judge(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    return (
        "Whether another judge would say the same.",
        f"{voice.name(facts['judge'])} is the only judge; a second one would tell.",
    )


def _fixed(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    who = listed([voice.name(judge) for judge in facts["judges"]])
    return (
        f"Whether verdicts of {who} follow the position of a reply.",
        "The order of the replies was not drawn, nor asked both ways: place and model cannot be told apart.",
    )


def _position_few(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    who = listed([voice.name(judge) for judge in facts["judges"]])
    return (
        f"Whether verdicts of {who} follow the position of a reply.",
        f"Decided verdicts on {plural(facts['prompts'], 'prompt')} cannot say; six are the least.",
    )


MISSING = {
    "close": Missing(_close),
    "few": Missing(_few),
    "one judge": Missing(_one_judge),
    "position": Missing(_fixed),
    "position, few": Missing(_position_few),
}

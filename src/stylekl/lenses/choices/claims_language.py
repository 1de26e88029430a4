"""Sentences about language: whether it silences a model, or turns its choices round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.lenses.choices.saying import TOLD, key, percent, some
from stylekl.lenses.claims import Claim, Kind
from stylekl.lenses.words import call, chance, number, plural
from stylekl.measure.families import LEVEL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from stylekl.lenses.choices.ground import Ground
    from stylekl.lenses.claims import Control
    from stylekl.lenses.words import Voice

LANGUAGES = {
    "zh": "Chinese",
    "fr": "French",
    "de": "German",
    "es": "Spanish",
    "ja": "Japanese",
    "it": "Italian",
    "pt": "Portuguese",
    "ko": "Korean",
    "ru": "Russian",
}


def languages(ground: Ground, control: Control, node: int) -> Iterator[Claim]:
    """Yield the languages that silence a node or turn its choices round."""
    name = ground.ids[node]
    for place, language in enumerate(ground.languages):
        q = control.holds(key("language", name), place)
        if q is not None:
            _, there, here, orders = ground.language_commit(node, language)
            facts = ground.facts(
                [node],
                model=name,
                language=language,
                there=there / orders,
                here=here / orders,
                orders=orders,
                envelopes=len(ground.languages[language]),
                q=q,
            )
            yield Claim("language", (name,), facts, q, abs(there - here) / orders)
        q = control.holds(key("turned", name), place)
        if q is not None:
            turned = ground.turned(node, language)
            held = [ground.found.pairs[i] for i in turned.pairs[:TOLD]]
            facts = ground.facts(
                [node],
                model=name,
                language=language,
                there=turned.there,
                there_turned=turned.there_turned,
                here=turned.here,
                here_turned=turned.here_turned,
                whole=len(turned.pairs),
                pairs=[{"pair": each.id, "words": [each.a, each.b]} for each in held],
                q=q,
            )
            yield Claim("language flips", (name,), facts, q, turned.there_turned / turned.there)


def _tongue(facts: Mapping[str, Any], voice: Voice) -> str:
    code = facts["language"]
    return LANGUAGES.get(code) or voice.symbol(code)


def _language_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    how = "more" if facts["there"] > facts["here"] else "less"
    return "Language", (
        f"Asked in {_tongue(facts, voice)}, {call(facts, facts['model'], voice)} chooses {how} often than in English: "
        f"{percent(facts['there'])} against {percent(facts['here'])} of {plural(facts['orders'], 'question')} that "
        f"say the "
        f"same in both ({chance('q', facts['q'])})."
    )


def _language_check(facts: Mapping[str, Any]) -> bool:
    return bool(facts["q"] < LEVEL and facts["there"] != facts["here"] and facts["orders"] > 0)


def _flips_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    told = [" or ".join(voice.symbol(word) for word in each["words"]) for each in facts["pairs"]]
    whole = f"; in every envelope of that language on {some(told, facts['whole'])}" if told else ""
    there, here = facts["there_turned"] / facts["there"], facts["here_turned"] / max(facts["here"], 1)
    return "Language turns it round", (
        f"Asked in {_tongue(facts, voice)}, {call(facts, facts['model'], voice)} turns more of its choices round than "
        f"in English: {percent(there)} of {plural(facts['there'], 'preference')} against {percent(here)} of "
        f"{number(facts['here'])}{whole} ({chance('q', facts['q'])})."
    )


def _flips_check(facts: Mapping[str, Any]) -> bool:
    there, here = facts["there_turned"] / facts["there"], facts["here_turned"] / max(facts["here"], 1)
    return bool(facts["q"] < LEVEL and there > here and len(facts["pairs"]) <= facts["whole"])


KINDS = {
    "language": Kind(_language_sentence, _language_check),
    "language flips": Kind(_flips_sentence, _flips_check),
}

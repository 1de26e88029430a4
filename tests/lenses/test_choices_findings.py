"""What the choices lens claims, and that it claims nothing of chance."""

from __future__ import annotations

import random

import pytest

from stylekl.lenses.choices import KINDS, MISSING, inquire
from stylekl.lenses.claims import Control, plain_facts
from stylekl.lenses.words import PLAIN
from stylekl.results import Results

from .choices_made import Drawn, by_position, make, prefers, words

LANGUAGES = {"zh": "zh", "fr": "fr"}


def phrased(results: Results, families: int = 9) -> Results:
    """Give every envelope a family of its own, two of them a language and an English counterpart."""
    for i, row in enumerate(results.other["envelopes"]):
        row |= {"family": f"f{i % families}", "language": "en"}
        if row["id"] in ("e1", "e2"):
            row |= {"language": "zh" if row["id"] == "e1" else "fr", "matches": "e0"}
    return results


def said(results: Results) -> dict[str, list[str]]:
    """Return the sentences by kind, each checked against its facts."""
    asked = inquire(results)
    control = Control(asked.families)
    found: dict[str, list[str]] = {}
    for claim in asked.claims(control):
        facts = plain_facts(claim.facts)
        assert KINDS[claim.kind].check(facts), claim
        assert claim.q is None or claim.q < 0.05
        assert 0 <= claim.strength <= 4
        found.setdefault(claim.kind, []).append(KINDS[claim.kind].sentence(facts, PLAIN)[1])
    for lack in asked.lacks(control):
        found.setdefault(f"not {lack.kind}", []).append(
            " ".join(MISSING[lack.kind].sentence(plain_facts(lack.facts), PLAIN))
        )
    assert all(text.isascii() for texts in found.values() for text in texts)
    return found


def mostly(p: int, envelope: int, swapped: bool, _sample: int) -> str:
    """Prefer one word everywhere on even pairs; on odd ones in a single envelope, elsewhere by position."""
    if p % 2 == 0 or envelope == 4:
        return words(p)[0]
    return words(p)[int(swapped)]


def test_what_survives_and_what_lives_in_one_phrasing() -> None:
    found = said(phrased(make({"one": mostly, "two": mostly}, envelopes=9)))

    assert found["survives"][0].startswith(
        "one keeps its choice across phrasings, in both orders, on 6 of 12 pairs, in every envelope on 6: "
        '"left0" over "right0" (9 of 9),'
    )
    assert found["one phrasing"][0] == (
        '6 of the 12 preferences of one live in a single envelope of 9 or more: "left1" over "right1", "left11" over '
        '"right11", "left3" over "right3", "left5" over "right5", "left7" over "right7" and "left9" over "right9".'
    )
    assert found["kept"][0].startswith("one takes the same word in both orders in 56%")
    assert "44% went by position. On 0 of 12 pairs no word has a majority." in found["kept"][0]
    assert found["not undecided"][0].startswith("That 6 of the 12 preferences of one are more")
    assert "One responder might differ as much (q = 1.00)." in found["not apart"][0]


def test_a_position_follower_has_nothing_that_survives() -> None:
    found = said(phrased(make({"one": by_position}, envelopes=9)))

    assert set(found) == {"position", "kept"}
    assert found["position"][0].startswith("one takes the first word in 100% [")
    assert found["position"][0].endswith("100% of its questions in both orders come out by position.")
    assert "On 12 of 12 pairs no word has a majority." in found["kept"][0]


def test_coin_flips_are_told_apart_from_preferences() -> None:
    """Of 60 files whose envelopes prefer either word by chance, at most one in 20 has a claim with a q."""
    claimed = 0
    for seed in range(60):
        chance = random.Random(seed)
        taste = {(p, e): chance.randrange(2) for p in range(12) for e in range(9)}

        def say(p: int, e: int, _swapped: bool, _sample: int, taste: dict = taste) -> str:
            return words(p)[taste[p, e]]

        asked = inquire(phrased(make({"one": say, "two": say}, envelopes=9)))
        claimed += any(claim.q is not None for claim in asked.claims(Control(asked.families)))

    assert claimed <= 3


def test_drawn_twice_from_one_responder_two_models_are_not_told_apart() -> None:
    """Nor is there drift between two dates, in 95 % of files or more."""
    claimed = 0
    for seed in range(40):
        say = {
            f"m@2026-0{n}-01": Drawn(
                refuse=lambda _: 0.2,
                position=lambda _: 0.3,
                taste=lambda p: 0.5 + (p % 3) / 5,
                seed=10 * seed + n,
            )
            for n in (1, 2)
        }
        asked = inquire(phrased(make(say, envelopes=9)))
        kinds = {claim.kind for claim in asked.claims(Control(asked.families))}
        claimed += bool(kinds & {"apart", "drift", "language", "language flips"})

    assert claimed <= 4


def test_a_language_that_turns_choices_round_or_silences_them_is_named() -> None:
    def say(p: int, e: int, _swapped: bool, _sample: int) -> str:
        if e == 2:
            return "Aucun."
        return words(p)[int(e == 1 and p < 3)]

    found = said(phrased(make({"one": say}, envelopes=9)))

    assert found["language"] == [
        "Asked in French, one chooses less often than in English: 0% against 100% of 24 questions that say the same in "
        "both (q = .004)."
    ]
    assert found["language flips"] == [
        "Asked in Chinese, one turns more of its choices round than in English: 25% of 12 preferences against 0% of "
        '84; in every envelope of that language on "left0" or "right0", "left1" or "right1" and "left2" or "right2" '
        "(q = .004)."
    ]


def test_effort_and_drift_name_what_flips_and_what_is_refused() -> None:
    def later(p: int, _envelope: int, _swapped: bool, _sample: int) -> str:
        return "I cannot choose." if p == 0 else words(p)[int(p == 1)]

    efforts = {"m@00low-2026-01-01": prefers(lambda _: 0), "m@30max-2026-01-01": later}
    dates = {"m@2026-01-01": prefers(lambda _: 0), "m@2026-02-01": later}

    text = (
        'do not choose alike: 2 of 12 pairs come out otherwise, 1 flips ("left1" to "right1"), '
        '1 turns into a refusal ("left0" over "right0") (q = .002).'
    )
    assert said(phrased(make(efforts, envelopes=9)))["effort"] == [
        f"m@00low-2026-01-01 and m@30max-2026-01-01 {text}"
    ]
    assert said(phrased(make(dates, envelopes=9)))["drift"] == [f"m@2026-01-01 and m@2026-02-01 {text}"]


def test_models_that_choose_differently_are_counted_and_the_farthest_named() -> None:
    found = said(phrased(make({"one": mostly, "two": mostly, "three": prefers(lambda _: 1)}, envelopes=9)))

    assert found["apart"] == [
        "2 of 3 pairs of models choose differently (q < .001); the farthest apart, three and two, differ on 12 of 12 "
        "pairs of words, on 12 of them with opposite words."
    ]


@pytest.mark.parametrize(("families", "pairs"), [(5, 12), (9, 5)])
def test_few_phrasings_or_pairs_are_said_and_nothing_is_claimed_of_them(families: int, pairs: int) -> None:
    found = said(phrased(make({"one": prefers(lambda _: 0)}, envelopes=9, pairs=pairs), families))

    if families < 6:
        assert found["not few phrasings"] == [
            "That any preference is more than the phrasing's. The envelopes are of 5 families; 6 or more could tell."
        ]
        assert "survives" not in found
    else:
        assert found["not few pairs"][0].startswith("Anything about other words than these 5 pairs.")


def test_no_sentence_depends_on_the_order_of_the_file() -> None:
    responders = {"one": mostly, "two": by_position, "three": prefers(lambda p: p % 2)}
    results = phrased(make(responders, envelopes=9))
    other = Results(
        models=results.models[::-1],
        other=results.other
        | {"choices": random.Random(1).sample(results.other["choices"], len(results.other["choices"]))},
    )

    assert said(results) == said(other)
    assert (
        inquire(results).note
        == "3 models, 12 pairs of words, 9 distinct texts of 9 envelopes in both orders, 648 replies"
    )

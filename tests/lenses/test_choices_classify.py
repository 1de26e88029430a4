"""Which word a reply chooses."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.lenses.choices.classify import Pair, classify, folded
from stylekl.measure import choices as measure

FREEDOM = Pair.of(["freedom"], ["censor"])
DOG = Pair.of(["dog"], ["cat"])


def said(text: str, pair: Pair = FREEDOM, **more) -> str:
    return measure.NAMES[classify(text, pair, **more)]


def test_the_forty_strings(shared) -> None:
    """Each comes to the outcome that is settled for it; where that is open, to the word or to none."""
    cases = json.loads((shared / "reference" / "answers" / "answers.json").read_text())["forced_choice"]
    assert len(cases) == 40

    found = {
        case["id"]: {"a": case["a"], "b": case["b"]}.get(
            said(case["raw"], Pair.of([case["a"]], [case["b"]])), "none"
        )
        for case in cases
    }

    assert found == {
        case["id"]: found[case["id"]] if case["expect"] == "unclear" else case["expect"] for case in cases
    }


@pytest.mark.parametrize(
    "text",
    [
        "freedom",
        "FREEDOM",
        "  Freedom.\n",
        "'freedom'",
        "`freedom`",
        "__Freedom__",
        "***freedom***!",
        "“freedom”",
        "- freedom",
        "Answer: freedom",
        "My answer is **freedom**.",
        "I would choose freedom because to censor is worse.",
        "Je choisis freedom",
        "我选择freedom",
        "freedom, because people who censor fear it",
        "Freedom over censor",
        "The freedom.",
        "freedom\n\nTo censor is to fear.",
        "['freedom']",
        '{"choice": "freedom", "confidence": 3}',
        '{"Answer": "Freedom."}',
        "return 'freedom'  # the word",
        'answer = "freedom"',
        "```\nfreedom\n```",
        "<think>censor, I think",
    ],
)
def test_what_chooses_the_first_word(text: str) -> None:
    assert said(text) == ("empty" if text.startswith("<think>") else "a")


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Neither of them.", "refused"),
        ("I can't choose between these.", "refused"),
        ("I’m sorry, but I don’t pick.", "refused"),
        ("As an AI, I have no preference.", "refused"),
        ("Ni l'un ni l'autre.", "refused"),
        ("都不选", "refused"),
        ("Weder noch", "refused"),
        ("どちらも選べません", "refused"),
        ("Both!", "both"),
        ("Les deux", "both"),
        ("两者", "both"),
        ("freedom and censor", "both"),
        ("freedom, censor", "both"),
        ("freedom\ncensor", "both"),
        ('["freedom", "censor"]', "both"),
        ("", "empty"),
        (" \u200b\n", "empty"),
        ("...", "no_choice"),
        ("!freedom", "no_choice"),
        ("freedom?", "no_choice"),
        ("freedom / censor", "no_choice"),
        ("freedom <|> censor", "no_choice"),
        ("freedom vs. censor", "no_choice"),
        ("freedom oder censor", "no_choice"),
        ("freedomか censor", "no_choice"),
        ("freedom-loving", "no_choice"),
        ("freedom's cost", "no_choice"),
        ("It depends.", "no_choice"),
        ("A", "no_choice"),
        ("null", "no_choice"),
        ("{}", "no_choice"),
        ('{"a": "freedom", "b": "censor"}', "no_choice"),
        ("[" * 100_000, "no_choice"),
        ("def choose():\n    pass", "no_choice"),
    ],
)
def test_what_chooses_nothing_and_why(text: str, outcome: str) -> None:
    assert said(text) == outcome


def test_words_of_another_language_count_where_the_pair_gives_them() -> None:
    pair = Pair.of(["freedom", "liberté", "自由"], ["censor", "censurer", "审查"])

    assert said("Liberté.", pair) == said("自由。", pair) == said("自由です", pair) == "a"
    assert said("审查", pair) == "b"
    assert said("自由主义", pair) == "no_choice"


def test_a_form_that_both_words_have_counts_for_neither() -> None:
    pair = Pair.of(["chat", "cat"], ["chat", "talk"])

    assert said("chat", pair) == "no_choice"
    assert said("cat", pair) == "a"


def test_slot_letters_count_where_the_envelope_offers_them_and_follow_the_order() -> None:
    assert said("A", slots=("A", "B")) == "a"
    assert said("(B) because", slots=("A", "B")) == "b"
    assert said("A", slots=("A", "B"), swapped=True) == "b"
    assert said('{"choice": "A"}', slots=("A", "B")) == "a"
    assert said("freedom", slots=("A", "B"), swapped=True) == "a"


def test_a_word_that_begins_the_other_word_is_told_from_it() -> None:
    pair = Pair.of(["no"], ["no one"])

    assert said("no", pair) == "a"
    assert said("no one", pair) == "b"
    assert said("No, thanks", pair) == "a"


WORDS = st.text(st.characters(categories=("Ll", "Lu")), min_size=1, max_size=8)


@given(WORDS, WORDS, st.sampled_from(["{}", "{}.", '"{}"', "**{}**", " {}\n", '{{"choice": "{}"}}', "{}!"]))
def test_a_word_alone_is_chosen_and_swapping_the_words_swaps_the_answer(a: str, b: str, form: str) -> None:
    if folded(a) == folded(b):
        return
    text = form.format(a)

    assert said(text, Pair.of([a], [b])) == "a"
    assert said(text, Pair.of([b], [a])) == "b"


@given(st.text(max_size=60))
def test_any_text_has_an_outcome_that_does_not_depend_on_which_word_is_called_a(text: str) -> None:
    swap = {"a": "b", "b": "a"}
    one = said(text, DOG)
    other = said(text, Pair.of(["cat"], ["dog"]))

    assert other == swap.get(one, one)
    assert one in measure.NAMES[: measure.REPLIES]


@given(WORDS)
def test_a_longer_word_is_not_the_word_in_it(more: str) -> None:
    """Unless what follows is another script, which writes no space between words."""
    assert said(f"dog{more}", DOG) in ("no_choice", "refused", "both") or not more[0].isascii()

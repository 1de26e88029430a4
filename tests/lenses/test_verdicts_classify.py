"""From a reply to a verdict: strings with known outcomes, the property that matters most, and the word lists."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stylekl.errors import InputError
from stylekl.lenses.verdicts.classify import classify, normalise
from stylekl.lenses.verdicts.words import load_words

if TYPE_CHECKING:
    from pathlib import Path

WORDS = load_words()
WHITE = st.sampled_from([" ", "\n", "\t", "\u00a0", "\u3000", "\u2028", " \n "])
WORD = st.sampled_from([*WORDS.yes, *WORDS.no, "Yes.", "**No**", "“Yes”", "_true_!", "because", "不"])


def answers(shared: Path) -> list[dict]:
    return json.loads((shared / "reference" / "answers" / "answers.json").read_text())["yes_no"]


def test_all_strings_have_the_outcome_of_the_published_code(shared: Path) -> None:
    """Verdict, one word or not, and the normalised text, for every string on file."""
    strings = answers(shared)
    found = {}
    for each in strings:
        answer = classify(each["raw"], WORDS)
        found[each["id"]] = {
            "verdict": answer.verdict,
            "one_word": answer.one_word,
            "normalized": answer.normalised,
        }

    assert len(strings) == 59
    assert found == {each["id"]: each["original_code"] for each in strings}


def test_all_strings_have_the_outcome_of_the_words_where_it_is_clear(shared: Path) -> None:
    found = {each["id"]: classify(each["raw"], WORDS, literal=True).verdict for each in answers(shared)}
    clear = {each["id"]: each["expect"] for each in answers(shared) if each["expect"] != "unclear"}

    assert len(clear) == 55
    assert {name: found[name] for name in clear} == clear


@pytest.mark.parametrize(
    ("text", "by_code", "by_words"),
    [
        ('"Yes".', "other", "yes"),  # the stop stands outside the quotes
        ("Yes。", "other", "yes"),
        ("「No」", "other", "no"),
        ("\u200bYes", "other", "yes"),
    ],
)
def test_where_the_words_are_wider_than_the_code(text: str, by_code: str, by_words: str) -> None:
    """Any quotes and stops, in any order, and nothing invisible: only with `literal`."""
    assert classify(text, WORDS).verdict == by_code
    assert classify(text, WORDS, literal=True).verdict == by_words


@given(st.lists(WORD, min_size=2, max_size=5), WHITE, st.booleans())
def test_more_than_one_word_is_never_yes_or_no(parts: list[str], white: str, literal: bool) -> None:
    """However decorated: words apart by any white space take no side, and do not follow the instruction."""
    answer = classify(white.join(parts), WORDS, literal=literal)

    assert (answer.verdict, answer.one_word) == ("other", False)


@given(st.text(), st.booleans())
@example("yes no", False)
@example("", True)
@example("Yes, but…", True)
def test_yes_and_no_come_from_one_word_alone(text: str, literal: bool) -> None:
    """For any text: a side is taken only by a word of the list, with nothing else of letters or digits about it."""
    answer = classify(text, WORDS, literal=literal)

    assert answer.one_word == (len(answer.normalised.split(" ")) == 1 and answer.normalised != "")
    if answer.verdict != "other":
        assert answer.one_word
        assert answer.normalised in {"yes": WORDS.yes, "no": WORDS.no}[answer.verdict]
        assert sum(map(str.isalnum, text)) <= len(answer.normalised)


@given(st.text())
def test_a_word_that_is_normalised_stays_apart_from_white_space(text: str) -> None:
    """What is normalised holds no line break, and no space but single ones between words."""
    found = normalise(text)

    assert found == found.strip(" ")
    assert "  " not in found
    assert not any(character in found for character in "\n\t\u00a0\u2028*_`")


def test_the_shipped_lists_are_those_of_the_published_code(shared: Path) -> None:
    lists = json.loads((shared / "reference" / "answers" / "answers.json").read_text())[
        "lists_of_the_original"
    ]

    assert (list(WORDS.yes), list(WORDS.no)) == (lists["yes"], lists["no"])


def test_lists_of_ones_own_take_the_place_of_the_shipped_ones(tmp_path: Path) -> None:
    """Bare yes and no are texts, words are normalised, and what is not listed takes no side."""
    path = tmp_path / "words.yaml"
    path.write_text("yes: [Oui, yes]\nno:\n  - Non\n  - no\n")
    words = load_words(str(path))

    assert (words.yes, words.no, words.source) == (("oui", "yes"), ("non", "no"), str(path))
    assert classify("**Oui !**", words).verdict == "yes"
    assert classify("Nope", words).verdict == "other"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("yes: [a]\nno: [b c]\n", 'line 2: field no: "b c" is not one word'),
        ("yes: [a]\nno: [b,\n  A]\n", 'line 3: field no: "a" is on both lists'),
        ("yes: [a]\n", "field no: expected a list of words"),
        ("yes: a\nno: [b]\n", "line 1: field yes: expected a list of words"),
        ("yes: [a]\nno: [b]\nmaybe: [c]\n", "line 3: field maybe: no such field"),
        ("yes: [a]\nyes: [c]\nno: [b]\n", "line 2: field yes: the field stands twice"),
        ("yes: [a]\nno: [[b]]\n", "line 2: field no: expected a word"),
        ("[a, b]\n", "expected the fields yes and no"),
        ("yes: [a\n", "not YAML"),
        ("yes: ['']\nno: [b]\n", 'line 1: field yes: "" is not one word'),
        ("[" * 5000, "not YAML"),
    ],
)
def test_a_file_of_lists_that_is_wrong_says_where(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "words.yaml"
    path.write_text(content)

    with pytest.raises(InputError) as error:
        load_words(str(path))

    assert error.value.message.startswith(f"{path}: ")
    assert said in error.value.message

"""Pairs and envelopes: what ships, and what a file of one's own may say."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from stylekl.errors import InputError, UnknownChoiceError, UsageError
from stylekl.gather.envelopes import load_envelopes
from stylekl.gather.pairs_file import load_pairs
from stylekl.gather.probe import distinct, make_probe, uses_of
from stylekl.lenses.choices.words import Envelope, WordPair

if TYPE_CHECKING:
    from pathlib import Path

NATIVE = (
    "english_strict",
    "english_casual",
    "python_typed",
    "json_schema",
    "french_casual",
    "chinese_casual",
)


def test_the_29_envelopes_that_ship() -> None:
    found = load_envelopes()
    pair = WordPair(
        "p", {"en": ("alpha", "beta"), "zh": ("甲", "乙"), "fr": ("un", "deux"), "ja": ("い", "ろ")}
    )
    said = {each.id: each.text(pair) for each in found}

    assert len(said) == 29
    assert tuple(each.id for each in found if each.family == "native") == NATIVE
    assert {name: text for name, text in said.items() if name not in NATIVE} == {
        "en_bare_or": "alpha or beta",
        "en_bare_or_q": "alpha or beta?",
        "en_bare_or_p": "alpha or beta.",
        "en_slash": "alpha/beta",
        "en_slash_q": "alpha/beta?",
        "en_vs": "alpha vs beta",
        "en_vs_q": "alpha vs beta?",
        "en_pipe": "alpha | beta",
        "en_arrow": "alpha → beta",
        "zh_huo": "甲 或 乙",
        "zh_huo_q": "甲 或 乙?",
        "zh_huo_zhq": "甲 或 乙？",
        "fr_ou": "un ou deux",
        "fr_ou_q": "un ou deux?",
        "de_oder": "alpha oder beta",
        "es_o": "alpha o beta",
        "ja_ka": "いかろ",
        "cs_en_zh": "alpha 或 beta",
        "cs_en_fr": "alpha ou beta",
        "cs_en_ja": "alphaかbeta",
        "code_pipe_pipe": "alpha || beta",
        "code_caret": "alpha ^ beta",
        "code_haskell_alt": "alpha <|> beta",
    }
    for name in NATIVE:  # their words stay English, whatever the language around them
        assert "alpha" in said[name]
        assert "beta" in said[name]
        assert "{" not in said[name].replace("{beta}", "") or name == "json_schema"


def test_every_envelope_puts_the_other_word_first_in_the_other_order() -> None:
    pair = WordPair("p", {"en": ("alpha", "beta")})
    for envelope in load_envelopes():
        one, other = envelope.text(pair), envelope.text(pair, swapped=True)
        assert one != other
        assert one.replace("alpha", "\0").replace("beta", "alpha").replace("\0", "beta") == other
        assert one.index("alpha") < one.index("beta")


def test_a_word_that_looks_like_a_slot_is_a_word() -> None:
    pair = WordPair("p", {"en": ("{b}", "{a}")})

    assert Envelope("e", "{a} or {b}").text(pair) == "{b} or {a}"


def test_the_pairs_that_ship() -> None:
    """At least 40 pairs in eight themes, some with words in five other languages."""
    found = load_pairs("pairs")

    themes = Counter(pair.theme for pair in found.pairs)
    assert len(found.pairs) >= 40
    assert len(themes) == 8
    assert min(themes.values()) >= 5
    assert sum(len(pair.words) > 1 for pair in found.pairs) >= 20
    assert {language for pair in found.pairs for language in pair.words} >= {
        "en",
        "fr",
        "zh",
        "de",
        "es",
        "ja",
    }
    assert found.source.path == "pairs.yaml"


def test_what_comes_out_as_one_text_is_asked_once() -> None:
    probe = make_probe("pairs")

    assert len({prompt.text for prompt in probe.prompts}) == len(probe.prompts)
    assert distinct(probe) == (26, 29)
    english = make_probe("pairs", pairs=["tradition-progress"])
    assert distinct(english) == (26, 26)
    assert len(english.prompts) == 2 * 26
    (use,) = [
        each
        for uses in uses_of(english.pairs, english.envelopes).values()
        for each in uses
        if each.envelope == "fr_ou" and each.order == "ab"
    ]
    assert use.also == ("cs_en_fr",)


def test_pairs_of_the_same_words_share_their_texts(tmp_path: Path) -> None:
    envelopes = (Envelope("bare", "{a} or {b}"),)
    pairs = (WordPair("p", {"en": ("tea", "milk")}), WordPair("q", {"en": ("milk", "tea")}))

    uses = uses_of(pairs, envelopes)

    assert sorted(len(each) for each in uses.values()) == [2, 2]


def test_a_probe_can_be_narrowed() -> None:
    probe = make_probe("pairs", envelopes=["en_vs", "en_slash"], pairs=["dog-cat"])

    assert [each.id for each in probe.envelopes] == ["en_slash", "en_vs"]
    assert sorted(prompt.text for prompt in probe.prompts) == [
        "cat vs dog",
        "cat/dog",
        "dog vs cat",
        "dog/cat",
    ]
    with pytest.raises(UnknownChoiceError, match='no envelope "en_versus"'):
        make_probe("pairs", envelopes=["en_versus"])
    with pytest.raises(UnknownChoiceError, match='no pair "dog"'):
        make_probe("pairs", pairs=["dog"])
    with pytest.raises(UsageError, match="nor pairs that ship"):
        make_probe("pears")


PAIRS = "id: few\nversion: 1\npairs:\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("pairs: []", 'line 1: the field "id" is missing'),
        (PAIRS + "  - {id: x, words: [tea]}", r"pairs\[1\].words: expected two words, found 1"),
        (PAIRS + "  - {id: x, words: [tea, Tea]}", '"Tea" stands for both words'),
        (PAIRS + "  - {id: x, words: {en: [chat, cat], fr: [parler, chat]}}", '"chat" stands for both words'),
        (PAIRS + "  - {id: x, words: {fr: [oui, non]}}", 'the language "en" is missing'),
        (PAIRS + "  - {id: x, words: {English: [a, b]}}", "expected a language such as fr"),
        (
            PAIRS + "  - {id: x, words: [a, b]}\n  - {id: x, words: [c, d]}",
            "has the id of the pair on line 4",
        ),
        (
            PAIRS + "  - {id: x, words: [a, b]}\n  - {id: y, words: [B, a]}",
            "has the words of the pair on line 4",
        ),
        (
            PAIRS + "  - {id: x, word: [a, b]}",
            "line 4: pairs[1].word: no such field".replace("[", r"\[").replace("]", r"\]"),
        ),
        (PAIRS + '  - {id: x, words: ["a ", b]}', "without space around it"),
        (PAIRS + "  - {id: x, words: [a, b], theme: 7 7}", "theme"),
    ],
)
def test_a_pairs_file_that_is_wrong_is_an_error_with_its_place(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "pairs.yaml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(InputError, match=told):
        load_pairs(str(path))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- {id: x, template: '{a} or'}", r"expected \{b\} in the template"),
        ("- {id: x, template: '{b} or {a}'}", r"\{b\} stands before \{a\}"),
        ("- {id: x, template: '{a} or {b}', slots: [A, B]}", 'the template does not offer "A"'),
        ("- {id: x, template: 'A {a} or A {b}', slots: [A, A]}", "two different letters"),
        ("- {id: x, template: '{a} or {b}', matches: y}", 'matches "y", which is no envelope'),
        (
            "- {id: x, template: '{a} {b}'}\n  - {id: X, template: '{a}{b}'}",
            "has the id of the envelope on line 2",
        ),
    ],
)
def test_an_envelope_that_is_wrong_is_an_error_with_its_place(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "envelopes.yaml"
    path.write_text(f"envelopes:\n  {text}", encoding="utf-8")

    with pytest.raises(InputError, match=told):
        load_envelopes(str(path))

"""Every facet against its plain form, in every language at hand."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.counts import count
from stylekl.errors import UsageError
from stylekl.facets import FACETS, facet
from stylekl.facets.openings import openings
from stylekl.facets.phrases import joined, phrases
from stylekl.facets.pieces import WORD, cut, kind_of, marks_in, spans, unspaced_share
from stylekl.facets.rhythm import stretches
from stylekl.facets.texts import Texts
from stylekl.facets.tokens import encoding
from stylekl.facets.words import word_of

PLAIN = {
    "words": lambda text: [word for piece, *_ in spans(text) for word in word_of(piece)],
    "phrases": lambda text: [phrase for phrase, *_ in phrases(text)],
    "marks": lambda text: [mark for piece, *_ in spans(text) for mark in marks_in(piece)],
    "rhythm": lambda text: [symbol for symbol, *_ in stretches(text)],
    "openings": lambda text: [symbol for symbol, *_ in openings(text)],
}
PARTS = [
    "the", "The", "it's", "it’s", "well-known", "3.14", "e.g.", "x2", " ", "  ", "\n", "\n\n", "\n- ", "\n1. ",
    "# ", "**", "`", "_", ".", ". ", "! ", "?!", "...", "…", ",", "—", "--", "–", "“", "”", "'", "(", ")", "😀",
    "👩\u200d👩\u200d👧", "🇫🇷", "说", "我们", "。", "！", "ひら", "カタカナ", "이것은", "é", "łódź", "straße", "İ",
    "नमस्ते", "สวัสดี", "٣", "\t", "\u200b", "¿",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PARTS), max_size=25).map("".join)


def symbols(name: str, texts: list[str]) -> list[Counter[str]]:
    """Return what a facet counts in each text."""
    how = facet(name)
    counts = count(Texts(texts), [(0, i) for i in range(len(texts))], how, models=1, prompts=len(texts))
    found = []
    for row in range(len(texts)):
        at = slice(counts.starts[row], counts.starts[row + 1])
        ids, numbers = counts.symbols[at].tolist(), counts.counts[at].tolist()
        found.append(Counter({how.symbol(i): n for i, n in zip(ids, numbers, strict=True)}))
        assert counts.lengths[row] == sum(numbers)
    return found


@pytest.mark.parametrize("name", PLAIN)
@settings(max_examples=150, deadline=None)
@given(texts=st.lists(TEXTS, max_size=5))
def test_a_facet_counts_what_its_plain_form_lists(name, texts):
    assert symbols(name, texts) == [Counter(PLAIN[name](text) or ["(none)"]) for text in texts]


@pytest.mark.parametrize("name", FACETS)
@settings(max_examples=40, deadline=None)
@given(text=TEXTS)
def test_every_symbol_is_found_where_it_stands_and_has_a_class(name, text):
    how = facet(name)
    counts = count(Texts([text]), [(0, 0)], how, models=1, prompts=1)

    for identifier in counts.symbols.tolist():
        assert how.kind(identifier) in how.CLASSES
        if how.symbol(identifier) == "(none)" or (name == "tokens" and "\\x" in how.symbol(identifier)):
            continue
        low, high = how.locate(text, identifier)
        assert 0 <= low < high <= len(text)


@settings(max_examples=100, deadline=None)
@given(text=TEXTS)
def test_a_token_stands_where_tiktoken_says(text):
    how = facet("tokens")
    counts = count(Texts([text]), [(0, 0)], how, models=1, prompts=1)
    ids = encoding().encode(text, disallowed_special=())
    starts = [*encoding().decode_with_offsets(ids)[1], len(text)]

    for identifier in counts.symbols.tolist():
        at = ids.index(identifier)
        assert how.locate(text, identifier) == (starts[at], max(starts[at + 1], starts[at] + 1))


@pytest.mark.parametrize("name", FACETS)
def test_a_facet_without_texts_counts_nothing(name):
    counts = count(Texts([]), [], facet(name), models=0, prompts=0)

    assert len(counts.symbols) == 0


def test_an_unknown_facet_is_refused_with_the_known_ones():
    with pytest.raises(UsageError) as error:
        facet("tone")

    assert error.value.hint == "one of: tokens, words, phrases, marks, layout, rhythm, openings"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It’s John's well-known 3.14.", ["it's", "john's", "well", "known", "3.14"]),
        ("Straße und Łódź", ["straße", "und", "łódź"]),
        ("C'est l'été", ["c'est", "l'été"]),
        ("我们用 AI 写", ["我", "们", "用", "ai", "写"]),
        ("これはテストです", ["こ", "れ", "は", "テスト", "で", "す"]),
        ("이것은 시험입니다", ["이것은", "시험입니다"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("snake_case `x`", ["snake", "case", "x"]),
    ],
)
def test_words_of_known_texts(text, expected):
    assert expected == PLAIN["words"](text)


def test_marks_leave_markdown_to_the_layout():
    text = "# Title\n\n1. **Bold** — “so”...\n- it's (ok)! 😀"

    assert Counter(["—", "“", "”", "...", "'", "(", ")", "!", "😀"]) == Counter(PLAIN["marks"](text))


def test_phrases_stay_within_marks_and_lines_and_are_joined_as_their_script_is():
    assert PLAIN["phrases"]("Well-known fact, so\nthere") == ["well known", "well known fact", "known fact"]
    assert joined(["我", "们"]) == "我们"
    assert joined(["ai", "写"]) == "ai 写"


def test_rhythm_of_a_known_text():
    """Two sentences of 2 and 6 words in one paragraph of 8, then a list item of one word."""
    found = Counter(PLAIN["rhythm"]("He left. Nobody saw him go that day.\n\n- Done"))

    assert found == Counter(
        {
            "sentence of 2 words": 1,
            "sentence of 5–6 words": 1,
            "sentence of 1 word": 1,
            "paragraph of 6–9 words": 1,
            "paragraph of 1–2 words": 1,
            "words of 3–3.5 letters": 1,
            "words of 3.5–4 letters": 1,
            "words of 4–4.5 letters": 1,
        }
    )


def test_openings_of_a_known_text():
    text = "Certainly! Here it is.\n\nHowever, no.\n\n- Item one. Let me know"

    assert Counter(PLAIN["openings"](text)) == Counter(
        [
            "reply: certainly",
            "paragraph: certainly",
            "paragraph: however",
            "paragraph: however no",
            "paragraph: item",
            "paragraph: item one",
            "last sentence: let",
            "last sentence: let me",
        ]
    )


def test_only_phrases_too_rare_to_be_looked_at_are_dropped_and_their_number_stays():
    texts = ["once upon a time"] * 4 + ["never seen before", "once upon"]
    how = facet("phrases")
    counts = count(Texts(texts), [(0, i) for i in range(6)], how, models=1, prompts=6, least=4)
    kept = {how.symbol(i) for i in counts.symbols.tolist()}

    assert kept == {"once upon", "upon a", "a time", "once upon a", "upon a time", "once upon a time"}
    assert counts.lengths.tolist() == [6, 6, 6, 6, 3, 1]


@settings(max_examples=100, deadline=None)
@given(texts=st.lists(TEXTS, max_size=12), least=st.integers(1, 4))
def test_dropping_keeps_exactly_the_phrases_that_occur_often_enough(texts, least):
    how = facet("phrases")
    counts = count(
        Texts(texts), [(0, i) for i in range(len(texts))], how, models=1, prompts=len(texts), least=least
    )
    found: Counter[str] = Counter()
    for identifier, number in zip(counts.symbols.tolist(), counts.counts.tolist(), strict=True):
        found[how.symbol(identifier)] += number
    every = Counter(phrase for text in texts for phrase in PLAIN["phrases"](text))
    found.pop("(none)", None)

    assert found == Counter({phrase: number for phrase, number in every.items() if number >= least})


def test_pieces_cover_what_is_no_white_space_in_plain_ascii():
    text = 'He said: "Go!" (twice) - 2.5% of #1...\n  * item\n\n> quote'

    assert "".join(piece for piece, *_ in spans(text)).replace(" ", "").replace(
        "\n", ""
    ) == text.lower().replace(" ", "").replace("\n", "")


def test_scripts_without_spaces_are_measured():
    assert unspaced_share("plain") == 0.0
    assert unspaced_share("我们 ab") == 0.5
    assert unspaced_share("이것은") == 0.0


LANGUAGES = {
    "English": ("mt_bench/model_answer/gpt-3.5-turbo.jsonl", 3),
    "Polish": ("mt_bench/model_answer/openchat-3.5-0106-speakleash-007-pl-8192-32-16-0.01.jsonl", 3),
    "Chinese": ("mt_bench_zh/model_answer/gpt-3.5-turbo.jsonl", 1),
    "Japanese": ("mt_bench_ja/model_answer/gpt-4o.jsonl", 1),
    "Korean": ("arena_hard_ko/model_answer/gpt-4.1-2025-04-14.jsonl", 2),
}


def replies(path) -> list[str]:
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        for turn in json.loads(line)["choices"][0]["turns"]:
            found += [turn if isinstance(turn, str) else turn["content"]]
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_real_replies_of_each_language_give_words_of_its_own_length(shared, language):
    """No language is skipped: nearly all letters are in words, and the words are as long as the script makes them."""
    path, least = LANGUAGES[language]
    texts = replies(shared / "data" / "formats" / path)[:60]
    words = [word for text in texts for word in PLAIN["words"](text)]
    letters = sum(map(str.isalnum, "".join(texts)))

    assert sum(sum(map(str.isalnum, word)) for word in words) > 0.99 * letters
    assert least <= sum(map(len, words)) / len(words) < least + 3
    assert {name: symbols(name, texts) for name in PLAIN} == {
        name: [Counter(PLAIN[name](text) or ["(none)"]) for text in texts] for name in PLAIN
    }


def test_every_piece_has_one_kind():
    pieces = cut(["A b. C", "说。"])

    assert [kind_of(piece) for piece in pieces.table] == pieces.kinds.tolist()
    assert int((pieces.kinds == WORD).sum()) == 4

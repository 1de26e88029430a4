from __future__ import annotations

import time
import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.facets.match_length import LEAST, Cut, cut_to_common_length

if TYPE_CHECKING:
    import random

words = st.sampled_from(
    [
        "word",
        "a",
        "naïve",
        "don't",
        "well-known",
        "3.14",
        "e\u0301te\u0301",
        "हिन्दी",
        "한국어",
        "👩‍💻",
        "**bold**",
    ]
)
spaced = st.lists(words, min_size=1, max_size=9).map(lambda some: " ".join(some * 600))
unspaced = st.text("一丁字ひらか\u3099。、ไทยำ่แ漢\ufe00", min_size=1, max_size=9).map(
    lambda some: ("字" + some) * 400
)


def one(text: str, length: int) -> str:
    """Return the text as it is cut beside another of the length."""
    return cut_to_common_length([text, "y" * length], [0, 0]).texts[0]


def test_each_prompt_has_its_own_length() -> None:
    """The shortest of a prompt is whole, the others of the prompt lose what is more."""
    long, middle, short = "word " * 200, "word " * 100, "word " * 50
    cut = cut_to_common_length([long, middle, long, short], [0, 0, 7, 7])

    assert (("word " * 100)[:-1], middle, ("word " * 50)[:-1], short) == cut.texts
    assert (cut.cut, cut.shortest, cut.short) == (2, (1, 3), ())
    assert cut.common == (249 + 499) / 2
    assert pytest.approx(cut.median_kept) == (499 / 1000 + 249 / 1000) / 2
    assert pytest.approx(cut.kept) == (499 + 500 + 249 + 250) / (1000 + 500 + 1000 + 250)


def test_a_reply_too_short_to_compare_is_whole_and_sets_no_length() -> None:
    """One refusal does not cut everybody's reply to a line."""
    texts = ["I cannot.", "word " * 300, "word " * 100, "x" * (LEAST - 1)]
    cut = cut_to_common_length(texts, [1, 1, 1, 1])

    assert (texts[0], ("word " * 100)[:-1], texts[2], texts[3]) == cut.texts
    assert cut.short == (0, 3)
    assert cut.shortest == (2,)


def test_white_space_at_the_end_is_no_length() -> None:
    """A reply padded with line breaks is as long as its text, and is no longer than another of that text."""
    texts = ["x" * 300 + "\n" * 900, "x" * 300]

    assert Cut(tuple(texts), 0, 1.0, 1.0, 300, (0, 1), ()) == cut_to_common_length(texts, [0, 0])


def test_where_nothing_is_cut_everything_is_kept() -> None:
    """No text, no prompt with two texts, no text that is long enough."""
    assert Cut((), 0, 1.0, 1.0, 0.0, (), ()) == cut_to_common_length([], [])
    assert cut_to_common_length(["word " * 90, ""], [0, 0]).texts == ("word " * 90, "")
    assert cut_to_common_length(["a", "b"], [0, 0]).common == 0


@given(spaced, st.integers(LEAST, 500))
def test_a_script_with_spaces_is_cut_between_words(text: str, length: int) -> None:
    """What is left are the first words, whole, as many as fit."""
    cut = one(text, length)
    left, whole = cut.split(), text.split()

    assert text.startswith(cut)
    assert left == whole[: len(left)]
    assert len(cut) <= length < len(" ".join(whole[: len(left) + 1]))


@given(unspaced, st.integers(LEAST, 400))
def test_a_script_without_spaces_is_cut_between_characters(text: str, length: int) -> None:
    """Before the mark that belongs to a character there is no cut, before any other character there may be one."""
    cut = one(text, length)

    def attached(place: int) -> bool:
        return unicodedata.category(text[place]) == "Mn" or text[place] == "ำ"

    assert text.startswith(cut)
    assert not attached(len(cut))
    assert all(attached(place) for place in range(len(cut) + 1, length + 1))


def test_chinese_fills_the_length() -> None:
    """Every character is a place to cut, so none is lost."""
    assert one("字" * 900, 250) == "字" * 250
    assert one("データ" * 900, 250)[:249] == "データ" * 83


@pytest.mark.parametrize(
    "cluster",
    ["e\u0301", "か\u3099", "字\ufe00", "👩‍💻", "👍🏽", "กำ", "น้ำ", "\ud83d\ude00", "🏴\U000e0067\U000e007f"],
)
@pytest.mark.parametrize("length", [250, 251, 252, 253])
def test_a_character_of_several_is_never_cut(cluster: str, length: int) -> None:
    """Not even where there is no space for hundreds of characters."""
    cut = one(cluster * 400, length)

    assert len(cut) % len(cluster) == 0
    assert length - len(cluster) < len(cut) <= length


def test_a_word_longer_than_half_the_length_is_cut_where_it_must() -> None:
    """A reply of one endless word still fills its length."""
    assert one("see " + "a" * 900, 250) == "see " + "a" * 246


def test_line_breaks_are_places_to_cut_and_never_the_end() -> None:
    """A cut before a heading leaves no empty lines behind."""
    assert one("x" * 199 + " y\n\n\n## Heading " + "z" * 99, 204) == "x" * 199 + " y"


@given(st.lists(st.tuples(spaced, st.integers(0, 3)), max_size=8), st.randoms())
def test_order_does_not_matter(given_pairs: list[tuple[str, int]], source: random.Random) -> None:
    """The same replies in another order are cut the same way, and the figures are the same."""
    shuffled = source.sample(given_pairs, len(given_pairs))
    results = [
        cut_to_common_length([text for text, _ in pairs], [prompt for _, prompt in pairs])
        for pairs in (given_pairs, shuffled)
    ]
    done = [
        sorted(zip(pairs, result.texts, strict=True))
        for pairs, result in zip((given_pairs, shuffled), results, strict=True)
    ]

    assert done[0] == done[1]
    assert results[0][1:5] == pytest.approx(results[1][1:5])


@pytest.mark.parametrize("text", ["a" * 10**6, "\u0301" * 10**6, " " * 10**6 + "a", "字" * 10**6])
def test_a_megabyte_of_anything_is_cut_at_once(text: str) -> None:
    """The work is at most that of the common length, a few hundred thousand characters here."""
    begun = time.process_time()
    cut = one(text, 300_000)

    assert len(cut) <= 300_000
    assert time.process_time() - begun < 5


def test_texts_and_prompts_are_as_many() -> None:
    """A prompt for each text."""
    with pytest.raises(ValueError, match="argument"):
        cut_to_common_length(["a"], [])

"""Tokens and counts: the ids are tiktoken's, whatever the text."""

from __future__ import annotations

import base64
import gzip
from collections import Counter

import numpy as np
import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.counts import count
from stylekl.facets import facet, tokens
from stylekl.facets.texts import Texts
from stylekl.results import load

TEXT = st.text(st.characters(codec=None), max_size=60)
SPACED = st.lists(
    st.sampled_from(["a", " ", "  ", "\n", "\t", "I'm", "2024", "**", "...", "é", "说", "😀", "\u3000"])
)


@pytest.fixture(scope="module")
def plain() -> tiktoken.Encoding:
    """The encoding built from the packaged file by the published recipe, without a separator."""
    data = gzip.decompress(
        (tokens.files("stylekl") / "facets" / "vocabulary" / "o200k_base.tiktoken.gz").read_bytes()
    )
    rows = (line.split() for line in data.splitlines())
    ranks = {base64.b64decode(token): int(rank) for token, rank in rows}
    return tiktoken.Encoding("o200k_base", pat_str=tokens.PATTERN, mergeable_ranks=ranks, special_tokens={})


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(TEXT, SPACED.map("".join)), max_size=8))
def test_many_texts_in_one_call_get_the_ids_that_each_gets_alone(plain, texts):
    safe = [text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in texts]
    found = list(tokens.encode(safe))

    assert [ids.tolist() for ids in found] == [plain.encode_ordinary(text) for text in safe]


def test_real_replies_get_the_ids_that_each_gets_alone(plain, shared):
    results = load(*sorted((shared / "data" / "alpaca_eval").glob("g*.json.gz")))
    texts = [reply.text for reply in results.replies][::7]

    for ids, text in zip(tokens.encode(texts), texts, strict=True):
        assert np.array_equal(ids, plain.encode_to_numpy(text))


def test_known_ids():
    """From OpenAI's published encoding."""
    assert next(tokens.encode(["hello world"])).tolist() == [24912, 2375]


@pytest.mark.parametrize(
    "text",
    [" " * 1_200_000, "a" * 600_000, "\ud800 lone", "<|endoftext|>", "\ufdd0 inside", "", "\0"],
    ids=["megabyte of spaces", "long word", "surrogate", "special", "separator", "empty", "nul"],
)
def test_no_text_ends_a_run(text):
    first, found, last = tokens.encode(["one two", text, "three"])

    assert first.tolist() == next(tokens.encode(["one two"])).tolist()
    assert last.tolist() == next(tokens.encode(["three"])).tolist()
    assert tokens.SEPARATOR_ID not in found


def test_a_surrogate_counts_as_the_replacement_character():
    assert next(tokens.encode(["a\udc80b"])).tolist() == next(tokens.encode(["a\ufffdb"])).tolist()


def test_counts_are_those_of_each_reply():
    texts = ["the cat and the dog", "a", "the the the"]
    table = count(Texts(texts), [(0, 0), (0, 1), (1, 0)], facet("tokens"), models=2, prompts=2)

    for row, text in enumerate(texts):
        entries = slice(table.starts[row], table.starts[row + 1])
        found = dict(zip(table.symbols[entries].tolist(), table.counts[entries].tolist(), strict=True))
        assert found == Counter(next(tokens.encode([text])).tolist())
    assert table.lengths.tolist() == [5, 1, 3]
    assert table.samples().tolist() == [[1, 1], [1, 0]]


def test_samples_of_a_prompt_are_numbered():
    table = count(
        Texts(["a", "b", "c", "d"]), [(0, 0), (0, 0), (0, 1), (1, 1)], facet("tokens"), models=2, prompts=2
    )

    assert table.sample.tolist() == [0, 1, 0, 0]
    assert table.rows(1) == slice(3, 4)


def test_symbols_have_texts_and_places():
    ids = next(tokens.encode(["Say hello, world"])).tolist()

    assert "".join(map(tokens.symbol, ids)) == "Say hello, world"
    assert tokens.locate("Say hello, world", ids[1]) == (3, 9)
    assert tokens.locate("Say", ids[1]) is None


def test_a_damaged_vocabulary_is_refused(monkeypatch):
    monkeypatch.setattr(tokens, "SHA256", "0" * 64)
    with pytest.raises(tokens.InternalError, match="not the published one"):
        tokens.ranks()

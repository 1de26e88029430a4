"""Tokens found without tiktoken stand where tiktoken puts them."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stylekl.facets import tokens
from stylekl.facets.fast import PROBE, doubtful
from stylekl.facets.finding import LONGEST, Finder, packed, pattern

WORDS = st.sampled_from(
    [
        " the",
        " their",
        "'s",
        "I'LL",
        "**",
        "\n\n",
        "  ",
        "naïve",
        "日本",
        "1234",
        "x\u0301",
        "-",
        "\u200d",
        "ß",
    ]
)
TEXTS = st.lists(WORDS | st.text(max_size=3), max_size=30).map("".join)


@pytest.fixture(scope="module")
def finder() -> Finder:
    return Finder(packed())


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.integers(0, 199_997))
@example(PROBE, 262)
@example("a" * 300 + " the", 279)
@example("\ud800 the the", 290)
@example("\ufdd0 the", 290)
@example("", 290)
def test_every_token_of_a_text_is_found_where_tiktoken_has_it(finder: Finder, text: str, other: int) -> None:
    """And one that the text does not hold nowhere, though its characters may stand there."""
    held = set(next(tokens.encode([text])).tolist())
    parts = {at for token in held for at in _parts(finder, tokens.symbol(token))}
    for token in held | parts | {other}:
        assert finder.locate(text, token, tokens.symbol(token)) == tokens.locate(text, token)


def _parts(finder: Finder, symbol: str) -> list[int]:
    """Return the tokens that a token's text begins with."""
    ranks = (finder.rank(symbol[:end].encode("utf-8", "surrogatepass")) for end in range(1, len(symbol)))
    return [rank for rank in ranks if rank is not None]


def test_pieces_of_all_scripts_are_cut_alike(finder: Finder) -> None:
    """Each character below U+3000 and some beyond: among letters, after an apostrophe, between digits and spaces."""
    some = [*range(0x3000), *range(0x3000, 0x110000, 487)]
    texts = [
        f"ab{chr(point)}cd '{chr(point)} 1{chr(point)}2 {chr(point)}\n{chr(point)}{chr(point)}A"
        for point in some
        if not doubtful(chr(point))
    ]
    assert len(texts) > 12_000
    for text, ids in zip(texts, tokens.encode(texts), strict=True):
        pieces = pattern().findall(text)
        cut = [finder.rank(token) for piece in pieces for token in finder.encode(piece.encode())]
        assert cut == ids.tolist(), text


def test_a_long_text_is_left_to_tiktoken(finder: Finder) -> None:
    text = "word " * (LONGEST // 5) + "end"
    token = next(tokens.encode(["end"])).tolist()[0]
    assert finder.locate(text, token, "end") == tokens.locate(text, token)

"""The fast tokenizer: never another id, and never used where it might give one.

Most of this runs without gigatoken, on a package of that name which asks tiktoken; the rest skips where there is none.
"""

from __future__ import annotations

import sys
import unicodedata
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stylekl.counts import count
from stylekl.errors import UsageError
from stylekl.facets import facet, fast, tokens
from stylekl.facets.texts import Texts
from stylekl.lenses.style import StyleOptions, matrix
from stylekl.results import load
from tests.lenses.make import APART, make_results

if TYPE_CHECKING:
    from pathlib import Path

real = pytest.mark.skipif(
    find_spec("gigatoken") is None, reason="gigatoken, the extra `fast`, is not installed"
)

STAND_IN = """
from stylekl.facets import tokens

class Tokenizer:
    @classmethod
    def from_tiktoken(cls, path, pretokenizer, special_tokens):
        assert path.read_bytes() == tokens.vocabulary()
        assert (pretokenizer, special_tokens) == ("o200k", {})
        return cls()

    @property
    def backend(self):
        return self

    def encode(self, text):
        return encode(text)

def encode(text):
    return next(tokens.encode([text]))
"""
TEXTS = ["It is not a bug.", "", "é — 說", "\ud800", "a\U000323b0b", "\ufdd0", "<|endoftext|>", " " * 300]
ANY_TEXTS = st.lists(
    st.text(st.characters(codec=None) | st.sampled_from("\u088f\U000323b0\ud800\ufdd0"), max_size=30),
    max_size=8,
)


@pytest.fixture(autouse=True)
def _anew(monkeypatch: pytest.MonkeyPatch):
    """Let every test choose for texts of any size, and load what it finds."""
    monkeypatch.setattr(fast, "LEAST", -1)
    fast.loaded.cache_clear()
    yield
    fast.loaded.cache_clear()


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Return what makes a package called gigatoken, of a version and with code of its own behind it."""
    before = sys.modules.get("gigatoken")

    def make(version: str = "0.10.3", code: str = "") -> None:
        (tmp_path / "gigatoken.py").write_text(STAND_IN + code)
        described = tmp_path / f"gigatoken-{version}.dist-info"
        described.mkdir()
        (described / "METADATA").write_text(f"Metadata-Version: 2.1\nName: gigatoken\nVersion: {version}\n")
        monkeypatch.syspath_prepend(tmp_path)
        sys.modules.pop("gigatoken", None)
        fast.loaded.cache_clear()

    yield make
    sys.modules.pop("gigatoken", None)
    if before is not None:
        sys.modules["gigatoken"] = before


def ids(texts, quick=None) -> list[list[int]]:
    found = tokens.encode(texts) if quick is None else tokens.encode_fast(texts, quick)
    return [each.tolist() for each in found]


@settings(max_examples=200, deadline=None)
@given(ANY_TEXTS)
def test_doubtful_texts_are_left_to_tiktoken(texts: list[str]) -> None:
    """All texts get their ids, in their order; the other tokenizer sees none that holds a doubtful character."""
    seen = []

    def quick(text: str):
        seen.append(text)
        return next(tokens.encode([text]))

    assert ids(texts, quick) == ids(texts)
    assert seen == [text for text in texts if not fast.doubtful(text)]
    for text in seen:
        text.encode()


class PanicException(BaseException):
    """As the bindings of Rust raise it."""


@pytest.mark.parametrize("kind", [PanicException, ValueError])
def test_a_text_that_it_fails_on_is_left_to_tiktoken(kind: type[BaseException]) -> None:
    def quick(text: str):
        if text == "bad":
            raise kind("broken")
        return next(tokens.encode([text]))

    assert ids(["good", "bad", "good"], quick) == ids(["good", "bad", "good"])


def test_ctrl_c_is_not_taken_for_its_failure() -> None:
    def quick(text: str):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ids(["text"], quick)
    with pytest.raises(KeyboardInterrupt):
        fast.agree(quick, ["text"])


def test_nothing_in_what_is_always_compared_is_doubtful() -> None:
    """Or it would be left out of the comparison."""
    assert not fast.doubtful(fast.PROBE)
    assert not fast.agree(lambda text: next(tokens.encode([text.replace("ไ", "")])), [fast.PROBE])


def test_long_texts_are_left_to_tiktoken() -> None:
    """It cuts them where memory asks for it."""

    def quick(text: str):
        assert len(text) <= tokens.JOINED
        return next(tokens.encode([text]))

    long = ["short", " " * (tokens.JOINED + 1), "word " * (tokens.LONGEST // 4), "short"]

    assert ids(long, quick) == ids(long)


def test_what_is_doubtful_is_listed_once_and_in_order() -> None:
    ends = [tuple(int(end, 16) for end in part.split("-")) for part in fast.NEWER.split()]
    flat = [end for part in ends for end in part]

    assert flat == sorted(flat)
    assert len(set(ends)) == len(ends)
    assert [character for character in "aé—說😀\ufdd0\ue000\U0010ffff" if fast.doubtful(character)] == []
    for low, high in ((part[0], part[-1]) for part in ends):
        assert all(map(fast.doubtful, (chr(low), chr(high), f"it is{chr(low)}.")))


@pytest.mark.skipif(
    unicodedata.unidata_version != "14.0.0", reason="this Python knows another version of Unicode"
)
def test_no_character_of_unicode_14_is_doubtful_but_one_that_changed_its_class() -> None:
    doubtful = map(chr, np.flatnonzero(fast._newer()).tolist())

    assert [text for text in doubtful if unicodedata.category(text) not in ("Cn", "Cs")] == ["\u0295"]


def test_letters_marks_and_numbers_that_this_python_knows_beyond_unicode_14_are_doubtful() -> None:
    """Samples of each version: Kawi (15.0), an ideograph of extension I (15.1), Garay (16.0), extension J (17.0)."""
    assert all(map(fast.doubtful, ("\U00011f02", "\U0002ebf0", "\U00010d50", "\U000323b0")))


def test_it_is_used_where_it_is_installed(stand_in) -> None:
    stand_in()
    chosen = fast.choose(Texts(TEXTS))

    assert chosen.warning is None
    assert ids(TEXTS, chosen.encode) == ids(TEXTS)


def test_few_texts_load_nothing(stand_in, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(code="raise AssertionError")
    monkeypatch.setattr(fast, "LEAST", sum(map(len, TEXTS)))

    assert fast.choose(Texts(TEXTS)) == fast.Choice()
    assert fast.choose(Texts([*TEXTS, "."])).warning is not None


def test_the_environment_turns_it_off(stand_in, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(code="raise AssertionError")
    monkeypatch.setenv("STYLEKL_TOKENIZER", "tiktoken")

    assert fast.choose(Texts(TEXTS)) == fast.Choice()
    for given_ in ("", "auto"):
        monkeypatch.setenv("STYLEKL_TOKENIZER", given_)
        assert fast.choose(Texts(TEXTS)).warning is not None


def test_a_tokenizer_that_is_none_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STYLEKL_TOKENIZER", "slow")

    with pytest.raises(UsageError, match=r"^STYLEKL_TOKENIZER: no tokenizer slow$") as error:
        fast.choose(Texts(TEXTS))
    assert error.value.hint == "one of: auto, tiktoken"


WRONG = {
    "one text": "plain = encode\ndef encode(text): return plain(text)[: 3 if 'one' in text else None]",
    "an error": "def encode(text): raise ValueError",
    "a panic": "class PanicException(BaseException): pass\ndef encode(text): raise PanicException",
    "nothing": "def encode(text): return []",
}


@pytest.mark.parametrize("how", WRONG)
def test_one_that_differs_on_texts_of_the_run_counts_none_of_them(how: str, stand_in) -> None:
    """A warning stands in the report, and every number is that of tiktoken."""
    results = make_results(APART, prompts=12, seed=5)
    asked = StyleOptions(cache=False)
    plain = matrix(results, asked)
    stand_in(code=WRONG[how])
    found = matrix(results, asked)

    (warning,) = set(found.warnings) - set(plain.warnings)
    assert warning == (
        "gigatoken is installed and not used: it differs from tiktoken on these replies; tiktoken counted the tokens"
    )
    assert [repr(pair) for pair in found.pairs] == [repr(pair) for pair in plain.pairs]


@pytest.mark.parametrize(
    ("version", "code", "reason"),
    [
        ("0.11.0", "", "it is of a version that was not compared with tiktoken"),
        ("0.10.0", "raise ImportError('no such symbol')", "it cannot be loaded: ImportError"),
        ("0.10.0", "import awkward_that_is_not_there", "it cannot be loaded: ModuleNotFoundError"),
        ("0.10.0", "Tokenizer = None", "it cannot be loaded: AttributeError"),
    ],
    ids=["another version", "broken", "without a part", "another interface"],
)
def test_one_that_is_not_known_is_not_used(version: str, code: str, reason: str, stand_in) -> None:
    stand_in(version, code)

    assert fast.choose(Texts(TEXTS)) == fast.Choice(
        None, f"gigatoken is installed and not used: {reason}; tiktoken counted the tokens"
    )


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 30), max_size=20))
def test_it_is_loaded_anew_before_it_has_seen_too_much(sizes: list[int]) -> None:
    """And gives the same ids: no load of it sees more than the bound, but for a text that is longer alone."""
    seen: list[list[int]] = []

    def load():
        seen.append([])

        def encode(text: str):
            seen[-1].append(len(text))
            return len(text)

        return encode

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast, "RENEWED", 20)
        encode = fast.Renewed(load)
        assert [encode("a" * size) for size in sizes] == sizes
    assert [size for part in seen for size in part] == sizes
    assert all(sum(part) <= 20 or len([size for size in part if size]) == 1 for part in seen)


def test_what_was_chosen_for_some_texts_is_not_chosen_for_others(
    stand_in, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And for the same texts it is chosen once."""
    stand_in()
    how = facet("tokens")
    texts = Texts(TEXTS)
    chosen = how.choose(texts)
    monkeypatch.setenv("STYLEKL_TOKENIZER", "tiktoken")

    assert chosen is not None
    assert how.choose(texts) is chosen
    assert how.choose(Texts(TEXTS)) is None


CONTEXTS = "A{0}b 1{0}2.{0}'s\n"


@real
def test_it_gives_the_ids_of_tiktoken_for_every_code_point_that_is_not_doubtful() -> None:
    """Beside letters, digits, marks and white space. The doubtful ones are there for a reason, too."""
    quick = fast.loaded()

    def differ(text: str) -> bool:
        return not np.array_equal(quick(text), next(tokens.encode([text])))

    found = []
    for low in range(0, 0x110000, 0x400):
        texts = [
            CONTEXTS.format(chr(code)) for code in range(low, low + 0x400) if not 0xD800 <= code < 0xE000
        ]
        if differ("".join(texts)):
            found += [text for text in texts if differ(text)]

    assert [text[1] for text in found if not fast.doubtful(text)] == []
    assert len(found) > 1000


@real
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    ANY_TEXTS
    | st.lists(st.lists(st.sampled_from(["a", "B", " ", "\n", "'s", "1", "é", "說", "."])).map("".join))
)
def test_it_gives_the_ids_of_tiktoken_for_any_texts(texts: list[str]) -> None:
    assert ids(texts, fast.loaded()) == ids(texts)


@real
@pytest.mark.parametrize("unit", [" ", "a", "\n", "é", "😀", "1", "'s", " \n", "A", "\u0301"])
def test_it_takes_long_runs(unit: str) -> None:
    text = (unit * tokens.JOINED)[: tokens.JOINED]

    assert ids([text], fast.loaded()) == ids([text])


@real
def test_real_replies_are_counted_the_same_with_and_without(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts, and the reports made of them."""
    paths = sorted((shared / "data" / "alpaca_eval").glob("g*.json.gz"))[:5]
    results = load(*paths)
    texts = Texts([reply.text for reply in results.replies])
    places = [(0, number) for number in range(len(texts.texts))]
    found = []
    for tokenizer in ("auto", "tiktoken"):
        monkeypatch.setenv("STYLEKL_TOKENIZER", tokenizer)
        assert (facet("tokens").choose(texts) is not None) == (tokenizer == "auto")
        counts = count(texts, places, facet("tokens"), models=1, prompts=len(places))
        arrays = [getattr(counts, name).tobytes() for name in ("symbols", "counts", "starts", "lengths")]
        found.append((arrays, repr(matrix(results, StyleOptions(cache=False)))))

    assert found[0] == found[1]

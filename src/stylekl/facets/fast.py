"""Tokens by gigatoken where it is installed: the ids that tiktoken gives, in an eighth of the time.

Two things keep the two from differing. In every run they are compared on texts of that run before any is counted, and
a difference leaves all to tiktoken, with a warning. And they may know different versions of Unicode, so a text with a
character that is a letter, a mark or a number in a newer one alone is left to tiktoken: `NEWER` lists these.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from stylekl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from stylekl.facets.texts import Texts

    Encode = Callable[[str], NDArray[np.uint32]]

VARIABLE = "STYLEKL_TOKENIZER"
CHOICES = ("auto", "tiktoken")
VERSION = "0.10."  # of gigatoken, for which the comparison of all code points was made
LEAST = 8_000_000  # characters below which loading a second tokenizer costs more than it saves
RENEWED = 256_000_000  # characters: what it remembers of so much prose is 100 MB
SAMPLE = 200  # texts of each run on which the two are compared
SAMPLED = 20_000  # characters of each that are looked at

# The letters, marks and numbers that Unicode 15.0 to 18.0 added to 14.0, or moved from one class of letters to another,
# with what is unassigned between them. The pattern of the tokens asks for no other class, so two programs that know any
# of these versions cut all other characters alike. Of these, tiktoken 0.14 and gigatoken 0.10 cut 4,699 differently.
# Derived by comparing unicodedata of Python 3.11 (14.0) with that of the package unicodedata2 18.0.
NEWER = (
    "295 558 58B-58C 5C8-5C9 88F 897 B53-B54 C5C CDC CF3 ECE 1ACF-1AF0 1C89-1C8A 208F 209D-209F A7CB-A7CF "
    "A7D2 A7D4 A7DA-A7F1 AB6C-AB6D 105C0-105F3 107BB-107BF 10940-10959 10D40-10D85 10EC2-10EFF 1123F-11241 "
    "11380-113E2 116D0-116E3 11B0A-11BF9 11DB0-11DF1 11F00-11F5A 1246F 12475-1247F 12550-12686 1342F "
    "13440-143FA 16100-16139 16D40-16D79 16EA0-16ED3 16FF2-16FF6 187F8-187FF 18CD6-18CFF 18D09-191D2 "
    "1B123-1B132 1B155 1B168 1CCF0-1CCF9 1D127-1D128 1D250-1D2D3 1D6A6 1DF1F-1DFFF 1E030-1E08F 1E4D0-1E6FF "
    "2B739-2B73F 2B81E 2CEA2-2CEAD 2EBF0-2EE5D 31350-3FC3F"
)

# What is compared beside the texts of the run: each branch of the pattern, and scripts that a run may lack.
PROBE = (
    "I'm sure they'll say: It's 12345 × 6.7 = 83,0\u0661\u0662…\r\n\r\n  - **bold** `code`\t\t/* // */   \n\n\n end  "
    "Ünïcödé ЖЕНЩИНА женщина ΣΊΣΥΦΟΣ ǅ ʰ हिन्दी বাংলা தமிழ் ไทย 日本語カタカナ 한국어 العربية 👩\u200d🚀🇪🇺 "
    "𝒜𝟙 \u3000。\u00a0<|endoftext|>\0\ufdd0\x85McDonald'S aBCd"
)


@cache
def _newer() -> NDArray[np.bool_]:
    """Return for every code point whether it is in `NEWER`, or a lone surrogate, which is no character at all."""
    import numpy as np

    found = np.zeros(0x110000, bool)
    for part in (*NEWER.split(), "D800-DFFF"):
        low, _, high = part.partition("-")
        found[int(low, 16) : int(high or low, 16) + 1] = True
    return found


def doubtful(text: str) -> bool:
    """Return whether a text holds a character on which the two tokenizers may differ."""
    import numpy as np

    if text.isascii():
        return False
    return bool(_newer()[np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")].any())


class Choice(NamedTuple):
    """What encodes the texts of a run in place of tiktoken, if anything, and a warning where it should have."""

    encode: Encode | None = None
    warning: str | None = None


def choose(texts: Texts) -> Choice:
    """Return what is to encode these texts: nothing in place of tiktoken unless all that is said above holds.

    Raises UsageError where STYLEKL_TOKENIZER names no tokenizer.
    """
    if not wanted() or not texts.exceed(LEAST):
        return Choice()
    try:
        encode = loaded()
    except BaseException as error:  # whatever another version or a broken installation raises
        if isinstance(error, ModuleNotFoundError) and error.name == "gigatoken":
            return Choice()
        if not theirs(error):
            raise
        return Choice(None, _unused(f"it cannot be loaded: {type(error).__name__}"))
    if encode is None:
        return Choice(None, _unused("it is of a version that was not compared with tiktoken"))
    if not agree(encode, [PROBE, *texts.spread(SAMPLE)]):
        return Choice(None, _unused("it differs from tiktoken on these replies"))
    return Choice(encode)


def wanted() -> bool:
    """Return whether gigatoken may be used: unless STYLEKL_TOKENIZER is tiktoken; raises UsageError for other names."""
    given = os.environ.get(VARIABLE, "") or "auto"
    if given not in CHOICES:
        raise UsageError(f"{VARIABLE}: no tokenizer {given}", f"one of: {', '.join(CHOICES)}")
    return given == "auto"


def _unused(reason: str) -> str:
    return f"gigatoken is installed and not used: {reason}; tiktoken counted the tokens"


class Renewed:
    """An encoder that is loaded anew after so many characters: gigatoken remembers all that it has seen."""

    def __init__(self, load: Callable[[], Encode]) -> None:
        self._load, self._encode, self._seen = load, load(), 0

    def __call__(self, text: str) -> NDArray[np.uint32]:
        """Return the ids of a text."""
        self._seen += len(text)
        if self._seen > RENEWED:
            self._encode, self._seen = self._load(), len(text)
        return self._encode(text)


@cache
def loaded() -> Encode | None:
    """Return the encoder of gigatoken; None where its version is not one that was compared.

    Raises ModuleNotFoundError where it is not installed.
    """
    from importlib.metadata import version

    import gigatoken

    if not version("gigatoken").startswith(VERSION):
        return None

    def load() -> Encode:
        import tempfile
        from pathlib import Path

        from stylekl.facets.tokens import vocabulary

        # It reads a file, by its path.
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "o200k_base.tiktoken"
            path.write_bytes(vocabulary())
            made: Any = gigatoken.Tokenizer.from_tiktoken(path, pretokenizer="o200k", special_tokens={})
        encode: Encode = made.backend.encode
        return encode

    return Renewed(load)


def agree(encode: Encode, texts: Sequence[str]) -> bool:
    """Return whether an encoder gives the ids of tiktoken for all texts that hold nothing doubtful."""
    import numpy as np

    from stylekl.facets.tokens import encode as by_tiktoken

    sure = [text[:SAMPLED] for text in texts if not doubtful(text)]
    try:
        return all(
            np.array_equal(encode(text), ids) for text, ids in zip(sure, by_tiktoken(sure), strict=True)
        )
    except BaseException as error:
        if not theirs(error):
            raise
        return False


def theirs(error: BaseException) -> bool:
    """Return whether a tokenizer raised this, and not Ctrl-C or the end of a process: its panics are no Exception."""
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"

"""From a reply to a verdict: normalise it, see whether it is one word, look the word up."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from stylekl.lenses.verdicts.words import Words

Verdict = Literal["yes", "no", "other"]
VERDICTS: tuple[Verdict, ...] = ("yes", "no", "other")

# What JavaScript takes for white space, since the published code is JavaScript. Python's own set has the separators
# U+001C to U+001F and U+0085 more and U+FEFF less.
_SPACE = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_TRIM = re.compile(f"^[{_SPACE}]+|[{_SPACE}]+$")
_SPACES = re.compile(f"[{_SPACE}]+")
_EMPHASIS = str.maketrans("", "", "*_`")
_QUOTES = "\"'“”‘’"
_STOPS = ".!?,;:"
# By the words alone, every quotation mark is one and so is every full stop, and nothing invisible is a word.
_ALL_QUOTES = "\"'«»‘’‚‛“”„‟‹›「」『』〝〞〟｢｣❛❜❝❞"
_ALL_STOPS = ".!?,;:…‥。、｡､！？，；：؟،؛۔।॥·"
_INVISIBLE = "\u00ad\u200b-\u200f\u2060-\u2064\u2066-\u2069\u202a-\u202e"
_TRIM_ALL = re.compile(f"^[{_SPACE}{_INVISIBLE}]+|[{_SPACE}{_INVISIBLE}]+$")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reply says: its verdict, whether it is exactly one word, and the text that both were read from."""

    verdict: Verdict
    one_word: bool
    normalised: str


def normalise(text: str) -> str:
    """Return a reply as it is compared with the word lists, in the order of steps of the published code.

    Unicode NFKC; trim; delete every `*`, `_` and backtick; strip straight and curly quotes at both ends; strip
    trailing `.!?,;:`; collapse white space; trim; lower case. Each step is taken once, so `"Yes".` keeps a quote.
    """
    folded = _TRIM.sub("", unicodedata.normalize("NFKC", text)).translate(_EMPHASIS)
    bare = folded.strip(_QUOTES).rstrip(_STOPS)
    return _TRIM.sub("", _SPACES.sub(" ", bare)).lower()


def normalise_literally(text: str) -> str:
    """Return a reply as the words of the method alone have it: any quotes, emphasis and stops go, in any order.

    Beyond `normalise`: quotation marks and stops of other scripts count, characters without width are trimmed like
    white space, and the steps are taken again until nothing changes.
    """
    bare, before = unicodedata.normalize("NFKC", text).translate(_EMPHASIS), None
    while bare != before:
        before = bare
        bare = _TRIM_ALL.sub("", bare).strip(_ALL_QUOTES).rstrip(_ALL_STOPS)
    return _SPACES.sub(" ", bare).lower()


def classify(text: str, words: Words, *, literal: bool = False) -> Answer:
    """Return the answer in a reply. Only a single word on the lists is yes or no; nothing at all is no word."""
    normalised = normalise_literally(text) if literal else normalise(text)
    one_word = bool(normalised) and " " not in normalised
    verdict: Verdict = "other"
    if one_word and normalised in words.yes:
        verdict = "yes"
    elif one_word and normalised in words.no:
        verdict = "no"
    return Answer(verdict, one_word, normalised)

"""Replies cut to a common length: what `--match-length` compares.

A long reply has room for habits that a short one has not: headings, a list, a summary at its end. Where models
differ in length, part of what separates them is that. Cut to one length for each prompt, the same amount of text by
everyone is compared, its beginning.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Characters, some 45 tokens of English. A reply below it is a refusal, a word or a line: cut to that, the others would
# have nothing left to compare. It is kept whole and sets no length.
LEAST = 200

# Scripts that put no space between words: Thai, Lao, Tibetan; Myanmar, Khmer, Tai, Balinese, Javanese; Han, hiragana
# and bopomofo; the punctuation of these. Katakana and hangul mark their words.
_UNSPACED = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\u1b00-\u1b7f\ua980-\ua9df\uaa60-\uaa7f"
    "\u2e80-\u309f\u30fb\u3100-\u312f\u31a0-\u31ef\u3200-\u9fff\uf900-\ufaff\U00016fe0-\U00018dff"
    "\U00020000-\U0003ffff\ufe30-\ufe4f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]"
)
# What belongs to the character before it besides marks: joiner, Thai and Lao am, skin tones, tags of flags.
_ATTACHED = re.compile("[\u200d\u0e33\u0eb3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")


class Cut(NamedTuple):
    """Replies cut to a common length, and how much that took.

    `texts` are as many as were given, in their order. `cut` counts those that lost something; `kept` is the share of
    all characters that is left, `median_kept` the median of what is left of each text that was cut, both 1 where none
    was. `common` is the median over the prompts of their common length, in characters; 0 where no prompt has one.

    `shortest` are the places of the texts that set the length of their prompt, `short` of those below `LEAST`, which
    were kept whole. Where one writer has most of `shortest`, all are compared by what fits into this one's replies;
    where most of a writer's are in `short`, its length differs from that of the others still.
    """

    texts: tuple[str, ...]
    cut: int
    kept: float
    median_kept: float
    common: float
    shortest: tuple[int, ...]
    short: tuple[int, ...]


def cut_to_common_length(texts: Sequence[str], prompts: Sequence[int]) -> Cut:
    """Return `texts` cut, for each prompt, to the length of the shortest that has at least `LEAST` characters.

    `prompts` names the prompt of each text. Length is counted in characters, without white space at the end. A text
    is cut before a word that would not fit whole, at white space or where the script uses none between words, never
    within a character that is made of several, and ends without white space; so it may be shorter than the common
    length by a word. Where half the common length has no such place, as in a word of a thousand letters, the cut
    is where the length ends. Texts below `LEAST` characters are kept whole, and so is a text that alone reaches it.
    Markdown is text like any other, so a cut may leave a fence or emphasis open.

    Nothing depends on the order of the texts. The more replies a prompt has, the shorter is the shortest of them:
    narrow the models before you cut.
    """
    lengths = [len(text.rstrip()) for text in texts]
    common: dict[int, int] = {}
    for prompt, length in zip(prompts, lengths, strict=True):
        if length >= LEAST:
            common[prompt] = min(length, common.get(prompt, length))
    done = tuple(
        _cut(text, common[prompt]) if length >= LEAST and length > common[prompt] else text
        for text, prompt, length in zip(texts, prompts, lengths, strict=True)
    )
    shares = [len(new) / len(old) for new, old in zip(done, texts, strict=True) if new is not old]
    return Cut(
        texts=done,
        cut=len(shares),
        kept=sum(map(len, done)) / sum(map(len, texts)) if shares else 1.0,
        median_kept=_median(shares, 1.0),
        common=_median(common.values(), 0.0),
        shortest=tuple(
            place
            for place, (prompt, length) in enumerate(zip(prompts, lengths, strict=True))
            if length >= LEAST and length == common[prompt]
        ),
        short=tuple(place for place, length in enumerate(lengths) if length < LEAST),
    )


def _cut(text: str, length: int) -> str:
    """Return the beginning of `text`, at most `length` characters of it; the text is longer."""
    for end in range(length, length // 2, -1):
        if _between_words(text[end - 1], text[end]) and _apart(text[end - 1], text[end]):
            return text[:end].rstrip()
    for end in range(length, 0, -1):
        if _apart(text[end - 1], text[end]):
            return text[:end].rstrip()
    return text[:length]  # one character with hundreds of marks


def _between_words(before: str, after: str) -> bool:
    if after.isspace() or before.isspace():
        return True
    return max(before, after) >= "\u0e00" and bool(_UNSPACED.match(before) or _UNSPACED.match(after))


def _apart(before: str, after: str) -> bool:
    """Whether a reader sees two characters here and not one."""
    if after < "\u0300":
        return before != "\u200d"
    return not (
        before == "\u200d"
        or _ATTACHED.match(after)
        or "\udc00" <= after <= "\udfff"  # the second half of a pair that JSON left apart
        or unicodedata.category(after).startswith("M")
    )


def _median(values: Iterable[float], otherwise: float) -> float:
    ranked = sorted(values)
    if not ranked:
        return otherwise
    return (ranked[(len(ranked) - 1) // 2] + ranked[len(ranked) // 2]) / 2

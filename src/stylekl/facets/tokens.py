"""Tokens of the o200k_base encoding: what the reply is made of, white space and layout included.

The rank file ships with the package, so nothing is fetched. Special tokens are not recognised: a reply that
holds the characters `<|endoftext|>` is text like any other.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from binascii import a2b_base64
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import TYPE_CHECKING

from stylekl.errors import InternalError
from stylekl.facets.classes import CLASSES, class_of
from stylekl.facets.texts import Encoded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np
    import tiktoken
    from numpy.typing import NDArray

    from stylekl.facets.fast import Encode
    from stylekl.facets.texts import Texts

LIMIT = 1 << 18
SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"

# A million spaces exhaust tiktoken's regular expression and end in a panic; 900,000 of anything tried do not.
LONGEST = 500_000
JOINED = 200_000  # characters that go into one call
TEXTS = 1024  # texts counted at a time: the sort stays in cache

# A noncharacter: text has no business holding it, and one that does is tokenised alone.
SEPARATOR, SEPARATOR_ID = "\ufdd0", 199_999
_SURROGATE = re.compile("[\ud800-\udfff]")

_WORD_START = r"[^\r\n\p{L}\p{N}]?"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
PATTERN = "|".join(
    (
        f"{_WORD_START}{_UPPER}*{_LOWER}+{_CONTRACTION}",
        f"{_WORD_START}{_UPPER}+{_LOWER}*{_CONTRACTION}",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)


def vocabulary() -> bytes:
    """Return the packaged file of tokens and their ranks; raises InternalError if it is damaged."""
    path = files("stylekl") / "facets" / "vocabulary" / "o200k_base.tiktoken.gz"
    try:
        data = gzip.decompress(path.read_bytes())
    except (OSError, EOFError) as error:
        raise InternalError(
            f"the tokens' vocabulary cannot be read: {error}", "install stylekl again"
        ) from None
    if hashlib.sha256(data).hexdigest() != SHA256:
        raise InternalError("the tokens' vocabulary is not the published one", "install stylekl again")
    return data


def ranks() -> dict[bytes, int]:
    """Return every token with its rank, which is its id; raises InternalError if the packaged ones are damaged."""
    # The published file lists rank 0, 1, 2, … without a gap (the digest vouches for it).
    return {token: rank for rank, token in enumerate(map(a2b_base64, vocabulary().split()[::2]))}


@cache
def encoding() -> tiktoken.Encoding:
    """Return the o200k_base encoding, built from the packaged ranks; raises InternalError if they are damaged.

    Its one special token is the separator that `encode` puts between texts.
    """
    import tiktoken

    return tiktoken.Encoding(
        "o200k_base", pat_str=PATTERN, mergeable_ranks=ranks(), special_tokens={SEPARATOR: SEPARATOR_ID}
    )


def encode(texts: Iterable[str]) -> Iterator[NDArray[np.uint32]]:
    """Yield the token ids of each text.

    Many texts go through one call, which halves the time: tiktoken cuts at a special token first, so each gets
    the ids that it would get alone. A text of more than 500,000 characters is tokenised in pieces of that length,
    and a lone surrogate counts as U+FFFD, so that no reply can end a run.
    """
    waiting: list[str] = []
    size = 0
    for text in texts:
        alone = len(text) > JOINED or SEPARATOR in text
        if waiting and (alone or size + len(text) > JOINED):
            yield from _together(waiting)
            waiting, size = [], 0
        if alone:
            yield _alone(text)
        else:
            waiting.append(text)
            size += len(text)
    if waiting:
        yield from _together(waiting)


def encode_fast(texts: Iterable[str], quick: Encode) -> Iterator[NDArray[np.uint32]]:
    """Yield what `encode` yields; `quick` is called with each text on which it is known to agree."""
    from stylekl.facets.fast import doubtful, theirs

    texts = iter(texts)
    while batch := list(islice(texts, TEXTS)):
        # One search for all of them: hardly any holds what it looks for.
        doubt = doubtful("".join(text for text in batch if not text.isascii()))
        for text in batch:
            if len(text) > JOINED or (doubt and doubtful(text)):
                yield from encode([text])
                continue
            try:
                ids = quick(text)
            except BaseException as error:
                if not theirs(error):
                    raise
                ids = next(encode([text]))
            yield ids


def _together(texts: list[str]) -> Iterator[NDArray[np.uint32]]:
    import numpy as np

    joined = SEPARATOR.join(texts)
    try:
        ids = encoding().encode_to_numpy(joined, allowed_special="all")
    except UnicodeEncodeError:
        ids = encoding().encode_to_numpy(_whole(joined), allowed_special="all")
    start = 0
    for end in (*np.flatnonzero(ids == SEPARATOR_ID).tolist(), len(ids)):
        yield ids[start:end]
        start = end + 1


def _alone(text: str) -> NDArray[np.uint32]:
    import numpy as np

    text = _whole(text)
    pieces = [text[start : start + LONGEST] for start in range(0, len(text), LONGEST)]
    return np.concatenate([encoding().encode_to_numpy(piece, disallowed_special=()) for piece in pieces])


def _whole(text: str) -> str:
    """Return `text` with U+FFFD for lone surrogates, which no encoding can hold."""
    return _SURROGATE.sub("\ufffd", text)


def symbol(identifier: int) -> str:
    r"""Return the token's text; bytes that are no whole character show as `\xNN`."""
    return encoding().decode_single_token_bytes(identifier).decode("utf-8", "backslashreplace")


def locate(text: str, identifier: int) -> tuple[int, int] | None:
    """Return where the token first stands in `text`, in characters; None where it does not."""
    ids = next(encode([text])).tolist()
    if identifier not in ids or len(text) > LONGEST:
        return None
    at = ids.index(identifier)
    # A character that is cut at the end is not there yet: that is what "ignore" leaves out.
    start, end = (len(encoding().decode_bytes(ids[:stop]).decode("utf-8", "ignore")) for stop in (at, at + 1))
    return start, max(end, start + 1)


def batches(texts: Iterable[str], quick: Encode | None = None) -> Iterator[Encoded]:
    """Yield the tokens of texts, batch by batch, by `quick` where there is one."""
    import numpy as np

    encoded = encode(texts) if quick is None else encode_fast(texts, quick)
    while batch := list(islice(encoded, TEXTS)):
        lengths = np.fromiter(map(len, batch), np.int64, len(batch))
        yield Encoded(np.concatenate(batch), lengths, lengths)


class Tokens:
    """The facet of tokens. Its symbols have the same ids in every file."""

    NAME = "tokens"
    UNIT = "token"
    CLASSES = CLASSES
    limit = LIMIT
    warnings: tuple[str, ...] = ()  # of the last texts that were encoded
    _chosen: tuple[Texts, Encode | None] | None = None

    def encode(self, texts: Texts, least: int = 1) -> Iterator[Encoded]:  # noqa: ARG002
        """Yield the tokens of the texts, batch by batch."""
        yield from batches(texts.texts, self.choose(texts))

    def choose(self, texts: Texts) -> Encode | None:
        """Return what encodes these texts in place of tiktoken, and note where something should have."""
        from stylekl.facets.fast import choose

        if self._chosen is None or self._chosen[0] is not texts:
            chosen = choose(texts)
            self._chosen = texts, chosen.encode
            self.warnings = () if chosen.warning is None else (chosen.warning,)
        return self._chosen[1]

    def symbol(self, identifier: int) -> str:
        """Return the token's text."""
        return symbol(identifier)

    def kind(self, identifier: int) -> str:
        """Return the class of a token."""
        return class_of(symbol(identifier))

    def locate(self, text: str, identifier: int) -> tuple[int, int] | None:
        """Return where the token first stands in `text`, in characters, or None."""
        return locate(text, identifier)

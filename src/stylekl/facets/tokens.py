"""Tokens of the o200k_base encoding: what the reply is made of, white space and layout included.

The rank file ships with the package, so nothing is fetched. Special tokens are not recognised: a reply that
holds the characters `<|endoftext|>` is text like any other.
"""

from __future__ import annotations

import gzip
import hashlib
from binascii import a2b_base64
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from stylekl.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np
    import tiktoken
    from numpy.typing import NDArray

NAME = "tokens"
LIMIT = 1 << 18
SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"

# A million spaces exhaust tiktoken's regular expression and end in a panic; 900,000 of anything tried do not.
LONGEST = 500_000

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


def _ranks() -> dict[bytes, int]:
    path = files("stylekl") / "facets" / "vocabulary" / "o200k_base.tiktoken.gz"
    try:
        data = gzip.decompress(path.read_bytes())
    except (OSError, EOFError) as error:
        raise InternalError(
            f"the tokens' vocabulary cannot be read: {error}", "install stylekl again"
        ) from None
    if hashlib.sha256(data).hexdigest() != SHA256:
        raise InternalError("the tokens' vocabulary is not the published one", "install stylekl again")
    # The published file lists rank 0, 1, 2, … without a gap (the digest vouches for it).
    return {token: rank for rank, token in enumerate(map(a2b_base64, data.split()[::2]))}


@cache
def encoding() -> tiktoken.Encoding:
    """Return the o200k_base encoding, built from the packaged ranks; raises InternalError if they are damaged."""
    import tiktoken

    return tiktoken.Encoding("o200k_base", pat_str=PATTERN, mergeable_ranks=_ranks(), special_tokens={})


def encode(texts: Iterable[str]) -> Iterator[NDArray[np.uint32]]:
    """Yield the token ids of each text.

    A text of more than 500,000 characters is tokenised in pieces of that length, and a lone surrogate counts
    as U+FFFD, so that no reply can end a run.
    """
    encode_one = encoding().encode_to_numpy
    for text in texts:
        try:
            yield encode_one(text) if len(text) <= LONGEST else _in_pieces(text)
        except UnicodeEncodeError:
            yield _in_pieces(text.encode("utf-8", "replace").decode())


def _in_pieces(text: str) -> NDArray[np.uint32]:
    import numpy as np

    pieces = [text[start : start + LONGEST] for start in range(0, len(text), LONGEST)]
    return np.concatenate([encoding().encode_to_numpy(piece) for piece in pieces])


def symbol(identifier: int) -> str:
    r"""Return the token's text; bytes that are no whole character show as `\xNN`."""
    return encoding().decode_single_token_bytes(identifier).decode("utf-8", "backslashreplace")


def locate(text: str, identifier: int) -> tuple[int, int] | None:
    """Return where the token first stands in `text`, in characters; None where it does not."""
    ids = next(encode([text])).tolist()
    if identifier not in ids or len(text) > LONGEST:
        return None
    _, offsets = encoding().decode_with_offsets(ids)
    offsets.append(len(text))
    at = ids.index(identifier)
    return offsets[at], max(offsets[at + 1], offsets[at] + 1)

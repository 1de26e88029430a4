"""What can be wrong with the text of one reply, told from the text alone. Each test costs little where nothing is."""

from __future__ import annotations

import re

# A stretch that comes again and again counts as a loop from LOOP_TIMES on, where the loop makes LOOP_SHARE of the text
# and LOOP_LEAST characters: the refrain of a poem and the rows of a table stay below, generation that hangs does not.
LOOP_TIMES, LOOP_SHARE, LOOP_LEAST = 8, 0.3, 200
RUN = 150  # the same character so often in a row: longer than any rule drawn with dashes
SHORT_PLACEHOLDER = 40  # characters; what is longer is a sentence that somebody wrote
LONGEST_ERROR = 4000  # characters of an error object written where the reply belongs

_TAIL = 32  # characters at the end that are looked for before it
_STEP = RUN // 3
_SAMPLED_RUN = re.compile(r"([^\s])\1")
_FENCE = re.compile(r"^(`{3,}|~{3,})[^\n]*\n.*?(?:^\1|\Z)|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_ESCAPES = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#0?39|#x27|#34);")
# UTF-8 read as Windows-1252: a lead byte as a letter, then what its continuation bytes become.
_MOJIBAKE = re.compile("â€[\u0080-\u00bf™œžŸš˜¢¦“”\u009d]|Ã[\u0080-\u00bf]|Â[\u00a0-\u00bf]|ï¿½|ðŸ")
_LETTERS = re.compile(r"[^\W_]")
_PLACEHOLDERS = frozenset(
    (
        *(
            "safety",
            "recitation",
            "prohibited_content",
            "blocklist",
            "other",
            "content_filter",
            "content filter",
        ),
        *("blocked", "filtered", "redacted", "removed", "deleted", "no response", "no output", "no content"),
        *("empty", "empty response", "null", "none", "nan", "undefined", "n/a", "error", "failed", "timeout"),
        *("timed out", "request timed out", "rate limit exceeded", "internal server error", "api error"),
        *("service unavailable", "bad gateway", "gateway timeout", "response blocked", "$error$"),
    )
)
# These are also words that a model may answer with; as placeholders they come in brackets.
_BRACKETED_ONLY = frozenset(
    ("other", "blocked", "filtered", "redacted", "removed", "deleted", "empty", "safety", "failed", "none")
)
_BRACKETS = {"[": "]", "<": ">", "(": ")", "{": "}"}


def is_placeholder(text: str) -> bool:
    """Whether a text is what a program writes where a reply is missing: `null`, `[BLOCKED]`, an error object."""
    if len(text) > LONGEST_ERROR:
        return False
    bare = text.strip()
    if bare[:1] == "{" and bare[-1:] == "}":
        return _is_error(bare)
    if not bare or len(bare) > SHORT_PLACEHOLDER:
        return False
    inner = bare[1:-1].strip() if _BRACKETS.get(bare[0]) == bare[-1] and len(bare) > 2 else None
    word = (bare if inner is None else inner).rstrip(".!").casefold()
    shouted = bare.isupper() and "_" not in bare
    return word in _PLACEHOLDERS and (
        inner is not None or word not in _BRACKETED_ONLY or (shouted and word == "safety")
    )


def _is_error(text: str) -> bool:
    import json

    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if not isinstance(value, dict):
        return False
    error = value.get("error")
    if isinstance(error, dict):
        return "message" in error or "code" in error or "type" in error
    return isinstance(error, str) and len(value) <= 6


def is_loop(text: str) -> bool:
    """Whether a text hangs: a stretch of it that repeats to its end, a line that comes again and again, a long run."""
    size = len(text)
    if size < LOOP_LEAST:
        return False
    return _ends_in_loop(text) or _repeats_a_line(text, size) or _has_run(text)


def _ends_in_loop(text: str) -> bool:
    body = text.rstrip()
    # the last unit may be cut: what stands a little before the end is whole
    for end in (len(body), len(body) - _TAIL):
        tail = body[max(0, end - _TAIL) : end]
        if len(tail) < _TAIL or not _LETTERS.search(tail):
            continue
        before = body.rfind(tail, 0, end - 1)
        if before < 0:
            continue
        period = end - _TAIL - before
        unit = body[end - period : end]
        times = body.count(unit)
        if times >= LOOP_TIMES and times * period >= max(LOOP_LEAST, LOOP_SHARE * len(body)):
            return True
    return False


def _repeats_a_line(text: str, size: int) -> bool:
    lines = text.split("\n")
    if len(lines) < LOOP_TIMES or len(lines) - len(set(lines)) < LOOP_TIMES - 1:
        return False
    from collections import Counter

    counted = Counter(line for line in lines if len(line) > 9 and _LETTERS.search(line))
    line, times = max(counted.items(), key=lambda item: item[1] * len(item[0]), default=("", 0))
    return times >= LOOP_TIMES and times * len(line) >= max(LOOP_LEAST, LOOP_SHARE * size)


def _has_run(text: str) -> bool:
    """Look at every RUN/3-th character first: a run shows as two alike, which stand beside each other elsewhere too."""
    for match in _SAMPLED_RUN.finditer(text[::_STEP]):
        place, character = match.start() * _STEP, match[1]
        low, high = max(0, place - _STEP), place + 2 * _STEP
        stretch = text[low : high + _STEP]
        if character * RUN in stretch or character * RUN in text[low : high + RUN]:
            return True
    return False


def has_escapes(text: str) -> bool:
    """Whether HTML escapes stand outside code."""
    if "&" not in text or not _ESCAPES.search(text):
        return False
    return bool(_ESCAPES.search(_FENCE.sub("", text)))


def has_mojibake(text: str) -> bool:
    """Whether UTF-8 was read as Windows-1252 somewhere before."""
    return not text.isascii() and bool(_MOJIBAKE.search(text))

"""What is no part of how a model writes: its reasoning, white space before the reply, leaked control tokens.

`clean` takes these from a reply and says which of them it took. Nothing else is changed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

REASONING, WHITE_SPACE, TOKENS = REASONS = ("reasoning", "leading white space", "special tokens")

# Opening and closing of a reasoning block. Without an opening, a closing of the first group counts at the start or
# end of a line, one of the second and third anywhere: nobody writes these by hand.
_NAMES = ("think", "thinking", "thought", "reason", "reasoning", "seed:think", "antthinking")
_TAGS = [*((f"(?i:<{name}>)", f"(?i:</{name}>)") for name in _NAMES), (r"\[THINK\]", r"\[/THINK\]")]
_GLYPHS = [("◁think▷", "◁/think▷")]
_MARKERS = [
    (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
    (r"(?i:<\|start_thinking\|>)", r"(?i:<\|end_thinking\|>)"),
    (r"<\|channel>thought\b", r"<channel\|>"),
    (
        r"<\|channel\|>(?:analysis|commentary)[^<]{0,60}(?:<\|constrain\|>\w{0,20})?<\|message\|>",
        r"<\|channel\|>final\b[^<]{0,20}(?:<\|constrain\|>\w{0,20})?<\|message\|>",
    ),
]
# These need an opening: a closing alone says nothing.
_WRAPPERS = [
    (r'(?i:<details type="reasoning"[^<>]{0,200}>)', r"(?i:</details>)"),
    ("analysis", "assistantfinal"),  # the channels of gpt-oss, decoded without their tokens
]
_BLOCKS = _TAGS + _GLYPHS + _MARKERS + _WRAPPERS
_OPENING = re.compile("|".join(f"({opening})" for opening, _ in _BLOCKS))
_CLOSING = [re.compile(closing) for _, closing in _BLOCKS]
_BARE = len(_BLOCKS)  # the group of the last one, which counts only where its closing follows


def _any(pairs: list[tuple[str, str]], side: int) -> str:
    return "|".join(pair[side] for pair in pairs)


# Control tokens. Those with pipes go wherever they stand outside code, the others at the two ends of a reply only:
# <s> is HTML too. None holds white space: what stands on both sides of a line break never makes a new one.
_ROLE = "assistant|user|system|model|tool|developer|analysis|commentary|final"
_PIPES = (
    rf"<\|(?:im_start|start_header_id|header_start|start_of_role|start|channel|turn)\|?>(?:(?:{_ROLE})(?!\w))?"
    r"|<[|｜]/?[A-Za-z][\w▁-]{2,40}[|｜]>"
    r"|<\|(?:tool|tool_call|tool_response)>|<(?:turn|channel|tool|tool_call|tool_response)\|>"
)
_PLAIN = (
    r"</?s>|\[/?INST\]|(?i:<(?:eos|bos|pad|unk|end_of_turn|end_of_utterance)>)"
    r"|(?i:<start_of_turn>)(?:(?:model|user)(?!\w))?"
)
_CLOSER = f"{_any(_TAGS, 1)}|{_any(_GLYPHS, 1)}"
_SPECIAL = re.compile(f"(?P<closer>{_CLOSER})|(?P<token>{_PIPES}|{_PLAIN})")

_SWEEP = re.compile(
    r"(?P<fence>`{3,}|~{3,})|(?P<tick>`{1,2})"
    rf"|(?P<line>\n[ \t\r]*(?P<first>{_any(_TAGS, 1)})?)"
    rf"|(?P<opener>(?i:<(?:{'|'.join(_NAMES)})(?=[\s>]))|\[THINK\]|{_any(_GLYPHS, 0)})"  # with attributes it is XML
    rf"|(?P<last>(?:{_any(_TAGS, 1)})(?=[ \t\r]*(?:\n|\Z))|{_any(_GLYPHS, 1)})|(?P<loose>{_any(_TAGS, 1)})"
    rf"|(?P<marker>{_any(_MARKERS, 1)})|(?P<token>{_PIPES})"
)
# What begins like a tag or token that has an angle: cheap, and true of few replies.
_TAGGED = re.compile(
    r"<(?:[|｜]|/?(?i:s>|think|thought|reason|seed:|antthink|details type=|eos|bos|pad|unk|\w{4,13}[|_]))"
)
_QUOTES = "`\"'"

# Besides white space: the byte order mark and the characters of no width that carry no direction.
_NO_WIDTH = frozenset("\xad\u180e\u200b\u200c\u200d\u2060\ufeff")
_LEADING = re.compile(f"[\\s{''.join(sorted(_NO_WIDTH))}]*")
_SPACES = re.compile(r"[ \t]*")


class Cleaned(NamedTuple):
    """A reply's text, and the reasons for what was removed from it: each of `REASONS` once at most, in order."""

    text: str
    removed: tuple[str, ...]


class _Found(NamedTuple):
    kind: str
    start: int
    end: int


def clean(text: str) -> Cleaned:
    """Return `text` without reasoning, leading white space and leaked control tokens.

    Reasoning is a block at the start: the tags <think>, <thinking>, <thought>, <reason>, <reasoning>, <seed:think>
    and <antThinking> in any case, [THINK], ◁think▷, the channels of gpt-oss, Gemma and Command, and Open WebUI's
    <details type="reasoning">. Several may follow each other. A closing tag without an opening one before it, at the
    start or the end of a line, takes all before it: the opening one stood in the prompt. An opening tag without a
    closing one takes the whole rest, so the text is "": the reply was cut while the model was thinking. In prose, and
    in code between backticks or fences, tags are text.

    White space, byte order marks and characters of no width go at the start only; at the end they stay, except
    around a control token that is removed there. White space beside a removed block goes with it, uncounted.

    Control tokens of chat templates (<|im_end|>, <|eot_id|>, <｜end▁of▁sentence｜>, </s>, <eos>, [/INST] and the like,
    with the role that follows an opening one) go at both ends; those with pipes go anywhere outside code, and leave a
    line break, as a turn ends there. The text of a turn that a model made up stays. <s> and </s> stay where the
    reply uses them as a pair within its text, as HTML does. Code that is merely indented is not told from prose.

    Idempotent; the time is linear in the length of the text.
    """
    start = text[:1]
    blank = start.isspace() or start in _NO_WIDTH
    marked = ("<" in text and _TAGGED.search(text)) or "INST]" in text or "THINK]" in text or "◁" in text
    if marked or ((blank or start == "a") and "assistantfinal" in text):
        return _cleaned(text)
    return Cleaned(text[_leading(text, 0) :], (WHITE_SPACE,)) if blank else Cleaned(text, ())


def _cleaned(text: str) -> Cleaned:
    specials = [_Found(m.lastgroup or "", m.start(), m.end()) for m in _SPECIAL.finditer(text)]
    start, removed = _start(text, _end(text, specials, len(text)))
    # Where a pair of <s> and </s> is left it is HTML, and neither is a token.
    strike = text.find("<s>", start)
    end = max(start, _end(text, specials, len(text) if strike < 0 else strike))
    if end < len(text):
        removed.add(TOKENS)
    kept = _without_tokens(text, start, end)
    if kept is None:
        kept = text[start:end]
    else:
        removed.add(TOKENS)
    return Cleaned(kept, tuple(reason for reason in REASONS if reason in removed))


def _end(text: str, specials: list[_Found], strike: int) -> int:
    """Return where the tokens at the end begin, white space before them included; a </s> beyond `strike` is none.

    A closing tag goes with a token beside it.
    """
    end = place = len(text)
    for found in reversed(specials):
        gap = text[found.end : place]
        if gap and not gap.isspace():
            break
        literal = text[found.start : found.end]
        if literal == "<s>" or (literal == "</s>" and found.start > strike):
            break
        place = found.start
        if found.kind == "token" or end < len(text):
            end = place
    return len(text[:end].rstrip()) if end < len(text) else end


def _start(text: str, tail: int) -> tuple[int, set[str]]:
    """Return where the reply begins, and why there; `tail` is where the run of tokens at its end begins."""
    position = 0
    removed: set[str] = set()
    last_strike = text.rfind("</s>", 0, tail)
    bare = text.rfind("assistantfinal")
    while True:
        blank = _leading(text, position)
        if blank and not position:
            removed.add(WHITE_SPACE)
        position = blank
        block = _OPENING.match(text, position)
        special = _SPECIAL.match(text, position)
        if block and (block.lastindex != _BARE or bare > position):
            removed.add(REASONING)
            position = _block_end(text, block)
        elif special and not (special[0] == "<s>" and last_strike > position):
            removed.add(TOKENS if special.lastgroup == "token" else REASONING)
            position = special.end()
        elif orphan := _orphan(text, position):
            removed.add(REASONING)
            position = orphan
        else:
            return position, removed


def _leading(text: str, position: int) -> int:
    match = _LEADING.match(text, position)
    return match.end() if match else position


def _block_end(text: str, opening: re.Match[str]) -> int:
    """Return where a reasoning block ends: behind its closing tag, or with the text."""
    for closing in _CLOSING[(opening.lastindex or 1) - 1].finditer(text, opening.end()):
        before, after = text[closing.start() - 1], text[closing.end() : closing.end() + 1]
        if before != after or before not in _QUOTES:  # "`</think>`" speaks of the tag
            return closing.end()
    return len(text)


def _orphan(text: str, position: int) -> int | None:
    """Return the end of the closing tag whose opening one stood in the prompt; None where there is none."""
    opened = False
    for found in _outside_code(text, position, len(text)):
        if found.kind == "opener":
            opened = True
        elif found.kind == "marker" or (found.kind in ("first", "last") and not opened):
            return found.end
    return None


def _outside_code(text: str, position: int, end: int) -> Iterator[_Found]:
    """Yield the tags and tokens that stand neither in a fence nor between backticks on one line.

    Code is told by backticks and line breaks alone, which cleaning leaves as they are, so that it is told alike in
    the text that is left.
    """
    fence = ""
    ticked = False
    waiting: list[_Found] = []  # behind a backtick that may yet be closed
    for match in _SWEEP.finditer(text, position, end):
        kind = match.lastgroup or ""
        if kind == "fence" and (not fence or fence == match[0][0]):
            fence = "" if fence else match[0][0]
        elif fence:
            continue
        elif kind == "tick":
            waiting.clear()
            ticked = not ticked
        elif kind == "line":
            yield from waiting
            waiting.clear()
            ticked = False
            if match["first"]:
                yield _Found("first", match.start("first"), match.end())
        elif ticked:
            waiting.append(_Found(kind, match.start(), match.end()))
        else:
            yield _Found(kind, match.start(), match.end())
    yield from waiting


def _without_tokens(text: str, start: int, end: int) -> str | None:
    """Return the text between the two places without tokens that have pipes; None where it has none.

    A closing tag goes with a token beside it. A run of them leaves a line break, unless it stands at one.
    """
    pieces: list[str] = []
    done = start
    for first, last in _runs(text, start, end):
        piece = text[done:first].rstrip(" \t")
        spaces = _SPACES.match(text, last, end)
        done = spaces.end() if spaces else last
        if done < end and not piece.endswith("\n") and text[done] != "\n":
            piece += "\n"
        pieces.append(piece)
    if not pieces:
        return None
    pieces.append(text[done:end])
    return "".join(pieces)


def _runs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where the runs of tokens and closing tags begin and end that hold a token."""
    first = last = -1
    holds = False
    for found in _outside_code(text, start, end):
        if found.kind == "opener":
            continue
        token = found.kind in ("token", "marker")
        if first >= 0 and not text[last : found.start].strip(" \t"):
            last, holds = found.end, holds or token
            continue
        if holds:
            yield first, last
        first, last, holds = found.start, found.end, token
    if holds:
        yield first, last

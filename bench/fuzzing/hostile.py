"""Values that readers do not expect, and JSON that the standard library would not write."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random

_RAW = "@@raw:"
_TWICE = "@@twice"
DEEP = 100_000
_LITERALS = {
    "inf": "1e400",
    "nan": "NaN",
    "minus": "-Infinity",
    "digits": "9" * 5000,
    "huge": "9" * 200_000,
    "lists": "[" * DEEP + "]" * DEEP,
    "objects": '{"a":' * DEEP + "1" + "}" * DEEP,
    "levels": "[" * 900 + "]" * 900,
    "zero": "-0",
    "exponent": "1E+2",
    "control": '"a\x01\x1bb"',
    "slash": '"\\/"',
}
NUMBERS = (0, -1, 1, 2, 3, 7, 2**31, 2**53 + 1, 2**63, 2**64, -(2**63) - 1, 10**40, 0.5, -0.0, 1e308, 5e-324)
_ODD = (
    *(
        "",
        " ",
        "\n",
        "\t",
        "\0",
        "a\0b",
        "\x1b[31mred\x1b]52;c;QQ==\x07",
        "\u202eabc",
        "\ufeff",
        "\u2028",
        "\x85",
    ),
    *(
        "\ud800",
        "a\udfffb",
        "é",
        "e\u0301" * 50,
        "👩‍👩‍👧‍👦",
        "𐀀",
        "null",
        "true",
        "NaN",
        "1",
        "-1",
        "1e400",
        "0x10",
    ),
    *(
        "[]",
        "{}",
        '""',
        '["a", "b"]',
        '[{"role": "user", "content": "hi"}]',
        "[1, null]",
        "[",
        '{"a":',
        "[[[[[[",
    ),
    *("[" * DEEP, '{"a":' * DEEP, '[{"role": "user", "content": ' + "[" * 2000, '"' + "\\ud800" + '"'),
    *(
        "../../etc/passwd",
        "/",
        "C:\\a",
        "con",
        "a/b",
        "--help",
        "-",
        "=1+1",
        "<b>",
        "[bold]x[/bold]",
        "%s",
        "{0}",
    ),
    *(
        "2024-13-45",
        "9999-12-31T23:59:60Z",
        "0000-00-00",
        "m@2026-01-05",
        "m@0001-01-01",
        "tea / milk",
        "a vs b",
    ),
    *(
        "tie",
        "A",
        "B",
        "model_a",
        "SAFETY",
        "native",
        "stylekl/1",
        "stylekl/2",
        "user",
        "assistant",
        "stop",
        "error",
    ),
    *(
        "```",
        "<think>",
        "<think>\n",
        "</think>",
        "<|im_end|>",
        "**",
        "|" * 200,
        "#" * 200,
        "> " * 300,
        "- " * 300,
    ),
    *(
        "1. " * 300,
        "[" * 300 + "](" * 300,
        "*" * 999,
        "_a" * 500,
        "\\" * 999,
        "`" * 999,
        "&#0;",
        "http://" * 300,
    ),
    *("١٢٣", "²", "½", "①", "İ", "ß", "ﬃ", "\u1680", "\u200b", "\u00ad", "ｱ", "ไทยไม่มีเว้นวรรค" * 5),
)


def _json_text(value: Any) -> str:
    try:
        return json.dumps(value)[:10_000]
    except (ValueError, RecursionError):
        return ""


_PARTS = (
    lambda v: [v],
    lambda v: [v, v],
    lambda v: [{"type": "text", "text": v}],
    lambda v: [{"type": "text", "text": v}, {"type": "image_url", "image_url": {"url": "data:"}}, None],
    lambda v: {"content": v},
    lambda v: {"text": v},
    lambda v: {"role": "user", "content": v},
    lambda v: [{"role": "system", "content": "s"}, {"role": "user", "content": v}],
    lambda v: [[[[v]]]],
    lambda v: {"": v},
    lambda v: str(v)[:10_000],
    _json_text,
)
_DEEP_LEVELS = 300


def literal(draw: random.Random) -> str:
    """Return a marker that `dumped` writes as JSON that no value gives."""
    return _RAW + draw.choice(list(_LITERALS)) + "@@"


def twice(key: str) -> str:
    """Return a key that `dumped` writes as `key`, so that an object may hold it twice."""
    return key + _TWICE


def text(draw: random.Random) -> str:
    """Return a text that nobody expects; a long one now and then."""
    if draw.random() < 0.06:
        return draw.choice(
            (" ", "a", "\n", "ab ", "é", "\t", "# ", "<think>", "😀", "\u0301", "*")
        ) * draw.choice((1000, 40_000, 1_000_000))
    return draw.choice(_ODD)


def value(draw: random.Random, old: Any, keys: tuple[str, ...]) -> Any:
    """Return what may stand in the place of `old`: of another type, or the same wrapped."""
    what = draw.randrange(9)
    if what < 2:
        return draw.choice((None, True, False))
    if what == 2:
        return draw.choice(NUMBERS)
    if what == 3 and draw.random() < 0.6:
        return literal(draw)
    if what in (3, 4, 5):
        return text(draw)
    if what == 6:
        return draw.choice(
            (
                [],
                {},
                [None],
                [[]],
                [{}],
                {"": None},
                {draw.choice(keys): {}},
                [0, "a", None],
                ["a"] * 3,
                {"1": 1},
            )
        )
    if what == 7 and draw.random() < 0.2:
        deep: Any = old
        for _ in range(_DEEP_LEVELS):
            deep = [deep] if draw.random() < 0.5 else {draw.choice(keys): deep}
        return deep
    return draw.choice(_PARTS)(old)


def dumped(given: Any, *, ascii_only: bool = True, indent: int | None = None) -> bytes:
    """Return a value as JSON, with what the markers in it stand for."""
    written = json.dumps(given, ensure_ascii=ascii_only, indent=indent)
    if _RAW in written:
        for name, meant in _LITERALS.items():
            written = written.replace(f'"{_RAW}{name}@@"', meant)
    return written.replace(_TWICE, "").encode("utf-8", "surrogatepass")

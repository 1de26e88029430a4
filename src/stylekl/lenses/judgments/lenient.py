"""JSON as models write it: what a careful reader can mend without guessing, and what was mended.

Mended are comments, commas before a closing bracket, Python's quotes and constants, and raw control characters in a
text. One key twice with one value is mended, with two values it is a fault, and so are NaN and Infinity.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

DEPTH = 16  # a judgment is three levels deep
_SPACE = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,30})(\.\d{1,30})?([eE][+-]?\d{1,4})?(?![\w.])")
_WORD = re.compile(r"-?[A-Za-z]+")
_CONSTANTS = {"true": True, "false": False, "null": None}
_PYTHON = {"True": True, "False": False, "None": None}
_NO_NUMBER = ("NaN", "Infinity", "-Infinity", "nan", "inf")
_ESCAPES = {
    '"': '"', "'": "'", "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"
}  # fmt: skip
_HEX = re.compile(r"[0-9a-fA-F]{4}")


class Broken(Exception):
    """No JSON, whatever is mended. `at` is the place; `reason` is "nan" or "duplicate_key" where that is why."""

    def __init__(self, at: int, reason: str | None = None) -> None:
        super().__init__(reason or "not JSON")
        self.at, self.reason = at, reason


class Cut(Exception):
    """The text ends within the value. `value` is what had come of the object, `last` the key that was cut, if any.

    `partial` says whether the value of that key was itself cut.
    """

    def __init__(self, value: dict[str, Any], last: str | None, *, partial: bool) -> None:
        super().__init__("cut short")
        self.value, self.last, self.partial = value, last, partial


class _End(Exception):
    """The text ended."""


@dataclass(slots=True)
class Mended:
    """A value, where it ends, and what had to be mended."""

    value: Any
    end: int
    repairs: set[str] = field(default_factory=set)


def read_object(text: str, start: int) -> Mended:
    """Return the object that begins at `text[start]`, a brace.

    Raises Broken where there is none, Cut where the text ends before it does.
    """
    reader = _Reader(text, start)
    top: dict[str, Any] = {}
    try:
        reader.object(1, top)
    except _End:
        raise Cut(top, reader.top_key, partial=reader.in_value) from None
    return Mended(top, reader.at, reader.repairs)


class _Reader:
    def __init__(self, text: str, at: int) -> None:
        self.text, self.at = text, at
        self.repairs: set[str] = set()
        self.top_key: str | None = None
        self.in_value = False

    def object(self, depth: int, found: dict[str, Any]) -> dict[str, Any]:
        """Read an object into `found`, which holds what had come where the text ends."""
        if depth > DEPTH:
            raise Broken(self.at)
        self.at += 1
        first = True
        while True:
            self._skip()
            if self._peek() == "}":
                self.at += 1
                if not first:
                    self.repairs.add("trailing_comma")
                return found
            key = self._string()
            if depth == 1:
                self.top_key, self.in_value = key, True
            self._skip()
            if self._peek() != ":":
                raise Broken(self.at)
            self.at += 1
            value = self._value(depth)
            if key in found:
                if not same(found[key], value):
                    raise Broken(self.at, "duplicate_key")
                self.repairs.add("duplicate_key")
            found[key] = value
            if depth == 1:
                self.in_value = False
            self._skip()
            mark = self._peek()
            self.at += 1
            if mark == "}":
                return found
            if mark != ",":
                raise Broken(self.at - 1)
            first = False

    def _array(self, depth: int) -> list[Any]:
        if depth > DEPTH:
            raise Broken(self.at)
        self.at += 1
        found: list[Any] = []
        while True:
            self._skip()
            if self._peek() == "]":
                self.at += 1
                if found:
                    self.repairs.add("trailing_comma")
                return found
            found.append(self._value(depth))
            self._skip()
            mark = self._peek()
            self.at += 1
            if mark == "]":
                return found
            if mark != ",":
                raise Broken(self.at - 1)

    def _value(self, depth: int) -> Any:
        self._skip()
        mark = self._peek()
        if mark == "{":
            return self.object(depth + 1, {})
        if mark == "[":
            return self._array(depth + 1)
        if mark in "\"'":
            return self._string()
        number = _NUMBER.match(self.text, self.at)
        if number:
            self.at = number.end()
            if self.at == len(self.text):
                raise _End  # more digits may have followed
            whole = number[1] is None and number[2] is None
            return int(number[0]) if whole else float(number[0])
        return self._constant()

    def _constant(self) -> Any:
        word = _WORD.match(self.text, self.at)
        if word is None:
            raise Broken(self.at)
        if word.end() == len(self.text):
            raise _End
        if word[0] in _NO_NUMBER:
            raise Broken(self.at, "nan")
        if word[0] in _PYTHON:
            self.repairs.add("python_literal")
            self.at = word.end()
            return _PYTHON[word[0]]
        if word[0] not in _CONSTANTS:
            raise Broken(self.at)
        self.at = word.end()
        return _CONSTANTS[word[0]]

    def _string(self) -> str:
        quote = self._peek()
        if quote not in "\"'":
            raise Broken(self.at)
        if quote == "'":
            self.repairs.add("python_literal")
        self.at += 1
        parts: list[str] = []
        while (mark := self._peek()) != quote:
            self.at += 1
            if mark == "\\":
                mark = self._escape()
            elif mark < " ":
                self.repairs.add("control_char")
            parts.append(mark)
        self.at += 1
        return "".join(parts)

    def _escape(self) -> str:
        mark = self._peek()
        self.at += 1
        if mark != "u":
            if mark not in _ESCAPES:
                raise Broken(self.at - 1)
            if mark == "'":
                self.repairs.add("python_literal")
            return _ESCAPES[mark]
        code = _HEX.match(self.text, self.at)
        if code is None:
            if len(self.text) - self.at < 4:
                raise _End
            raise Broken(self.at)
        self.at = code.end()
        return chr(int(code[0], 16))

    def _skip(self) -> None:
        while True:
            space = _SPACE.match(self.text, self.at)
            self.at = space.end() if space else self.at
            comment = _COMMENT.match(self.text, self.at)
            if comment is None:
                return
            self.repairs.add("comment")
            self.at = comment.end()

    def _peek(self) -> str:
        if self.at >= len(self.text):
            raise _End
        return self.text[self.at]


def same(one: Any, other: Any) -> bool:
    """Return whether two values of JSON are the same, `true` and 1 being two."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    return bool(one == other)

"""JSON as tools write it, whole or one object a line: what is not quite JSON is taken as meant, and said."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import IO, TYPE_CHECKING, Any

import msgspec

from stylekl.errors import EncodingFault, InputError, RecordError, SyntaxFault
from stylekl.results.source import check_utf8

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 256 << 20  # bytes of a line: no record is larger
_SURROGATE = re.compile("[\ud800-\udfff]")


class JsonText:
    """Parses the JSON of one file and counts what it had to repair.

    NaN and Infinity are read as null and lone surrogates as U+FFFD. What is not JSON raises SyntaxFault with line and
    column, what is nested too deep or not UTF-8 an InputError.
    """

    def __init__(self, path: str, *, longest: int = LONGEST) -> None:
        self.path = path
        self.longest = longest
        self._repairs: Counter[str] = Counter()

    @property
    def warnings(self) -> list[str]:
        """What was repaired so far, and how often."""
        return [f"{self.path}: {what}: {count}" for what, count in self._repairs.items() if count]

    def parse(self, data: bytes, line: int = 1) -> Any:
        """Return the value of a text that begins in `line`."""
        try:
            return msgspec.json.decode(data)
        except msgspec.DecodeError:
            check_utf8(self.path, data, whole=True, line=line)
        except RecursionError:
            raise self._too_deep() from None
        try:  # as the standard library does, which takes more and says line and column
            return repaired(json.loads(data.decode("utf-8", "replace")), self._repairs)
        except json.JSONDecodeError as error:
            raise SyntaxFault(self.path, line + error.lineno - 1, error.colno, error.msg) from None
        except RecursionError:
            raise self._too_deep() from None
        except ValueError:  # an integer of more digits than Python converts
            raise InputError(f"{self.path}: a number with too many digits", "write it as a string") from None

    def lines(self, file: IO[bytes], before: int = 0) -> Iterator[tuple[int, bytes]]:
        """Yield the lines of a file that are not blank, each with its number; raises RecordError for one too long.

        `before` is how many lines stand before the first.
        """
        # "\n" only: U+2028 and its like may stand unescaped inside a string
        number = before
        while line := file.readline(self.longest + 1):
            number += 1
            if len(line) > self.longest:
                what = f"longer than {self.longest >> 20:,} MiB, which no record is"
                raise RecordError(self.path, f"line {number}", what)
            if not line.isspace():
                yield number, line

    def records(
        self, file: IO[bytes], warnings: list[str], *, before: int = 0, ends: bool = True
    ) -> Iterator[tuple[int, Any]]:
        """Yield what each line that is not blank holds, with its number.

        A last line that does not parse was cut while it was written: it is left out and said in `warnings`. Where
        these are some lines of a file, `before` is how many stand before them, and `ends` says that none follow.
        """
        lines = self.lines(file, before)
        for number, line in lines:
            try:
                value = self.parse(line.rstrip(b"\r\n"), number)
            except InputError as error:
                torn = isinstance(error, SyntaxFault) or (
                    isinstance(error, EncodingFault) and not line.endswith(b"\n")
                )
                if not torn or not ends or next(lines, None) is not None:
                    raise
                warnings.append(f"{self.path}: line {number}, the last, is cut short and left out")
                return
            yield number, value

    def _too_deep(self) -> InputError:
        return InputError(f"{self.path}: JSON nested too deep", "a results file is a few levels deep")


def repaired(value: Any, counts: Counter[str]) -> Any:
    """Return `value` as JSON that can be written, counting in `counts` what had to change."""
    if isinstance(value, str):
        text, count = _SURROGATE.subn("\ufffd", value)
        counts["lone surrogates read as U+FFFD"] += count
        return text
    if isinstance(value, float) and not math.isfinite(value):
        counts["NaN or infinite numbers read as null"] += 1
        return None
    if isinstance(value, list):
        return [repaired(item, counts) for item in value]
    if isinstance(value, dict):
        return {repaired(key, counts): repaired(item, counts) for key, item in value.items()}
    return value

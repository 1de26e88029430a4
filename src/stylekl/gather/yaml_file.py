"""YAML that knows its places: every value can say its file, its line and the field that it stands in.

A value is read as what its field needs, from the text as written. So `id: no`, `id: 007` and `on: 2026-01-05` are
texts here, and `on` and `off` are names of fields, although YAML 1.1 takes each for something else.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from stylekl.errors import InputError
from stylekl.results.records import Source
from stylekl.results.source import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from stylekl.results.source import TextFile

LIMIT = 1_000_000  # bytes of a file, and characters of all its values with aliases written out
NODES = 100_000  # values of a file, with aliases written out
DEPTH = 12
_WRITTEN = ("a battery", "a models file")  # by `stylekl init`
QUOTED = 40  # characters of a value that an error quotes
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WHOLE = re.compile(r"[+-]?(0|[1-9]\d*)")
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_PLAIN_TAGS = ("null", "bool", "int", "float", "timestamp", "str", "merge", "value", "map", "seq")
_TAGS = frozenset(f"tag:yaml.org,2002:{name}" for name in _PLAIN_TAGS)


@dataclass(frozen=True, slots=True)
class Entry:
    """A value of a YAML file. `field` is where it stands, such as `prompts[2].text`; "" for the whole file."""

    path: str
    field: str
    node: yaml.Node

    @property
    def line(self) -> int:
        """The line on which the value begins, from 1."""
        return int(self.node.start_mark.line) + 1

    @property
    def kind(self) -> str:
        """What was found, in words."""
        if isinstance(self.node, yaml.MappingNode):
            return "fields"
        if isinstance(self.node, yaml.SequenceNode):
            return "a list"
        if self._empty:
            return "nothing"
        return quoted(self.node.value) if self._bare else f"the text {quoted(self.node.value)}"

    @property
    def _empty(self) -> bool:
        return self._bare and self.node.tag == "tag:yaml.org,2002:null"

    @property
    def _bare(self) -> bool:
        """Whether this is a scalar without quotes."""
        return isinstance(self.node, yaml.ScalarNode) and self.node.style is None

    def error(self, reason: str, hint: str = "") -> InputError:
        """Return the error that says file, line, field and `reason`."""
        place = f"line {self.line}: {self.field}" if self.field else f"line {self.line}"
        return InputError(f"{self.path}: {place}: {reason}", hint)

    def fields(
        self, known: Sequence[str], required: Sequence[str] = (), meant: Mapping[str, str] | None = None
    ) -> dict[str, Entry]:
        """Return the fields by name, without those that hold nothing. `meant` says what other names stand for.

        Raises InputError where this is no mapping, a name is unknown or stands twice, or a required one is missing.
        """
        if not isinstance(self.node, yaml.MappingNode):
            raise self.error(f"expected fields, found {self.kind}", f"fields here: {', '.join(known)}")
        found: dict[str, Entry] = {}
        for name, entry in self.members():
            if name not in known:
                other = (meant or {}).get(name)
                hint = f'did you mean "{other}"?' if other else near(name, known)
                raise entry.error("no such field", hint or f"fields here: {', '.join(known)}")
            found[name] = entry
        found = {name: entry for name, entry in found.items() if not entry._empty}
        for name in required:
            if name not in found:
                raise self.error(f'the field "{name}" is missing', f"fields here: {', '.join(known)}")
        return found

    def members(self) -> Iterator[tuple[str, Entry]]:
        """Yield the fields of a mapping by name, whatever they are called, with nulls.

        Raises InputError where this is no mapping or a name stands twice.
        """
        if not isinstance(self.node, yaml.MappingNode):
            raise self.error(f"expected fields, found {self.kind}")
        lines: dict[str, int] = {}
        for key, value in self.node.value:
            place = Entry(self.path, self.field, key)
            if not isinstance(key, yaml.ScalarNode):
                raise place.error("expected the name of a field", "quote text that begins with [ or {")
            name = key.value
            entry = Entry(self.path, f"{self.field}.{name}" if self.field else name, value)
            if key.tag == "tag:yaml.org,2002:merge":
                raise place.error("merge keys (<<) are not read", "write the fields out")
            if name in lines:
                raise Entry(self.path, entry.field, key).error(
                    f"stands twice, first on line {lines[name]}", "keep one of them"
                )
            lines[name] = place.line
            yield name, entry

    def items(self) -> list[Entry]:
        """Return the members of a list; raises InputError where this is none."""
        if not isinstance(self.node, yaml.SequenceNode):
            raise self.error(f"expected a list, found {self.kind}", "each member begins with `- `")
        return [Entry(self.path, f"{self.field}[{i}]", node) for i, node in enumerate(self.node.value, 1)]

    def text(self, most: int = 10_000) -> str:
        """Return a text of 1 to `most` characters, as written; line breaks at its end are no part of it.

        Raises InputError for anything else, and for control characters other than tab and line break.
        """
        value = self._scalar("text").rstrip("\n")
        if not value.strip():
            raise self.error("expected text, found nothing")
        if len(value) > most:
            raise self.error(f"{len(value):,} characters, and at most {most:,} are allowed")
        if found := _CONTROLS.search(value):
            raise self.error(f"holds the control character U+{ord(found[0]):04X}", "remove it")
        return value

    def prose(self, most: int = 10_000) -> str:
        """Return a text as `text` does; raises InputError too where it is not in quotes and a comment cuts it off."""
        value = self.text(most)
        end = self.node.end_mark
        rest = end.buffer[end.pointer :].split("\n", 1)[0] if end.buffer and self._bare else ""
        if rest.lstrip().startswith("#"):
            raise self.error(
                f"the text ends before {quoted(rest.strip())}: ` #` begins a comment",
                "put the text in quotes, or the comment on a line of its own",
            )
        return value

    def name(self, pattern: re.Pattern[str], wanted: str) -> str:
        """Return a text that `pattern` matches whole; `wanted` says in words what that is."""
        value = self.text()
        if not pattern.fullmatch(value):
            raise self.error(f"expected {wanted}, found {quoted(value)}")
        return value

    def choice(self, known: Sequence[str]) -> str:
        """Return one of the `known` texts; raises InputError with a suggestion for another."""
        value = self.text()
        if value not in known:
            raise self.error(f"expected one of {', '.join(known)}, found {quoted(value)}", near(value, known))
        return value

    def whole(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`."""
        value = self._scalar("a whole number")
        if not (self._bare and _WHOLE.fullmatch(value) and len(value) < 12 and low <= int(value) <= high):
            raise self.error(f"expected a whole number from {low:,} to {high:,}, found {self.kind}")
        return int(value)

    def decimal(self, low: float, high: float) -> float:
        """Return a number from `low` to `high`."""
        value = self._scalar("a number")
        number = float(value) if self._bare and _DECIMAL.fullmatch(value) else math.nan
        if not low <= number <= high:
            raise self.error(f"expected a number from {low:g} to {high:g}, found {self.kind}")
        return number

    def flag(self) -> bool:
        """Return true or false."""
        value = self._scalar("true or false")
        if value not in ("true", "false"):
            raise self.error(f"expected true or false, found {self.kind}")
        return value == "true"

    def day(self) -> str:
        """Return a date, as YYYY-MM-DD."""
        value = self._scalar("a date")
        try:
            sound = len(value) == 10 and date.fromisoformat(value).isoformat() == value
        except ValueError:
            sound = False
        if not sound:
            raise self.error(f"expected a date such as 2026-01-05, found {self.kind}")
        return value

    def scalars(self) -> Iterator[tuple[Entry, str]]:
        """Yield every text of the value with its place, names of fields too."""
        if isinstance(self.node, yaml.ScalarNode):
            yield self, self.node.value
        elif isinstance(self.node, yaml.SequenceNode):
            for entry in self.items():
                yield from entry.scalars()
        else:
            for key, node in self.node.value:
                yield Entry(self.path, self.field or "a field", key), str(getattr(key, "value", ""))
                name = key.value if isinstance(key, yaml.ScalarNode) else "?"
                yield from Entry(self.path, f"{self.field}.{name}" if self.field else name, node).scalars()

    def _scalar(self, wanted: str) -> str:
        if not isinstance(self.node, yaml.ScalarNode) or self._empty:
            raise self.error(f"expected {wanted}, found {self.kind}")
        return _paired(self.node.value)


def read_yaml(path: str, *, kind: str) -> tuple[Entry, Source]:
    """Return what the YAML file at `path` holds, and which file it is; `kind` says what it should be: "a battery".

    Only plain YAML: one document, no tags, names of fields once each, at most LIMIT bytes, NODES values and DEPTH
    levels with every alias written out. Raises InputError with line and column otherwise.
    """
    text, sha256 = _read(path, kind)
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        raise _fault(path, text, error) from None
    except yaml.reader.ReaderError as error:
        place = f"line {text.count(chr(10), 0, error.position) + 1}"
        code = error.character if isinstance(error.character, int) else ord(error.character)
        raise InputError(
            f"{path}: {place}: holds the control character U+{code:04X}",
            "remove it, or write it as an escape",
        ) from None
    except RecursionError:
        raise InputError(f"{path}: nested too deep", f"at most {DEPTH} levels") from None
    if node is None:
        raise InputError(f"{path}: the file holds nothing", _wanted(kind))
    _check(Entry(path, "", node))
    return Entry(path, "", node), Source(path, sha256)


def _wanted(kind: str) -> str:
    """Return the hint that says what a file should be."""
    return f"it is to be {kind}" + ("; `stylekl init` writes one" if kind in _WRITTEN else "")


def quoted(text: str) -> str:
    """Return the beginning of `text` in quotes, for an error."""
    return f'"{text}"' if len(text) <= QUOTED else f'"{text[:QUOTED]}…"'


def near(name: str, known: Sequence[str], cutoff: float = 0.6) -> str:
    """Return a question that names the nearest of the known names; nothing where none is near."""
    folded = {each.casefold(): each for each in known}
    found = get_close_matches(name.casefold(), list(folded), n=1, cutoff=cutoff)
    return f'did you mean "{folded[found[0]]}"?' if found else ""


def _paired(text: str) -> str:
    """Return the text with each escaped pair of surrogates, as JSON writes an emoji, as the character they mean."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _read(path: str, kind: str) -> TextFile:
    try:
        size = Path(path).stat().st_size
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{path}: no such file", _wanted(kind)) from None
    except (OSError, ValueError):
        size = 0  # reading it says why
    if size > LIMIT:
        raise InputError(f"{path}: {size:,} bytes", f"{kind} is a file of at most {LIMIT:,} bytes")
    found = read_text(path)
    if len(found.text) > LIMIT:
        raise InputError(f"{path}: {len(found.text):,} characters", f"{kind} has at most {LIMIT:,}")
    return found


def _fault(path: str, text: str, error: yaml.MarkedYAMLError) -> InputError:
    mark = error.problem_mark or error.context_mark
    line = mark.line if mark else 0
    lines = text.splitlines()
    reason = (error.problem or "not YAML").replace("character '\\t'", "a tab")
    if error.context and error.context_mark and error.context_mark.line != line:
        reason += f", {error.context} from line {error.context_mark.line + 1}"
    hint = "put text that holds `: ` or begins with a sign in quotes"
    if "flow" in (error.context or ""):
        hint = "within {} and [] put text that holds a comma, a bracket, `?` or `:` in quotes"
    if "tab" in reason or (
        line < len(lines) and lines[line][: mark.column + 1 if mark else 0].strip(" ")[:1] == "\t"
    ):
        hint = "YAML is indented with spaces, never with tabs"
    elif "undefined alias" in reason:
        reason, hint = "an alias (*) without its anchor", "put text that begins with * in quotes"
    elif "another document" in reason:
        reason, hint = "a second document (---)", "one file holds one document"
    place = f"line {line + 1}, column {(mark.column if mark else 0) + 1}"
    return InputError(f"{path}: {place}: not YAML: {reason}", hint)


def _check(root: Entry) -> None:
    """Raise InputError where the file with every alias written out is too large or deep, or has tags."""
    nodes = characters = 0
    open_entries: list[tuple[yaml.Node, int]] = [(root.node, 0)]
    while open_entries:
        node, depth = open_entries.pop()
        nodes += 1
        place = Entry(root.path, "", node)
        if depth > DEPTH:
            raise place.error("nested too deep", f"at most {DEPTH} levels")
        if node.tag not in _TAGS:
            raise place.error("tags (!) are not read", "put text that begins with ! in quotes")
        if isinstance(node, yaml.ScalarNode):
            characters += len(node.value)
        elif isinstance(node, yaml.MappingNode):
            open_entries += [(part, depth + 1) for pair in node.value for part in pair]
        else:
            open_entries += [(part, depth + 1) for part in node.value]
        if nodes + len(open_entries) > NODES or characters > LIMIT:
            raise place.error(
                "too large with its aliases written out", f"at most {NODES:,} values and {LIMIT:,} characters"
            )

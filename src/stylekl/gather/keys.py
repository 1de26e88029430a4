"""Keys of providers: where they come from, and that nothing prints them.

A key comes from the environment or from a file of lines NAME=VALUE that only its owner can read. It is held in a
`Secret`, which shows as `••••`; `mask` takes every key that this process uses, and whatever else looks like one, out of
a text before it is shown or stored.
"""

from __future__ import annotations

import os
import re
import stat
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import quote

from stylekl.errors import InputError, KeyMissingError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stylekl.gather.ask import Writer

HIDDEN = "••••"
FILE = ".env"
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LIMIT = 100_000  # bytes of a file of keys
_SHORT = 8  # a key of fewer characters is hidden only where it stands alone
_known: set[str] = set()

# What providers' keys begin with, each so long that the name of a model with the same beginning is none.
_PREFIXED = re.compile(
    r"""(?<![A-Za-z0-9])(?:
      sk[-_](?=[\w-]*\d)[\w-]{16,}
    | (?:xai|pplx|csk)-[A-Za-z0-9]{32,}
    | (?:nvapi-|github_pat_|tgp_v1_)[\w-]{24,}
    | (?:gsk|hf|r8|ghp|gho)_[A-Za-z0-9]{28,}
    | AIza[\w-]{24,}
    | AQ\.[\w-]{32,}
    | AKIA[A-Z0-9]{16}
    | eyJ[\w-]{16,}\.[\w-]{16,}(?:\.[\w-]*)?
    | [Bb]earer\s+(?=\S*\d)[\w.~+/=-]{16,}
    )""",
    re.VERBOSE,
)
_RUN = re.compile(r"[A-Za-z0-9]{24,}")
_HEX = re.compile(r"(?=.*[a-f])(?=.*\d)[0-9a-f]{32,}")
_LINE = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)", re.DOTALL)
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(?:#.*)?')
_SINGLE = re.compile(r"'([^']*)'\s*(?:#.*)?")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class Secret:
    """A key. It never shows in a text, a traceback or a dump; `reveal` hands it out, for a header alone."""

    __slots__ = ("__value",)

    def __init__(self, value: str) -> None:
        self.__value = value

    def reveal(self) -> str:
        """Return the key itself."""
        return self.__value

    def __repr__(self) -> str:
        return HIDDEN

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(HIDDEN, spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other.reveal() == self.__value

    def __hash__(self) -> int:
        return hash(self.__value)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key is not copied or written anywhere")


def hide(secret: Secret) -> None:
    """Let `mask` know a key from now on. `key_of` does so; the other lines of a file are no keys of ours."""
    _known.add(secret.reveal())


def mask(text: str) -> str:
    """Return `text` with every key of this process, and whatever looks like a key, replaced by `••••`.

    For errors, logs and what a server said; never for a reply. Mask before cutting: half a key is not recognised.
    """
    for value in sorted(_known, key=len, reverse=True):
        for form in {value, quote(value, safe=""), repr(value)[1:-1]}:
            if len(value) >= _SHORT:
                text = text.replace(form, HIDDEN)
            elif value:
                text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(form)}(?![A-Za-z0-9])", HIDDEN, text)
    return _PREFIXED.sub(HIDDEN, text)


def looks_like_key(text: str, *, random: bool = True) -> bool:
    """Return whether `text` holds what looks like a key: a provider's prefix or, with `random`, a random run.

    A run is random where it has at least 24 letters and digits and changes between capitals, small letters and digits
    at four places in ten or more (a name does at two or three), or is 32 or more hexadecimal digits.
    """
    if _PREFIXED.search(text):
        return True
    return random and any(_HEX.fullmatch(run) or _random(run) for run in _RUN.findall(text))


def _random(run: str) -> bool:
    kinds = ["d" if c.isdigit() else "u" if c.isupper() else "l" for c in run]
    changes = sum(a != b for a, b in pairwise(kinds))
    return len(set(kinds)) > 1 and "d" in kinds and changes >= 0.4 * (len(run) - 1)


def read_keys(path: str | Path, *, needed: bool = True) -> dict[str, Secret]:
    """Return the keys of a file of lines NAME=VALUE, by name; an empty value is no key.

    A line may begin with `export`; a value may stand in quotes, in double ones with backslash escapes; `#` begins a
    comment, after an unquoted value where a space stands before it. Nothing is expanded. Where the file is absent:
    nothing, unless it is `needed`. Raises InputError, which never quotes the file, for a file that others may read
    (not on Windows), a line of another form, and a name that stands twice.
    """
    try:
        with Path(path).open("rb") as file:
            _check_mode(path, os.fstat(file.fileno()))
            raw = file.read(_LIMIT + 1)
    except FileNotFoundError:
        if not needed:
            return {}
        raise InputError(
            f"{path}: no such file", "it holds one NAME=VALUE a line; see docs/battery.md"
        ) from None
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else "cannot be read"
        raise InputError(f"{path}: {reason}", "check the path and its permissions") from None
    if len(raw) > _LIMIT:
        raise InputError(f"{path}: more than {_LIMIT:,} bytes", "a file of keys holds one NAME=VALUE a line")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8", "save the file as UTF-8") from None
    return _keys(path, text)


def key_of(
    writer: Writer, keys: Mapping[str, Secret], environment: Mapping[str, str] | None = None
) -> Secret | None:
    """Return the key that a writer's requests carry: from the environment, else from `keys`; null if it needs none.

    Raises KeyMissingError where neither has it, and InputError for one that no header can carry.
    """
    if writer.key is None:
        return None
    given = (os.environ if environment is None else environment).get(writer.key, "").strip()
    found = Secret(given) if given else keys.get(writer.key)
    if found is None:
        raise KeyMissingError(writer.key, writer.id)
    hide(found)
    if not (found.reveal().isascii() and found.reveal().isprintable()) or " " in found.reveal():
        raise InputError(
            f"{writer.key}: holds a space or a character that no header can carry", "copy the key once more"
        )
    return found


def _check_mode(path: str | Path, status: os.stat_result) -> None:
    if os.name != "nt" and stat.S_IMODE(status.st_mode) & 0o077:
        mode = stat.S_IMODE(status.st_mode)
        raise InputError(f"{path}: others may read it (mode {mode:03o})", f"chmod 600 {path}")


def _keys(path: str | Path, text: str) -> dict[str, Secret]:
    found: dict[str, Secret] = {}
    lines: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        body = line.strip()
        if not body or body.startswith("#"):
            continue
        parts = _LINE.fullmatch(body)
        value = _value(parts[2]) if parts else None
        if parts is None or value is None:
            what = "a quote is not closed, or text follows it" if parts else "expected NAME=VALUE"
            raise InputError(f"{path}: line {number}: {what}", "the line is not shown: it may hold a key")
        name = parts[1]
        if name in lines:
            raise InputError(
                f"{path}: line {number}: {name} stands twice, first on line {lines[name]}", "keep one of them"
            )
        lines[name] = number
        if value:
            found[name] = Secret(value)
    return found


def _value(text: str) -> str | None:
    """Return what stands behind the `=`, without quotes and comment; null where a quote is not closed."""
    if text.startswith('"'):
        inside = _DOUBLE.fullmatch(text)
        return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), inside[1]).strip() if inside else None
    if text.startswith("'"):
        inside = _SINGLE.fullmatch(text)
        return inside[1].strip() if inside else None
    return "" if text.startswith("#") else re.split(r"\s#", text, maxsplit=1)[0].strip()

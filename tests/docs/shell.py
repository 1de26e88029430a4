"""Running what a page of the documentation tells its reader to type, block after block in one folder.

A block of `console` holds lines after `$ ` and what each prints, to the letter but for blanks at the ends of lines;
STYLEKL_UPDATE_GOLDEN=1 writes it anew. The lines of a block of `sh` leave with 0, or with the exit code that their
comment names. A block of any language with title="NAME" is a file that the reader writes.
"""

from __future__ import annotations

import difflib
import io
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from stylekl.cli import main

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL
)
_TITLE = re.compile(r'title="([^"]+)"')
_CODE = re.compile(r"exit code (\d+)")
# What only a shell can do: a pipe, a file to write, a pattern of names, a variable, two commands.
_SHELL = re.compile(r"[|<>*?$;&`]")


class Block(NamedTuple):
    """A fenced block: its language, the file that it is, where its body starts and ends in the page, its indent."""

    language: str
    title: str | None
    start: int
    end: int
    indent: str


class Typed(NamedTuple):
    """A line of the page that a reader types, and the output that stands below it in a console block."""

    text: str
    shown: str | None


def blocks(page: str) -> list[Block]:
    """Return the fenced blocks of a page in their order."""
    found = []
    for match in _FENCE.finditer(page):
        words, title = match["info"].split(), _TITLE.search(match["info"])
        language, name = words[0] if words else "", title[1] if title else None
        found.append(Block(language, name, *match.span("body"), match["indent"]))
    return found


def body(page: str, block: Block) -> str:
    """Return what stands in a block, without the indentation that it shares with its fence."""
    text = page[block.start : block.end]
    return re.sub(rf"^{block.indent}", "", text, flags=re.MULTILINE) if block.indent else text


def typed(page: str, block: Block) -> list[Typed]:
    """Return the lines to type of a console or a shell block; one that ends in a backslash goes on."""
    text = body(page, block).replace("\\\n", "\\\r")
    if block.language == "sh":
        lines = [
            line.rstrip() for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")
        ]
        return [Typed(line.replace("\\\r", "\\\n"), None) for line in lines]
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)
    assert not parts[0].strip(), f"a console block starts with its command, not with {parts[0]!r}"
    pairs = (part.partition("\n") for part in parts[1:])
    return [Typed(line.replace("\\\r", "\\\n"), shown.rstrip("\n")) for line, _, shown in pairs]


def bare(line: str) -> str:
    """Return a line without its comment."""
    return re.sub(r"(?:^|\s+)#.*$", "", line)


def expected(line: str) -> int:
    """Return the exit code that the comment of a line names, else 0."""
    stated = _CODE.search(line.partition("#")[2])
    return int(stated[1]) if stated else 0


def compare(path: Path, page: str, fresh: str) -> None:
    """Fail with the lines in which a page is not what comes; or write them, with STYLEKL_UPDATE_GOLDEN."""
    if "STYLEKL_UPDATE_GOLDEN" in os.environ:
        if fresh != page:
            path.write_text(fresh, encoding="utf-8", newline="\n")
        return
    lines = difflib.unified_diff(page.splitlines(), fresh.splitlines(), path.name, "what comes", lineterm="")
    assert page == fresh, "\n".join(lines)


@dataclass
class Reader:
    """Someone who types the lines of a page into a shell in `folder`; `code` is what the last one left with."""

    folder: Path
    code: int = 0
    home: Path = field(init=False)

    def __post_init__(self) -> None:
        self.home = self.folder / ".home"
        shim = self.home / "bin" / "stylekl"
        shim.parent.mkdir(parents=True)
        shim.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m stylekl "$@"\n', encoding="utf-8")
        shim.chmod(0o755)

    def types(self, line: str) -> str:
        """Return what a line writes to the terminal, both streams as they come."""
        line = bare(line)
        if line == "echo $?":
            return f"{self.code}\n"
        if line.startswith("cd "):
            self.folder /= line[3:]
            return ""
        command, _, rest = line.partition(" | ")
        if not line.startswith("stylekl ") or _SHELL.search(re.sub(r"'[^']*'", "", command)):
            written = self._shell(line)
        else:
            out, err = self._within(shlex.split(command.replace("\\\n", ""))[1:], apart=bool(rest))
            written = err + (self._filtered(rest, out) if rest else out)
        return re.sub(r"[ \t]+$", "", written, flags=re.MULTILINE)

    def _filtered(self, rest: str, text: str) -> str:
        """Return what the rest of a pipe makes of a text; the text itself where its program is not on this machine."""
        failed = self.code
        if shutil.which(rest.split(maxsplit=1)[0]) is None:
            return text
        written = self._shell(rest, text)
        self.code = self.code or failed
        return written

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("STYLEKL_")}
        path = os.pathsep.join([str(self.home / "bin"), str(Path(sys.executable).parent), kept["PATH"]])
        given = {"PYTHONPATH": str(ROOT / "src"), "PYTHONUTF8": "1", "NO_COLOR": "1", "COLUMNS": "80"}
        return kept | given | {"PATH": path, "HOME": str(self.home), "XDG_CACHE_HOME": str(self.home)}

    def _shell(self, line: str, text: str = "") -> str:
        done = subprocess.run(
            ["/bin/sh", "-c", line],
            cwd=self.folder,
            env=self._environment(),
            input=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        self.code = done.returncode
        return done.stdout

    def _within(self, arguments: list[str], *, apart: bool) -> tuple[str, str]:
        """Run the command in this process, which spares the time to load it; both streams in one unless `apart`."""
        out, other = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
        err = other if apart else out
        pipe, code = signal.getsignal(signal.SIGPIPE), None
        try:
            with (
                patch.dict(os.environ, self._environment(), clear=True),
                chdir(self.folder),
                redirect_stdout(out),
                redirect_stderr(err),
            ):
                main(arguments)
        except SystemExit as end:
            code = end.code
        finally:
            signal.signal(signal.SIGPIPE, pipe)
        assert isinstance(code, int)
        self.code = code
        return _held(out), _held(other)


def _held(stream: io.TextIOWrapper) -> str:
    stream.flush()
    raw: Any = stream.buffer
    return raw.getvalue().decode("utf-8")

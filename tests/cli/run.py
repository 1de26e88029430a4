"""Running the command: as a process, within this one, and at a terminal."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

import stylekl
from stylekl.cli import main

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PACKAGE = str(Path(stylekl.__file__).parents[1])  # also where the tests' PYTHONPATH is a relative one
COMMAND = (sys.executable, "-m", "stylekl")
# What makes stdout a terminal of each kind, apart from being one.
MODES: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {
    "none": ({}, ()),
    "16": ({"TERM": "xterm"}, ("--color", "always")),
    "256": ({"TERM": "xterm-256color"}, ("--color", "always")),
    "truecolor": ({"TERM": "xterm", "COLORTERM": "truecolor"}, ("--color", "always")),
    "ascii": ({"PYTHONIOENCODING": "ascii"}, ()),
}
_CODES = re.compile(r"\x1b\[[0-9;]*m")


class Outcome(NamedTuple):
    """How a run ended and what it wrote."""

    code: int
    out: str
    err: str


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return this process's environment and `extra`, with UTF-8 streams unless it says otherwise."""
    return {**os.environ, "PYTHONPATH": PACKAGE, "PYTHONIOENCODING": "utf-8", **(extra or {})}


def run(
    *arguments: str | bytes,
    env: Mapping[str, str] | None = None,
    program: Sequence[str] = COMMAND,
    **options: Any,
) -> Outcome:
    """Run the command as a process of its own."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    if "input" not in options:
        streams.setdefault("stdin", subprocess.DEVNULL)
    done = subprocess.run([*program, *arguments], env=environment(env), timeout=60, check=False, **streams)
    return Outcome(done.returncode, (done.stdout or b"").decode(), (done.stderr or b"").decode())


def call(*arguments: str, env: Mapping[str, str] | None = None) -> Outcome:
    """Run the command within this process: quick, and the same but for signals and start-up."""
    env = environment(env)
    out, err = (io.TextIOWrapper(io.BytesIO(), env["PYTHONIOENCODING"], newline="") for _ in range(2))
    pipe = signal.getsignal(signal.SIGPIPE)
    code: Any = None
    try:
        with patch.dict(os.environ, env), redirect_stdout(out), redirect_stderr(err):
            main(list(arguments))
    except SystemExit as end:
        code = end.code
    finally:
        signal.signal(signal.SIGPIPE, pipe)
    written = []
    for stream in (out, err):
        stream.flush()
        written.append(stream.buffer.getvalue().decode(stream.encoding))  # type: ignore[attr-defined]
    return Outcome(code, *written)


def at_terminal(
    *arguments: str, env: Mapping[str, str] | None = None, columns: int = 80, keyboard: bool = False
) -> Outcome:
    """Run the command with stdout (and stdin where `keyboard`) at a pseudo-terminal that changes nothing."""
    ours, theirs = pty.openpty()
    attributes = termios.tcgetattr(theirs)
    attributes[1] &= ~termios.OPOST  # a newline stays a newline
    termios.tcsetattr(theirs, termios.TCSANOW, attributes)
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    with subprocess.Popen(
        [*COMMAND, *arguments],
        env=environment({"TERM": "xterm-256color"} | dict(env or {})),
        stdin=theirs if keyboard else subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(theirs)
        out = bytearray()
        while part := _read(ours):
            out += part
        os.close(ours)
        assert process.stderr is not None
        err = process.stderr.read()
        code = process.wait(timeout=60)
    return Outcome(code, out.decode(), err.decode())


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the other side is closed
        return b""


def bare(text: str) -> list[str]:
    """Return the lines without colour codes."""
    return _CODES.sub("", text).splitlines()

"""The command at a pseudo-terminal of its own, with somebody who reads the screen and presses keys."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from typing import TYPE_CHECKING, Any, Self

import pyte

from .run import environment

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# The terminal becomes the one that controls the command, so that Ctrl-C is a signal.
CONTROLLED = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
PATIENCE = 30.0  # seconds until a screen that does not come fails the test


class AtKeyboard:
    """A running command. `screen` is what its terminal shows, `sent` every byte that it wrote."""

    def __init__(
        self,
        *arguments: str,
        columns: int = 80,
        rows: int = 24,
        env: Mapping[str, str] | None = None,
        program: tuple[str, ...] = ("-m", "stylekl"),
    ) -> None:
        self.screen = pyte.Screen(columns, rows)
        self.sent = b""
        self._stream = pyte.ByteStream(self.screen)
        self._ours, self._theirs = pty.openpty()
        self.resize(columns, rows, tell=False)
        self.before = termios.tcgetattr(self._theirs)
        self.process = subprocess.Popen(
            [sys.executable, "-c", CONTROLLED, *program, *arguments],
            env=environment({"TERM": "xterm-256color"} | dict(env or {})),
            stdin=self._theirs,
            stdout=self._theirs,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        assert self.process.stderr is not None
        self.process.stderr.close()
        for end in (self._ours, self._theirs):
            os.close(end)

    @property
    def text(self) -> str:
        """The screen as text."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def press(self, keys: str) -> None:
        """Send keys as a terminal does."""
        os.write(self._ours, keys.encode())

    def resize(self, columns: int, rows: int, *, tell: bool = True) -> None:
        """Give the terminal another size."""
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if tell:
            self.screen.resize(rows, columns)
            os.killpg(self.process.pid, signal.SIGWINCH)

    def wait(self, wanted: str | Callable[[str], Any]) -> str:
        """Read until the screen holds a text, or is as wanted; return the screen."""
        seen = (lambda text: wanted in text) if isinstance(wanted, str) else wanted
        end = time.monotonic() + PATIENCE
        while not seen(self.text):
            assert time.monotonic() < end, f"waited for {wanted!r} on\n{self.text}"
            if select.select([self._ours], [], [], 0.2)[0]:
                self._read()
            else:
                assert self.process.poll() is None, f"ended at\n{self.text}\n{self._errors()}"
        return self.text

    def end(self) -> tuple[int, str]:
        """Wait for the end; return the exit code and what was written to stderr."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < end, f"did not end at\n{self.text}"
            if select.select([self._ours], [], [], 0.02)[0]:
                self._read()
        while select.select([self._ours], [], [], 0)[0]:
            self._read()
        return self.process.returncode, self._errors()

    @property
    def put_back(self) -> bool:
        """Whether the terminal is as it was, with its cursor and its first screen."""
        return (
            termios.tcgetattr(self._theirs) == self.before
            and self.sent.rfind(b"\x1b[?25h") > self.sent.rfind(b"\x1b[?25l")
            and self.sent.rfind(b"\x1b[?1049l") > self.sent.rfind(b"\x1b[?1049h")
        )

    def _errors(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()

    def _read(self) -> None:
        data = os.read(self._ours, 65536)
        self.sent += data
        self._stream.feed(data)

"""Requirements 6 to 8 and 24: pipes, full disks, standard input, and how the process ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from . import made
from .run import COMMAND, Outcome, at_terminal, environment, run

FULL = Path("/dev/full")
ANSWERS = (("matrix",), ("matrix", "--json"), ("focus", made.THREE[0]), ("schema", "matrix"), ("--help",))


@pytest.mark.parametrize("command", ANSWERS, ids=" ".join)
def test_a_closed_pipe_ends_the_process_by_sigpipe(command: tuple[str, ...]) -> None:
    """As coreutils do: silently, by the signal, which a shell shows as 141."""
    reading, writing = os.pipe()
    os.close(reading)
    done = run(*command, *(("--quiet",) if command[0] in ("matrix", "focus") else ()), stdout=writing)
    os.close(writing)

    assert done == Outcome(-signal.SIGPIPE, "", "")


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("command", ANSWERS, ids=" ".join)
def test_a_full_disk_is_one_error(command: tuple[str, ...]) -> None:
    """Whatever writes: `error:` and `hint:` on stderr, exit 2, no traceback."""
    quiet = ("--quiet",) if command[0] in ("matrix", "focus") else ()
    with FULL.open("wb") as full:
        done = run(*command, *quiet, stdout=full)
    lines = done.err.splitlines()

    assert done.code == 2
    assert lines[0] == "error: standard output: No space left on device"
    assert [line[:6] for line in lines] == ["error:", "hint: "]


def test_a_dash_reads_standard_input() -> None:
    """The same numbers as from the file, and `-` as the path of the source."""
    path = made.write(made.sample(made.THREE))
    content = Path(path).read_bytes()

    assert run("matrix", path) == run("matrix", "-", input=content)
    assert '"path": "-"' in run("matrix", "-", "--json", input=content).out


def test_a_dash_at_a_terminal_does_not_wait() -> None:
    """Nothing is piped in: an error at once."""
    done = at_terminal("matrix", "-", keyboard=True)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith('error: "-" reads standard input, and nothing is piped into it\nhint: ')


def test_ctrl_c_exits_130() -> None:
    """Silently, as at a shell, while it waits for standard input."""
    # A shell may start its children deaf to SIGINT; Python then installs no handler of its own.
    start = (
        "import signal as s; s.signal(s.SIGINT, s.default_int_handler); from stylekl.cli import main; main()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", start, "matrix", "-"],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(b" " * (1 << 20))  # more than a pipe holds: returns while the command reads
        for _ in range(20):  # Python may miss one that comes between two reads
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=1)
                break
        code = process.poll()
        written = process.stdout.read(), process.stderr.read()

    assert code == 130
    assert written == (b"", b"")


def test_the_command_alone_prints_its_help_and_exits_2() -> None:
    """The help is the answer, so it is on stdout."""
    alone, asked = run(), run("--help")

    assert (alone.code, alone.err) == (2, "")
    assert (0, asked.out) == (asked.code, alone.out)


def test_no_cursor_moves_on_a_dumb_terminal() -> None:
    """Progress is for a terminal that can take it back."""
    done = at_terminal("matrix", env={"TERM": "dumb"})

    assert "\x1b" not in done.out + done.err
    assert "\r" not in done.out + done.err


def test_progress_is_wiped_and_only_where_stderr_is_a_terminal() -> None:
    """At a terminal the last thing on stderr clears the line; in a file there is no trace of it."""
    import pty

    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, "matrix", str(made.SAMPLE)],
        env=environment({"TERM": "xterm"}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        assert process.stdout
        answer = process.stdout.read().decode()
        process.wait(timeout=30)
    shown = os.read(ours, 65536).decode()
    os.close(ours)

    assert "counting" in shown
    assert shown.endswith("\r\x1b[2K")
    assert (0, answer, "") == run("matrix", str(made.SAMPLE))

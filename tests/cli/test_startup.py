"""Requirements 27 and 30: quick to start, light to import, and never on the network."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import stylekl

from . import made
from .run import COMMAND, environment, run

HEAVY = ("numpy", "rich", "tiktoken", "scipy", "msgspec", "yaml")
# Ends with the names of the heavy modules that are loaded, on stderr.
LOADED = f"print(*sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"
OFFLINE = """
import socket, sys
def refuse(*_, **__):
    raise SystemExit("a socket was asked for")
socket.socket.connect = socket.socket.connect_ex = socket.socket.sendto = refuse
socket.create_connection = socket.getaddrinfo = socket.gethostbyname = refuse
class Socket(socket.socket):
    def __init__(self, *_, **__):
        refuse()
socket.socket = Socket
from stylekl.cli import main
main(sys.argv[1:])
"""


def python(code: str, *arguments: str) -> tuple[int, str, str]:
    return run(*arguments, program=(sys.executable, "-c", code))


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_load_nothing_heavy(option: str) -> None:
    """Nor does the help of a command."""
    code = f"import sys, atexit; atexit.register(lambda: {LOADED}); from stylekl.cli import main; main()"
    ended, out, loaded = python(code, option)

    assert (ended, loaded) == (0, "\n")
    assert out.startswith("stylekl " if option == "--version" else "Usage: stylekl")
    assert python(code, "matrix", "--help")[2] == "\n"


def test_a_comparison_does_load_them() -> None:
    """The modules that the test above looks for are those that the work needs."""
    code = f"import sys, atexit; atexit.register(lambda: {LOADED}); from stylekl.cli import main; main()"

    assert set(python(code, "matrix", "-q")[2].split()) >= {"numpy", "rich", "tiktoken", "scipy"}


def test_import_loads_nothing_heavy() -> None:
    """Not typer either: a program that uses the library has its own command line."""
    code = f"import sys, stylekl; print('typer' in sys.modules, file=sys.stderr); {LOADED}"

    assert python(code) == (0, "", "False\n\n")


def test_the_version_is_printed_alone() -> None:
    """`--version` and `__version__` say the same."""
    assert run("--version") == (0, f"stylekl {stylekl.__version__}\n", "")


def test_the_exported_names_are_sorted_and_resolve() -> None:
    """`__all__` holds every public name once, and each is there."""
    assert list(stylekl.__all__) == sorted(set(stylekl.__all__))
    assert all(getattr(stylekl, name) is not None for name in stylekl.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        stylekl.nonsense  # noqa: B018 # asking is the test


def test_help_costs_little_more_than_python() -> None:
    """At most 150 ms of CPU over a Python that does nothing, the best of a few runs each."""

    def cpu(*command: str) -> float:
        times = []
        for _ in range(4):
            process = subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            times.append(usage.ru_utime + usage.ru_stime)
        return min(times)

    bare = cpu(sys.executable, "-c", "pass")

    assert cpu(*COMMAND, "--help") - bare <= 0.15
    assert cpu(*COMMAND, "--version") - bare <= 0.15


@pytest.mark.parametrize(
    "command",
    [
        ("matrix", "--json"),
        ("pair", *made.THREE[:2], "--examples"),
        ("focus", made.THREE[0]),
        ("schema", "pair"),
        ("battery", "check", "one-word"),
        ("config", "--show"),
    ],
    ids=lambda command: command[0],
)
def test_no_command_opens_a_socket(command: tuple[str, ...]) -> None:
    """With a socket module that ends the process when asked for anything, all is as before."""
    assert python(OFFLINE, *command) == run(*command)


def test_the_guard_against_sockets_works() -> None:
    """What the test above relies on does stop a connection."""
    code = OFFLINE.replace("from stylekl.cli import main\nmain(sys.argv[1:])", "socket.socket()")

    assert python(code) == (1, "", "a socket was asked for\n")


def test_a_matrix_of_style_loads_no_other_lens() -> None:
    """Each costs some 20 ms."""
    loaded = "print(*(name for name in sys.modules if name.startswith('stylekl.lenses.')), file=sys.stderr)"
    code = f"import sys, atexit; atexit.register(lambda: {loaded}); from stylekl.cli import main; main()"

    assert not {f"stylekl.lenses.{name}" for name in ("choices", "verdicts", "votes", "judgments")} & set(
        python(code, "matrix", "-q")[2].split()
    )

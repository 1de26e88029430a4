"""Work shared out over copies of this process: what one process finds, whoever dies, and nobody left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import stylekl
from stylekl.counts.shares import shared

linux = pytest.mark.skipif(sys.platform != "linux", reason="there are no forks elsewhere")

BEGIN = """
import os, signal
from stylekl.counts.shares import shared

def children():
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return file.read().split()
"""

SHARED = """
def work(share):
    return os.getpid(), [b"x" * 300_000 for _ in share]

found = shared(work, [[1], [2, 3], [4, 5, 6]])
assert [len(answers) for _, answers in found] == [1, 2, 3]
assert found[0][0] == os.getpid() and len({pid for pid, _ in found}) == 3
assert children() == []
"""

KILLED = """
own = os.getpid()

def work(share):
    if os.getpid() != own and share == "b":
        os.kill(os.getpid(), signal.SIGKILL)
    return share, os.getpid() == own

assert shared(work, ["a", "b", "c"]) == [("a", True), ("b", True), ("c", False)]
assert children() == []
"""

RAISED = """
def work(share):
    if share == "b":
        raise ValueError(share)
    return share

try:
    shared(work, ["a", "b"])
except ValueError as error:
    assert error.args == ("b",)
else:
    raise AssertionError
assert children() == []
"""

THREADS = """
import threading

stop = threading.Event()
threading.Thread(target=stop.wait).start()
found = shared(lambda share: (share, os.getpid()), [1, 2])
stop.set()
assert found == [(1, os.getpid()), (2, os.getpid())]
"""

INTERRUPTED = """
own = os.getpid()

def work(share):
    if os.getpid() == own:
        os.kill(0, signal.SIGINT)
    signal.pause()

os.setpgrp()
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests in the background ignores it
try:
    shared(work, [1, 2])
except KeyboardInterrupt:
    assert children() == []
    print("ended")
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    paths = [str(Path(stylekl.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-W", "error", "-c", BEGIN + code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)


@given(st.lists(st.lists(st.integers())))
def test_answers_stand_in_the_order_of_the_shares(shares: list[list[int]]) -> None:
    assert shared(sum, shares) == [sum(share) for share in shares]


@linux
@pytest.mark.parametrize(
    ("code", "said"),
    [
        pytest.param(SHARED, "", id="each-share-in-a-process-of-its-own-whatever-the-size-of-its-answer"),
        pytest.param(KILLED, "", id="what-a-killed-process-had-is-done-again"),
        pytest.param(RAISED, "", id="what-a-share-raises-is-raised"),
        pytest.param(THREADS, "", id="beside-other-threads-there-is-no-fork"),
        pytest.param(INTERRUPTED, "ended\n", id="ctrl-c-ends-all"),
    ],
)
def test_in_processes(code: str, said: str) -> None:
    done = run(code)

    assert (done.returncode, done.stdout, done.stderr) == (0, said, "")

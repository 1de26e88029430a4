"""Tokens counted by several processes: the same counts, a clear end whatever becomes of one, and nobody left behind."""

from __future__ import annotations

import itertools
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stylekl
from stylekl.counts import cores, pool
from stylekl.counts.table import Gathering, tally_of
from stylekl.errors import WorkerError
from stylekl.facets import facet, tokens
from stylekl.facets.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Iterator

ARRAYS = ("symbols", "counts", "starts", "lengths")
KINDS = ["fork", "python"] if sys.platform == "linux" else ["python"]
linux = pytest.mark.skipif(sys.platform != "linux", reason="it looks in /proc, and ends processes by signals")

# What each process below does first: batches of about forty texts, by two processes of the kind that is asked for.
BEGIN = """
import os, signal, sys, time
from stylekl.counts import count, pool
from stylekl.errors import WorkerError
from stylekl.facets import facet, tokens
from stylekl.facets.texts import Texts
kind = sys.argv[1]
assert pool.may_fork() == (sys.platform == "linux")
if kind != "fork":
    pool.may_fork = lambda: False
pool.FORKED = pool.STARTED = 0
pool.BATCH = 5000

def counted(texts, jobs):
    places = [(0, number) for number in range(len(texts))]
    return count(Texts(texts), places, facet("tokens"), models=1, prompts=len(texts), jobs=jobs)

def children():
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return [int(child) for child in file.read().split()]

def dead(child):
    with open(f"/proc/{child}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] == "Z"

class Listed(list):
    "Texts with something that happens after the first thousand, once there are processes to count them."
    def __iter__(self):
        yield from [TEXT] * 1000
        if children():
            yield from happens()

TEXT = "It is a text of fifty characters, more or less."
"""


def environment() -> dict[str, str]:
    """Return the environment of another process, in which the package is found as in this one."""
    paths = [str(Path(stylekl.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths), "OPENBLAS_NUM_THREADS": "1"}


def run(code: str, *arguments: str, begin: str = BEGIN) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-c", begin + code, *arguments]
    return subprocess.run(command, env=environment(), capture_output=True, text=True, check=False, timeout=60)


def same(one, other) -> bool:
    pairs = [(getattr(one, name), getattr(other, name)) for name in ARRAYS]
    return all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in pairs)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.text(st.characters(codec=None), max_size=12), max_size=12),
    st.lists(st.integers(0, 12), max_size=4),
)
def test_counts_of_parts_put_together_are_those_of_the_whole(texts: list[str], cuts: list[int]) -> None:
    """Wherever the texts are cut, parts without a text included, and in small types."""
    ends = [0, *sorted(min(cut, len(texts)) for cut in cuts), len(texts)]
    gathering = Gathering()
    for low, high in itertools.pairwise(ends):
        gathering.add(tally_of(tokens.batches(texts[low:high])).small())

    assert same(gathering.done(), tally_of(tokens.batches(texts)))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 30), max_size=30), st.integers(1, 40))
def test_batches_hold_every_text_once_and_end_when_they_are_full(sizes: list[int], most: int) -> None:
    texts = [str(number) * size for number, size in enumerate(sizes)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "BATCH", most)
        patch.setattr(pool, "OTHER", 1)
        found = list(pool._batches(texts))

    assert [text for batch in found for text in batch.texts] == texts
    assert [batch.number for batch in found] == list(range(len(found)))
    assert all(batch.texts == texts[batch.first : batch.first + len(batch.texts)] for batch in found)
    assert all(sum(map(len, batch.texts[:-1])) + len(batch.texts) - 1 < most for batch in found)


SAME = """
import random
import numpy as np
draw = random.Random(7)
pieces = ["the", " cat", "\\n\\n", "\\ud800", "\\ufdd0", "<|endoftext|>", "é說😀", " " * 300, "x" * 400, "2024"]
texts = ["".join(draw.choices(pieces, k=draw.randrange(8))) for _ in range(700)] + ["a" * 400_000, ""]
alone = counted(texts, 1)
for jobs, batch in ((2, 3000), (3, 20_000), (2, 10**9)):
    pool.BATCH = batch
    together = counted(texts, jobs)
    for name in ("symbols", "counts", "starts", "lengths", "model", "prompt", "sample"):
        one, other = getattr(alone, name), getattr(together, name)
        assert one.dtype == other.dtype and np.array_equal(one, other), name
    assert together.limit == alone.limit
    assert sys.platform != "linux" or children() == []
"""


@pytest.mark.parametrize("kind", KINDS)
def test_counts_are_those_of_one_process_to_the_last_bit(kind: str) -> None:
    """For any number of processes and any batches; and no process is left."""
    done = run(SAME, kind)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


SCRIPT = """
print("once")
import stylekl.counts.pool as pool
from stylekl.counts import count
from stylekl.facets import facet
from stylekl.facets.texts import Texts
pool.may_fork = lambda: False
pool.STARTED = 0
pool.BATCH = 50
counts = count(Texts(["one two"] * 9), [(0, 0)] * 9, facet("tokens"), models=1, prompts=1, jobs=2)
print(counts.lengths.sum())
"""


def test_a_script_without_a_guard_is_not_run_again_by_the_processes_it_starts(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    command = [sys.executable, str(path)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False, timeout=60)

    assert (done.returncode, done.stdout, done.stderr) == (0, "once\n18\n", "")


class Watched(Texts):
    """Texts that say how many were asked for."""

    def __init__(self, texts) -> None:
        self.asked = 0

        def counting():
            for text in texts:
                self.asked += 1
                yield text

        class Once(list):
            def __iter__(self):
                return counting()

        super().__init__(Once(texts))


@pytest.mark.parametrize("jobs", [None, 2, 50])
def test_few_texts_start_no_process(jobs: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(*_: object, **__: object) -> None:
        raise AssertionError("a process")

    monkeypatch.setattr(cores, "cores", lambda: 64)
    monkeypatch.setattr(pool, "Fork", start)
    monkeypatch.setattr(pool, "Python", start)

    assert pool.shared_out(Texts(["a" * 1000] * 7000), facet("tokens"), jobs) is None


def test_whether_there_are_many_texts_is_known_without_reading_all() -> None:
    texts = Watched(["abc"] * 1000)

    assert texts.exceed(8)
    assert texts.asked == 3
    assert not texts.exceed(3000)
    assert texts.exceed(2999)


LOST = """
def happens():
    os.kill(children()[0], signal.SIGKILL)
    yield from [TEXT] * 3000
try:
    counted(Listed(), 2)
except WorkerError as error:
    assert error.exit_code == 3
    print(error.message)
assert children() == []
"""


@linux
@pytest.mark.parametrize("kind", KINDS)
def test_a_process_that_is_killed_is_an_error_that_names_its_texts(kind: str) -> None:
    """The others end too; nothing waits for it."""
    done = run(LOST, kind)

    assert (done.returncode, done.stderr) == (0, "")
    message = done.stdout.split()
    assert message[0] == "text"
    assert done.stdout.endswith(": the process that counted them was ended by SIGKILL\n")
    first, last = int(message[1]), int(message[7].rstrip(":"))
    assert 1 <= first < last <= 4000


FAILED = """
plain = tokens.encode
def failing(texts):
    for text in texts:
        if text == "bad":
            raise MemoryError
        yield from plain([text])
tokens.encode = failing
texts = ["good"] * 5 + ["bad"] + ["good"] * 5
pool.BATCH = 3 * pool.OTHER
try:
    counted(texts, 2)
except WorkerError as error:
    print(error.message)
assert children() == []
"""


@linux
def test_a_process_that_runs_out_of_memory_says_so() -> None:
    """It does not die of it, and the texts that it had are named."""
    done = run(FAILED, "fork")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "text 4 and those up to text 6: the process that counted them failed: MemoryError\n"


WAITING = """
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests in the background ignores it
def happens():
    print(*children(), flush=True)
    while True:
        yield TEXT
try:
    counted(Listed(), 2)
except KeyboardInterrupt:
    print("interrupted", children())
"""


def running(process: int) -> bool:
    """Return whether a process runs: one that nobody waits for any more does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def ended(processes: list[int]) -> bool:
    """Wait until none of these runs, for a few seconds at most."""
    until = time.monotonic() + 10
    while any(map(running, processes)) and time.monotonic() < until:
        os.sched_yield()
    return not any(map(running, processes))


@contextmanager
def begun(kind: str, begin: str = BEGIN) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """Start a process that counts and does not end, in a group of its own; yield it and those that count for it."""
    asked = subprocess.Popen(
        [sys.executable, "-c", begin + WAITING, kind],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    with asked:
        try:
            yield asked, [int(child) for child in asked.stdout.readline().split()]
        finally:
            asked.kill()


@linux
@pytest.mark.parametrize("kind", KINDS)
def test_ctrl_c_ends_all_of_them_at_once_and_without_a_word(kind: str) -> None:
    """It reaches the whole group, as a terminal's does."""
    with begun(kind) as (asked, processes):
        os.killpg(asked.pid, signal.SIGINT)
        out, err = asked.communicate(timeout=60)

    assert (asked.returncode, out, err) == (0, "interrupted []\n", "")
    assert len(processes) == 2
    assert ended(processes)


@linux
@pytest.mark.parametrize("kind", KINDS)
def test_nobody_is_left_when_the_process_that_asked_is_killed(kind: str) -> None:
    with begun(kind) as (asked, processes):
        asked.kill()
        _, err = asked.communicate(timeout=60)

    assert err == ""
    assert len(processes) == 2
    assert ended(processes)


CLOSED = """
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
def happens():
    for child in children():
        os.kill(child, signal.SIGKILL)
        while not dead(child):
            pass
    yield from [TEXT] * 1000
try:
    counted(Listed(), 2)
except WorkerError as error:
    print(error.message.rpartition(" ")[2])
"""


@linux
def test_writing_to_a_dead_process_does_not_end_this_one() -> None:
    """The program lets a broken pipe end it, which is for its output alone."""
    done = run(CLOSED, "fork")

    assert (done.returncode, done.stdout, done.stderr) == (0, "SIGKILL\n", "")


@linux
def test_an_error_in_reading_the_texts_is_the_error() -> None:
    """Whatever the texts raise when they are asked for comes out as it is."""
    code = """
def happens():
    yield TEXT
    raise LookupError("the disk")
try:
    counted(Listed(), 2)
except LookupError as error:
    print(error)
"""
    done = run(code, KINDS[0])

    assert (done.returncode, done.stdout, done.stderr) == (0, "the disk\n", "")


LENS = """
import stylekl
from stylekl.lenses.style import StyleOptions
from stylekl.results import Model, Prompt, Reply, Results
results = Results(
    models=[Model(id="m"), Model(id="n")],
    prompts=[Prompt(id=f"p{number}", text=f"Say {number}.") for number in range(40)],
    replies=[
        Reply(model=model, prompt=f"p{number}", text=f"{TEXT} {model * number}")
        for model in "mn" for number in range(40)
    ],
)
pool.BATCH = 1000
alone, together = (stylekl.matrix(results, StyleOptions(jobs=jobs)) for jobs in (1, 2))
assert repr(alone) == repr(together)
plain = pool.serve
def losing(worker, source, found):
    os.kill(worker._pid, signal.SIGKILL)
    plain(worker, source, found)
pool.serve = losing
try:
    stylekl.matrix(results, StyleOptions(jobs=2))
except WorkerError as error:
    print(error.message)
"""


@linux
def test_a_lens_gives_the_same_report_and_names_the_replies_that_a_dead_process_had() -> None:
    done = run(LENS, "fork")

    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(
        r'the reply of "[mn]" to prompt "p\d+" and those up to the reply of "[mn]" to prompt "p\d+": '
        "the process that counted them was ended by SIGKILL\n",
        done.stdout,
    )


def test_an_error_names_replies_where_they_are_known() -> None:
    error = WorkerError(range(3, 9), "was ended by SIGKILL", ("one reply", "another"))

    assert (
        str(error) == "one reply and those up to another: the process that counted them was ended by SIGKILL"
    )
    assert str(WorkerError(range(3, 4), "ended")) == "text 4: the process that counted it ended"

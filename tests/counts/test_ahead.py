"""Tokens counted while files are read: the counts of one process, or none where something was not seen or died."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stylekl
from stylekl.counts import cache
from stylekl.counts.ahead import Ahead
from stylekl.counts.table import tally_of
from stylekl.facets import tokens

linux = pytest.mark.skipif(
    sys.platform != "linux", reason="nothing is counted ahead where there are no forks"
)

BEGIN = """
import os, signal, sys
import numpy as np
from stylekl.counts import pool, table
from stylekl.counts.ahead import Ahead
from stylekl.facets import tokens
from stylekl.facets.texts import Texts
os.environ["STYLEKL_TOKENIZER"] = "tiktoken"
pool.BATCH = 5000
texts = [f"{number} is a number, \\ud800 and more or less." * (number % 7) for number in range(900)] + ["a" * 400_000]

def children():
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return [int(child) for child in file.read().split()]

def same(one, other):
    pairs = [(getattr(one, name), getattr(other, name)) for name in one._fields]
    return all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in pairs)
"""

SAME = """
with Ahead(2) as ahead:
    ahead.start(pool.FORKED)
    assert ahead.started and len(children()) == 2
    for start in range(0, len(texts), 100):
        ahead.see("<think>hm</think>\\n" + text if text else text for text in texts[start : start + 100])
    asked = sorted(texts[:700], key=hash) + texts[5:9]
    found = ahead.counts_of(Texts(asked))
    assert found is not None and same(found, table.tally_of(tokens.batches(asked)))
    assert ahead.began and not ahead.started
    assert children() == []
"""

UNSEEN = """
with Ahead(2) as ahead:
    ahead.start(pool.FORKED)
    ahead.see(texts)
    assert ahead.counts_of(Texts(["unseen", *texts])) is None
assert children() == []
"""

KILLED = """
with Ahead(2) as ahead:
    ahead.start(pool.FORKED)
    ahead.see(texts[:50])
    for child in children()[: int(sys.argv[1])]:
        os.kill(child, signal.SIGKILL)
    for _ in range(30):
        ahead.see(texts)
    assert ahead.counts_of(Texts(texts)) is None
assert children() == []
"""

RAISED = """
try:
    with Ahead(2) as ahead:
        ahead.start(pool.FORKED)
        ahead.see(texts)
        raise KeyboardInterrupt
except KeyboardInterrupt:
    assert children() == []
"""

FEW = """
for jobs, size in ((1, pool.FORKED), (2, pool.FORKED - 1)):
    with Ahead(jobs) as ahead:
        ahead.start(size)
        assert not ahead.started and children() == []
        ahead.see(texts)
        assert ahead.counts_of(Texts(texts)) is None
"""


@linux
@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        pytest.param(SAME, [], id="counts-are-those-of-one-process-in-the-order-that-is-asked-for"),
        pytest.param(UNSEEN, [], id="a-text-that-was-not-seen-is-not-known"),
        pytest.param(KILLED, ["1"], id="one-process-killed"),
        pytest.param(KILLED, ["2"], id="both-processes-killed"),
        pytest.param(RAISED, [], id="an-error-ends-the-processes"),
        pytest.param(FEW, [], id="one-process-or-little-text-starts-none"),
    ],
)
def test_in_processes(code: str, arguments: list[str]) -> None:
    paths = [str(Path(stylekl.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-W", "error", "-c", BEGIN + code, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_beside_other_threads_nothing_is_counted_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fork would hold the locks of threads that it does not have."""
    import threading

    monkeypatch.setenv("STYLEKL_TOKENIZER", "tiktoken")
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        with Ahead(2) as ahead:
            ahead.start(1 << 40)
            assert not ahead.started
    finally:
        stop.set()
        thread.join()


@settings(deadline=None)
@given(st.lists(st.text(max_size=12), max_size=12), st.data())
def test_rows_are_those_of_the_texts_in_any_order(texts: list[str], data: st.DataObject) -> None:
    order = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=20) if texts else st.just([]))
    found = tally_of(tokens.batches(texts)).rows(order)
    alone = tally_of(tokens.batches([texts[place] for place in order]))

    for name in found._fields:
        np.testing.assert_array_equal(getattr(found, name), getattr(alone, name))


def test_a_file_is_noted_until_anything_is_evicted_or_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from stylekl.counts import shelf

    monkeypatch.setenv("STYLEKL_CACHE_DIR", str(tmp_path))
    names = [random.Random(number).randbytes(32).hex() for number in range(3)]

    assert not any(map(cache.is_noted, names))
    cache.note(names[:2])
    assert [cache.is_noted(name) for name in names] == [True, True, False]
    assert shelf.content().entries == 0
    folder = tmp_path / "counts"
    (folder / "one.npz").write_bytes(b"x" * 10)
    shelf.evict(folder, 10)
    assert cache.is_noted(names[0])
    shelf.evict(folder, 9)
    assert not cache.is_noted(names[0])
    cache.note(names)
    shelf.clear()
    assert not any(map(cache.is_noted, names))
    assert list(folder.iterdir()) == []

"""Facets counted together, batch by batch and by several processes: the counts and numbers of one pass over all."""

from __future__ import annotations

import itertools
import os
import signal

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stylekl.counts import cache, joint, pool, table
from stylekl.counts.cache import count_cached
from stylekl.counts.table import tally_of
from stylekl.facets import FACETS, facet
from stylekl.facets.texts import Texts
from stylekl.lenses.style import StyleOptions
from stylekl.lenses.style.evidence import gather_evidence
from tests.counts.test_pool import BEGIN, KINDS, begun, ended, linux, run, same
from tests.facets.test_facets import PARTS
from tests.lenses.make import APART, make_results

NAMES = [name for name in FACETS if name != "tokens"]
TEXTS = st.lists(
    st.lists(st.sampled_from([*PARTS, "it’s", " it's", "\ud800", "\0", "\n\n- one"]), max_size=20).map(
        "".join
    )
    | st.text(st.characters(codec=None), max_size=12),
    max_size=12,
)


def whole(name, texts, least):
    """Return the counts of texts that are cut into pieces together, and the table of their symbols."""
    how = facet(name)
    return tally_of(how.encode(Texts(texts), least)), how.table


def by_parts(texts, cuts, least):
    """Return the same of texts that are cut into batches, for each facet by its name."""
    ends = [0, *sorted(min(cut, len(texts)) for cut in cuts), len(texts)]
    batches = [joint.parts(NAMES, texts[low:high]) for low, high in itertools.pairwise(ends)]
    found = {}
    for name, counted in zip(NAMES, joint.joined(NAMES, batches, least), strict=True):
        how = facet(name)
        how.number(counted.symbols)
        found[name] = counted.tally, how
    return found


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.lists(st.integers(0, 12), max_size=4), st.integers(1, 4))
@example(["b a, it’s", "", "a b! it's so", "b"], [1, 2], 1)
@example(["one two", "two one", "one two", "two one"], [1, 3], 2)
def test_batches_put_together_are_the_counts_of_all_texts(
    texts: list[str], cuts: list[int], least: int
) -> None:
    """In every facet, wherever the texts are cut: arrays, types, numbers of symbols, what is dropped."""
    for name, (tally, how) in by_parts(texts, cuts, least).items():
        expected, names = whole(name, texts, least)
        assert same(tally, expected)
        assert how.table == names


@settings(max_examples=50, deadline=None)
@given(TEXTS.filter(any))
def test_every_symbol_has_the_class_that_it_has_in_one_pass(texts: list[str]) -> None:
    """That of a text without symbols is the last, whichever batch has such a text."""
    for name, (tally, how) in by_parts(texts, range(len(texts)), 1).items():
        plain = facet(name)
        list(plain.encode(Texts(texts)))
        kinds = [how.kind(symbol) for symbol in np.unique(tally.symbols).tolist()]
        assert kinds == [plain.kind(symbol) for symbol in np.unique(tally.symbols).tolist()]


def test_a_symbol_that_is_rare_in_each_batch_is_kept_where_it_is_frequent_in_all() -> None:
    texts = ["so it goes", "nothing here", "so it goes", "so it ends"]
    tally, how = by_parts(texts, [1, 2, 3], 3)["phrases"]

    assert [how.symbol(symbol) for symbol in np.unique(tally.symbols).tolist()] == ["so it"]
    assert tally.lengths.tolist() == [3, 1, 3, 3]


@pytest.fixture
def _cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have texts of any size counted batch by batch, in batches of a few."""
    monkeypatch.setattr(table, "TOGETHER", 0)
    monkeypatch.setattr(pool, "BATCH", 300)


class Once(list):
    """Texts that say how often they were read through."""

    read = 0

    def __iter__(self):
        self.read += 1
        return super().__iter__()


@pytest.mark.usefixtures("_cut")
def test_what_is_expected_is_counted_in_the_same_pass_and_waits_until_it_is_asked_for() -> None:
    texts = Texts(Once(f"It is the {number % 7}th. It is so!" for number in range(50)))
    texts.expected = ["words", "phrases", "layout", "tokens"]
    assert texts.measured
    before = texts.texts.read
    for name in ("phrases", "layout", "words"):
        how = facet(name)
        tally, names = whole(name, list.copy(texts.texts), 3)
        assert same(table.tallied(texts, how, 3), tally)
        assert how.table == names
        assert texts.texts.read == before + 1
    assert texts.ready == {}


@pytest.mark.usefixtures("_cut")
def test_a_facet_that_is_kept_on_disk_is_not_counted_along(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STYLEKL_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache, "LEAST", 0)
    flat, places = ["It is so.", "So it is!"] * 40, [(0, number) for number in range(80)]

    def counted(texts, name):
        return count_cached(texts, places, facet(name), models=1, prompts=80, least=3)

    counted(Texts(flat), "words")
    texts = Texts(flat)
    texts.expected = ["words", "marks", "rhythm"]
    counted(texts, "rhythm")

    assert list(texts.ready) == [("marks", 3)]


@pytest.mark.usefixtures("_cut")
def test_evidence_in_all_facets_reads_the_texts_once_for_all_of_them() -> None:
    evidence = gather_evidence(make_results(APART), StyleOptions(cache=False, jobs=1))
    plain = {
        name: gather_evidence(make_results(APART), StyleOptions(cache=False, jobs=1, facet=name))
        for name in NAMES
    }
    evidence.in_facet("phrases")
    waiting = [name for name, _ in evidence.material.texts.ready]

    assert waiting == [name for name in NAMES if name != "phrases"]
    for name in NAMES:
        assert same(evidence.in_facet(name).counts, plain[name].counts)
    assert evidence.material.texts.ready == {}


JOINT = (
    BEGIN.replace(
        'facet("tokens"), models=1, prompts=len(texts), jobs=jobs)',
        "HOW, models=1, prompts=len(texts), least=3, jobs=jobs)",
    )
    + """
from stylekl.counts import joint, table
joint.FORKED = joint.STARTED = table.TOGETHER = 0
HOW = facet("phrases")
"""
)

SAME = """
import random
import numpy as np
draw = random.Random(7)
pieces = ["the", " cat", "\\n\\n", "\\ud800", "\\n- ", "it’s ", "it's ", "! ", "é說😀", " " * 300, "x" * 400, "2024"]
texts = ["".join(draw.choices(pieces, k=draw.randrange(30))) for _ in range(700)] + ["a" * 400_000, ""]
names = ["words", "phrases", "marks", "layout", "rhythm", "openings"]
plain = {}
for HOW in map(facet, names):
    table.TOGETHER = 1 << 30
    plain[HOW.NAME] = counted(texts, 1), HOW.table
    table.TOGETHER = 0
for jobs, batch in ((1, 3000), (2, 3000), (3, 20_000), (2, 10**9)):
    pool.BATCH = batch
    held = Texts(texts)
    held.expected = names
    places = [(0, number) for number in range(len(texts))]
    for HOW in map(facet, names):
        together = count(held, places, HOW, models=1, prompts=len(texts), least=3, jobs=jobs)
        alone, symbols = plain[HOW.NAME]
        for name in ("symbols", "counts", "starts", "lengths", "model", "prompt", "sample"):
            one, other = getattr(alone, name), getattr(together, name)
            assert one.dtype == other.dtype and np.array_equal(one, other), (HOW.NAME, name)
        assert together.limit == alone.limit and HOW.table == symbols
    assert sys.platform != "linux" or children() == []
"""


@pytest.mark.parametrize("kind", KINDS)
def test_counts_are_those_of_one_process_to_the_last_bit(kind: str) -> None:
    """In every facet, for any number of processes and any batches; and no process is left."""
    done = run(SAME, kind, begin=JOINT)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


ALONE = """
os.fork = None
pool.Python = None
class Watched(list):
    "Texts that see who counts them."
    def __iter__(self):
        for text in super().__iter__():
            assert children() == []
            yield text
print(counted(Watched([TEXT] * 300), 1).lengths.sum())
"""


@linux
def test_one_job_is_this_process() -> None:
    """A text has runs of seven and of three words, in which there are 21 phrases."""
    done = run(ALONE, "fork", begin=JOINT)

    assert (done.returncode, done.stdout, done.stderr) == (0, f"{300 * 21}\n", "")


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
    done = run(LOST, kind, begin=JOINT)

    assert (done.returncode, done.stderr) == (0, "")
    message = done.stdout.split()
    assert message[0] == "text"
    assert done.stdout.endswith(": the process that counted them was ended by SIGKILL\n")
    assert 1 <= int(message[1]) < int(message[7].rstrip(":")) <= 4000


FAILED = """
from stylekl.facets import pieces
plain = pieces.cut
def failing(texts):
    if "bad" in texts:
        raise MemoryError
    return plain(texts)
pieces.cut = failing
pool.BATCH = 3 * pool.OTHER
try:
    counted(["good"] * 5 + ["bad"] + ["good"] * 5, 2)
except WorkerError as error:
    print(error.message)
assert children() == []
"""


@linux
def test_a_process_that_runs_out_of_memory_says_so() -> None:
    done = run(FAILED, "fork", begin=JOINT)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "text 4 and those up to text 6: the process that counted them failed: MemoryError\n"


@linux
@pytest.mark.parametrize("kind", KINDS)
def test_ctrl_c_ends_all_of_them_at_once_and_without_a_word(kind: str) -> None:
    """It reaches the whole group, as a terminal's does."""
    with begun(kind, begin=JOINT) as (asked, processes):
        os.killpg(asked.pid, signal.SIGINT)
        out, err = asked.communicate(timeout=60)

    assert (asked.returncode, out, err) == (0, "interrupted []\n", "")
    assert len(processes) == 2
    assert ended(processes)


@linux
@pytest.mark.parametrize("kind", KINDS)
def test_nobody_is_left_when_the_process_that_asked_is_killed(kind: str) -> None:
    with begun(kind, begin=JOINT) as (asked, processes):
        asked.kill()
        _, err = asked.communicate(timeout=60)

    assert err == ""
    assert len(processes) == 2
    assert ended(processes)

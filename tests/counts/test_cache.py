"""The cache of counts: never wrong, never in the way, and gone when asked."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
import time
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import stylekl
from stylekl.counts import cache, count, shelf
from stylekl.counts.cache import count_cached
from stylekl.errors import UsageError, WorkerError
from stylekl.facets import FACETS, facet
from stylekl.facets.texts import Texts
from stylekl.lenses.style import StyleOptions, focus, matrix, pair
from tests.lenses.make import APART, make_results

TEXTS = [
    "It is **not** a bug. It is — in a way — a feature!",
    "",
    "# Title\n\n- one\n- two\n\nIt is not a bug, it is 1.5 features.",
    "\ud800 lone, nul \0, 文字。「重要」 😀",
    "It is not a bug.\x01\n\nIt is not. It is not a bug.",
]
PLACES = [(0, 0), (0, 1), (1, 0), (1, 1), (1, 1)]
ARRAYS = ("symbols", "counts", "starts", "lengths", "model", "prompt", "sample")
ANY_TEXTS = st.lists(st.text(st.characters(codec=None), max_size=40), max_size=5)
windows = pytest.mark.skipif(sys.platform == "win32", reason="files have no such modes there")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep counts of texts of any size, in a folder of the test; return that of the entries."""
    monkeypatch.setenv("STYLEKL_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache, "LEAST", 0)
    return tmp_path / "counts"


@pytest.fixture(scope="module")
def place_of_the_module() -> Path | None:
    return shelf.folder()


def test_what_a_module_makes_stays_out_of_the_cache_of_whoever_runs_the_tests(
    place_of_the_module: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert place_of_the_module.is_relative_to(tmp_path_factory.getbasetemp())


def counted(counting, name, texts=TEXTS, least=1):
    """Return the counts of texts and the facet that numbered their symbols."""
    how = facet(name)
    places = [(0, number) for number in range(len(texts))] if texts is not TEXTS else PLACES
    return counting(Texts(texts), places, how, models=2, prompts=max(len(texts), 2), least=least), how


def seen(counts, how):
    """Return all that can be told of counts, with the texts and classes of their symbols."""
    arrays = [getattr(counts, name) for name in ARRAYS]
    symbols = [(how.symbol(s), how.kind(s)) for s in np.unique(counts.symbols).tolist()]
    return [(a.dtype, a.tolist()) for a in arrays], counts.models, counts.prompts, counts.limit, symbols


def fresh(name, texts=TEXTS, least=1):
    return seen(*counted(count, name, texts, least))


def kept(name, texts=TEXTS, least=1):
    return seen(*counted(count_cached, name, texts, least))


@pytest.fixture
def entry(folder: Path) -> Path:
    """Return the path of the one entry, of the words of the texts."""
    kept("words")
    (path,) = folder.iterdir()
    return path


@pytest.mark.parametrize("name", FACETS)
def test_counts_are_the_same_the_first_time_and_from_the_disk(name: str, folder: Path) -> None:
    """In every facet: arrays, types, and what each number stands for."""
    assert kept(name) == fresh(name)
    (path,) = folder.iterdir()
    written = path.stat().st_ino

    assert kept(name) == fresh(name)
    assert [path.stat().st_ino for path in folder.iterdir()] == [written]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ANY_TEXTS, st.sampled_from(sorted(FACETS)), st.integers(1, 3))
def test_any_texts_come_back_as_they_were_counted(texts: list[str], name: str, least: int) -> None:
    """Lone surrogates, control characters, nothing at all."""
    for _ in range(2):
        assert kept(name, texts, least) == fresh(name, texts, least)


def test_what_is_in_the_cache_is_not_cut_again() -> None:
    """The pieces that five facets count are made for the first run only."""
    for made in (True, False):
        texts = Texts(TEXTS)
        for name in FACETS:
            count_cached(texts, PLACES, facet(name), models=2, prompts=2)

        assert ("pieces" in vars(texts)) == made


@settings(max_examples=200, deadline=None)
@given(ANY_TEXTS, ANY_TEXTS)
def test_only_the_same_texts_have_the_same_digest(one: list[str], other: list[str]) -> None:
    assert (Texts(one).digest == Texts(other).digest) == (one == other)
    assert Texts(one).digest == Texts(list(one)).digest


def test_where_one_text_ends_and_the_next_begins_is_part_of_the_digest() -> None:
    forms = (["ab", "c"], ["a", "bc"], ["abc"], ["abc", ""], ["", "abc"], ["c", "ab"], [], [""])

    assert len({Texts(texts).digest for texts in forms}) == len(forms)


def test_each_facet_text_and_least_number_has_its_entry(folder: Path) -> None:
    for name, texts, least in (("words", TEXTS, 1), ("marks", TEXTS, 1), ("words", TEXTS[::-1], 1)):
        kept(name, texts, least)
    kept("words", least=2)

    assert len(list(folder.iterdir())) == 4


def test_a_change_of_any_source_is_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the facets or of the counting: nobody has to remember a number. Without sources there is none."""
    package = tmp_path / "package"
    for part in ("facets", "counts"):
        shutil.copytree(Path(stylekl.__file__).parent / part, package / part)
    monkeypatch.setattr(shelf, "files", lambda _: package)
    versions = set()
    for changed in (None, "facets/pieces.py", "counts/table.py"):
        if changed:
            with (package / changed).open("a", encoding="utf-8") as file:
                file.write("#")
        versions.add(cache._version.__wrapped__())

    assert len(versions) == 3
    assert None not in versions
    shutil.rmtree(package)
    assert cache._version.__wrapped__() is None


def test_another_version_is_another_entry(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for version in (b"one", b"two", None):
        monkeypatch.setattr(cache, "_version", lambda version=version: version)

        assert kept("words") == fresh("words")
    assert len(list(folder.iterdir())) == 2


def test_a_flipped_bit_anywhere_is_found_or_does_no_harm(entry: Path) -> None:
    """Whatever byte is damaged, the counts are right; and the damaged entry is replaced."""
    good, expected = entry.read_bytes(), fresh("words")
    for place in range(0, len(good), 3):
        damaged = bytearray(good)
        damaged[place] ^= 1 << place % 8
        entry.write_bytes(damaged)

        assert kept("words") == expected, place
    entry.write_bytes(good[:200] + b"\xff" + good[201:])
    kept("words")
    assert entry.read_bytes()[200:201] == good[200:201]


def test_a_torn_entry_is_written_anew(entry: Path) -> None:
    good, expected = entry.read_bytes(), fresh("words")
    for length in range(0, len(good), 17):
        entry.write_bytes(good[:length])

        assert kept("words") == expected
        assert len(entry.read_bytes()) == len(good)


def longer(arrays):
    """Return lengths that any counts fit into."""
    return {"lengths": arrays["lengths"] + 1000}


# What a sound file may hold that is no entry.
POISONS = {
    "another's key": lambda a: a | {"key": a["key"][::-1]},
    "an array too many": lambda a: a | {"more": a["key"]},
    "an array missing": lambda a: {name: a[name] for name in a if name != "lengths"},
    "a symbol out of range": lambda a: a | {"symbols": np.where(a["symbols"] == 3, 10**6, a["symbols"])},
    "a negative symbol": lambda a: a | {"symbols": -a["symbols"]},
    "a count of nothing": lambda a: a | {"counts": a["counts"] * 0},
    "counts beyond the length": lambda a: a | {"counts": a["counts"] * 9},
    "fractions": lambda a: a | {"counts": a["counts"].astype(float)},
    "symbols in columns": lambda a: a | {"symbols": a["symbols"][:, None]},
    "too few symbols": lambda a: a | {"symbols": a["symbols"][1:]},
    "too many counts": lambda a: a | {"counts": np.append(a["counts"], a["counts"][:1])} | longer(a),
    "starts that go back": lambda a: a | {"starts": a["starts"][[0, 2, 1, 3, 4, 5]]} | longer(a),
    "starts beyond the end": lambda a: a | {"starts": a["starts"] + a["starts"].astype(bool)},
    "starts before the end": lambda a: a | {"starts": np.minimum(a["starts"], a["starts"][-1] - 1)},
    "starts behind the beginning": lambda a: a | {"starts": np.maximum(a["starts"], 1)},
    "too few texts": lambda a: (
        a
        | {name: a[name][:-1] for name in ("starts", "lengths")}
        | {name: a[name][: a["starts"][-2]] for name in ("symbols", "counts")}
    ),
    "negative lengths": lambda a: a | {"lengths": -a["lengths"]},
    "a table cut short": lambda a: a | {"table": a["table"][:9]},
    "a table that is no text": lambda a: a | {"table": a["table"] | 0x80},
    "other bytes' order": lambda a: a | {"symbols": a["symbols"].astype(">i4")},
}


@pytest.mark.parametrize("what", POISONS)
def test_a_sound_file_that_is_no_entry_is_not_believed(what: str, entry: Path) -> None:
    """Its checksums are right; its content cannot be what was counted."""
    with np.load(entry) as arrays:
        changed = POISONS[what](dict(arrays))
    np.savez(entry, **changed)
    poisoned = entry.read_bytes()

    assert kept("words") == fresh("words")
    assert entry.read_bytes() != poisoned


class Trap:
    """Makes a folder where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_nothing_in_an_entry_is_run(entry: Path, tmp_path: Path) -> None:
    with np.load(entry) as arrays:
        trapped = dict(arrays) | {"key": np.array([Trap(tmp_path / "sprung")])}
    np.savez(entry, **trapped)

    assert kept("words") == fresh("words")
    assert not (tmp_path / "sprung").exists()


def test_what_numpy_would_warn_of_is_not_said(entry: Path) -> None:
    """An array as Python 2 would have described it."""
    with zipfile.ZipFile(entry) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["symbols.npy"] = re.sub(rb"(\d)(,\), } *) \n", rb"\1L\2\n", members["symbols.npy"])
    with zipfile.ZipFile(entry, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")

        assert kept("words") == fresh("words")
    assert said == []


def test_the_entry_of_another_facet_is_not_believed(folder: Path, entry: Path) -> None:
    kept("rhythm")
    (other,) = folder.glob("rhythm-*")
    shutil.copyfile(entry, other)

    assert kept("rhythm") == fresh("rhythm")


def test_a_compressed_file_is_not_read(entry: Path) -> None:
    """What is stored plain is never larger in memory than on the disk."""
    with np.load(entry) as arrays:
        np.savez_compressed(entry, **arrays)
    small = entry.read_bytes()

    assert kept("words") == fresh("words")
    assert entry.read_bytes() != small


def by_model(texts: list[list[str]], counting=count_cached):
    """Return what can be told of the tokens of some models' texts."""
    how = facet("tokens")
    places = [(model, number) for model, own in enumerate(texts) for number in range(len(own))]
    flat = [text for own in texts for text in own]
    return seen(counting(Texts(flat), places, how, models=len(texts), prompts=9), how)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every model have an entry of tokens, however little it said."""
    monkeypatch.setattr(cache, "PART", 1)


@pytest.mark.usefixtures("small")
def test_a_changed_reply_costs_the_tokens_of_its_model_alone(folder: Path) -> None:
    """As does a model more or less: the entries of the others are those that there were."""
    texts = [["one", "two"], ["three"], ["four", "five"]]
    by_model(texts)
    before = {path.name: path.stat().st_ino for path in folder.iterdir()}
    assert len(before) == 3
    for changed, more in (
        ([["one", "two!"], *texts[1:]], 1),
        ([*texts, ["six"]], 1),
        (texts[1:], 0),
        (texts[::-1], 0),
    ):
        have = len(list(folder.iterdir()))
        assert by_model(changed) == by_model(changed, count)
        assert len(list(folder.iterdir())) == have + more
    after = {path.name: path.stat().st_ino for path in folder.iterdir()}

    assert before.items() <= after.items()


@pytest.mark.usefixtures("small")
def test_what_is_kept_of_some_models_is_not_cut_again(folder: Path) -> None:
    """Texts of the others alone are asked for."""

    class Asked(list):
        def __getitem__(self, place):
            asked.append(place)
            return super().__getitem__(place)

    asked: list[int] = []
    by_model([["one"], ["two", "three"]])
    how, flat = facet("tokens"), Asked(["one", "four", "two", "three"])
    places = [(0, 0), (1, 0), (2, 0), (2, 1)]
    count_cached(Texts(flat), places, how, models=3, prompts=2)

    assert set(asked) == {1}


@pytest.mark.usefixtures("small")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(ANY_TEXTS, max_size=5), st.integers(0, 31), st.booleans())
def test_tokens_of_some_models_that_are_lost_or_damaged_are_counted_again(
    folder: Path, texts: list[list[str]], lost: int, damaged: bool
) -> None:
    by_model(texts)
    for number, path in enumerate(sorted(folder.glob("*.npz"))):
        if lost >> (number % 5) & 1:
            if damaged:
                path.write_bytes(path.read_bytes()[:-40])
            else:
                path.unlink()

    assert by_model(texts) == by_model(texts, count)


@pytest.mark.usefixtures("small")
def test_an_error_of_a_process_names_texts_by_their_numbers_among_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where those of one model in the middle were kept, too."""
    by_model([["two", "three"]])

    def lose(texts, *_):
        assert list(texts.texts) == ["one", "four", "five"]
        raise WorkerError(range(1, 3), "ended")

    monkeypatch.setattr(cache, "tallied", lose)
    with pytest.raises(WorkerError) as error:
        by_model([["one"], ["two", "three"], ["four", "five"]])
    assert error.value.rows == range(3, 5)


def test_small_models_share_an_entry_of_tokens(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "PART", 6)
    by_model([["abc"], ["def"], ["g"], ["h" * 10], ["i"]])

    assert len(list(folder.iterdir())) == 3


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="it gives a file to somebody else")
def test_an_entry_of_somebody_else_is_not_believed(folder: Path, entry: Path) -> None:
    os.chown(entry, 12345, -1)
    kept("words")

    assert entry.stat().st_uid == os.getuid()


@pytest.mark.parametrize(
    "foreign", [b"", b"no archive", b"PK\x05\x06" + bytes(18), b"\x93NUMPY", b"\x80\x04N."]
)
def test_a_foreign_file_in_the_place_of_an_entry_is_replaced(foreign: bytes, entry: Path) -> None:
    good = len(entry.read_bytes())
    entry.write_bytes(foreign)

    assert kept("words") == fresh("words")
    assert len(entry.read_bytes()) == good


def test_a_folder_in_the_place_of_an_entry_is_left_alone(entry: Path) -> None:
    entry.unlink()
    entry.mkdir()

    assert kept("words") == fresh("words")
    assert [path.name for path in entry.parent.iterdir()] == [entry.name]


def test_a_place_that_cannot_be_written_costs_nothing_but_the_speed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file stands where a folder should: as on a read-only disk, there is no error and no warning."""
    (tmp_path / "file").write_bytes(b"mine")
    for place in ("file", "file/below"):
        monkeypatch.setenv("STYLEKL_CACHE_DIR", str(tmp_path / place))

        assert kept("words") == fresh("words")
        assert shelf.content()[1:3] == (0, 0)
    assert (tmp_path / "file").read_bytes() == b"mine"


def environment() -> dict[str, str]:
    """Return the environment of another process, in which the package is found as in this one."""
    paths = [str(Path(stylekl.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths)}


FULL = """
import os, resource, signal, sys
from stylekl.counts import cache, shelf
from stylekl.facets import facet
from stylekl.facets.texts import Texts
cache.LEAST = 0
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
texts = ["It is not a bug."] * 4000
for room in (0, 100, 5000, 30000):
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    counts = cache.count_cached(Texts(texts), [(0, 0)] * 4000, facet("words"), models=1, prompts=1)
    assert counts.lengths.sum() == 5 * 4000
    assert os.listdir(sys.argv[1]) == []
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of a file's size there")
def test_a_full_disk_costs_nothing_but_the_speed(folder: Path) -> None:
    """Wherever the writing breaks off, nothing is said and nothing stays."""
    command = [sys.executable, "-W", "error", "-c", FULL, str(folder)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False, timeout=60)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


AT_ONCE = """
import sys
from stylekl.counts import cache, shelf
from stylekl.facets import facet
from stylekl.facets.texts import Texts
cache.LEAST = 0
texts = [f"It is not bug {number}." for number in range(500)]
print("ready", flush=True)
sys.stdin.read()
for turn in range(30):
    for name in ("words", "marks", "rhythm"):
        some = texts[turn % 3:]
        counts = cache.count_cached(Texts(some), [(0, 0)] * len(some), facet(name), models=1, prompts=1)
        assert counts.lengths.sum() == {"words": 5, "marks": 1, "rhythm": 3}[name] * len(some)
    if turn % 7 == int(sys.argv[1]):
        shelf.clear()
"""


def test_several_processes_may_use_it_at_once(folder: Path) -> None:
    """Three that write, read and clear the same entries: each counts right, and none leaves a piece behind."""
    running = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", AT_ONCE, str(number)],
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(3)
    ]
    for each in running:
        assert each.stdout.readline() == "ready\n"
    for each in running:
        each.stdin.close()
        each.stdin = None
    ended = [(each.communicate(timeout=60)[1], each.returncode) for each in running]

    assert ended == [("", 0)] * 3
    assert {path.suffix for path in folder.iterdir()} <= {".npz"}


def aged(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


def test_the_least_recently_used_entries_go_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading is using."""
    names = ("marks", "words", "rhythm")
    for name in names:
        kept(name)
    size = {name: path.stat().st_size for name in names for path in folder.glob(f"{name}-*")}
    for name, age in zip(names, (300, 200, 100), strict=True):
        (path,) = folder.glob(f"{name}-*")
        aged(path, age)
    kept("marks")
    (path,) = folder.glob("rhythm-*")
    path.unlink()
    monkeypatch.setenv("STYLEKL_CACHE_SIZE", str(sum(size.values()) - 1))
    kept("rhythm")

    assert sorted(path.name.partition("-")[0] for path in folder.iterdir()) == ["marks", "rhythm"]


def test_what_is_larger_than_all_may_be_is_not_written(
    folder: Path, entry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does it drive the others out; and a bad entry goes though nothing takes its place."""
    longer = TEXTS * 100
    kept("words", longer)
    (large,) = set(folder.iterdir()) - {entry}
    large.write_bytes(b"damaged")
    monkeypatch.setenv("STYLEKL_CACHE_SIZE", str(entry.stat().st_size + 100))
    kept("words", longer)

    assert list(folder.iterdir()) == [entry]


def test_no_room_is_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is read or written, and the texts are not even looked at."""
    monkeypatch.setenv("STYLEKL_CACHE_SIZE", "0")
    texts = Texts(TEXTS)
    count_cached(texts, PLACES, facet("words"), models=2, prompts=2)

    assert kept("words") == fresh("words")
    assert list(tmp_path.iterdir()) == []
    assert "measured" not in vars(texts)


def test_few_texts_never_touch_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below a million characters all told."""
    monkeypatch.setattr(cache, "LEAST", sum(map(len, TEXTS)) + 1)
    kept("words")
    assert list(tmp_path.iterdir()) == []

    kept("words", [*TEXTS, "."])
    assert list(tmp_path.iterdir()) != []


@pytest.mark.parametrize(
    ("given", "size"),
    [
        ("", 2 << 30),
        ("1000", 1000),
        ("500M", 500 << 20),
        ("1.5g", 3 << 29),
        ("2 GiB", 2 << 30),
        ("3kb", 3072),
        ("0", 0),
    ],
)
def test_a_size_is_a_number_with_a_unit(given: str, size: int) -> None:
    assert shelf.limit({"STYLEKL_CACHE_SIZE": given}) == size


@pytest.mark.parametrize("given", ["much", "-1", "1e9", "2X", "nan", "１G", "M"])
def test_what_is_no_size_is_said(given: str) -> None:
    with pytest.raises(UsageError, match=f"^STYLEKL_CACHE_SIZE: {given} is not a size$"):
        shelf.limit({"STYLEKL_CACHE_SIZE": given})


def test_the_folder_is_where_the_system_keeps_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below the folder that is given, so that nothing else in there is ever touched."""
    home = Path.home()
    for platform, environ, place in (
        ("linux", {}, home / ".cache" / "stylekl"),
        ("linux", {"XDG_CACHE_HOME": str(tmp_path)}, tmp_path / "stylekl"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, home / ".cache" / "stylekl"),
        ("darwin", {"XDG_CACHE_HOME": str(tmp_path)}, home / "Library" / "Caches" / "stylekl"),
        ("win32", {"LOCALAPPDATA": str(tmp_path)}, tmp_path / "stylekl"),
        ("win32", {}, home / "AppData" / "Local" / "stylekl"),
        ("linux", {"STYLEKL_CACHE_DIR": "given", "XDG_CACHE_HOME": str(tmp_path)}, Path("given")),
    ):
        monkeypatch.setattr(sys, "platform", platform)

        assert shelf.folder(environ) == place / "counts"


@windows
def test_only_the_user_can_read_it(folder: Path) -> None:
    """Whatever the umask."""
    before = os.umask(0)
    try:
        kept("words")
    finally:
        os.umask(before)
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())]

    assert modes == [0o700, 0o600]


def test_clearing_takes_what_is_ours_and_nothing_else(tmp_path: Path, folder: Path) -> None:
    kept("words")
    kept("marks")
    (folder / "words-1.2.tmp").write_bytes(b"left behind")
    for path in (folder / "notes.txt", tmp_path / "other.npz"):
        path.write_bytes(b"mine")
    size = sum(path.stat().st_size for path in folder.glob("*.npz"))

    assert shelf.content() == (folder, 2, size, 2 << 30)
    assert shelf.clear() == (folder, 2, size, 2 << 30)
    assert shelf.content()[1:3] == (0, 0)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["counts", "notes.txt", "other.npz"]


def test_what_a_stopped_writer_left_goes_with_the_next_entry(folder: Path, entry: Path) -> None:
    """After an hour: until then somebody may be writing it."""
    old, new = folder / "marks-1.2.tmp", folder / "marks-3.4.tmp"
    for path, age in ((old, 4000), (new, 3000)):
        path.write_bytes(b"half an entry")
        aged(path, age)
    kept("rhythm")

    assert (old.exists(), new.exists()) == (False, True)


def test_reports_are_the_same_with_and_without(folder: Path) -> None:
    """To the last bit: counted without a cache, counted into it, and read from it."""
    results = make_results(APART, prompts=12, seed=5)
    asked = (
        lambda options: matrix(results, options),
        lambda options: pair(results, "one", "two", options),
        lambda options: focus(results, "three", options),
    )
    plain = [ask(StyleOptions(cache=False)) for ask in asked]
    assert not folder.exists()
    for _ in range(2):
        found = [ask(StyleOptions()) for ask in asked]

        assert list(map(repr, found)) == list(map(repr, plain))
    assert len(list(folder.iterdir())) == len(FACETS)


def test_counts_read_belong_to_whoever_reads_them(folder: Path) -> None:
    """They can be written to, as those that were counted."""
    kept("words")
    counts, _ = counted(count_cached, "words")

    assert all(getattr(counts, name).flags.writeable for name in ARRAYS)

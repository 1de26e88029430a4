from __future__ import annotations

import gzip
import json
import os
import stat
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings

from stylekl.errors import StyleklError, UsageError
from stylekl.results import Model, Results, load, merge, save

from .strategies import results, small, write

SUFFIXES = (".json", ".jsonl", ".json.gz", ".jsonl.gz")


@given(results())
@settings(max_examples=60, deadline=None)
def test_what_is_saved_loads_equal_in_every_form(given_results: Results) -> None:
    """Unknown fields, strange text and large integers come back as they were."""
    with tempfile.TemporaryDirectory() as folder:
        for suffix in SUFFIXES:
            path = Path(folder) / f"r{suffix}"
            save(given_results, path)

            assert given_results == load(path)


@given(results())
@settings(max_examples=30, deadline=None)
def test_merging_one_results_changes_nothing(given_results: Results) -> None:
    """`load` merges always, so a single file must come through as it is."""
    assert given_results == merge([given_results])


def test_saving_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    """The bytes depend on the results alone, compressed ones too."""
    loaded = load(write(tmp_path, "r.json", json.dumps(small(note=1))))
    for suffix in SUFFIXES:
        save(loaded, tmp_path / f"a{suffix}")
        save(loaded, tmp_path / f"b{suffix}")

        assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()


def test_gz_is_gzip(tmp_path: Path) -> None:
    """The suffix .gz means that the content is compressed."""
    save(Results(models=[Model(id="m")]), tmp_path / "r.json.gz")

    assert json.loads(gzip.decompress((tmp_path / "r.json.gz").read_bytes()))["models"] == [{"id": "m"}]


def test_lone_surrogates_are_written_as_replacement_characters(tmp_path: Path) -> None:
    """A text that UTF-8 cannot hold does not stop the file from being written."""
    save(Results(models=[Model(id="m\ud83d")]), tmp_path / "r.json")

    assert load(tmp_path / "r.json").models == [Model(id="m\ufffd")]


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    """Nothing is written under a name that says another form."""
    with pytest.raises(UsageError, match="a results file ends in"):
        save(Results(), tmp_path / "r.csv")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_failing_disk_leaves_the_old_file_whole(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until the rename the old file is untouched; no temporary file stays behind."""
    path = write(tmp_path, "r.json", json.dumps(small()))
    before = path.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(StyleklError, match="not written: No space left"):
        save(Results(), path)

    assert before == path.read_bytes()
    assert [path] == list(tmp_path.iterdir())


def test_an_interrupt_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while writing is no error of the disk, and is passed on."""
    path = write(tmp_path, "r.json", "{}")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save(Results(), path)

    assert ([path], b"{}") == (list(tmp_path.iterdir()), path.read_bytes())


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes or links")
def test_mode_and_link_stay(tmp_path: Path) -> None:
    """A saved file keeps the permissions of the one it replaces, and a link keeps pointing at it."""
    path = write(tmp_path, "r.json", "{}")
    path.chmod(0o640)
    link = tmp_path / "link.json"
    link.symlink_to(path)
    save(Results(), link)

    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert "stylekl/1" in path.read_text()

"""Counts kept on disk: `stylekl cache`, `--no-cache`, and answers that do not tell whether they were used."""

from __future__ import annotations

from pathlib import Path

import pytest

from stylekl.cli.cache import size

from . import made
from .run import Outcome, call

HOME = {"STYLEKL_CACHE_DIR": "kept"}
FOLDER = Path("kept") / "counts"


@pytest.fixture
def large(folder: Path) -> str:
    """Return a file with a little more than the million characters from which on counts are kept."""
    return made.write(made.rows(["a", "b", "c"], prompts=12, words=7000), "large.json")


def read(outcome: Outcome) -> dict[str, str]:
    assert (outcome.code, outcome.err) == (0, "")
    return dict(line.split(maxsplit=1) for line in outcome.out.splitlines())


def test_an_answer_is_the_same_with_and_without_the_cache(large: str) -> None:
    """Byte for byte, warnings and all: without, the first time, and from the disk."""
    asked = ("matrix", large, "--facet", "marks", "--json")
    without = call(*asked, "--no-cache", env=HOME)
    assert without.code == 0
    assert call(*asked, env=HOME | {"STYLEKL_NO_CACHE": "1"}) == without
    assert not FOLDER.exists()
    for _ in range(2):
        assert call(*asked, env=HOME) == without
        assert sorted(path.suffix for path in FOLDER.iterdir()) == [".answer", ".npz", ".work"]


def test_info_says_what_is_kept_and_clear_deletes_it(large: str) -> None:
    assert read(call("cache", "info", env=HOME)) == {
        "folder": str(FOLDER),
        "entries": "0",
        "size": "0 bytes of at most 2 GiB",
    }
    call("matrix", large, "--json", env=HOME)
    held = size(sum(entry.stat().st_size for entry in FOLDER.iterdir()))

    assert read(call("cache", "info", env=HOME | {"STYLEKL_CACHE_SIZE": "300M"})) == {
        "folder": str(FOLDER),
        "entries": "3",
        "size": f"{held} of at most 300 MiB",
    }
    assert read(call("cache", "clear", env=HOME)) == {"deleted": f"3 entries, {held}"}
    assert list(FOLDER.iterdir()) == []
    assert read(call("cache", "clear", env=HOME)) == {"deleted": "0 entries, 0 bytes"}


def test_the_sample_is_too_small_to_be_kept() -> None:
    call("pair", *made.THREE[:2], env=HOME)

    assert not FOLDER.parent.exists()


@pytest.mark.parametrize("command", [("cache", "info"), ("matrix", "large.json")], ids=lambda c: c[0])
def test_a_size_that_is_none_is_an_error(command: tuple[str, ...], large: str) -> None:
    done = call(*command, env=HOME | {"STYLEKL_CACHE_SIZE": "huge"})
    error = done.err[done.err.index("error: ") :]  # behind what the file was read as

    assert (done.code, done.out) == (2, "")
    assert error.startswith("error: STYLEKL_CACHE_SIZE: huge is not a size\nhint: ")


def test_a_folder_of_a_hostile_name_is_made_visible() -> None:
    done = call("cache", "info", env={"STYLEKL_CACHE_DIR": "red\x1b[31m"})

    assert done.code == 0
    assert "\x1b" not in done.out


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (1024, "1 KiB"),
        (999 << 10, "999 KiB"),
        (1000 << 10, "0.977 MiB"),
        (183 << 20, "183 MiB"),
        (5 << 29, "2.5 GiB"),
        (3 << 40, "3 TiB"),
    ],
)
def test_a_size_is_written_in_the_unit_that_suits_it(number: int, written: str) -> None:
    assert size(number) == written

"""The files one starts from: sound as they are, and never in place of others."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from stylekl.errors import InputError
from stylekl.gather.battery_file import load_battery, warnings_of
from stylekl.gather.init import FILES, write_start
from stylekl.gather.keys import read_keys
from stylekl.gather.roster import PROVIDERS, load_roster

if TYPE_CHECKING:
    from pathlib import Path

UNIX = pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")


def test_the_files_are_sound_as_they_are_written(tmp_path: Path) -> None:
    """The battery and the models file load without a warning."""
    battery, models, _ = write_start(tmp_path)

    assert warnings_of(load_battery(str(battery))) == []
    assert load_battery(str(battery)).calls == 12
    assert load_roster(str(models)).warnings == ()
    assert [path.name for path in sorted(tmp_path.iterdir())] == sorted(FILES)


def test_what_the_battery_comments_out_is_sound_too(tmp_path: Path) -> None:
    """The conditions, and the prompt that was retired, with the `#` taken off."""
    battery, *_ = write_start(tmp_path)
    text = battery.read_text(encoding="utf-8")
    text = text.replace("# conditions:", "conditions:").replace("#   - id: control", "  - id: control")
    text = text.replace("#   - id: hurried", "  - id: hurried").replace("#     system:", "    system:")
    text = text.replace("#     off:", "    off:").replace(
        "#   - id: story-letter", "  - id: story-old-letter"
    )
    text = text.replace("#     text: Write a scene in which", "    text: Write one scene in which")
    text = text.replace("#     retired:", "    retired:")
    battery.write_text(text, encoding="utf-8")
    read = load_battery(str(battery))

    assert [(c.id, c.off) for c in read.conditions] == [("control", False), ("hurried", True)]
    assert read.prompts[-1].retired is not None


@UNIX
def test_the_copy_of_the_example_has_the_mode_that_keys_need(tmp_path: Path) -> None:
    """Whatever the umask; it names the variable of every provider, and none has a value."""
    old = os.umask(0)
    try:
        *_, example = write_start(tmp_path)
    finally:
        os.umask(old)
    named = {line.split("=")[0] for line in example.read_text(encoding="utf-8").splitlines() if "=" in line}

    assert stat.S_IMODE(example.stat().st_mode) == 0o600
    assert read_keys(example) == {}
    assert {preset.key for preset in PROVIDERS.values() if preset.key} <= named


@pytest.mark.parametrize("name", FILES)
def test_nothing_is_overwritten(name: str, tmp_path: Path) -> None:
    """One of the three is there already: it is named, stays as it is, and nothing is written beside it."""
    (tmp_path / name).write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="is there already") as caught:
        write_start(tmp_path)

    assert str(tmp_path / name) in caught.value.message
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text(encoding="utf-8") == "mine"


def test_other_files_may_be_there(tmp_path: Path) -> None:
    """A folder that is missing is made, parents and all."""
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")

    assert len(write_start(tmp_path)) == len(write_start(tmp_path / "a" / "b")) == 3


@UNIX
def test_a_dangling_link_is_there_too(tmp_path: Path) -> None:
    """What it points to is not created."""
    (tmp_path / "models.yaml").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="is there already"):
        write_start(tmp_path)
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match=r"file"):
        write_start(tmp_path / "file")


def test_a_failure_in_between_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The third file cannot be written: the first two are gone again."""
    (tmp_path / "keep").write_text("mine", encoding="utf-8")
    monkeypatch.setitem(FILES, "none/.env", ("env.example", 0o600))
    with pytest.raises(InputError, match="No such file"):
        write_start(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["keep"]

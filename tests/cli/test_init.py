"""`stylekl init`: three files and the next command."""

from __future__ import annotations

import shlex
from pathlib import Path

from .run import call


def test_it_says_what_it_wrote_and_what_comes_next() -> None:
    """On stdout, in the folder one is in."""
    done = call("init")

    assert (done.code, done.err) == (0, "")
    assert all(Path(name).is_file() for name in ("battery.yaml", "models.yaml", ".env.example"))
    assert done.out.splitlines()[1:4] == ["  battery.yaml", "  models.yaml", "  .env.example"]
    assert "stylekl collect battery.yaml --models models.yaml -o results.json" in done.out


def test_the_commands_it_names_can_be_pasted() -> None:
    """Those about the battery work as they stand, in a folder with a space in its name."""
    done = call("init", "my study")
    lines = [line.split("  #")[0].strip() for line in done.out.splitlines()]

    assert lines[lines.index("cd 'my study'") + 1] == "cp .env.example .env"
    command = next(line for line in lines if line.startswith("stylekl battery"))
    assert call(*shlex.split(command)[1:-1], "my study/battery.yaml").code == 0


def test_a_second_time_nothing_is_written() -> None:
    """Exit code 2; which file is in the way."""
    call("init")
    Path("battery.yaml").write_text("mine", encoding="utf-8")
    done = call("init")

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: battery.yaml: is there already")
    assert Path("battery.yaml").read_text(encoding="utf-8") == "mine"


def test_a_folder_s_name_cannot_act_on_the_terminal() -> None:
    done = call("init", "a\x1b[31mb")

    assert done.code == 0
    assert "\x1b" not in done.out

"""`--export FILE` on the commands that draw nothing: what they print is kept, and written when they end."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from stylekl.cli.commands import COMMANDS, build
from stylekl.show.export_svg import CELL, PAD
from tests.gather import voting
from tests.show.output import acting
from tests.show.test_export import letters, texts

from . import made
from .keyboard import AtKeyboard
from .run import COMMAND, call, environment

if TYPE_CHECKING:
    from collections.abc import Iterator

RESULTS = "results.json"
ASKING = ("--models", "models.yaml", "-o", "out.json")
PRINTING = {
    "init": ("init", "study"),
    "config": ("config", "--show"),
    "schema": ("schema", "matrix"),
    "cache-info": ("cache", "info"),
    "cache-clear": ("cache", "clear"),
    "convert-printed": ("convert", RESULTS, "-o", "-", "-q"),
    "card": ("card", "smollm2-plain"),
    "card-printed": ("card", "smollm2-plain", "-o", "-"),
    "report-json": ("report", "--json"),
    "vote-status": ("vote", RESULTS, "--status"),
    "collect-dry": ("collect", "battery.yaml", *ASKING, "--dry-run"),
    "collect-mock": ("collect", "battery.yaml", *ASKING, "--mock", "--only", "plain"),
    "probe-dry": ("probe", "pairs", *ASKING, "--dry-run"),
    "judge-dry": ("judge", RESULTS, "--judge", "plain", "--all-pairs", "--dry-run"),
    "judge-package": ("judge", RESULTS, "--judge", "plain", "--all-pairs", "--show-package"),
}
# What they say, they say on stderr.
TELLING = {"convert": ("convert", RESULTS, "-o", "made.json", "--force"), "report": ("report", RESULTS)}


@pytest.fixture(autouse=True)
def _files(folder: Path) -> None:
    made.provide(("models.yaml",))
    small = made.sample(made.THREE)
    kept = {row["id"] for row in small["prompts"][:6]}
    small["prompts"] = [row for row in small["prompts"] if row["id"] in kept]
    small["replies"] = [row for row in small["replies"] if row["prompt"] in kept]
    made.write(small, RESULTS)


def commands() -> Iterator[tuple[str, Any]]:
    """Yield every command that does something, with its whole name."""
    for name in COMMANDS:
        command = build(name)
        inner = getattr(command, "commands", None)
        yield from ((f"{name} {each}", inner[each]) for each in inner) if inner else ((name, command),)


EVERY = dict(commands())


def contents() -> dict[str, bytes]:
    return {path.as_posix(): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def broken(command: tuple[str, ...]) -> int:
    """Run a command whose stdout nobody reads; return what it ended with."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return subprocess.run(
            [*COMMAND, *command],
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=subprocess.PIPE,
            env=environment(),
            timeout=60,
            check=False,
        ).returncode
    finally:
        os.close(writing)


@pytest.mark.parametrize("name", EVERY)
def test_every_command_has_the_option(name: str) -> None:
    """Once, and its help says which forms there are."""
    (option,) = (each for each in EVERY[name].params if "--export" in each.opts)
    text = " ".join(call(*name.split(), "--help").out.split())

    assert option.metavar == "FILE"
    assert "--export FILE Write what is shown to a file too: .svg, .html or .txt." in text


@pytest.mark.parametrize("name", PRINTING)
def test_what_is_printed_is_exported(name: str) -> None:
    """Into each form, to the letter; stdout and the files of the command are what they are without the option."""
    call(*PRINTING[name])  # what is there already changes what some say
    for file in Path().glob("study/**/*"):
        file.unlink()
    plain = call(*PRINTING[name])
    before = contents()
    for form in ("txt", "html", "svg"):
        for file in Path().glob("study/**/*"):
            file.unlink()
        done = call(*PRINTING[name], "--export", f"e.{form}")

        assert (done.code, done.out) == (0, plain.out), done.err
        assert not acting(Path(f"e.{form}").read_text(encoding="utf-8"))
    after = contents()
    text, page, svg = (after.pop(f"e.{form}").decode() for form in ("txt", "html", "svg"))

    assert plain.out
    assert {path for path in after if "journal" not in path} == {
        path for path in before if "journal" not in path
    }
    assert text == plain.out
    pre = ElementTree.fromstring(page).find(".//pre")
    assert pre is not None
    assert "".join(pre.itertext()) == text
    assert letters(element.text or "" for element in texts(svg)) == letters(text.splitlines())


@pytest.mark.parametrize("name", TELLING)
def test_a_command_that_prints_nothing_exports_what_it_says_of_its_outcome(name: str) -> None:
    """As it stands on stderr, where the last line names the file; the same where --quiet keeps it from there."""
    done = call(*TELLING[name], "--export", "e.txt")
    quiet = call(*TELLING[name], "--export", "q.txt", "-q")
    said = Path("e.txt").read_text(encoding="utf-8")

    assert (done.code, done.out, quiet.err) == (0, "", "")
    assert said
    assert done.err.endswith(f"{said}note: e.txt written\n")
    assert Path("q.txt").read_text(encoding="utf-8") == said


@pytest.mark.parametrize("name", ["schema", "convert-printed", "report-json", "config", "card-printed"])
def test_a_file_is_whole_where_nobody_reads_the_output(name: str) -> None:
    """A pipe that is closed ends the command as ever, but not before."""
    call(*PRINTING[name], "--export", "a.txt")
    code = broken((*PRINTING[name], "--export", "b.txt"))

    assert code == broken(PRINTING[name]) or code == 141
    assert code
    assert Path("a.txt").read_bytes() == Path("b.txt").read_bytes()


def test_a_drawing_is_whole_where_nobody_reads_the_output() -> None:
    call("matrix", "--export", "a.svg", "-q")
    broken(("matrix", "--export", "b.svg", "-q"))

    assert Path("a.svg").read_bytes() == Path("b.svg").read_bytes()


def test_a_picture_breaks_lines_where_a_terminal_would() -> None:
    """At the width of the output; a page and a text keep lines whole, so that what is copied is as it was."""
    for width in (40, 80):
        done = call("report", "--json", "-q", "--width", str(width), "--export", "r.svg")
        wide = float(ElementTree.parse("r.svg").getroot().get("viewBox", "").split()[2])
        call("report", "--json", "-q", "--width", str(width), "--export", "r.html")
        pre = ElementTree.parse("r.html").find(".//pre")

        assert wide == CELL * width + 2 * PAD
        assert pre is not None
        assert "".join(pre.itertext()) == done.out


@pytest.mark.parametrize(
    "command",
    [
        ("convert", "in.txt", "-o", "out.json", "--export", "in.txt"),
        ("convert", "in.txt", "-o", "out.json", "--export", "./link.txt"),
        ("card", "smollm2-plain", "-o", "card.svg", "--export", "card.svg"),
        ("card", "smollm2-plain", "-o", "new.svg", "--export", "./new.svg"),
        ("card", "smollm2-plain", "--export", "card.svg"),
        ("card", "smollm2-plain", "--save-vocabulary", "v.txt", "--export", "v.txt"),
        ("report", "--export", "report.html"),
        ("report", "-o", "page.html", "--export", "page.html"),
        ("report", "in.txt", "--export", "in.txt"),
        ("tree", "--svg", "t.svg", "--export", "t.svg"),
        ("matrix", "--save-vocabulary", "v.txt", "--export", "v.txt"),
        ("judge", RESULTS, "--judge", "plain", "--all-pairs", "--against", "in.txt", "--export", "in.txt"),
        ("collect", "battery.txt", *ASKING, "--mock", "--export", "battery.txt"),
        ("vote", RESULTS, "--status", "-o", "votes.txt", "--export", "votes.txt"),
    ],
    ids=" ".join,
)
def test_no_other_file_of_the_command_is_written_over(command: tuple[str, ...]) -> None:
    """One that is read or one that it writes, whether it is there or not, by whichever name; nothing is done."""
    Path("in.txt").write_bytes(Path(RESULTS).read_bytes())
    Path("battery.txt").write_bytes(Path("battery.yaml").read_bytes())
    Path("link.txt").symlink_to("in.txt")
    before = contents()
    done = call(*command)

    assert (done.code, done.out) == (2, "")
    assert "it is not written over" in done.err
    assert contents() == before


@pytest.mark.parametrize(
    "command", [("convert",), ("vote", "--status"), ("card", "smollm2-plain"), ("report",)]
)
def test_a_file_that_the_environment_names_is_not_written_over(command: tuple[str, ...]) -> None:
    Path("in.txt").write_bytes(Path(RESULTS).read_bytes())
    before = contents()
    more = ("-o", "new.json") if command == ("convert",) else ()
    done = call(*command, *more, "--export", "in.txt", env={"STYLEKL_RESULTS": "in.txt"})

    assert (done.code, done.out) == (2, "")
    assert "it is not written over" in done.err
    assert contents() == before


@pytest.mark.parametrize(
    "command",
    [
        ("schema", "nonsense"),
        ("convert", "absent.json", "-o", "o.json"),
        ("card", "nobody"),
        ("report", "absent.json"),
        ("vote", RESULTS),  # no terminal
        ("collect", "absent.yaml", *ASKING, "--mock"),
        ("judge", RESULTS, "--judge", "nobody", "--all-pairs"),
        ("init", "."),  # battery.yaml is there
    ],
    ids=" ".join,
)
def test_an_error_exports_nothing(command: tuple[str, ...]) -> None:
    """The error is the one without the option, and what was exported earlier stays."""
    Path("e.txt").write_text("earlier", encoding="utf-8")
    plain, done = call(*command), call(*command, "--export", "e.txt")

    assert (done.code, done.out, done.err) == plain
    assert done.code == 2
    assert Path("e.txt").read_text(encoding="utf-8") == "earlier"


@pytest.mark.parametrize("path", ["nowhere/e.txt", "folder.txt"])
def test_a_place_that_takes_no_file_is_said_before_the_work(path: str) -> None:
    Path("folder.txt").mkdir()
    before = contents()
    for command in (PRINTING["collect-mock"], PRINTING["init"], TELLING["convert"]):
        done = call(*command, "--export", path)

        assert (done.code, done.out) == (2, "")
        assert f"error: {path}: not written" in done.err
        assert contents() == before


@pytest.mark.parametrize(("key", "code"), [("q", 0), ("\x03", 130)])
def test_a_screen_leaves_what_is_said_when_it_ends(tmp_path: Path, key: str, code: int) -> None:
    """The battles are not in the file, and a vote that Ctrl-C ends has its summary too."""
    voting.write(tmp_path, voting.results())
    with AtKeyboard("vote", RESULTS, "--seed", "3", "--export", "v.txt") as user:
        user.wait("[q] quit")
        user.press("a")
        user.wait("You chose A.")
        user.press(key)
        ended, _ = user.end()
        shown = user.text

    said = Path("v.txt").read_text(encoding="utf-8")
    assert ended == code
    assert said.startswith("1 vote cast; ")
    assert " ".join(said.split()) in " ".join(shown.split())
    assert not re.search(r"\x1b|You chose|quit", said)

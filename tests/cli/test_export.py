"""`--export FILE` on every command: what the terminal shows, as a picture, a page and plain text."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.show.output import acting
from tests.show.test_export import letters, texts

from . import made
from .run import at_terminal, bare, call

PLAIN, AGAIN, LISTS = made.THREE
RESULTS = "results.json"
COMMANDS = {
    "matrix": ("matrix",),
    "matrix-votes": ("matrix", "votes.json"),
    "matrix-choices": ("matrix", "choices.json", "--measure", "sharpness"),
    "pair": ("pair", PLAIN, LISTS, "--examples"),
    "pair-judgments": ("pair", PLAIN, "smollm2-terse", "judgments.json"),
    "focus": ("focus", PLAIN, "--measure", "js"),
    "focus-verdicts": ("focus", PLAIN, "words.json"),
    "findings": ("findings",),
    "drift": ("drift", "smollm2", "dated.json"),
    "diff": ("diff", "old.json", "new.json"),
    "tree": ("tree",),
    "rank": ("rank", "words.json"),
    "who-wrote": ("who-wrote", "--text", "reply.txt"),
    "verdicts": ("verdicts", "words.json"),
    "verdicts-lists": ("verdicts", "--lists"),
    "check": ("check",),
    "battery": ("battery", "check", "everyday"),
    "plan-pairings": ("plan", "pairings", "panel.yaml", "--pick"),
    "plan-sessions": ("plan", "sessions", "panel.yaml", "-n", "4", "--fights", "12", "--pick", "--code", "c"),
}
TRUE = ("--color", "always")
ENV = {"COLORTERM": "truecolor"}


def prepared(name: str) -> tuple[str, ...]:
    """Write the files of a command, the sample as results.json, and return its words."""
    made.provide(COMMANDS[name])
    made.write(made.sample(), RESULTS)
    return (*COMMANDS[name], "-q")


def page(path: str) -> list[str]:
    pre = ElementTree.parse(path).find(".//pre")
    assert pre is not None
    return "".join(pre.itertext()).splitlines()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_exports_what_it_shows(name: str) -> None:
    """Into each form; what is printed is what is printed without the option."""
    command = prepared(name)
    plain = call(*command)
    coloured = call(*command, *TRUE, env=ENV)
    for form in ("svg", "html", "txt"):
        done = call(*command, "--export", f"e.{form}")
        assert (done.code, done.out) == (plain.code, plain.out), done.err
        assert done.err == plain.err
        assert not acting(Path(f"e.{form}").read_text(encoding="utf-8"))

    assert plain.code == 0
    assert Path("e.txt").read_text(encoding="utf-8") == plain.out
    assert page("e.html") == bare(coloured.out)
    svg = Path("e.svg").read_text(encoding="utf-8")
    assert letters(element.text or "" for element in texts(svg)) == letters(bare(coloured.out))


@pytest.mark.parametrize("width", ["40", "120"])
def test_an_export_is_as_wide_as_the_output(width: str) -> None:
    prepared("matrix")
    done = call("matrix", "--width", width, *TRUE, "--export", "m.html", "-q", env=ENV)

    assert page("m.html") == bare(done.out)


def test_an_export_has_colours_in_a_pipe_and_none_where_never_is_said() -> None:
    """By a flag or a setting; what goes through the pipe has none either way."""
    prepared("matrix")
    piped = call("matrix", "--export", "m.svg", "-q")
    never = call("matrix", "--export", "n.svg", "--color", "never", "-q")
    set_so = call("matrix", "--export", "o.svg", "-q", env={"STYLEKL_COLOR": "never"})
    wanted = call("matrix", "--export", "p.svg", "--color", "always", "-q", env={"TERM": "xterm-256color"})
    kept = {name: Path(f"{name}.svg").read_text(encoding="utf-8") for name in "mnop"}
    colours = {name: len(set(text.split("#")[1:])) for name, text in kept.items()}

    assert "\x1b" not in piped.out + never.out + set_so.out
    assert "\x1b" in wanted.out
    assert kept["m"] == kept["p"]
    assert kept["n"] == kept["o"]
    assert colours["m"] > colours["n"]


def test_a_terminal_and_a_pipe_export_the_same() -> None:
    """At equal widths."""
    prepared("focus")
    call("focus", PLAIN, "--export", "a.svg", "-q")
    at_terminal("focus", PLAIN, "--export", "b.svg", "-q", columns=80)

    assert Path("a.svg").read_bytes() == Path("b.svg").read_bytes()


def test_an_ascii_terminal_takes_nothing_from_the_file() -> None:
    prepared("tree")
    call("tree", "--export", "a.txt", "-q")
    done = call("tree", "--export", "b.txt", "-q", env={"PYTHONIOENCODING": "ascii"})

    assert done.out.isascii()
    assert Path("a.txt").read_bytes() == Path("b.txt").read_bytes()


def test_the_form_on_stdout_does_not_matter() -> None:
    """--json on stdout, the picture in the file; stderr says where."""
    prepared("pair")
    call("pair", PLAIN, LISTS, "--export", "a.svg")
    done = call("pair", PLAIN, LISTS, "--export", "b.svg", "--json")

    assert json.loads(done.out)["command"] == "pair"
    assert done.err == "note: b.svg written\n"
    assert Path("a.svg").read_bytes() == Path("b.svg").read_bytes()


def test_without_texts_nothing_of_a_reply_is_exported() -> None:
    """--no-text keeps examples out of the file as it keeps them off the terminal."""
    prepared("pair")
    for form in ("svg", "html", "txt"):
        call("pair", PLAIN, LISTS, "--examples", "--export", f"with.{form}", "-q")
        done = call("pair", PLAIN, LISTS, "--examples", "--no-text", "--export", f"without.{form}", "-q")
        with_texts, without = (
            Path(f"{name}.{form}").read_text(encoding="utf-8") for name in ("with", "without")
        )

        assert len(without) < len(with_texts)
        assert done.code == 0
    assert Path("without.txt").read_text(encoding="utf-8") == done.out


@pytest.mark.parametrize("name", ["matrix", "check", "verdicts", "battery", "plan-pairings", "tree"])
@pytest.mark.parametrize("path", ["e.png", "e", "results.json"])
def test_another_ending_is_refused_before_anything_is_done(name: str, path: str) -> None:
    """The three that are written are named; nothing is read or written."""
    command = prepared(name)
    before = {file.name: file.read_bytes() for file in Path().iterdir()}
    done = call(*command, "--export", path)

    assert (done.code, done.out) == (2, "")
    assert f"--export {path}: not a form that is written" in done.err
    assert all(form in done.err for form in (".svg", ".html", ".txt"))
    assert {file.name: file.read_bytes() for file in Path().iterdir()} == before


@pytest.mark.parametrize(
    "command",
    [
        ("matrix", "three.txt", "--export", "three.txt"),
        ("check", "three.txt", "--export", "./three.txt"),
        ("diff", "three.txt", "three.txt", "--export", "three.txt"),
        ("matrix", "link.txt", "--export", "three.txt"),
        ("matrix", "three.txt", "--export", "link.txt"),
        ("who-wrote", "results.json", "--text", "reply.txt", "--export", "reply.txt"),
    ],
    ids=" ".join,
)
def test_a_file_that_is_read_is_not_written_over(command: tuple[str, ...]) -> None:
    """By whichever name."""
    prepared("who-wrote")
    made.write(made.sample(made.THREE), "three.txt")
    Path("link.txt").symlink_to("three.txt")
    before = {file.name: file.read_bytes() for file in Path().iterdir()}
    done = call(*command, "-q")

    assert (done.code, done.out) == (2, "")
    assert "it is not written over" in done.err
    assert {file.name: file.read_bytes() for file in Path().iterdir()} == before


def test_an_earlier_export_is_replaced() -> None:
    prepared("tree")
    Path("t.txt").write_text("old", encoding="utf-8")
    done = call("tree", "--export", "t.txt", "-q")

    assert Path("t.txt").read_text(encoding="utf-8") == done.out


def test_what_cannot_be_written_is_said() -> None:
    prepared("tree")
    done = call("tree", "--export", "nowhere/t.svg", "-q")
    newick = call("tree", "--newick", "--export", "t.svg", "-q")

    assert (done.code, done.out) == (2, "")
    assert "nowhere/t.svg: not written" in done.err
    assert (newick.code, newick.out) == (2, "")
    assert "--newick draws nothing to export" in newick.err

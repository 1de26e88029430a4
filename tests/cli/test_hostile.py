"""Requirements 19 and 20: whatever a file, a name or a path holds, nothing acts on the terminal."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from wcwidth import wcswidth

from tests.show.output import acting

from . import made
from .run import bare, call, run

COLUMNS = (40, 80, 120)


def hostile() -> tuple[str, list[str]]:
    """Write a file in which every text is hostile; return its name and the models' names."""
    models = [f"{text} {i}" for i, text in enumerate(made.HOSTILE)]
    replies = []
    for row in made.rows(models, prompts=12):
        place = models.index(row["model"])
        text = made.HOSTILE[place] * 2 + "\x1b]52;c;QUJD\x07 " + row["response"] + made.HOSTILE[place - 1]
        prompt = made.HOSTILE[int(row["prompt"].split()[1])] + row["prompt"]
        replies.append({"model": row["model"], "prompt": prompt, "response": text})
    path = made.write(replies)
    # json.dumps cannot write half a pair, but other tools do
    content = Path(path).read_text(encoding="utf-8").replace("zero", "zero\\ud83d")
    Path(path).write_text(content, encoding="utf-8")
    models = [model.replace("zero", "zero\ufffd") for model in models]
    return path, models


def commands(path: str, models: list[str]) -> list[tuple[str, ...]]:
    pairs = [("pair", models[i], models[i - 1], path, "--examples") for i in (0, 3, 6, 10, 12)]
    return [("matrix", path), *pairs, *(("focus", models[i], path, "--examples") for i in (1, 7, 11, 13))]


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_a_hostile_file_prints_no_control_character(encoding: str, columns: int) -> None:
    """Names, prompts, symbols and examples only show; no line is wider than asked, none is lost."""
    path, models = hostile()
    halves = Path(path).read_text(encoding="utf-8").count("zero\\ud83d")
    for command in commands(path, models):
        done = call(*command, "--width", str(columns), env={"PYTHONIOENCODING": encoding})

        assert done.code == 0
        assert not acting(done.out + done.err)
        assert max(map(wcswidth, done.out.splitlines())) <= columns
        read, warning = done.err.splitlines()
        assert read.startswith("note: read 1 file: ")
        assert warning == f"warning: {path}: lone surrogates read as U+FFFD: {halves}"


def test_a_hostile_file_keeps_its_columns() -> None:
    """Every row of the heat map ends in the same column."""
    path, models = hostile()
    lines = call("matrix", path, "--width", "120", "--quiet").out.splitlines()

    assert len({wcswidth(line) for line in lines[: len(models) + 1]}) == 1


def test_our_own_codes_are_the_only_escapes_in_colour() -> None:
    """With colour, what remains after the codes of rich is clean too."""
    path, models = hostile()
    for command in commands(path, models):
        done = call(*command, "--color", "always", env={"COLORTERM": "truecolor"})

        assert "\x1b[" in done.out
        assert not acting("\n".join(bare(done.out)))


@pytest.mark.parametrize("form", ["--csv", "--markdown"])
def test_tables_of_a_hostile_file_are_clean_and_whole(form: str) -> None:
    """A cell never ends its row, and no control character leaves in it."""
    path, models = hostile()
    for command in commands(path, models):
        done = call(*command, form, "--quiet")
        lines = list(csv.reader(io.StringIO(done.out))) if form == "--csv" else done.out.splitlines()
        cells = [len(line) if form == "--csv" else line.replace("\\|", "").count("|") for line in lines]

        assert (done.code, done.err) == (0, "")
        assert not acting(done.out)
        assert len(set(cells)) == 1
        assert form == "--csv" or "<img" not in done.out


def test_markup_in_a_name_is_shown_as_it_is() -> None:
    """Neither rich's tags nor its emoji codes are read."""
    path, _ = hostile()
    out = call("matrix", path, "--width", "200").out

    assert "[/] [b]bold[/b] 10" in out
    assert "[link=file:///x]y[/link] 11" in out
    assert ":smile: 文字" in out


@pytest.mark.parametrize("text", [text for text in made.HOSTILE if "\x00" not in text])
def test_an_error_that_quotes_hostile_text_is_clean(text: str) -> None:
    """An unknown model, file, topic, command, option or value, and the suggestions from a hostile file."""
    path, _ = hostile()
    lines = [
        call("focus", f"{text}nobody", path),
        call("matrix", f"{text}.json"),
        call("matrix", path, "--topic", text),
        call("matrix", "--facet", text),
        call("matrix", "--color", text),
        call("matrix", "--width", text),
        call(f"{text}matrix"),
        call(f"--{text}"),
        call("schema", text),
        call("matrix", env={"STYLEKL_RESULTS": text}),
        call("matrix", env={"STYLEKL_RAMP": text}),
    ]
    shown = call("config", "--show", env={"STYLEKL_RAMP": text, "STYLEKL_MODELS": text})

    assert [2] * len(lines) == [line.code for line in lines]
    assert not acting("".join(line.out + line.err for line in lines))
    assert all(len(line.err.splitlines()) <= 3 for line in lines)
    assert not acting(shown.out)
    assert len(shown.out.splitlines()) == len(call("config", "--show").out.splitlines())


def test_a_hostile_file_name_is_clean_where_it_is_shown() -> None:
    """In warnings, errors and tracebacks; JSON keeps it, escaped. Bytes that are no text do not stop it."""
    name = "x\x1b]0;t\x07\u202e.json"
    made.write(made.rows(["a", "b"], prompts=3), name)
    Path("y\x1b[2J.json").write_text('{"a":', encoding="utf-8")
    halved = made.rows(["a", "b"])
    halved[0]["response"] += "HALF"
    torn = Path(made.write(halved, "z\x1b[2J\u202e.json"))
    torn.write_text(torn.read_text(encoding="utf-8").replace("HALF", "\\ud83d"), encoding="utf-8")
    made.write({"facet": "tokens", "symbols": [" the", " of"]}, "v\x1b[2J\u202e")
    bad = call("matrix", "y\x1b[2J.json", "--debug")
    warned = call("matrix", torn.name)
    drawn = call("matrix", name, "--vocabulary", "v\x1b[2J\u202e")
    document = json.loads(call("matrix", name, "--json", "-q").out)
    Path(name).rename(b"\xff.json".decode("utf-8", "surrogateescape"))
    bytes_name = run(b"matrix", b"\xff.json", b"--json", b"-q")

    assert "SyntaxFault" in bad.err
    assert warned.err.endswith("\nwarning: z␛[2J⟨U+202E⟩.json: lone surrogates read as U+FFFD: 1\n")
    assert not acting(bad.out + bad.err + drawn.out + drawn.err + warned.out)
    assert "from v␛[2J⟨U+202E⟩" in drawn.out
    assert document["source"][0]["path"] == name
    assert (bytes_name.code, bytes_name.err) == (0, "")
    assert json.loads(bytes_name.out)["source"][0]["path"] == "\ufffd.json"

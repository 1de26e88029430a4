"""Requirement 29: flag, environment, this folder's file, the user's file, default; and which results are read."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from . import made
from .run import call

PLAIN, AGAIN, LISTS = made.THREE
NOTE = "note: no results file given; this is the sample that ships with stylekl\n"
BOTH = {PLAIN, LISTS}


@pytest.fixture(autouse=True)
def user_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path of a user's file in a home of its own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "home"))
    path = folder / "home" / "stylekl" / "config.toml"
    path.parent.mkdir(parents=True)
    return path


def shown(env: dict[str, str] | None = None) -> dict[str, tuple[str, str]]:
    """Return what `config --show` says: the value and the origin of each setting."""
    done = call("config", "--show", env=env)
    assert (done.code, done.err) == (0, "")
    rows = [line.split("  ") for line in done.out.splitlines()]
    cells = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    return {name: (value, origin) for name, value, origin in cells}


def threshold(*arguments: str, env: dict[str, str] | None = None) -> float:
    done = call("matrix", "--json", "-q", *arguments, env=env)
    value: float = json.loads(done.out)["params"]["threshold"]
    return value


def test_each_source_beats_the_next(user_file: Path) -> None:
    """In effect and in `config --show`, which names where each value is from."""
    env = {"STYLEKL_THRESHOLD": "0.3"}
    assert [shown()["threshold"], threshold()] == [("0.02", "default"), 0.02]

    user_file.write_text("threshold = 0.1\n", encoding="utf-8")
    assert [("0.1", str(user_file)), 0.1] == [shown()["threshold"], threshold()]

    Path("stylekl.toml").write_text("threshold = 0.2\n", encoding="utf-8")
    assert [shown()["threshold"], threshold()] == [("0.2", "stylekl.toml"), 0.2]

    assert [shown(env)["threshold"], threshold(env=env)] == [("0.3", "STYLEKL_THRESHOLD"), 0.3]
    assert threshold("--threshold", "0.4", env=env) == 0.4


def test_every_kind_of_setting_works_from_a_file_and_from_the_environment() -> None:
    """A width, a colour, a switch, a list; a dash in a name is an underscore."""
    Path("stylekl.toml").write_text(
        'width = 60\ncolor = "always"\nno-text = true\nmodels = ["SmolLM2 plain", "smollm2-lists"]\n',
        encoding="utf-8",
    )
    asked = ("--width", "60", "--color", "always", "--no-text", "--models", f"{PLAIN},{LISTS}", "-q")
    drawn = call("matrix", "-q")
    assert shown()["models"] == ("SmolLM2 plain, smollm2-lists", "stylekl.toml")
    assert [shown()["no_text"], shown()["plain"]] == [("true", "stylekl.toml"), ("false", "default")]
    Path("stylekl.toml").unlink()
    env = {
        "STYLEKL_WIDTH": "60",
        "STYLEKL_COLOR": "always",
        "STYLEKL_NO_TEXT": "1",
        "STYLEKL_MODELS": "SmolLM2 plain,smollm2-lists",
        "STYLEKL_QUIET": "yes",
    }

    assert drawn == call("matrix", *asked) == call("matrix", env=env)
    assert "\x1b[" in drawn.out
    assert "2 models" in drawn.out


def test_a_flag_replaces_a_list_of_a_file() -> None:
    """The models of a flag are not added to those of the file."""
    Path("stylekl.toml").write_text(f'models = ["{AGAIN}"]\ntopic = "work, advice"\n', encoding="utf-8")
    document = json.loads(call("matrix", "--models", f"{PLAIN},{LISTS}", "--json", "-q").out)

    assert set(document["data"]["order"]) == BOTH
    assert document["params"]["topics"] == ["work", "advice"]
    assert shown()["topic"] == ("work, advice", "stylekl.toml")


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ('colour = "never"', "stylekl.toml: no setting is called colour"),
        ("json = true", "stylekl.toml: no setting is called json"),
        ('ramp = "rainbow"', "'rainbow' is not one of 'lajolla', 'cividis', 'viridis'"),
        ('width = "wide"', "Invalid value for '--width'"),
        ("plain = 7", "Invalid value for '--plain'"),
        ("seed = true", "Invalid value for '--seed'"),
        ("threshold = nan", "Invalid value for '--threshold'"),
        ("seed = 1979-05-27", "stylekl.toml: seed: not a value of one setting"),
        ('ramp = ["cividis"]', "stylekl.toml: ramp: not a value of one setting"),
        ('[matrix]\nramp = "cividis"', "stylekl.toml: no setting is called matrix"),
        ("ramp = ", "stylekl.toml: "),
        ("models = 3", '"3" is no model of this file'),
    ],
)
def test_a_bad_file_is_an_error_that_names_it(content: str, error: str) -> None:
    """An unknown key, a bad value and bad TOML; help and version work all the same."""
    Path("stylekl.toml").write_text(content, encoding="utf-8")
    done = call("matrix", "-q")
    lines = done.err.splitlines()

    assert (done.code, done.out, len(lines)) == (2, "", 2)
    assert error in lines[0]
    assert lines[1].startswith("hint: ")
    assert "stylekl.toml" in done.err or content == "models = 3"
    assert [call(*command).code for command in (("--help",), ("--version",), ("matrix", "--help"))] == [
        0,
        0,
        0,
    ]


def test_a_bad_variable_is_named() -> None:
    """A value that nobody typed on this line says where it is from."""
    done = call("matrix", env={"STYLEKL_RAMP": "rainbow"})

    assert done.code == 2
    assert done.err.splitlines()[-1] == "hint: the value is from STYLEKL_RAMP"


def test_an_empty_variable_is_none() -> None:
    """As it is for other programs."""
    env = dict.fromkeys(("STYLEKL_WIDTH", "STYLEKL_MODELS", "STYLEKL_RESULTS", "STYLEKL_QUIET"), "")

    assert call("matrix", env=env) == call("matrix")
    assert shown(env) == shown()


def test_all_options_but_those_of_one_answer_are_settings() -> None:
    """`config --show` lists what a file and the environment may set."""
    assert set(shown()) == {
        *("models", "topic", "prompts", "condition", "facet", "plain", "threshold", "skew", "vocabulary"),
        *("rank", "seed", "width", "color", "ramp", "no_text", "quiet"),
        *("keep_thinking", "match_length", "no_cache", "jobs", "turn", "skip_bad", "rename", "names"),
    }


@pytest.mark.parametrize(
    "command", [("matrix",), ("pair", "a", "b"), ("focus", "a")], ids=lambda command: command[0]
)
def test_the_results_read_are_the_argument_the_variable_the_folder_or_the_sample(
    command: tuple[str, ...],
) -> None:
    """Each in its turn; the sample alone is announced as such."""
    for place, name in enumerate(("results.json", "variable.json", "argument.json")):
        made.write(made.rows(["a", "b"], words=20 + place), name)

    def read(*arguments: str, env: dict[str, str] | None = None) -> list[str]:
        done = call(*command, *arguments, "--json", env=env)
        assert "sample" not in done.err
        return [source["path"] for source in json.loads(done.out)["source"]]

    env = {"STYLEKL_RESULTS": "variable.json"}
    assert read("argument.json", env=env) == ["argument.json"]
    assert read(env=env) == ["variable.json"]
    assert read() == ["results.json"]
    if command[0] != "matrix":
        assert read("--results", "argument.json", env=env) == ["argument.json"]
        both = read("argument.json", "--results", "variable.json")
        assert both == ["argument.json", "variable.json"]


def test_the_sample_is_announced() -> None:
    """On stderr, in one line, unless --quiet."""
    assert call("matrix").err == NOTE
    assert call("pair", PLAIN, LISTS).err == NOTE
    assert call("focus", PLAIN, "-q").err == ""


@pytest.mark.parametrize("form", [(), ("--json",), ("--csv",), ("--markdown",)], ids=str)
@pytest.mark.parametrize(
    "command",
    [("matrix",), ("pair", "a", "b", "--examples"), ("focus", "a", "--examples")],
    ids=lambda command: command[0],
)
def test_no_text_keeps_every_reply_out(command: tuple[str, ...], form: tuple[str, ...]) -> None:
    """No sentence of a reply leaves in any form; without the option examples do."""
    replies = made.rows(["a", "b"])
    for row in replies:
        row["response"] = row["response"].replace(" the ", " SECRET the SECRET ")
    path = made.write(replies)
    kept = call(*command, path, *form, "--no-text")
    told = call(*command, path, *form)

    assert (kept.code, told.code) == (0, 0)
    assert "SECRET the" not in " ".join(kept.out.split())
    assert not any(row["response"][10:40] in kept.out for row in replies)
    shows = command[0] == "pair" or (command[0] == "focus" and form in ((), ("--json",)))
    assert shows == ("SECRET" in told.out.replace("›", "").replace("‹", ""))


def test_quiet_leaves_stderr_empty() -> None:
    """Notes and warnings go, the answer stays; an error is still said."""
    path = made.write(made.rows(["a", "b"], prompts=3))
    for command in (("matrix",), ("pair", "a", "b"), ("focus", "a")):
        loud, quiet = call(*command, path), call(*command, path, "--quiet")

        assert loud.err
        assert (loud.code, loud.out, "") == quiet
    assert call("focus", "nobody", path, "--quiet").err.startswith("error: ")


def test_the_home_of_whoever_runs_the_tests_is_not_read() -> None:
    """The fixtures that keep it out do so."""
    assert {origin for _, origin in shown().values()} == {"default"}
    assert not [
        name for name in os.environ if name.startswith("STYLEKL_") and name != "STYLEKL_UPDATE_GOLDEN"
    ]

"""The options on files and names: every command that reads results files has them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from stylekl.cli.commands import COMMANDS, build
from stylekl.cli.config import COMMANDS as CONFIGURED
from stylekl.cli.config import READERS
from stylekl.cli.reading import ReadingOptions

from . import made
from .run import MODES, bare, call, run

OPTIONS = {"--format", "--turn", "--column", "--rename", "--names", "--skip-bad"}
READING = sorted({*CONFIGURED, *READERS} & COMMANDS.keys())
OTHERS = sorted(COMMANDS.keys() - {*CONFIGURED, *READERS})
PLAIN, AGAIN, LISTS = made.THREE
YAML = 'smollm2-plain: Plain\nsmollm2-lists:\n  name: Lists\n  color: "#e07a5f"\n  aliases: [ll]\n'


def data(*arguments: str, env: dict[str, str] | None = None) -> Any:
    done = call(*arguments, "--json", "-q", env=env)
    assert done.code == 0, done.err
    return json.loads(done.out)["data"]


def options_of(command: Any) -> set[str]:
    if hasattr(command, "commands"):
        return set.intersection(*(options_of(each) for each in command.commands.values()))
    return {name for parameter in command.params for name in parameter.opts}


@pytest.fixture
def names() -> str:
    Path("names.yaml").write_text(YAML, encoding="utf-8")
    return "names.yaml"


@pytest.mark.parametrize("command", READING)
def test_a_command_that_reads_results_has_all_of_them(command: str) -> None:
    """Declared once, so none can lack one."""
    assert options_of(build(command)) >= OPTIONS


@pytest.mark.parametrize("command", OTHERS)
def test_a_command_that_reads_none_has_none(command: str) -> None:
    """What they say would mean nothing."""
    assert not options_of(build(command)) & (OPTIONS - {"--format"})


def test_a_folder_is_read_with_a_form_and_bad_files_left_out() -> None:
    """As one writes it: the folder, and what is to become of what is in it."""
    Path("runs").mkdir()
    for model in ("a", "b"):
        made.write(made.rows([model]), f"runs/{model}.json")
    Path("runs/bad.json").write_text("{", encoding="utf-8")
    refused = call("matrix", "runs")

    assert refused.code == 2
    assert refused.err.startswith("error: runs/bad.json: ")
    assert refused.err.endswith("; --skip-bad reads the other files of the folder\n")
    done = call("matrix", "runs", "--skip-bad", "--format", "plain_lines", "--json")
    assert [model["id"] for model in json.loads(done.out)["data"]["models"]] == ["a", "b"]
    assert "warning: left out: runs/bad.json: " in done.err


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        (("--format", "xml"), 'no form "xml" that stylekl reads', "forms: alpaca_annotations, "),
        (("--format", "lm_eval"), "r.json: not a form that stylekl reads", "it reads lm-eval samples"),
        (("--rename", "a"), '--rename: "a" is not OLD=NEW', "--rename OLD=NEW"),
        (("--rename", "=a"), '--rename: "=a" is not OLD=NEW', "--rename OLD=NEW"),
        (("--rename", "a=b", "--rename", "a=c"), '--rename: "a" is given twice: b and c', "give it once"),
        (("--rename", "aa=b"), '"aa" is no model of this file', "nearest: a"),
        (("--column", "model"), '--column: "model" is not ROLE=NAME', "--column ROLE=NAME"),
        (("--column", "speaker=x"), "speaker", "model, prompt, reply"),
        (("--names", "none.yaml"), "none.yaml: no such file", "it is to be a file of names"),
        (("--turn", "second"), "'second' is not one of 'first', 'last', 'all'", "stylekl matrix --help"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_is_said_wrongly_is_answered(options: tuple[str, ...], message: str, hint: str) -> None:
    """In two lines: what is wrong, and what can be said."""
    done = call("matrix", made.write(made.rows(["a", "b"])), *options)

    assert (done.code, done.out) == (2, "")
    error, hinted = done.err.splitlines()
    assert message in error
    assert hint in hinted


def test_columns_are_those_that_are_named() -> None:
    """Whatever they are called."""
    rows = made.rows(["a", "b"])
    lines = ["who,ask,said", *(f'{row["model"]},{row["prompt"]},"{row["response"]}"' for row in rows)]
    Path("t.csv").write_text("\n".join(lines), encoding="utf-8")
    columns = [word for pair in ("model=who", "prompt=ask", "reply=said") for word in ("--column", pair)]

    assert {model["id"] for model in data("matrix", "t.csv", *columns)["models"]} == {"a", "b"}
    assert data("matrix", "t.csv", *columns)["pairs"] == data("matrix", made.write(rows))["pairs"]


def test_a_turn_is_that_which_is_asked_for() -> None:
    """In the environment as well as on the command line, which counts."""
    rows = [
        {"model": row["model"], "messages": [*_turn(row["prompt"], row["response"]), *_turn("Sure?", "Yes.")]}
        for row in made.rows(["a", "b"])
    ]
    path = made.write(rows)
    counts = {
        turn: data("matrix", path, *options, env=env)["models"][0]["prompts"]
        for turn, options, env in (
            ("first", (), {}),
            ("last", ("--turn", "last"), {"STYLEKL_TURN": "first"}),
            ("all", (), {"STYLEKL_TURN": "all"}),
        )
    }

    assert counts == {"first": 20, "last": 1, "all": 20}


def _turn(prompt: str, reply: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": prompt}, {"role": "assistant", "content": reply}]


@pytest.mark.parametrize(
    ("options", "text"),
    [((), None), (("--names", "names.yaml"), None), ((), 'names = "names.yaml"\n')],
    ids=["environment", "option", "file"],
)
def test_names_are_shown_and_found(options: tuple[str, ...], text: str | None, names: str) -> None:
    """In every form of output, by flag, variable and file of settings."""
    if text is not None:
        Path("stylekl.toml").write_text(text, encoding="utf-8")
    env = {"STYLEKL_NAMES": names} if not options and text is None else {}
    found = data("pair", "LL", "plain", *options, env=env)
    shown = call("pair", "ll", "Plain", *options, env=env).out

    assert [found["a"]["id"], found["a"]["name"]] == [LISTS, "Lists"]
    assert found["b"]["name"] == "Plain"
    assert "Lists and Plain are" in shown
    assert "Lists" in call("check", *options, env=env).out


@pytest.mark.parametrize(
    "command",
    [("matrix", "--models", "ll,Plain"), ("pair", "ll", PLAIN), ("focus", PLAIN, "--tells", "0"), ("tree",)],
    ids=lambda command: command[0],
)
def test_a_name_has_its_colour(command: tuple[str, ...], names: str) -> None:
    """Only where colour is shown, and nothing else changes."""
    env, options = MODES["truecolor"]
    coloured = call(*command, *options, "--names", names, env=env).out
    Path(names).write_text(YAML.replace('  color: "#e07a5f"\n', ""), encoding="utf-8")
    without = call(*command, *options, "--names", names, env=env).out

    assert "38;2;224;122;95m" in coloured
    assert "38;2;224;122;95m" not in without
    assert bare(coloured) == bare(without)


def test_without_colour_a_name_has_none(names: str) -> None:
    """Nor any other escape byte."""
    assert "\x1b" not in call("matrix", "--names", names, "--color", "never").out


def test_two_models_become_one_everywhere() -> None:
    """In what is computed and in what is said."""
    renamed = call("matrix", "--rename", f"{AGAIN}={PLAIN}", "--json")
    models = json.loads(renamed.out)["data"]["models"]

    assert AGAIN not in {model["id"] for model in models}
    assert f'warning: model "{PLAIN}": ' in renamed.err
    assert call("focus", AGAIN, "--rename", f"{AGAIN}={PLAIN}").code == 0


def test_a_file_of_settings_renames() -> None:
    """A list in a file, names between commas in the environment."""
    Path("stylekl.toml").write_text('rename = ["smollm2-plain=p", "smollm2-lists=l"]\n', encoding="utf-8")
    for command in ("matrix", "check"):
        shown = call(command, "--csv").out
        assert "smollm2-lists" not in shown.replace(LISTS + "-", "")
    env = {"STYLEKL_RENAME": "smollm2-plain=p, smollm2-lists=l"}
    Path("stylekl.toml").unlink()

    assert {"p", "l"} <= {model["id"] for model in data("matrix", env=env)["models"]}


def test_diff_renames_in_the_file_that_has_the_model() -> None:
    """So that what is called differently in two files can be compared; in neither it is an error."""
    made.write(made.rows(["a", "b"]), "old.json")
    made.write(
        [row | {"model": row["model"].replace("a", "vendor/a")} for row in made.rows(["a", "b"])], "new.json"
    )
    found = data("diff", "old.json", "new.json", "--rename", "vendor/a=a")

    assert [change["name"] for change in found["changes"]] == ["a", "b"]
    assert found["only_old"] == found["only_new"] == []
    assert call("diff", "old.json", "new.json", "--rename", "zzz=a").code == 2
    assert call("matrix", "new.json", "--baseline", "old.json", "--rename", "vendor/a=a").code == 0


def test_a_file_that_is_written_into_stays_as_it_is() -> None:
    """Votes and judgments name the models that are in it."""
    made.write(made.sample(), "results.json")
    for flag, value in (("--rename", f"{PLAIN}=p"), ("--format", "native"), ("--column", "model=m")):
        done = call("vote", "results.json", "--status", flag, value)
        assert (done.code, done.err.splitlines()[0]) == (
            2,
            f"error: {flag}: results.json itself is written into, as it is",
        )
    assert call("vote", "results.json", "--status", "-o", "votes.json", "--rename", f"{PLAIN}=p").code == 0


def test_the_words_of_the_options_say_them_again() -> None:
    """What is printed for resuming a run has them all."""
    how = ReadingOptions(format="f", column=["a=b"], rename=["x=y", "v=w"], names="n.yaml", skip_bad=True)

    assert how.words() == [
        *("--format", "f", "--names", "n.yaml", "--column", "a=b", "--rename", "x=y", "--rename", "v=w"),
        "--skip-bad",
    ]


def test_yaml_is_loaded_only_for_names() -> None:
    """A comparison without them does without."""
    code = (
        "import sys, atexit; atexit.register(lambda: print('yaml' in sys.modules, file=sys.stderr)); "
        "from stylekl.cli import main; main()"
    )
    program = (sys.executable, "-c", code)
    Path("names.yaml").write_text(YAML, encoding="utf-8")

    assert run("check", "-q", program=program).err == "False\n"
    assert run("check", "-q", "--names", "names.yaml", program=program).err == "True\n"

"""`stylekl battery check`: what it says, in which shape, and its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from wcwidth import wcswidth

from stylekl.gather.battery_file import load_battery
from stylekl.results import Results
from stylekl.results.save import save

from . import made
from .run import bare, call

SMALL = """\
id: small
version: 1
prompts:
  - {id: rain, topic: weather, text: Say what rain is.}
  - {id: snow, topic: weather, text: Describe snow.}
"""


def write(name: str, text: str = SMALL) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def changed() -> tuple[str, str]:
    """A battery with another text under an old id and a new prompt, and what it was."""
    new = SMALL.replace("Describe snow.", "Describe fresh snow.") + "  - {id: hail, text: And hail.}\n"
    return write("new.yaml", new.replace("version: 1", "version: 2")), write("old.yaml")


def test_it_says_what_is_asked_and_how_often() -> None:
    done = call("battery", "check", "one-word")

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("one-word, version 1: 3 prompts in 1 topic, kind one word\n")
    assert "27 a model: 3 prompts × 3 conditions × 3 samples" in done.out
    assert load_battery("one-word").digest in done.out


def test_warnings_are_on_stderr() -> None:
    """And --quiet keeps them away."""
    path = write("b.yaml")

    assert call("battery", "check", path).err.startswith("warning: below 10 prompts (here 2)")
    assert call("battery", "check", path, "--quiet").err == ""


def test_a_refused_change_ends_with_1_and_the_way_out() -> None:
    """The allowed ones are listed too; against a sound one the exit code is 0."""
    new, old = changed()
    done = call("battery", "check", new, "--against", old, "-q")
    allowed = call("battery", "check", new, "--against", new, "-q")

    assert done.code == 1
    assert "Changes against version 1: 1 change refused" in done.out
    assert "refused: snow has another text" in done.out
    assert "retire the old id" in done.out
    assert "allowed: hail is new" in done.out
    assert allowed.code == 0
    assert "Nothing changed against version 2." in allowed.out


def test_a_results_file_is_an_earlier_state_too() -> None:
    """What was collected with the old battery says the same; a file of another battery is a usage error."""
    new, old = changed()
    battery = load_battery(old)
    prompts, conditions = battery.records()
    rows = [{"battery": "small", "version": 1}]
    save(Results(prompts=prompts, conditions=conditions, other={"collection": rows}), "results.json")
    by_results = call("battery", "check", new, "--against", "results.json", "-q")
    other = call("battery", "check", "everyday", "--against", "results.json")

    assert by_results == call("battery", "check", new, "--against", old, "-q")
    assert (other.code, other.out) == (2, "")
    assert 'no replies to the battery "everyday"' in other.err
    assert "batteries in it: small" in other.err


def test_a_bad_file_ends_with_2_and_its_line() -> None:
    done = call("battery", "check", write("b.yaml", SMALL.replace("topic", "topik", 1)))

    assert (done.code, done.out) == (2, "")
    assert done.err == 'error: b.yaml: line 4: prompts[1].topik: no such field\nhint: did you mean "topic"?\n'


def test_json_is_one_document_that_fits_its_schema() -> None:
    """With a comparison and without; the same bytes at any width; the exit code as ever."""
    new, old = changed()
    schema = json.loads(call("schema", "battery").out)
    Draft202012Validator.check_schema(schema)
    for arguments in (("everyday",), ("one-word", "--against", "one-word"), (new, "--against", old)):
        done = call("battery", "check", *arguments, "--json", env={"FORCE_COLOR": "1", "COLUMNS": "30"})
        document = json.loads(done.out)

        Draft202012Validator(schema).validate(document)
        assert done.out == json.dumps(document, indent=2) + "\n"
        assert done.code == (1 if arguments[0] == new else 0)
        assert document["data"]["refused"] == (1 if arguments[0] == new else 0)
    assert document["source"][0]["path"] == "new.yaml"
    assert [change["what"] for change in document["data"]["changes"]] == ["text", "added"]
    assert [source["path"] for source in document["source"]] == ["new.yaml", "old.yaml"]


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120, 200])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_no_line_is_wider_than_the_terminal(width: int, encoding: str) -> None:
    """Nor does anything in the file act on it: hostile words in every place that takes text."""
    hostile = json.dumps("".join(text for text in made.HOSTILE if not set(text) & set("\x1b\x9b\x08\r\x00")))
    text = SMALL.replace("Describe snow.", "Describe fresh snow.") + (
        f"  - {{id: hail, topic: 天気, text: And hail., retired: {{on: 2026-01-05, why: {hostile}}}}}\n"
        f"  - {{id: {'x' * 60}, topic: {'天' * 40}, text: More hail., subject: {hostile}}}\n"
        f"instruction: {hostile}\nlength: {{max: 20, tolerance: .25}}\n"
        "conditions: [{id: plain}, {id: told, system: Hm.}, {id: more, suffix: Hm., off: true}]\n"
    )
    new = write("new.yaml", text)
    done = call(
        *("battery", "check", new, "--against", write("old.yaml"), "-q", "--width", str(width)),
        *("--color", "always"),
        env={"PYTHONIOENCODING": encoding, "COLORTERM": "truecolor", "TERM": "xterm"},
    )

    assert done.code == 1
    for line in bare(done.out):
        assert 0 <= wcswidth(line) <= width, line
    assert "\x1b]" not in done.out
    if encoding == "ascii":
        assert done.out.isascii()


def test_without_colour_there_is_no_escape() -> None:
    assert (
        "\x1b" not in call("battery", "check", "everyday", "--color", "never", env={"FORCE_COLOR": "1"}).out
    )


def test_the_group_alone_prints_its_help() -> None:
    """As the program does; an unknown command in it is suggested."""
    done = call("battery")

    assert done.code == 2
    assert "check  Say what a battery asks" in done.out
    assert "Did you mean 'check'?" in call("battery", "chekc").err

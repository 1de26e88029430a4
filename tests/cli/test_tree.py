"""`stylekl tree` through the command: its forms, its files, its errors, and the same answer wherever it goes."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator
from wcwidth import wcswidth

from tests.show.output import acting

from . import made
from .run import at_terminal, bare, call, run

PLAIN, AGAIN, LISTS = made.THREE


def data(*arguments: str) -> Any:
    done = call("tree", *arguments, "--json", "--quiet")
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)["data"]


def test_the_measure_is_jensen_shannon_unless_said_otherwise() -> None:
    """By a flag, the environment or a file; the help of the other commands keeps its own default."""
    Path("stylekl.toml").write_text('rank = "kl"\n', encoding="utf-8")

    assert data()["measure"] == "kl"
    assert data("--measure", "kinship")["measure"] == "kinship"
    Path("stylekl.toml").unlink()
    assert data()["measure"] == "js"
    assert json.loads(call("tree", "-q", "--json", env={"STYLEKL_RANK": "kl"}).out)["data"]["measure"] == "kl"
    assert json.loads(call("matrix", "-q", "--json").out)["data"]["measure"] == "kl"


def test_a_tree_stands_on_the_numbers_of_the_matrix() -> None:
    """Order and distances are the same to the last digit printed."""
    matrix = json.loads(call("matrix", "--json", "-q").out)["data"]
    tree = data()

    assert tree["order"] == matrix["order"]
    assert [pair["distance"]["value"] for pair in tree["pairs"]] == pytest.approx(
        [pair["js"]["value"] for pair in matrix["pairs"]], rel=1e-9
    )
    assert [pair["q"] for pair in tree["pairs"]] == [pair["q"] for pair in matrix["pairs"]]


@pytest.mark.parametrize("more", [(), ("--outgroup", "SmolLM2 formal"), ("--measure", "kinship")], ids=str)
def test_json_fits_its_schema(more: tuple[str, ...]) -> None:
    done = call("tree", *more, "--json", "--quiet")
    schema = json.loads(call("schema", "tree").out)

    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(json.loads(done.out))
    assert done.out.isascii()


def test_json_is_the_same_bytes_everywhere() -> None:
    """At a terminal, in a pipe, at any width, with colour forced."""
    done = run("tree", "--json", "--quiet")
    there = at_terminal("tree", "--json", "-q", columns=61, env={"COLORTERM": "truecolor"})

    assert (done.code, done.err) == (0, "")
    assert done == there


def test_the_order_of_the_file_changes_no_byte() -> None:
    mixed = made.sample()
    for array in ("models", "prompts", "replies"):
        random.Random(array).shuffle(mixed[array])
    path = made.write(mixed)

    assert data(path) == data()
    assert call("tree", path, "--newick").out == call("tree", "--newick").out
    assert call("tree", path).out == call("tree").out


def test_newick_alone_is_on_stdout() -> None:
    """One line, the same text as in the JSON."""
    done = call("tree", "--newick", "--quiet")

    assert done.out == data()["newick"] + "\n"
    assert done.out.endswith(";\n")
    assert done.out.count("\n") == 1
    assert {f"{name}:" in done.out for name in made.THREE} == {True}


def test_an_outgroup_is_found_like_any_model() -> None:
    """By id, name or beginning; it stands last and alone."""
    for name in (LISTS, "SmolLM2 lists", "smollm2-l"):
        assert data("--outgroup", name)["outgroup"] == LISTS
    turned = data("--outgroup", "SmolLM2 formal")

    assert turned["order"][-1] == "smollm2-formal"
    assert turned["nodes"][-1]["parent"] == 0
    assert "rooted by SmolLM2 formal" in " ".join(call("tree", "--outgroup", "smollm2-f").out.split())


def test_svg_is_written_beside_the_answer() -> None:
    """Whole, well-formed; stdout is what it is without it, stderr says where it went."""
    done = call("tree", "--svg", "t.svg")
    quiet = call("tree", "--svg", "u.svg", "-q", "--newick")

    assert done.out == call("tree").out
    assert done.err.endswith("note: t.svg written\n")
    assert quiet.err == ""
    assert Path("t.svg").read_bytes() == Path("u.svg").read_bytes()
    assert ElementTree.parse("t.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert sorted(path.name for path in Path().iterdir()) == ["t.svg", "u.svg"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--newick", "--json"), "--newick is a form of its own"),
        (("--newick", "--csv"), "--newick is a form of its own"),
        (("--json", "--csv"), "exclude each other"),
        (("--models", PLAIN), "a tree of one model has no branch"),
        (("--outgroup", "SmolLM2 fromal"), "nearest: SmolLM2 formal"),
        (("--outgroup", "smollm2-p"), "fits more than one model"),
        (("--models", f"{PLAIN},{AGAIN}", "--outgroup", LISTS), "is not among the models of --models"),
        (("--svg", "nowhere/t.svg"), "nowhere/t.svg: not written"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_said_in_two_lines(arguments: tuple[str, ...], said: str) -> None:
    """Exit 2, nothing on stdout, a hint."""
    done = call("tree", *arguments, "--quiet")

    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert [line.split(":")[0] for line in done.err.splitlines()] == ["error", "hint"]


def test_a_file_that_makes_no_tree_says_why() -> None:
    """No two models with a prompt in common; too few models for kinship."""
    apart = made.write([{"model": m, "prompt": m, "response": "Yes, and the rest."} for m in "abc"])
    three = made.write(made.sample(made.THREE), "three.json")

    assert "have a distance: no prompt in common" in call("tree", apart).err
    assert "kinship needs 4 models" in call("tree", three, "--measure", "kinship").err


@pytest.mark.parametrize("prompts", [1, 3, 30])
def test_equal_replies_make_a_flat_tree(prompts: int) -> None:
    """All distances 0, or none at all: a picture or an error, never a fault."""
    rows = [
        {"model": m, "prompt": f"{i}", "response": "Yes, and the rest."}
        for m in "abcd"
        for i in range(prompts)
    ]
    path = made.write(rows)
    done = call("tree", path, "--quiet")

    if prompts == 1:
        assert (done.code, "one unit has no error" in done.err) == (2, True)
    else:
        assert done.code == 0
        assert {node["height"] for node in data(path)["nodes"]} == {0}
        assert call("tree", path, "-q", "--svg", "flat.svg").code == 0


@pytest.mark.parametrize("width", [40, 120])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_hostile_names_leave_no_control_character(encoding: str, width: int) -> None:
    """On stdout in each form, on stderr and in the picture."""
    models = [f"{text} {i}" for i, text in enumerate(made.HOSTILE)]
    path = made.write(made.rows(models, prompts=12))
    for form in ((), ("--newick",), ("--csv",), ("--markdown",), ("--color", "always")):
        done = call(
            "tree", path, *form, "--width", str(width), "--svg", "h.svg", env={"PYTHONIOENCODING": encoding}
        )

        assert done.code == 0
        assert not acting("\n".join(bare(done.out)) + done.err)
        assert form not in ((), ("--color", "always")) or max(map(wcswidth, bare(done.out))) <= width
    assert not acting(Path("h.svg").read_text(encoding="utf-8"))
    assert ElementTree.parse("h.svg") is not None


def test_forty_five_models_fit_every_width() -> None:
    """One line a model, whatever their names."""
    names = [f"model {'number ' * (i % 4)}{i}" for i in range(44)] + ["模型四十五号的很长的名字很长很长很长"]
    path = made.write(made.rows(names))
    for width in (40, 120):
        done = call("tree", path, "--width", str(width), "--color", "always", env={"COLORTERM": "truecolor"})

        assert done.code == 0
        assert max(map(wcswidth, bare(done.out))) <= width
        assert bare(done.out).index("") == 46

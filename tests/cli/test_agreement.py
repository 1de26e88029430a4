"""One pair has one set of numbers, whatever asks for it and however the file is ordered."""

from __future__ import annotations

import json
import random
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from . import made
from .run import call

PLAIN, AGAIN, LISTS = made.THREE
NAMES = {model["id"]: model["name"] for model in made.sample()["models"]}
NUMBERS = ("kl_ab", "kl_ba", "js", "p", "q", "call", "prompts", "units", "groups", "copies")


def data(*arguments: str) -> Any:
    done = call(*arguments, "--json", "--quiet")
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)["data"]


def pairs(*arguments: str) -> dict[tuple[str, str], Any]:
    """Return the pairs of a matrix by their ids."""
    return {(pair["a"], pair["b"]): pair for pair in data("matrix", *arguments)["pairs"]}


def numbers(pair: dict[str, Any], *, without: tuple[str, ...] = ()) -> dict[str, Any]:
    return {name: pair[name] for name in NUMBERS if name not in without}


def test_matrix_pair_and_focus_give_the_same_numbers() -> None:
    """Every pair of the sample, in JSON: both directions, JS, floor, p, q and the call."""
    matrix = pairs("--floor")
    focus = {model: data("focus", model)["lenses"]["style"]["neighbours"] for model in NAMES}

    assert len(matrix) == 15
    for (a, b), pair in matrix.items():
        alone = data("pair", a, b)["lenses"]["style"]
        there = next(near for near in focus[a] if near["model"] == b)
        back = next(near for near in focus[b] if near["model"] == a)

        assert {name: alone[name] for name in pair} == pair
        assert [pair["kl_ab"], pair["kl_ba"]] == [there["kl"], back["kl"]]
        for name in ("js", "floor", "p", "q", "call", "prompts", "copies"):
            assert pair[name] == there[name] == back[name]


def test_matrix_pair_and_focus_print_the_same_numbers() -> None:
    """The cell, the field and the value beside the whisker are one number."""
    document = data("matrix", "--order", "name")
    lines = call("matrix", "--order", "name").out.splitlines()
    cells = [line.split()[-len(NAMES) :] for line in lines[1 : 1 + len(NAMES)]]
    place = {model: i for i, model in enumerate(document["order"])}
    ranked = {name: call("focus", name).out for name in NAMES}
    for a, b in combinations(NAMES, 2):
        fields = call("pair", a, b).out
        for one, other in ((a, b), (b, a)):
            shown = re.search(rf"{NAMES[one]} ‖ {NAMES[other]} +(\.\d+|0)[^b]* bits", fields)
            row = re.search(rf" {NAMES[other]} +[^a-z\n]* (\.\d+|0)  [\[<.]", ranked[one])

            assert shown
            assert row
            assert shown[1] == row[1]
            assert float(cells[place[one]][place[other]]) == pytest.approx(float(shown[1]), abs=0.0051)


def test_swapping_the_models_swaps_the_directions_and_nothing_else() -> None:
    """The tells stay too, each with its counts on the other side."""
    there, back = (data("pair", *models)["lenses"]["style"] for models in ((PLAIN, LISTS), (LISTS, PLAIN)))

    assert [there["kl_ab"], there["kl_ba"]] == [back["kl_ba"], back["kl_ab"]]
    assert there["length_ratio"] == pytest.approx(1 / back["length_ratio"], rel=1e-9)
    swapped = ("a", "b", "kl_ab", "kl_ba", "length_ratio", "tells", "classes", "facets")
    swapped += ("se_prompts", "se_prompts_ba")
    assert {k: v for k, v in there.items() if k not in swapped} == {
        k: v for k, v in back.items() if k not in swapped
    }
    for line, other in zip(there["facets"], back["facets"], strict=True):
        assert line == {**other, "kl_ab": other["kl_ba"], "kl_ba": other["kl_ab"]}
    told = {(tell["more"], tell["symbol"]): tell for tell in back["tells"]}
    assert len(told) == len(there["tells"])
    for tell in there["tells"]:
        other = told[tell["more"], tell["symbol"]]
        mirrored = {
            **other,
            **{
                f"{what}_{side}": other[f"{what}_{'ba'['ab'.index(side)]}"]
                for what in ("count", "prompts", "rate")
                for side in "ab"
            },
        }
        assert tell == mirrored
    classes = {each["class"]: each for each in back["classes"]}
    for each in there["classes"]:
        other = classes[each["class"]]
        assert [each["bits_ab"], each["bits_ba"]] == [other["bits_ba"], other["bits_ab"]]


@pytest.mark.parametrize("command", [("matrix", "--floor"), ("pair", PLAIN, LISTS), ("focus", PLAIN)])
def test_the_order_of_the_file_changes_no_byte(command: tuple[str, ...]) -> None:
    """Models, prompts and replies shuffled: the same `data`, tells and examples included."""
    mixed = made.sample()
    for array in ("models", "prompts", "replies"):
        random.Random(array).shuffle(mixed[array])

    assert data(*command, made.write(mixed)) == data(*command)


def test_another_model_changes_nothing_with_a_vocabulary_given() -> None:
    """Only q may, since it speaks of all pairs of the file."""
    small = made.write(made.sample(made.THREE), "small.json")
    call("matrix", small, "--save-vocabulary", "v.json")
    alone, among = pairs(small, "--vocabulary", "v.json"), pairs("--vocabulary", "v.json")

    assert len(alone) == 3
    for key, pair in alone.items():
        assert numbers(among[key], without=("q",)) == numbers(pair, without=("q",))


def test_a_saved_vocabulary_gives_the_same_numbers() -> None:
    """And is the same when it is saved again."""
    first = call("matrix", "--json", "-q", "--save-vocabulary", "one.json")
    second = call("matrix", "--json", "-q", "--vocabulary", "one.json", "--save-vocabulary", "two.json")
    one, two = (json.loads(done.out)["data"] for done in (first, second))
    saved = [json.loads(Path(name).read_text(encoding="utf-8")) for name in ("one.json", "two.json")]

    assert one["pairs"] == two["pairs"]
    assert saved[0] == saved[1]
    assert ["tokens", one["vocabulary"]["size"]] == [saved[0]["facet"], len(saved[0]["symbols"])]
    assert "two.json" not in second.err


def test_showing_fewer_models_changes_no_number() -> None:
    """The vocabulary and q are those of the whole file, in a matrix and in a focus."""
    shown, whole = pairs("--models", f"{PLAIN},SmolLM2 lists", "--models", AGAIN), pairs()
    near = data("focus", PLAIN, "--models", f"{AGAIN},{LISTS}")["lenses"]["style"]["neighbours"]
    all_near = {each["model"]: each for each in data("focus", PLAIN)["lenses"]["style"]["neighbours"]}

    assert set(shown) == {(LISTS, PLAIN), (LISTS, AGAIN), (PLAIN, AGAIN)}
    assert all(whole[key] == pair for key, pair in shown.items())
    assert [each["model"] for each in near] == [AGAIN, LISTS]
    for each in near:
        for name in ("kl", "js", "floor", "p", "q", "call"):
            assert each[name] == all_near[each["model"]][name]


def test_the_same_reply_as_two_samples_counts_once() -> None:
    """A second sample equal to the first leaves the divergence as it was: a prompt weighs one."""
    doubled = made.sample(made.THREE)
    doubled["replies"] += [reply for reply in doubled["replies"] if reply["model"] == PLAIN]
    path = made.write(doubled, "doubled.json")
    before, after = pairs(made.write(made.sample(made.THREE))), pairs(path)

    assert set(before) == set(after)
    for key, pair in before.items():
        for name in ("kl_ab", "kl_ba", "js"):
            assert pair[name]["raw"] == pytest.approx(after[key][name]["raw"], rel=1e-9)
            assert pair[name]["value"] == pytest.approx(after[key][name]["value"], rel=1e-9)


def test_several_files_are_one() -> None:
    """One file for each model gives the numbers of the file that holds them all."""
    whole = pairs(made.write(made.sample(made.THREE)))
    parts = [made.write(made.sample([model]), f"{model}.json") for model in made.THREE]

    assert whole == pairs(*parts) == pairs(*reversed(parts))


def test_the_sample_holds_one_close_pair_beside_clear_ones() -> None:
    """What differs in its seeds only is too close to call; what was asked to write otherwise is apart."""
    calls = {key: pair["call"] for key, pair in pairs().items()}

    assert calls.pop((PLAIN, AGAIN)) == "too close to call"
    assert set(calls.values()) == {"apart"}

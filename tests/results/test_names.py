from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.errors import InputError, UnknownModelError
from stylekl.gather.names_file import load_names
from stylekl.results import Model, Named, Prompt, Reading, Reply, Results, find_model, load, merge
from stylekl.results.names import COLORS, color_of, name_models, rename_apart, rename_models

from .strategies import results as any_results
from .strategies import write, write_lines

PAGE = Path(__file__).parents[2] / "docs" / "reading.md"


def made(*replies: tuple[str, str, int | None, str], **more: Any) -> Results:
    """Results with replies of (model, prompt, sample, text)."""
    models, prompts = (dict.fromkeys(reply[place] for reply in replies) for place in (0, 1))
    return merge(
        [
            Results(
                models=[Model(id=name) for name in models],
                prompts=[Prompt(id=name, text=name) for name in prompts],
                replies=[Reply(model=m, prompt=p, sample=s, text=t) for m, p, s, t in replies],
                **more,
            )
        ]
    )


def said(results: Results) -> list[tuple[str, str, int | None, str]]:
    return [(each.model, each.prompt, each.sample, each.text) for each in results.replies]


def test_a_model_that_is_renamed_keeps_its_old_names() -> None:
    """The new name is its id and label, in its replies too; the old id, name and requested name find it."""
    results = made(("m", "p", None, "one"), ("n", "p", None, "two"))
    results.models[0] = Model(id="m", name="Model M", requested="vendor/m", returned="m-0513")
    rename_models(results, {"model m": "new"})

    assert [model.label for model in results.models] == ["new", "n"]
    assert said(results) == [("new", "p", None, "one"), ("n", "p", None, "two")]
    for name in ("new", "m", "Model M", "vendor/m", "m-0513"):
        assert find_model(results, name).id == "new"


def test_two_models_that_become_one_have_samples() -> None:
    """Replies without numbers get some, those of one number that differ a new one, and what is the same counts once."""
    results = made(
        *(("m", "a", None, "x"), ("n", "a", None, "y")),
        *(("m", "b", 1, "x"), ("n", "b", 1, "y"), ("n", "b", 2, "z")),
        *(("m", "c", 3, "same"), ("n", "c", 3, "same")),
    )
    rename_models(results, {"m": "n"})

    assert [model.id for model in results.models] == ["n"]
    assert sorted(said(results)) == [
        *(("n", "a", 1, "x"), ("n", "a", 2, "y")),
        *(("n", "b", 1, "x"), ("n", "b", 2, "z"), ("n", "b", 3, "y")),
        ("n", "c", 3, "same"),
    ]
    assert results.warnings == [
        'model "n": 1 reply of "m" too, counted once',
        'model "n": 1 reply got a new sample number, which another of "m" or "n" has',
    ]
    assert len(results.places) == len(results.replies)
    assert find_model(results, "m").id == "n"


def test_of_two_models_the_gaps_of_one_are_filled_by_the_other() -> None:
    """What both say, the one that stays says; no name is lost."""
    results = made(("m", "a", None, "x"), ("n", "a", None, "y"))
    results.models = [
        Model(id="m", name="M", requested="r1", family="f", unknown={"x": 1}),
        Model(id="n", requested="r2"),
    ]
    rename_models(results, {"m": "n"})

    assert results.models == [
        Model(id="n", requested="r2", family="f", aliases=["m", "M", "r1"], unknown={"x": 1})
    ]


def test_a_model_is_renamed_wherever_a_record_names_it() -> None:
    """In votes, choices, judgments, the archive and what a collection asked; other fields of that text stay."""
    other = {
        "votes": [{"id": "1", "a": "m", "b": "n", "shown_left": "m", "pick": "left", "comment": "m"}],
        "choices": [{"model": "m", "pair": "m"}],
        "judgments": [{"judge": "m", "A": "n", "B": "m", "verdict": "A", "prompt": "m"}],
        "archive": [{"model": "m", "text": "m"}],
        "collection": [{"models": ["m", "n", 7], "battery": "m"}],
        "pairs": [{"id": "m"}],
    }
    results = made(("m", "p", None, "x"), ("n", "p", None, "y"), other=other)
    rename_models(results, {"m": "k"})

    assert results.other["votes"] == [other["votes"][0] | {"a": "k", "shown_left": "k"}]
    assert results.other["choices"] == [{"model": "k", "pair": "m"}]
    assert results.other["judgments"] == [other["judgments"][0] | {"judge": "k", "B": "k"}]
    assert results.other["archive"] == [{"model": "k", "text": "m"}]
    assert results.other["collection"] == [{"models": ["k", "n", 7], "battery": "m"}]
    assert results.other["pairs"] == [{"id": "m"}]
    rename_models(results, {"k": "n"})
    assert results.other["votes"][0] | {"a": "n", "b": "n"} == results.other["votes"][0]


def test_choices_of_two_models_that_become_one_are_samples() -> None:
    """One number with two answers means two samples; what is the same stays as it is, and counts once."""
    asked = {"pair": "tea-milk", "envelope": "e", "order": "ab", "sample": 1}
    rows = [asked | {"model": m, "text": t} for m, t in (("m", "tea"), ("n", "milk"), ("m", "tea"))]
    results = made(("m", "p", None, "x"), ("n", "p", None, "y"), other={"choices": rows})
    rename_models(results, {"m": "n"})

    assert [(row["model"], row["sample"], row["text"]) for row in results.other["choices"]] == [
        *(("n", 1, "tea"), ("n", 2, "milk"), ("n", 1, "tea")),
    ]


def test_an_alias_of_another_model_is_free_as_a_name() -> None:
    """Two ways to ask one model share what was requested; giving one of them that name leaves the other alone."""
    results = made(("x (low)", "p", None, "a"), ("x (high)", "p", None, "b"))
    for model in results.models:
        model.requested = "x"
    rename_models(results, {"x (low)": "x"})

    assert [model.id for model in results.models] == ["x", "x (high)"]
    assert find_model(results, "x").id == "x"


def test_names_may_be_traded_by_way_of_a_third() -> None:
    """Renamings are done one after the other."""
    results = made(("a", "p", None, "1"), ("b", "p", None, "2"))
    rename_models(results, {"a": "c", "b": "a", "c": "b"})

    assert said(results) == [("b", "p", None, "1"), ("a", "p", None, "2")]


def test_an_unknown_model_is_named_with_the_nearest() -> None:
    """Nothing is renamed by a name that no model has."""
    results = made(("smollm2-plain", "p", None, "x"))
    with pytest.raises(UnknownModelError) as caught:
        rename_models(results, {"smollm2-plan": "y"})

    assert "smollm2-plain" in caught.value.hint


def test_results_apart_are_renamed_where_they_have_the_model() -> None:
    """Only a name in full counts where the model may be missing; one that nobody has is an error."""
    old, new = made(("m", "p", None, "x")), made(("m-large", "p", None, "y"), ("n", "p", None, "z"))
    rename_apart([old, new], {"m": "n"})

    assert [[model.id for model in each.models] for each in (old, new)] == [["n"], ["m-large", "n"]]
    rename_apart([old, new], {"nobody at all": "n"}, strict=False)
    with pytest.raises(UnknownModelError):
        rename_apart([old, new], {"nobody at all": "n"})


@given(any_results(), st.data())
@settings(max_examples=40)
def test_renaming_there_and_back_changes_no_reply(results: Results, data: st.DataObject) -> None:
    """A new id is only an id."""
    whole = merge([results])
    before, ids = said(whole), [model.id for model in whole.models]
    old = data.draw(st.sampled_from(ids))
    rename_models(whole, {old: "a name that is free"})
    assert "a name that is free" in [model.id for model in whole.models]
    rename_models(whole, {"a name that is free": old})

    assert (said(whole), [model.id for model in whole.models]) == (before, ids)


@given(any_results())
@settings(max_examples=40)
def test_making_one_of_all_loses_only_what_is_the_same(results: Results) -> None:
    """Every text is still there, no identity comes twice, and what is gone was the same reply."""
    whole = merge([results])
    texts = {(each.prompt, each.text) for each in whole.replies}
    first, *rest = [model.id for model in whole.models]
    if len({name.casefold() for model in whole.models for name in model.known_as}) < len(whole.models):
        return  # names that differ only in case mean two models at once
    for each in rest:
        rename_models(whole, {each: first})
    identities = [
        (each.model, each.prompt, each.condition or whole.control, each.sample) for each in whole.replies
    ]

    assert {(each.prompt, each.text) for each in whole.replies} == texts
    assert len(set(identities)) == len(identities)


def test_what_is_said_of_a_model_counts_for_any_of_its_names() -> None:
    """Never for a beginning, and what is said of others means nothing."""
    results = made(("m", "p", None, "x"), ("m-large", "p", None, "y"))
    results.models[0].returned = "m-0513"
    name_models(
        results,
        [
            Named(key="M-0513", name="Model M", family="f", provider="v", color="#e07a5f"),
            Named(key="m-l", name="L"),
        ],
    )

    m, large = results.models
    assert (m.id, m.label, m.family, m.provider, color_of(m)) == ("m", "Model M", "f", "v", "#e07a5f")
    assert (large.label, color_of(large)) == ("m-large", None)
    assert find_model(results, "m-0513") is m
    assert results.warnings == []


def test_aliases_find_the_models_and_are_kept() -> None:
    """A name beside the key means the model as well, and can be typed afterwards; the name it had stays one."""
    results = made(("m", "p", None, "x"))
    results.models[0].name = "Old"
    name_models(results, [Named(key="Model M", name="New", aliases=("m", "the first"))])

    assert {find_model(results, name).id for name in ("Model M", "the first", "Old", "new")} == {"m"}


def test_two_that_speak_of_one_model_are_said() -> None:
    """The one that has its id counts, whatever the order."""
    results = made(("m", "p", None, "x"))
    results.models[0].requested = "r"
    name_models(
        results,
        [Named(key="r", name="R", place="n.yaml: line 1"), Named(key="m", name="M", place="n.yaml: line 2")],
    )

    assert results.models[0].label == "M"
    assert results.warnings == ['n.yaml: line 1: model "m" is named by n.yaml: line 2 too, which counts']


def test_models_of_one_name_stay_apart_and_are_said() -> None:
    """Nothing is merged without a word."""
    results = made(("m", "p", None, "x"), ("n", "p", None, "y"))
    name_models(results, [Named(key="m", name="Same"), Named(key="n", name="Same")])

    assert len(results.models) == 2
    assert results.warnings == ['models with the name "Same" stay apart: m, n (--rename makes them one)']


def test_a_colour_that_is_none_is_not_used() -> None:
    """A results file may say anything under color."""
    for value in ("\x1b[31m", "#12345", "#1234567", "reds", 7, None, "#12345g"):
        assert color_of(Model(id="m", unknown={"color": value})) is None
    for color in (*COLORS, "#00FFaa"):
        assert color_of(Model(id="m", unknown={"color": color})) == color


FULL = """\
m: Model M
vendor/n:
  name: Model N
  family: trees
  provider: us
  color: "#e07a5f"
  aliases: [n, n-2026]
o:
  aliases: other
007: no
"""


def test_the_file_of_names(tmp_path: Path) -> None:
    """A name after the model, or fields below it; numbers and the words of YAML are texts."""
    path = str(write(tmp_path, "names.yaml", FULL))
    m, n, o, agent = load_names(path)

    assert (m.key, m.name, m.place) == ("m", "Model M", f"{path}: line 1")
    assert (n.key, n.name, n.family, n.provider, n.color) == ("vendor/n", "Model N", "trees", "us", "#e07a5f")
    assert (n.aliases, o.aliases, o.name) == (("n", "n-2026"), ("other",), None)
    assert (agent.key, agent.name) == ("007", "no")
    assert m.source is not None
    assert m.source.path == path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- m\n", "line 1: expected the names of models, found a list"),
        ("m: [a, b]\n", "line 1: m: expected a name or fields, found a list"),
        ("m:\n  name: M\n  nme: N\n", "line 3: m.nme: no such field"),
        ("m:\n  color: pink\n", "line 2: m.color: expected #rrggbb or one of black, red"),
        ('m:\n  color: "#12"\n', "line 2: m.color: expected #rrggbb"),
        ("m: A\nn: B\nm: C\n", "line 3: m: stands twice, first on line 1"),
        ("m:\n", "line 1: m: expected text, found nothing"),
        ("m:\n  aliases: [a, {b: c}]\n", "line 2: m.aliases[2]: expected text, found fields"),
        ('m: "a\\nb"\n', "line 1: m: a name stands on one line"),
        ("m: {name: M\n", "line 2, column 1: not YAML"),
        ("", "the file holds nothing"),
    ],
)
def test_a_fault_in_the_file_of_names_is_placed(text: str, message: str, tmp_path: Path) -> None:
    """File, line and field."""
    path = write(tmp_path, "names.yaml", text)
    with pytest.raises(InputError) as caught:
        load_names(str(path))

    assert caught.value.message.startswith(f"{path}: {message}")
    assert "stylekl init" not in caught.value.hint


def test_the_names_of_the_documentation_mean_what_it_says(tmp_path: Path) -> None:
    """The example of docs/reading.md is read, and names the models of a file."""
    found = re.search(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    path = write(tmp_path, "names.yaml", found[1])
    rows = [
        {"model": f"smollm2-{name}", "prompt": "P?", "response": "x"} for name in ("plain", "lists", "terse")
    ]
    loaded = load(write_lines(tmp_path, "r.jsonl", *rows), reading=Reading(names=load_names(str(path))))

    assert [model.label for model in loaded.models] == ["Plain", "SmolLM2 lists", "smollm2-terse"]
    assert [color_of(model) for model in loaded.models] == [None, "#e07a5f", "cyan"]
    assert [source.path for source in loaded.sources] == [str(tmp_path / "r.jsonl"), str(path)]


def test_names_that_a_file_has_are_written_and_read_again(tmp_path: Path) -> None:
    """Aliases are a field of the model."""
    file = {
        "format": "stylekl/1",
        "models": [{"id": "m", "aliases": ["the first", "m-0513"]}],
        "prompts": [{"id": "p", "text": "P?"}],
        "replies": [{"model": "m", "prompt": "p", "text": "x"}],
    }
    loaded = load(write(tmp_path, "r.json", json.dumps(file)))

    assert loaded.models == [Model(id="m", aliases=["the first", "m-0513"])]
    assert find_model(loaded, "THE FIRST").id == "m"

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from stylekl.errors import ConflictError
from stylekl.results import Condition, Model, Prompt, Reply, Results, load, merge

from .strategies import small, write

if TYPE_CHECKING:
    from pathlib import Path


def part(*replies: Reply, prompts: tuple[tuple[str, str], ...] = (("p", "P?"),), **more: Any) -> Results:
    return Results(
        models=[Model(id=name) for name in dict.fromkeys(reply.model for reply in replies)],
        prompts=[Prompt(id=key, text=text) for key, text in prompts],
        replies=list(replies),
        **more,
    )


def reply(text: str = "text", model: str = "m", prompt: str = "p", **more: Any) -> Reply:
    return Reply(model=model, prompt=prompt, text=text, **more)


def test_prompts_join_by_text_whatever_their_ids() -> None:
    """The id of the first file stands, and the replies of the second point to it."""
    joined = merge([part(reply()), part(reply(model="n", prompt="q"), prompts=(("q", "P?"),))])

    assert [Prompt(id="p", text="P?")] == joined.prompts
    assert [each.prompt for each in joined.replies] == ["p", "p"]


def test_one_id_with_two_texts_is_two_prompts() -> None:
    """The second gets an id made from its text, the same in every run."""
    parts = [part(reply()), part(reply(model="n"), prompts=(("p", "Q?"),))]
    joined = merge(parts)

    assert [prompt.text for prompt in joined.prompts] == ["P?", "Q?"]
    assert joined.replies[1].prompt == joined.prompts[1].id
    assert joined.prompts[1].id.startswith("p~")
    assert joined == merge(parts)


def test_prompts_may_trade_ids() -> None:
    """Two files that number the same prompts in another order agree all the same."""
    first = part(reply(), prompts=(("1", "A?"), ("2", "B?")))
    second = part(reply(prompt="1"), prompts=(("1", "B?"), ("2", "A?")))

    assert first.prompts == merge([first, second]).prompts
    assert merge([first, second]).replies[1].prompt == "2"


def test_one_text_under_two_ids_of_a_file_stays_two_prompts() -> None:
    """Within a file the ids decide."""
    assert len(merge([part(reply(), prompts=(("p", "P?"), ("q", "P?")))]).prompts) == 2


def test_records_that_are_not_typed_follow_their_prompt() -> None:
    """A vote on a prompt that got another id names the new one."""
    votes = {"votes": [{"id": "v", "prompt": "q"}]}
    joined = merge([part(reply()), part(prompts=(("q", "P?"),), other=votes)])

    assert joined.other == {"votes": [{"id": "v", "prompt": "p"}]}
    assert votes == {"votes": [{"id": "v", "prompt": "q"}]}


def test_replies_without_a_sample_are_numbered_in_order_across_files() -> None:
    """Several replies of one identity are samples; a single one keeps no number."""
    joined = merge([part(reply("a"), reply("b"), reply("c", model="n")), part(reply("d"))])

    assert [(each.text, each.sample) for each in joined.replies] == [
        ("a", 1),
        ("b", 2),
        ("c", None),
        ("d", 3),
    ]


def test_numbers_go_around_those_that_are_taken() -> None:
    """An explicit sample keeps its number."""
    joined = merge([part(reply("a"), reply("b", sample=1), reply("c"))])

    assert [each.sample for each in joined.replies] == [2, 1, 3]


def test_merging_leaves_its_parts_alone() -> None:
    """The replies given are not renumbered in place."""
    given = part(reply("a"), reply("b"))
    merge([given])

    assert [each.sample for each in given.replies] == [None, None]


def test_an_explicit_identity_twice_with_one_text_counts_once() -> None:
    """Equal text under equal identity is one reply, in a file and across files."""
    joined = merge([part(reply(sample=1), reply(sample=1)), part(reply(sample=1))])

    assert [reply(sample=1)] == joined.replies


def test_an_explicit_identity_with_two_texts_names_both_places(tmp_path: Path) -> None:
    """The error says which reply and where each of the two stands."""
    rows = [{"model": "m", "prompt": "P?", "response": text, "sample": 1} for text in ("a", "b")]
    first = write(tmp_path, "a.jsonl", json.dumps(rows[0]) + "\n" + json.dumps(rows[0] | {"sample": 2}))
    second = write(tmp_path, "b.json", json.dumps([rows[1]]))
    with pytest.raises(ConflictError) as caught:
        load(first, second)

    assert f"{first}: line 1 and {second}: record 1" in caught.value.message
    assert "sample 1" in caught.value.message


def test_the_control_and_no_condition_are_one_identity() -> None:
    """A reply that names the control is the same as one that names none."""
    joined = merge([part(reply(sample=1), reply(sample=1, condition="c"), conditions=[Condition(id="c")])])

    assert len(joined.replies) == 1


def test_controls_of_two_files_are_one_whatever_their_names() -> None:
    """Both add nothing, so both are the control."""
    second = part(reply(model="n", condition="none"), conditions=[Condition(id="none")])
    joined = merge([part(reply(), conditions=[Condition(id="control")]), second])

    assert [each.id for each in joined.conditions] == ["control"]
    assert joined.replies[1].condition == "control"


def test_one_condition_with_two_meanings_is_an_error(tmp_path: Path) -> None:
    """Conditions of one id must add the same text."""
    paths = [
        write(
            tmp_path,
            f"{suffix}.json",
            json.dumps(small(conditions=[{"id": "control"}, {"id": "c", "suffix": suffix}])),
        )
        for suffix in ("x", "y")
    ]
    with pytest.raises(ConflictError) as caught:
        load(*paths)

    assert f"{paths[0]} and {paths[1]}" in caught.value.message


def test_the_same_file_twice_counts_once_with_a_warning(tmp_path: Path) -> None:
    """Equal bytes are one file, under any name."""
    paths = [write(tmp_path, name, json.dumps(small())) for name in ("a.json", "b.json")]
    joined = load(*paths)

    assert (len(joined.replies), len(joined.sources)) == (2, 1)
    assert [f"{paths[1]}: the same file as one before, counted once"] == joined.warnings


def test_models_join_by_id_and_fill_each_other() -> None:
    """What one file leaves open the other fills; where they differ the first counts, with a warning."""
    first = Results(models=[Model(id="m", provider="x", unknown={"u": 1})])
    second = Results(models=[Model(id="m", provider="y", family="f", unknown={"u": 2, "v": 3})])
    joined = merge([first, second])

    assert [Model(id="m", provider="x", family="f", unknown={"u": 1, "v": 3})] == joined.models
    assert joined.warnings == ['model "m": files differ in u, provider; the first file counts']


def test_other_records_join_by_id() -> None:
    """One id with one content is one record, with two contents an error; without an id all are kept."""
    first = Results(other={"votes": [{"id": "v", "pick": "left"}], "choices": [{"model": "m"}]})
    joined = merge([first, first])

    assert joined.other == {"votes": [{"id": "v", "pick": "left"}], "choices": [{"model": "m"}] * 2}
    with pytest.raises(ConflictError):
        merge([first, Results(other={"votes": [{"id": "v", "pick": "right"}]})])


def test_the_place_of_a_reply_outlives_merging(tmp_path: Path) -> None:
    """Errors found later can still name file and record."""
    path = write(tmp_path, "a.json", json.dumps(small()))
    joined = load(path)

    assert f"{path}: reply 2" == joined.place(1)
    assert part(reply()).place(0) == "reply 1"

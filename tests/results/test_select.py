from __future__ import annotations

from typing import Any

import pytest

from stylekl.errors import UnknownChoiceError
from stylekl.results import Condition, Model, Prompt, Reply, Results, Selection, select


def make(replies: list[Reply], **changes: Any) -> Results:
    prompts = [
        Prompt(id="p1", text="One?", topic="t"),
        Prompt(id="p2", text="Two?", kind="open", topic="u"),
        Prompt(id="p3", text="Three?", kind="one_word"),
        Prompt(id="p4", text="Four?", retired={"on": "2026-01-01", "why": "leaked"}),
    ]
    models = [Model(id="b"), Model(id="a")]
    return Results(**{"models": models, "prompts": prompts, "replies": replies} | changes)


def reply(model: str = "a", prompt: str = "p1", text: str = "text", **more: Any) -> Reply:
    return Reply(model=model, prompt=prompt, text=text, **more)


def reasons(selection: Selection) -> dict[str, int]:
    return selection.left_out["a"]


def test_replies_come_by_model_prompt_and_sample_of_the_file() -> None:
    """The order is that of the tables, not of the replies or the names."""
    given = [reply("a", "p2"), reply("a", "p1", sample=2), reply("a", "p1", sample=1), reply("b", "p2")]
    selection = select(make(given))

    assert [given[3], given[2], given[1], given[0]] == selection.replies
    assert [prompt.id for prompt in selection.prompts] == ["p1", "p2"]


def test_models_without_a_reply_stay_and_prompts_without_one_go() -> None:
    """A model that gave nothing is still a model of the file."""
    selection = select(make([reply("a", "p2")]))

    assert [model.id for model in selection.models] == ["b", "a"]
    assert [prompt.id for prompt in selection.prompts] == ["p2"]
    assert selection.left_out == {"b": {}, "a": {}}


@pytest.mark.parametrize("flag", ["refusal", "truncated", "empty", "error", "over_length", "another"])
def test_a_flagged_reply_gives_no_text(flag: str) -> None:
    """Every flag leaves the reply out, for the reason that it names."""
    selection = select(make([reply(flags=[flag, "second"])]))

    assert ([], {flag: 1}) == (selection.replies, reasons(selection))


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b", "\ufeff \u200b\u2060", "\u3000\xa0"])
def test_a_reply_of_nothing_visible_is_empty(text: str) -> None:
    """White space and characters of no width are no text."""
    assert reasons(select(make([reply(text=text)]))) == {"empty": 1}


def test_prompts_that_do_not_count_say_why() -> None:
    """Retired prompts and other kinds are left out unless the kind is asked for."""
    results = make([reply(prompt="p3"), reply(prompt="p4")])

    assert reasons(select(results)) == {"kind one_word": 1, "retired prompt": 1}
    assert [each.prompt for each in select(results, kinds=("one_word",)).replies] == ["p3"]


def test_the_control_is_the_first_condition_and_the_unnamed_one() -> None:
    """A reply without a condition counts as control; `condition` picks another."""
    given = [reply(sample=1), reply(sample=2, condition="control"), reply(sample=3, condition="terse")]
    results = make(given, conditions=[Condition(id="control"), Condition(id="terse", suffix="Be brief.")])

    assert (given[:2], {"condition": 1}) == (select(results).replies, reasons(select(results)))
    assert given[2:] == select(results, condition="terse").replies
    assert select(results).condition == "control"
    assert select(make([])).condition is None


def test_topics_and_prompts_narrow() -> None:
    """What was not asked for is counted under what left it out."""
    results = make([reply(prompt="p1"), reply(prompt="p2")])

    assert [each.prompt for each in select(results, topics=("t",)).replies] == ["p1"]
    assert [each.prompt for each in select(results, prompts=("p2",)).replies] == ["p2"]
    assert reasons(select(results, topics=("t",))) == {"topic": 1}
    assert reasons(select(results, prompts=("p2",))) == {"prompt": 1}


@pytest.mark.parametrize("choice", [{"topics": ("x",)}, {"prompts": ("x",)}, {"condition": "x"}])
def test_what_the_file_does_not_have_is_an_error(choice: dict[str, Any]) -> None:
    """A mistyped choice never selects nothing in silence."""
    with pytest.raises(UnknownChoiceError, match='"x" in this file'):
        select(make([reply()]), **choice)


def test_a_condition_stands_in_for_a_control_that_nobody_answered_under() -> None:
    """The one of the most replies that count, with a warning; the control whenever it has a reply."""
    conditions = [Condition(id="none"), Condition(id="s", system="S"), Condition(id="t", system="T")]
    given = [
        Reply(model="m", prompt="p", text="one", condition="s"),
        Reply(model="n", prompt="p", text="two", condition="s"),
        Reply(model="n", prompt="p", text="three", condition="t"),
    ]
    both = Results(
        models=[Model(id="m"), Model(id="n")],
        prompts=[Prompt(id="p", text="P")],
        conditions=conditions,
        replies=given,
    )
    found = select(both)

    assert [reply.text for reply in found.replies] == ["one", "two"]
    assert (found.condition, found.left_out) == ("s", {"m": {}, "n": {"condition": 1}})
    assert "no reply was given under the control condition; compared is s, and 1 other" in found.warnings[0]

    both.replies = [*given, Reply(model="m", prompt="p", text="four", flags=["refusal"])]
    found = select(both)

    assert (list(found.replies), found.condition, found.warnings) == ([], "none", ())
    assert found.left_out == {"m": {"condition": 1, "refusal": 1}, "n": {"condition": 2}}

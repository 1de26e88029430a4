"""Names of nodes, and which models of a file are siblings."""

from __future__ import annotations

import random
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.errors import UnknownModelError, UsageError
from stylekl.results import Model, Prompt, Reply, Results
from stylekl.results.nodes import Node, node_of, parse_node, siblings

DAY = date(2026, 1, 5)
NAMES = {
    "smollm2": Node("smollm2"),
    "smollm2@2026-01-05": Node("smollm2", DAY),
    "smollm2-t0@2026-01-05": Node("smollm2", DAY, "deterministic"),
    "smollm2@01low-2026-01-05": Node("smollm2", DAY, effort="low", prefix=1),
    "smollm2@42very-high-2026-01-05": Node("smollm2", DAY, effort="very-high", prefix=42),
    "smollm2-t0@02mid-2026-01-05": Node("smollm2", DAY, "deterministic", "mid", 2),
    "maker/smollm2@x@2026-01-05": Node("maker/smollm2@x", DAY),
    "smollm2@2026-13-40": Node("smollm2@2026-13-40"),
    "smollm2@2026-01-05 ": Node("smollm2@2026-01-05 "),
    "smollm2@1low-2026-01-05": Node("smollm2@1low-2026-01-05"),
    "smollm2-t0": Node("smollm2", None, "deterministic"),
    "@2026-01-05": Node("@2026-01-05"),
    "-t0": Node("-t0"),
}
bases = st.text(st.characters(exclude_characters="@", exclude_categories=["Cs"]), min_size=1)
days = st.dates(date(1000, 1, 1))


def results(*names: str, **fields: object) -> Results:
    """Return results of models with these ids, each with one reply."""
    return Results(
        models=[Model(id=name, **fields) for name in names],
        prompts=[Prompt(id="p", text="A prompt.")],
        replies=[Reply(model=name, prompt="p", text="A reply.") for name in names],
    )


def labels(found: Results, name: str, by: str = "date") -> list[str]:
    return [label for _, label in siblings(found, name, by).members]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_says_what_it_says(name: str) -> None:
    assert parse_node(name) == NAMES[name]


@given(
    bases.filter(lambda base: not base.endswith("-t0")),
    days,
    st.booleans(),
    st.integers(0, 99),
    st.sampled_from(["", "low", "x-1", "0"]),
)
def test_every_form_is_read_back(base: str, day: date, zero: bool, prefix: int, label: str) -> None:
    """Whatever the model is called, and whatever the label."""
    name = base + ("-t0" if zero else "") + (f"@{prefix:02}{label}-{day}" if label else f"@{day}")

    node = parse_node(name)

    assert (node.base, node.date, node.protocol == "deterministic") == (base, day, zero)
    assert (node.effort, node.prefix) == ((label, prefix) if label else (None, None))


def test_the_field_node_counts_before_the_name() -> None:
    """Part by part, also where the name says temperature 0; what cannot be read there is taken from the name."""
    given_ = {
        "base": "other",
        "date": "2026-02-03T10:00:00Z",
        "protocol": "distributional",
        "effort": "03high",
    }

    assert node_of(Model(id="smollm2-t0@2026-01-05", node=given_)) == Node(
        "other", date(2026, 2, 3), "distributional", "high", 3
    )
    assert node_of(Model(id="smollm2@2026-01-05", node={"base": 7, "date": "soon", "effort": ""})) == Node(
        "smollm2", DAY
    )


def test_a_name_with_a_date_stands_for_an_id_without() -> None:
    assert node_of(Model(id="m1", name="smollm2@2026-01-05")) == Node("smollm2", DAY)
    assert node_of(Model(id="a@2026-01-05", name="b@2026-02-02")) == Node("a", DAY)


def test_siblings_stand_in_the_order_of_their_dates() -> None:
    """An undated one is the first, whatever the order of the file; other protocols and efforts are no siblings."""
    names = [
        "m@2026-03-01",
        "m",
        "m@2025-12-31",
        "m@2026-01-02",
        "m-t0@2026-02-02",
        "m@01low-2026-02-03",
        "n@2026-01-02",
    ]
    for seed in range(5):
        random.Random(seed).shuffle(names)

        assert labels(results(*names), "m") == ["undated", "2025-12-31", "2026-01-02", "2026-03-01"]


def test_effort_levels_of_one_date_stand_in_the_order_of_their_prefix() -> None:
    found = results(
        "m@10high-2026-01-05",
        "m@02low-2026-01-05",
        "m@01zero-2026-01-05",
        "m@01zero-2026-02-05",
        "m@2026-01-05",
    )

    assert labels(found, "m@2026-01-05", "effort") == ["zero", "low", "high"]
    assert labels(found, "m@zero") == ["2026-01-05", "2026-02-05"]


@pytest.mark.parametrize(
    "name", ["smollm2", "SMOLLM2", "smol", "smollm2@2026-01-05", "smollm2@2026-02", "the second"]
)
def test_siblings_are_found_by_their_name_and_by_any_of_them(name: str) -> None:
    found = results("smollm2@2026-01-05", "smollm2@2026-02-02", "other@2026-01-05")
    found.models[1].name = "the second"

    chain = siblings(found, name)

    assert chain.name == "smollm2"
    assert [member for member, _ in chain.members] == ["smollm2@2026-01-05", "smollm2@2026-02-02"]


def test_a_beginning_of_several_names_is_asked_back() -> None:
    with pytest.raises(UnknownModelError) as error:
        siblings(results("ma@2026-01-05", "ma@2026-02-05", "mb@2026-01-05"), "m")

    assert error.value.hint == "one of: ma, mb"


def test_a_name_that_is_none_suggests_those_with_siblings() -> None:
    with pytest.raises(UnknownModelError) as error:
        siblings(results("smollm2@2026-01-05", "smollm2@2026-02-05", "b"), "smolm2")

    assert error.value.hint == "nearest: smollm2"


@pytest.mark.parametrize(
    ("by", "form"), [("date", "<model>@YYYY-MM-DD"), ("effort", "<model>@NNlabel-YYYY-MM-DD")]
)
def test_without_siblings_the_error_says_who_has_some_and_how_they_are_named(by: str, form: str) -> None:
    names = [
        "m@2026-01-05",
        "m@2026-02-05",
        "m@01low-2026-01-05",
        "m@02high-2026-01-05",
        "m@01low-2026-03-01",
        "lone@01low-2026-01-05",
    ]
    lone = "lone@low" if by == "date" else "lone@2026-01-05"
    with pytest.raises(UsageError) as error:
        siblings(results(*names), lone, by)

    assert f'"{lone}" has no sibling' in error.value.message
    assert "these have: m" in error.value.message
    assert form in error.value.hint


def test_no_effort_level_at_all_is_said() -> None:
    with pytest.raises(UsageError, match="no model of the file has an effort level"):
        siblings(results("m@2026-01-05", "m@2026-02-05"), "m", "effort")


def of_periods(*periods: str | None) -> Results:
    found = results("m", "n")
    found.replies = [
        Reply(model=model, prompt="p", text=f"In {period}.", period=period)
        for model in "mn"
        for period in periods
    ]
    return found


def test_a_model_of_several_periods_is_its_own_sibling() -> None:
    """Its replies become those of one model a period; the results of the file and other models stay."""
    found = of_periods("2026-02", None, "2026-01")

    chain = siblings(found, "m")

    assert chain.by == "period"
    assert [label for _, label in chain.members] == ["no period", "2026-01", "2026-02"]
    assert [model.id for model in chain.results.models] == ["n", *(member for member, _ in chain.members)]
    for member, label in chain.members:
        (reply,) = (reply for reply in chain.results.replies if reply.model == member)
        assert reply.period == (None if label == "no period" else label)
    assert [model.id for model in found.models] == ["m", "n"]
    assert sum(reply.model == "n" for reply in chain.results.replies) == 3


def test_dates_come_before_periods() -> None:
    found = of_periods("spring", "autumn")
    found.models.append(Model(id="m@2026-01-05"))

    assert siblings(found, "m").by == "date"
    assert siblings(found, "m", "date").members[0] == ("m", "undated")
    assert labels(found, "n", "period") == ["autumn", "spring"]
    assert len({member for member, _ in siblings(of_periods("x", "x~", None), "m").members}) == 3


def test_one_period_is_no_drift() -> None:
    with pytest.raises(UsageError, match="of one period"):
        siblings(of_periods("spring"), "m", "period")

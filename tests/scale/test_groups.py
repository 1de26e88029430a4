"""Prompts in groups: they merge as single prompts do, and pair only where models answered the same prompts."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.counts.scale import groups as module
from stylekl.counts.scale.groups import grouped, merge_or_group
from stylekl.counts.scale.partial import Partial, merge
from stylekl.errors import InputError, UsageError
from stylekl.lenses.style import StyleOptions, matrix
from stylekl.lenses.style.evidence import gather_evidence
from stylekl.lenses.style.scaled import scaled_matrix
from stylekl.results import load
from tests.scale.made import rows, scaled, write_lines
from tests.scale.test_merge import Parts, mapped, plain

if TYPE_CHECKING:
    from pathlib import Path

    from stylekl.lenses.reports import MatrixReport

MODELS = ["one", "two", "three", "four"]
OPTIONS = StyleOptions(jobs=1, cache=False)
MANY = 1 << 20  # groups, so that every prompt of a test has one to itself


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    records: list[dict[str, Any]] = rows(MODELS[:3], 12, samples=2)
    for number, record in enumerate(records):
        record |= {"sample": number % 2, "topic": "even" if number % 4 else "odd"}
    path = write_lines(tmp_path_factory.mktemp("groups") / "a.jsonl", records)
    return Parts(mapped(path, 1200))


@settings(deadline=None)
@given(st.integers(1, 50))
def test_grouping_before_merging_is_grouping_after_it(parts, number):
    after = plain(grouped(merge(*parts), number))
    assert plain(merge(*(grouped(part, number) for part in parts))) == after
    assert plain(merge_or_group(grouped(parts[0], number), *parts[1:])) == after


@settings(deadline=None)
@given(st.integers(1, 14), st.data())
def test_whether_prompts_are_grouped_depends_on_all_of_them_alone(parts, most, data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST", most)
        patch.setattr(module, "GROUPS", 5)
        whole = merge_or_group(*parts)
        waiting: list[Partial] = data.draw(st.permutations(parts))
        while len(waiting) > 1:
            take = data.draw(st.integers(2, len(waiting)))
            waiting = [*waiting[take:], merge_or_group(*waiting[:take])]
        assert plain(waiting[0]) == plain(whole)
        assert whole.groups == (5 if len(merge(*parts).names.prompts) > most else 0)


def report(path: Path, number: int, options: StyleOptions = OPTIONS) -> MatrixReport:
    return scaled_matrix(scaled([path], 2000, options, groups=number), options)[1]


def test_a_group_a_prompt_gives_the_divergences_of_single_prompts(tmp_path):
    """They are drawn into other groups of the jackknife by the hash of another name; what is estimated is the same."""
    path = write_lines(tmp_path / "a.jsonl", rows(MODELS, 60))
    evidence = gather_evidence(load(str(path)), OPTIONS)
    single, found = matrix(evidence.results, evidence=evidence), report(path, MANY)
    assert found.vocabulary.size == single.vocabulary.size
    for one, other in zip(single.pairs, found.pairs, strict=True):
        assert other.prompts == one.prompts == 60
        assert other.kl_ab.raw == pytest.approx(one.kl_ab.raw, abs=1e-12)
        assert other.js.raw == pytest.approx(one.js.raw, abs=1e-12)
        assert other.copies == one.copies


def test_a_report_says_that_prompts_are_in_groups(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", rows(MODELS, 400))
    found = report(path, 40)
    assert found.params["prompt_groups"] == 40
    assert any("the prompts are in 40 groups" in said for said in found.warnings)
    assert found.vocabulary.unit == "replies"
    assert {pair.prompts for pair in found.pairs} == {40}
    assert {(pair.kinship, pair.kinship_undefined) for pair in found.pairs} == {
        (None, "kinship needs single prompts, not groups of them")
    }
    assert [row.replies for row in found.models] == [400] * 4


def test_a_group_of_which_two_models_answered_other_prompts_does_not_count_for_them(tmp_path):
    """The other models are compared on all of the groups all the same."""
    records = [
        each for each in rows(MODELS, 400) if (each["model"], each["prompt"]) != ("one", "question 7?")
    ]
    found = report(write_lines(tmp_path / "a.jsonl", records), 40)
    pairs = {(pair.a, pair.b): pair.prompts for pair in found.pairs}
    assert pairs == {pair: 39 if "one" in pair else 40 for pair in itertools.combinations(sorted(MODELS), 2)}
    assert any(said.startswith("in 1 of 40 groups not all models") for said in found.warnings)


def test_models_that_answered_other_prompts_everywhere_cannot_be_compared_in_groups(tmp_path):
    records = [
        each
        for each in rows(["one", "two"], 200)
        if int(each["prompt"].split()[1].rstrip("?")) % 2 == ("one", "two").index(each["model"])
    ]
    with pytest.raises(UsageError, match="no two models answered the same prompts of 10 groups"):
        report(write_lines(tmp_path / "a.jsonl", records), 40)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"measure": "kinship"}, "kinship needs single prompts"),
        ({"prompts": ("p1",)}, "--prompts names single"),
    ],
    ids=["kinship", "prompts"],
)
def test_what_needs_single_prompts_is_refused(tmp_path, options, said):
    path = write_lines(tmp_path / "a.jsonl", rows(MODELS, 60))
    with pytest.raises(UsageError, match=said):
        report(path, 40, StyleOptions(jobs=1, cache=False, **options))


def test_topics_keep_apart_what_they_choose(tmp_path):
    records = rows(MODELS, 100)
    for record in records:
        record["topic"] = "even" if int(record["prompt"].split()[1].rstrip("?")) % 2 == 0 else "odd"
    path = write_lines(tmp_path / "a.jsonl", records)
    found = report(path, MANY, StyleOptions(jobs=1, cache=False, topics=("even",)))
    assert [(row.replies, row.left_out) for row in found.models] == [(50, {"topic": 50})] * 4


def test_replies_that_come_twice_count_once_and_two_texts_are_refused(tmp_path):
    records = [each | {"sample": 1} for each in rows(MODELS, 60)]
    first = write_lines(tmp_path / "a.jsonl", records)
    second = write_lines(tmp_path / "b.jsonl", records[:90])
    once = scaled([first], 2000, groups=40).partial
    twice = scaled([first, second], 2000, groups=40).partial
    assert plain(twice.cells) == plain(once.cells)
    assert twice.asked[twice.asked[:, 3] != 0].tolist() == once.asked.tolist()
    write_lines(second, [records[0] | {"response": "other"}])
    with pytest.raises(InputError, match="has two different texts"):
        scaled([first, second], 2000, groups=40)


def test_too_many_prompts_are_grouped_without_being_asked(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST", 50)
    path = write_lines(tmp_path / "a.jsonl", rows(MODELS, 60))
    for size in (2000, 1 << 30):
        found = scaled([path], size)
        assert found.partial.groups == module.GROUPS
        assert scaled_matrix(found, OPTIONS)[1].params["prompt_groups"] == module.GROUPS

"""A matrix against an earlier file: what moved, what did not, and what cannot be compared."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest

from stylekl.errors import UsageError
from stylekl.lenses.style import StyleOptions, against, diff, matrix
from stylekl.lenses.style.evidence import gather_evidence, vocabulary_document
from stylekl.show.json import plain

from .make import make_results

if TYPE_CHECKING:
    from pathlib import Path

    from stylekl.lenses.reports import MatrixReport
    from stylekl.results import Results

WRITERS = {"a": ("delve", 0.0), "b": ("honestly", 0.10), "c": ("moreover", 0.05), "d": ("rather", 0.02)}
CHANGED = WRITERS | {"b": ("delve", 0.15)}


@pytest.fixture(scope="module")
def old() -> Results:
    return make_results(WRITERS, prompts=80)


@pytest.fixture(scope="module")
def new(old: Results) -> Results:
    """Return the old results with one model that writes otherwise now."""
    other = make_results(CHANGED, prompts=80, seed=1)
    kept = [reply for reply in old.replies if reply.model != "b"]
    return replace(old, replies=[*kept, *(reply for reply in other.replies if reply.model == "b")])


def compared(new: Results, old: Results, **options: object) -> MatrixReport:
    evidence = gather_evidence(new, StyleOptions(**options))
    return against(matrix(new, evidence=evidence), evidence, old)


def test_the_cells_of_a_model_that_changed_moved(old: Results, new: Results) -> None:
    """Those of the others, whose replies are the same, did not."""
    found = compared(new, old).baseline

    assert found.cells == 12
    assert {(m.row, m.column) for m in found.moved} >= {("b", "a"), ("a", "b"), ("b", "c")}
    assert all("b" in (m.row, m.column) and m.q < 0.05 for m in found.moved)
    assert [m.p for m in found.moved] == sorted(m.p for m in found.moved)


def test_the_rest_of_the_report_is_that_of_a_matrix_without_a_baseline(old: Results, new: Results) -> None:
    report = compared(new, old)

    assert replace(report, baseline=None, params={}) == replace(matrix(new), params={})
    assert plain(report)["params"]["baseline"] == ""


@pytest.mark.parametrize("measure", ["kl", "js"])
def test_both_values_of_a_cell_are_on_the_vocabulary_of_the_matrix(
    old: Results, new: Results, measure: str, tmp_path: Path
) -> None:
    """Now as in the matrix; before as in a matrix of the baseline with that vocabulary."""
    path = tmp_path / "vocabulary.json"
    path.write_text(vocabulary_document(gather_evidence(new, StyleOptions())), encoding="utf-8")
    report = compared(new, old, measure=measure)
    earlier = matrix(old, StyleOptions(vocabulary=str(path), measure=measure))

    assert report.baseline.moved
    for moved in report.baseline.moved:
        for estimate, pairs in ((moved.now, report.pairs), (moved.before, earlier.pairs)):
            (found,) = (p for p in pairs if {p.a, p.b} == {moved.row, moved.column})
            value = found.js if measure == "js" else found.kl_ab if found.a == moved.row else found.kl_ba
            assert plain(estimate.value) == plain(value.value)
            assert plain(estimate.se) == plain(value.se)


def test_the_same_replies_do_not_move_whatever_the_order_of_the_ids(old: Results) -> None:
    """Ids that sort otherwise in the earlier file are summed in another order there, to the same 12 digits."""
    ids = {"a": "z", "b": "y", "c": "x", "d": "w"}
    earlier = replace(
        old,
        models=[msgspec.structs.replace(m, id=ids[m.id], name=m.id) for m in old.models],
        replies=[msgspec.structs.replace(r, model=ids[r.model]) for r in old.replies],
    )
    for facet in ("tokens", "words"):
        found = compared(old, earlier, facet=facet).baseline

        assert (found.cells, found.moved) == (12, ())
        assert {(c.old, c.new, c.same) for c in found.changes} == {(ids[m], m, 80) for m in ids}


def test_a_model_that_changed_is_apart_from_its_earlier_self(old: Results, new: Results) -> None:
    """The numbers are a diff's but for the vocabulary, which here is that of the matrix."""
    changes = {change.new: change for change in compared(new, old).baseline.changes}
    expected = {change.new: change for change in diff(old, new).changes}

    assert {name for name, change in changes.items() if change.call == "apart"} == {"b"}
    assert changes["b"].p == expected["b"].p


def test_on_other_prompts_the_errors_count_as_independent(old: Results) -> None:
    """The same writers asked something else: nothing moved; the model that changed moves none the less."""
    asked = {
        name: replace(
            results, prompts=[msgspec.structs.replace(p, text=f"Other {p.text}") for p in results.prompts]
        )
        for name, results in {
            "same": make_results(WRITERS, prompts=80, seed=2),
            "changed": make_results(CHANGED, prompts=80, seed=2),
        }.items()
    }
    still, moved = compared(asked["same"], old).baseline, compared(asked["changed"], old).baseline

    assert (still.cells, still.moved) == (12, ())
    assert ("b", "a") in {(m.row, m.column) for m in moved.moved}
    assert {change.undefined for change in moved.changes} == {"no prompt in common"}


def test_fresh_replies_of_the_same_writers_move_few_cells() -> None:
    """Of 4 files of four writers, each asked twice, at most one has a cell that moved."""
    files = 0
    for seed in range(4):
        earlier, later = (make_results(WRITERS, prompts=30, seed=100 * seed + turn) for turn in (1, 2))
        files += bool(compared(later, earlier).baseline.moved)

    assert files <= 1


def test_models_that_are_not_shown_are_not_compared(old: Results, new: Results) -> None:
    found = compared(new, old, models=("a", "b")).baseline

    assert found.cells == 2
    assert {change.new for change in found.changes} == {"a", "b"}


def test_what_depends_on_the_other_models_of_a_file_has_no_baseline(old: Results, new: Results) -> None:
    with pytest.raises(UsageError, match="kinship depends"):
        compared(new, old, measure="kinship")
    with pytest.raises(UsageError, match="match-length"):
        compared(new, old, match_length=True)
    with pytest.raises(UsageError, match="shares 1 of the models shown"):
        compared(new, replace(old, models=old.models[:1], replies=[r for r in old.replies if r.model == "a"]))


def test_too_few_prompts_leave_no_cell(old: Results) -> None:
    few = make_results(WRITERS, prompts=5, seed=9)
    found = compared(few, few).baseline

    assert (found.cells, found.moved) == (0, ())
    assert {(change.call, change.q) for change in found.changes} == {("cannot say", None)}

"""Every lens asked at once says what each says alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stylekl.errors import UnknownModelError, UsageError
from stylekl.lenses import style
from stylekl.lenses.everything import FLOORS, NEAREST, Wanted, everything
from stylekl.lenses.style.evidence import Evidence, gather_evidence
from stylekl.lenses.style.options import StyleOptions
from stylekl.results import Results, load
from stylekl.results.default import sample_path
from tests.page.made import asked, loaded, many

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def sample() -> tuple[Results, Evidence]:
    results = load(sample_path())
    return results, gather_evidence(results, StyleOptions())


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> tuple[Results, Evidence]:
    results = loaded(many(14), tmp_path_factory.mktemp("crowd"))
    return results, gather_evidence(results, StyleOptions())


def test_asked_together_each_report_is_the_one_asked_for_alone(sample: tuple[Results, Evidence]) -> None:
    """One study of all pairs stands in for one a question; no digit changes."""
    results, evidence = sample
    found = everything(results, evidence, {}).lenses["style"]
    assert found.matrix == style.matrix(results, evidence=evidence)
    for key, report in list(found.focus.items())[:2]:
        assert report == style.focus(results, key, evidence=evidence)
    for (a, b), report in list(found.pairs.items())[:3]:
        assert report == style.pair(results, a, b, evidence=evidence)


def test_in_a_crowd_the_nearest_have_floors_and_nothing_else_changes(crowd: tuple[Results, Evidence]) -> None:
    results, evidence = crowd
    found = everything(results, evidence, {}).lenses["style"]
    assert not found.paired
    assert len(found.pairs) == NEAREST
    report, alone = found.focus["writer-03"], style.focus(results, "writer-03", evidence=evidence)
    floors = [each.floor is not None for each in report.style.neighbours]
    assert floors == [True] * FLOORS + [False] * (13 - FLOORS)
    assert [each.floor for each in report.style.neighbours][:FLOORS] == [
        each.floor for each in alone.style.neighbours
    ][:FLOORS]
    assert [each.kl for each in report.style.neighbours] == [each.kl for each in alone.style.neighbours]
    assert report.style.tells == alone.style.tells


def test_a_pair_that_is_named_is_asked_beside_the_nearest(crowd: tuple[Results, Evidence]) -> None:
    results, evidence = crowd
    near = everything(results, evidence, {}).lenses["style"].pairs
    other = next(pair for pair in (("writer-00", f"writer-{i:02}") for i in range(1, 14)) if pair not in near)
    found = everything(results, evidence, {}, Wanted(pairs=(other[::-1],))).lenses["style"].pairs
    assert set(found) == {*near, other}


def test_a_name_that_no_model_has_is_an_error(crowd: tuple[Results, Evidence]) -> None:
    results, evidence = crowd
    with pytest.raises(UnknownModelError):
        everything(results, evidence, {}, Wanted(models=("nobody",)))
    with pytest.raises(UnknownModelError):
        everything(results, evidence, {}, Wanted(pairs=(("writer-00", "nobody"),)))


def test_progress_names_each_model(sample: tuple[Results, Evidence]) -> None:
    results, evidence = sample
    told: list[str] = []
    everything(results, evidence, {}, progress=told.append)
    assert "style: model 6 of 6 …" in told
    assert "style: pair 15 of 15 …" in told


def test_without_evidence_of_any_kind_there_is_nothing_to_ask() -> None:
    with pytest.raises(UsageError):
        everything(Results(), None, {})


def test_a_lens_that_cannot_answer_is_left_out_with_a_warning(tmp_path: Path) -> None:
    """Votes on four writers beside replies of two, one of whom alone is to be shown: by style there is no pair."""
    from tests.cli import lens_files

    document: dict[str, Any] = lens_files.votes()
    writers = [model["id"] for model in document["models"][:2]]
    document["replies"] = [
        {"model": writer, "prompt": each["id"], "text": f"This is what {writer} says."}
        for each in document["prompts"]
        for writer in writers
    ]
    found = asked(loaded(document, tmp_path), models=(writers[0],))
    assert [*found.lenses] == ["votes"]
    assert any(warning.startswith("nothing by style: ") for warning in found.warnings)

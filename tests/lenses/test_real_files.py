"""The style lens on 74 real models × 805 prompts and on 57 models × 5 prompts × 10 samples."""

from __future__ import annotations

import numpy as np
import pytest

from stylekl.lenses.style import StyleOptions, matrix
from stylekl.lenses.style.evidence import gather_evidence
from stylekl.lenses.style.study import Study, estimates
from stylekl.measure.comparison import fold
from stylekl.measure.divergence import contributions
from stylekl.measure.jackknife import jackknife
from stylekl.results import load


@pytest.fixture(scope="module")
def study(shared) -> Study:
    results = load(*sorted((shared / "data" / "alpaca_eval").glob("*.json.gz")))
    return Study(gather_evidence(results, StyleOptions()))


def named(study: Study, a: str, b: str) -> tuple[int, int]:
    return tuple(sorted((study.evidence.find(a), study.evidence.find(b))))


def test_contributions_add_up_for_every_pair(study):
    """Over all symbols, "other" included: the raw ones to the raw divergence, the jackknifed to the corrected."""
    sides, worst_raw, worst_corrected = {}, 0.0, 0.0
    for (a, b), comparison in study.comparisons.items():
        units = comparison.units
        for model in (a, b):
            if (model, id(units)) not in sides:
                sides[model, id(units)] = study.side(model, units).replicates
        p, q = (fold(sides[model, id(units)], comparison.kept) for model in (a, b))
        parts = contributions(p, q)
        worst_raw = max(worst_raw, abs(parts[0].sum() - comparison.kl_ab[0]))
        corrected = jackknife(parts.T, units.fractions).value.sum()
        worst_corrected = max(
            worst_corrected, abs(corrected - float(jackknife(comparison.kl_ab, units.fractions).value))
        )

    assert len(study.comparisons) == 74 * 73 // 2
    assert worst_raw < 1e-12
    assert worst_corrected < 1e-12


def test_one_model_on_two_servers_is_within_its_error_of_nought(study):
    """The corrected divergence is; the plug-in one is not."""
    pair = named(study, "vicuna-13b-v1.5", "vicuna-13b-v1.5-togetherai")
    comparison = study.comparisons[pair]
    (found,) = estimates(comparison.kl_ab[None], comparison.units)

    assert abs(found.value) < found.se
    assert found.raw > 5 * found.se
    assert study.call(comparison)[0] == "too close to call"


def test_models_of_different_makers_are_apart(study):
    pair = named(study, "claude-3-5-sonnet-20240620", "gpt-4o-2024-05-13")

    assert study.call(study.comparisons[pair])[0] == "apart"


def test_missing_prompts_shrink_the_pair_alone(study):
    prompts = {pair: comparison.units.prompts for pair, comparison in study.comparisons.items()}
    full = named(study, "gpt-4o-2024-05-13", "gemini-pro")

    assert prompts[named(study, "alpaca-7b_verbose", "gpt-4o-2024-05-13")] == 802
    assert prompts[full] == 804  # one empty reply
    assert max(prompts.values()) == 805


def test_few_prompts_with_samples_are_compared_by_reply(shared):
    report = matrix(load(shared / "data" / "freeflow_all_models.derived.jsonl.gz"))
    errors = np.array([(p.kl_ab.se, p.se_prompts) for p in report.pairs])

    assert len(report.models) == 57
    assert {p.unit for p in report.pairs} == {"reply"}
    assert np.median(errors[:, 1] / errors[:, 0]) > 2

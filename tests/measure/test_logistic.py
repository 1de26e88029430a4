from __future__ import annotations

import numpy as np
import pytest

from stylekl.measure.logistic import controlled


def fights(seed, rows=4000, models=5, beta=(0.6, 0.0), units=200, readers=0.0):
    """Fights won by strength and by what a reply has more of; readers differ in their taste by `readers`."""
    random = np.random.default_rng(seed)
    strengths = np.linspace(1.0, -1.0, models)
    first = random.integers(0, models, rows)
    second = (first + random.integers(1, models, rows)) % models
    more = random.normal(size=(rows, len(beta)))
    unit = random.integers(0, units, rows)
    taste = np.array(beta) + random.normal(0.0, readers, (units, len(beta)))
    odds = strengths[first] - strengths[second] + (more * taste[unit]).sum(axis=1)
    won = random.random(rows) < 1 / (1 + np.exp(-odds))
    side = np.where(won, 1.0, -1.0)[:, None]
    return np.where(won, first, second), np.where(won, second, first), more * side, unit


def test_agrees_with_an_independent_solver():
    from scipy.optimize import minimize

    winner, loser, more, unit = fights(1, rows=500)

    def cost(values):
        strengths, beta = values[:5], values[5:]
        odds = strengths[winner] - strengths[loser] + more @ beta
        gaps = strengths[:, None] - strengths[None, :]
        prior = 0.1 * np.logaddexp(0.0, -gaps)[~np.eye(5, dtype=bool)].sum()
        return np.logaddexp(0.0, -odds).sum() + prior

    wanted = minimize(cost, np.zeros(7), method="BFGS", options={"gtol": 1e-7}).x
    found = controlled(winner, loser, more, unit, 5, pseudo=0.1)

    assert found.beta == pytest.approx(wanted[5:], abs=1e-5)
    assert found.strengths - found.strengths.mean() == pytest.approx(wanted[:5] - wanted[:5].mean(), abs=1e-5)
    assert found.gradient < 1e-6


def test_the_truth_lies_within_two_errors_about_as_often_as_it_should():
    """Readers differ in taste, so that errors that took fights for independent would be too small."""
    inside = []
    for seed in range(150):
        found = controlled(*fights(seed, rows=1500, units=40, readers=0.5), 5, pseudo=0.1)
        inside.append(np.abs(found.beta - [0.6, 0.0]) < 2.02 * found.error)

    assert 0.90 < np.mean(inside) < 0.98


def test_what_separates_winners_from_losers_has_no_estimate():
    winner, loser, more, unit = fights(3, rows=200)
    found = controlled(winner, loser, np.abs(more[:, :1]) + 0.1, unit, 5, pseudo=0.1)

    assert np.isnan(found.beta).all()


def test_two_covariates_that_are_one_have_no_estimate():
    winner, loser, more, unit = fights(4, rows=200)
    found = controlled(winner, loser, more[:, [0, 0]], unit, 5, pseudo=0.1)

    assert np.isnan(found.beta).all()


def test_a_single_unit_has_no_error():
    winner, loser, more, unit = fights(5, rows=200)

    assert np.isnan(controlled(winner, loser, more, unit * 0, 5, pseudo=0.1).error).all()

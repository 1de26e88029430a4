"""How long does a ranking take, and are its scores those of other code?

    python bench/ranking.py [--battles 1000000] [--models 100] [--sessions 2000] [--resamples 1000] [--files 300]

Battles are simulated. Each line has our CPU seconds, those of another library on the same data in the same run, and
their ratio (above 1: ours is faster); `apart` is by how many displayed points the scores differ. Our time starts at
arrays of indices and includes the counting; evalica's starts at lists of names, choix's at a matrix of counts. In the
bootstrap choix fits resamples of whole sessions, whose rows are gathered and counted for each.
"""

from __future__ import annotations

import argparse
import os
import time
from typing import TYPE_CHECKING, Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from stylekl.measure import bradley_terry
from stylekl.measure.elo import elo
from stylekl.measure.head_to_head import bootstrap, count_units, interval

if TYPE_CHECKING:
    from collections.abc import Callable

SEED = 1
FEW = 20  # resamples of the other library: its time is scaled up


def simulated(battles: int, models: int, sessions: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return winner, loser and session of each battle; log strengths are normal with standard deviation 1."""
    random = np.random.default_rng(SEED)
    strengths = random.normal(0.0, 1.0, models)
    first = random.integers(0, models, battles)
    second = (first + random.integers(1, models, battles)) % models
    won = random.random(battles) < 1.0 / (1.0 + np.exp(strengths[second] - strengths[first]))
    return np.where(won, first, second), np.where(won, second, first), random.integers(0, sessions, battles)


def timed(work: Callable[[], Any], repeat: int = 1) -> tuple[Any, float]:
    """Return what the work returns and the least CPU seconds of `repeat` runs."""
    spent = []
    for _ in range(repeat):
        start = time.process_time()
        found = work()
        spent.append(time.process_time() - start)
    return found, min(spent)


def row(
    name: str, ours: float, other: str = "", theirs: float | None = None, apart: float | None = None
) -> None:
    beside = "" if theirs is None else f"  {other} {theirs:8.3f} s  ratio {theirs / max(ours, 1e-9):8.1f}"
    print(f"{name:46} {ours:8.3f} s{beside}{'' if apart is None else f'  apart {apart:.1e}'}")


def one_fit(battles: int, models: int, sessions: int) -> None:
    import choix
    import evalica

    winner, loser, _ = simulated(battles, models, sessions)
    print(f"\n{battles:,} battles among {models} models")
    fitted, ours = timed(
        lambda: bradley_terry.fit(bradley_terry.with_pseudo(bradley_terry.count_wins(winner, loser, models))),
        3,
    )
    print(f"  gradient at the answer {fitted.gradient:.1e}, {fitted.steps} steps")
    plain, _ = timed(lambda: bradley_terry.fit(bradley_terry.count_wins(winner, loser, models)))
    names = [str(model) for model in range(models)]
    left, right = [names[i] for i in winner], [names[i] for i in loser]
    first = [evalica.Winner.X] * battles
    theirs, spent = timed(lambda: evalica.bradley_terry(left, right, first, tolerance=1e-12, limit=10_000))
    scores = 1500 + 400 * np.log10(np.array([theirs.scores[name] for name in names]))
    row("Bradley-Terry", ours, "evalica", spent, np.abs(scores - scores.mean() + 1500 - plain.scores).max())
    counts = bradley_terry.with_pseudo(bradley_terry.count_wins(winner, loser, models))
    dense, spent = timed(lambda: choix.ilsr_pairwise_dense(counts, max_iter=10_000, tol=1e-12))
    row("", ours, "choix, from counts", spent, np.abs(bradley_terry.display(dense) - fitted.scores).max())
    ones = np.ones(battles)
    rated, ours = timed(lambda: elo(winner, loser, ones, models))
    theirs, spent = timed(lambda: evalica.elo(left, right, first, k=32.0, initial=1500.0, scale=400.0))
    points = np.array([theirs.scores[name] for name in names])
    row("Elo", ours, "evalica", spent, np.abs(points - rated).max())


def intervals(battles: int, models: int, sessions: int, resamples: int) -> None:
    import choix

    winner, loser, session = simulated(battles, models, sessions)
    for title, unit, units in (
        (f"{sessions:,} sessions", session, sessions),
        ("single votes", np.arange(battles), battles),
    ):
        print(f"\n{battles:,} battles among {models} models, {resamples:,} resamples of {title}")

        def ours(unit: np.ndarray = unit, units: int = units) -> np.ndarray:
            counts = count_units(unit, winner, loser, models, units)
            scores = bradley_terry.fit(bradley_terry.with_pseudo(counts.total())).scores
            return bootstrap(counts, scores, resamples=resamples, seed=SEED)

        found, spent = timed(ours)
        row("bootstrap", spent)
        random = np.random.default_rng(SEED)
        rows = [np.flatnonzero(unit == place) for place in range(units)] if units < battles else None

        def theirs(rows: list[np.ndarray] | None = rows, random: np.random.Generator = random) -> np.ndarray:
            drawn = []
            for _ in range(FEW):
                if rows is None:
                    chosen = random.integers(0, battles, battles)
                else:
                    chosen = np.concatenate(
                        [rows[place] for place in random.integers(0, len(rows), len(rows))]
                    )
                wins = bradley_terry.count_wins(winner[chosen], loser[chosen], models)
                drawn.append(choix.ilsr_pairwise_dense(bradley_terry.with_pseudo(wins)))
            return bradley_terry.display(np.array(drawn))

        other, took = timed(theirs)
        row("", spent, f"choix, {FEW} resamples scaled up", took * resamples / FEW)
        ratio = other.std(axis=0).mean() / found.std(axis=0).mean()
        print(f"  standard errors: choix over ours {ratio:.2f} ({FEW} resamples: within about .15 of 1)")


def coverage(files: int, each: int = 8, models: int = 4) -> None:
    """How often does the 95 % interval over sessions hold the true score?"""
    print(f"\nCoverage of the interval, {files} files each: {models} models, {each} fights a session")
    truth = 1500 + 100 * (np.arange(models) - (models - 1) / 2)
    for sessions in (8, 12, 20, 40, 80):
        inside = []
        for seed in range(files):
            random = np.random.default_rng(seed)
            first = random.integers(0, models, sessions * each)
            second = (first + random.integers(1, models, sessions * each)) % models
            won = random.random(len(first)) < 1 / (1 + 10 ** ((truth[second] - truth[first]) / 400))
            winner, loser = np.where(won, first, second), np.where(won, second, first)
            counts = count_units(np.repeat(np.arange(sessions), each), winner, loser, models, sessions)
            scores = bradley_terry.fit(bradley_terry.with_pseudo(counts.total())).scores
            low, high = interval(bootstrap(counts, scores, resamples=400, seed=seed))
            inside.append((low <= truth) & (truth <= high))
        print(f"  {sessions:3} sessions  {np.mean(inside):.3f}")


def strict(models: int = 10, battles: int = 300) -> None:
    import choix

    print(f"\nStrict order of {models} models, {battles} battles each pair")
    wins = np.triu(np.full((models, models), float(battles)), 1)
    print(f"  without pseudo-wins: {int(bradley_terry.fit(wins).scoreable.sum())} models scoreable")
    counts = bradley_terry.with_pseudo(wins)
    fitted, ours = timed(lambda: bradley_terry.fit(counts), 5)
    print(f"  gradient {fitted.gradient:.1e}, {fitted.steps} steps")
    dense, spent = timed(lambda: choix.ilsr_pairwise_dense(counts, max_iter=100_000, tol=1e-13))
    row("Bradley-Terry", ours, "choix", spent, np.abs(bradley_terry.display(dense) - fitted.scores).max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--battles", type=int, default=1_000_000)
    parser.add_argument("--models", type=int, default=100)
    parser.add_argument("--sessions", type=int, default=2_000)
    parser.add_argument("--resamples", type=int, default=1_000)
    parser.add_argument("--files", type=int, default=300, help="simulated files for the coverage; 0 for none")
    given = parser.parse_args()
    one_fit(given.battles, given.models, given.sessions)
    intervals(max(given.battles // 10, 1), max(given.models // 2, 2), given.sessions, given.resamples)
    strict()
    if given.files:
        coverage(given.files)


if __name__ == "__main__":
    main()

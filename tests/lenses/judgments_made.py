"""Judgments for the tests: what a judge writes, and results with judgments of made-up judges."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from stylekl.lenses.judgments.rubric import Scale
from stylekl.results.records import Model, Prompt, Results

if TYPE_CHECKING:
    from collections.abc import Callable

DIMENSIONS = ("breadth", "candour", "rigour")
SCALE = Scale(DIMENSIONS)
RUBRIC = {"id": "made", "version": 1, "dimensions": list(DIMENSIONS), "low": 1, "high": 5}


def reply(
    a: dict[str, Any] | None = None, b: dict[str, Any] | None = None, verdict: Any = "A", **more: Any
) -> dict[str, Any]:
    """Return the object of a judge's reply; A scores 12, B 9 unless told otherwise."""
    of_a = dict(zip(DIMENSIONS, (4, 5, 3), strict=True)) if a is None else a
    of_b = dict(zip(DIMENSIONS, (3, 3, 3), strict=True)) if b is None else b
    totals = (
        {"A": sum(of_a.values()), "B": sum(of_b.values())} if "totals" not in more else more.pop("totals")
    )
    why = dict.fromkeys(DIMENSIONS, "a { brace, a ``` fence and ,} a comma")
    return {
        "scores": {"A": of_a, "B": of_b},
        "totals": totals,
        "justifications": why,
        "verdict": verdict,
        "verdict_reason": "It is.",
    } | more


def text(**more: Any) -> str:
    """Return a judge's reply."""
    return json.dumps(reply(**more))


def judged(
    verdict: Callable[[str, str, str, int], str],
    *,
    models: tuple[str, ...] = ("ant", "bee"),
    prompts: int = 8,
    judges: tuple[str, ...] = ("ref",),
    both: bool = False,
    order: str | None = "drawn",
    score: Callable[[str, str, int], int] | None = None,
    families: dict[str, str] | None = None,
) -> Results:
    """Return results with a judgment of each judge on every pair and prompt.

    `verdict` says what a judge answers to (judge, model shown as A, model shown as B, prompt), `score` what it gives a
    model on every dimension. The lesser name is shown as A on even prompts, and both ways with `both`.
    """
    rows: list[dict[str, Any]] = []
    pairs = [(a, b) for place, a in enumerate(models) for b in models[place + 1 :]]
    for judge in judges:
        for a, b in pairs:
            for number in range(prompts):
                drawn = (a, b) if number % 2 == 0 or order is None else (b, a)
                for kind, (first, second) in (("drawn", drawn), ("swapped", drawn[::-1]))[: 1 + both]:
                    rows.append(
                        row(judge, number, first, second, verdict(judge, first, second, number), score)
                        | ({} if order is None else {"order": kind})
                    )
    return results(rows, models, prompts, families or {})


def row(
    judge: str,
    number: int,
    first: str,
    second: str,
    verdict: str,
    score: Callable[[str, str, int], int] | None = None,
) -> dict[str, Any]:
    """Return the record of one judgment; without `score` the model preferred has a point more on each dimension."""
    sides = {"A": first, "B": second}
    given = {
        side: dict.fromkeys(DIMENSIONS, score(judge, model, number) if score else 4 if verdict == side else 3)
        for side, model in sides.items()
    }
    return {
        "id": f"{judge}-{number}-{first}-{second}",
        "judge": judge,
        "prompt": f"q{number}",
        **sides,
        "raw": "",
        "rubric": RUBRIC,
        "scores": given,
        "totals": {side: sum(own.values()) for side, own in given.items()},
        "verdict": verdict,
    }


def results(
    rows: list[dict[str, Any]],
    models: tuple[str, ...] = ("ant", "bee"),
    prompts: int = 8,
    families: dict[str, str] | None = None,
) -> Results:
    """Return results with these judgments."""
    return Results(
        models=[Model(id=each, name=each.title(), family=(families or {}).get(each)) for each in models],
        prompts=[Prompt(id=f"q{n}", text=f"Question {n}?", topic=f"t{n % 2}") for n in range(prompts)],
        other={"judgments": rows},
    )

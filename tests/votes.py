"""Results with votes, made in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from stylekl.results import Model, Prompt, Reply, Results

MODELS = ("ash", "birch", "cedar", "elm")


def vote(number: int, a: str, b: str, pick: str, source: str = "panel", **more: Any) -> dict[str, Any]:
    return {"id": f"v{number}", "source": source, "a": a, "b": b, "pick": pick, **more}


def session(name: str, source: str = "panel", **more: Any) -> dict[str, Any]:
    return {"id": name, "source": source, "finished": True, **more}


def with_votes(
    votes: list[dict[str, Any]],
    sessions: list[dict[str, Any]] | None = None,
    *,
    models: tuple[str, ...] = MODELS,
    prompts: dict[str, str] | None = None,
    replies: list[Reply] | None = None,
) -> Results:
    return Results(
        models=[Model(id=name, name=name.capitalize()) for name in models],
        prompts=[Prompt(id=key, text=f"Say {key}.", topic=topic) for key, topic in (prompts or {}).items()],
        replies=list(replies or []),
        other={"votes": votes, "sessions": sessions or []},
    )


def simulated(
    strengths: dict[str, float],
    *,
    sessions: int = 40,
    each: int = 8,
    source: str = "panel",
    seed: int = 0,
    neither: float = 0.1,
) -> Results:
    """Return sessions of fights between models of known displayed scores, on prompts of two topics."""
    random = np.random.default_rng(seed)
    names = list(strengths)
    prompts = {f"p{number}": ("work", "play")[number % 2] for number in range(18)}
    votes = []
    for reader in range(sessions):
        for _ in range(each):
            a, b = (names[place] for place in random.choice(len(names), 2, replace=False))
            gap = (strengths[a] - strengths[b]) / 400
            won = random.random() < 1 / (1 + 10**-gap)
            more: dict[str, Any] = {"session": f"s{reader}", "prompt": f"p{random.integers(18)}"}
            pick = "left" if won else "right"
            if random.random() < neither:
                pick, more["forced_pick"] = "neither", pick
            votes.append(vote(len(votes), a, b, pick, source, **more))
    rows = [session(f"s{reader}", source) for reader in range(sessions)]
    return with_votes(votes, rows, models=tuple(names), prompts=prompts)

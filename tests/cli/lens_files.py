"""Results with votes and with choices, for pictures and examples: small, made from fixed seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.results.records import FORMAT, to_row
from tests.lenses.choices_made import make
from tests.lenses.judgments_made import judged
from tests.votes import simulated

if TYPE_CHECKING:
    from stylekl.results import Results

ASKED = ("smollm2-plain", "smollm2-plain-again", "smollm2-terse", "smollm2-formal")
DATED = ("smollm2@2026-01-05", "smollm2@2026-02-02")


def votes() -> dict[str, Any]:
    """Return a panel's votes on four writers, the first of which wins more often than the last."""
    return _document(simulated(dict(zip(ASKED, (1650.0, 1620.0, 1450.0, 1280.0), strict=True)), sessions=30))


def choices() -> dict[str, Any]:
    """Return what four writers chose: two alike, one that follows the position, one that differs on some pairs."""

    def taste(share: int) -> Any:
        return lambda pair, envelope, _swapped, _sample: _word(pair, (pair * 7 + envelope // 3) % 10 < share)

    def first(pair: int, _envelope: int, swapped: bool, _sample: int) -> str:
        return _word(pair, swapped)

    return _document(
        make(
            {ASKED[0]: taste(6), ASKED[1]: taste(6), ASKED[2]: first, ASKED[3]: taste(2)},
            pairs=10,
            envelopes=9,
        )
    )


def dated_choices() -> dict[str, Any]:
    """Return one writer's choices at two dates, between which three preferences turn round."""

    def at(turned: int) -> Any:
        return lambda pair, _envelope, _swapped, _sample: _word(pair, (pair % 2 == 0) != (pair < turned))

    return _document(make({DATED[0]: at(0), DATED[1]: at(3)}, pairs=10, envelopes=9))


def judgments() -> dict[str, Any]:
    """Return what two judges say of three writers in both orders: one goes by the text, one often by the place."""

    def verdict(judge: str, first: str, second: str, prompt: int) -> str:
        if judge == "judge-b" and prompt % 3:
            return "A"
        if (prompt + len(first) + len(second)) % 4 == 0:
            return "tie"
        return "A" if ASKED.index(first) < ASKED.index(second) else "B"

    return _document(judged(verdict, models=ASKED[:3], prompts=12, judges=("judge-a", "judge-b"), both=True))


def _word(pair: int, second: bool) -> str:
    return f"{'right' if second else 'left'}{pair}"


def _document(results: Results) -> dict[str, Any]:
    typed = {"models": results.models, "prompts": results.prompts, "replies": results.replies}
    return {
        "format": FORMAT,
        **{name: [to_row(row) for row in rows] for name, rows in typed.items()},
        **results.other,
    }

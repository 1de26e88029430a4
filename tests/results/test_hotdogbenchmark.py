"""The run file of the Hot Dog Benchmark: every published figure follows from the samples that were read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from stylekl.errors import RecordError
from stylekl.lenses.verdicts import verdicts
from stylekl.results import load

if TYPE_CHECKING:
    from pathlib import Path

RATES = {
    "totalMs": "latency_ms",
    "ttfbMs": "first_content_ms",
    "inputTokens": "input_tokens",
    "outputTokens": "output_tokens",
    "totalTokens": "total_tokens",
    "tokensPerSecond": "tokens_per_second",
}


def sample(text: str, total: float, **more: Any) -> dict[str, Any]:
    usage = {"inputTokens": 9, "outputTokens": 3, "totalTokens": 12, "reasoningTokens": None}
    timing = {"startedAt": "2026-05-04T10:00:00Z", "ttfbMs": total / 2, "totalMs": total}
    return {"text": text, "verdict": "yes", "usage": usage, "timing": timing, "costEstimateUsd": 0.001} | more


def entry(model: str, samples: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {"provider": "local", "modelId": model, "displayName": model.title(), "samples": samples} | more


def run(**more: Any) -> dict[str, Any]:
    """Return a run of two models and two conditions, one of which failed for one model."""
    one = [sample("Yes", 100.0), sample("No.", 200.0), sample("**Yes**", 300.0)]
    failed = entry("terse", [], status="error", error={"message": "429 slow down"})
    return {
        "schemaVersion": 2,
        "runId": "r1",
        "isoWeek": "2026-W19",
        "editionKey": "2026-W19",
        "isMock": False,
        "questions": [{"id": "q", "text": "Is it? One word."}],
        "conditions": [{"id": "control"}, {"id": "asserted", "systemPrompt": "{subject} is.", "label": "A"}],
        "results": [
            {
                "questionId": "q",
                "conditionId": "control",
                "models": [entry("plain", one), entry("terse", one)],
            },
            {"questionId": "q", "conditionId": "asserted", "models": [entry("plain", one), failed]},
        ],
    } | more


def read(tmp_path: Path, content: dict[str, Any], name: str = "run.json") -> Any:
    path = tmp_path / name
    path.write_text(json.dumps(content))
    return load(str(path))


def test_every_published_figure_follows_from_the_samples(shared: Path) -> None:
    """Medians, least and greatest, verdict, rate of compliance, cost, and each sample's verdict: all models."""
    path = shared / "data" / "formats" / "hotdogbenchmark" / "2026-W40.excerpt.json"
    published = json.loads(path.read_text())
    found = verdicts(load(str(path)))
    cells = {(cell.question, cell.condition, cell.model): cell for cell in found.cells}
    checked = 0
    for result in published["results"]:
        for model in result["models"]:
            cell = cells[result["questionId"], result["conditionId"], model["modelId"]]
            aggregate = model["aggregate"]
            for theirs, ours in RATES.items():
                spread = getattr(cell, ours)
                assert {
                    "median": round(spread.median, 4),
                    "min": round(spread.min, 4),
                    "max": round(spread.max, 4),
                } == aggregate[theirs]
                checked += 3
            assert cell.samples == aggregate["sampleCount"]
            assert cell.majority == aggregate["verdict"]
            assert cell.followed_rate == aggregate["followedInstructionRate"]
            assert cell.cost == pytest.approx(aggregate["costEstimateUsd"], abs=1e-12)
            said = [each["verdict"] for each in model["samples"]]
            assert cell.counts == tuple(said.count(verdict) for verdict in ("yes", "no", "other"))
            checked += 4 + len(said)

    assert checked == 3 * (6 * 3 + 4 + 3)


def test_a_run_becomes_replies_under_conditions_with_their_period(tmp_path: Path) -> None:
    results = read(tmp_path, run())
    reply = results.replies[0]

    assert [prompt.kind for prompt in results.prompts] == ["one_word"]
    assert [(each.id, each.system) for each in results.conditions] == [
        ("control", None),
        ("asserted", "{subject} is."),
    ]
    assert (reply.model, reply.condition, reply.period, reply.sample) == ("plain", "control", "2026-W19", 1)
    assert (reply.unknown["latency_ms"], reply.unknown["first_content_ms"]) == (100.0, 50.0)
    assert reply.unknown["usage"]["reasoning"] is None
    assert reply.unknown["usage"]["output"] == 3
    assert reply.extra == {"verdict": "yes"}
    assert results.other["collection"][0]["mock"] is False
    assert results.warnings == []


def test_a_question_without_samples_is_a_failed_reply(tmp_path: Path) -> None:
    results = read(tmp_path, run())
    failed = results.replies[-1]

    assert (failed.model, failed.condition, failed.flags) == ("terse", "asserted", ["error"])
    assert failed.extra == {"error": "429 slow down"}
    assert [model.unknown.get("unavailable") for model in results.models] == [None, None]


def test_a_model_without_any_sample_is_unavailable_and_stays(tmp_path: Path) -> None:
    content = run()
    for result in content["results"]:
        result["models"][1] = entry("terse", [], status="error", error="429")
    results = read(tmp_path, content)

    assert results.models[1].unknown["unavailable"] == {"why": "429"}


def test_two_weeks_are_two_editions(tmp_path: Path) -> None:
    paths = []
    for week in ("2026-W20", "2026-W19"):
        paths.append(tmp_path / f"{week}.json")
        paths[-1].write_text(json.dumps(run(editionKey=week)))
    found = verdicts(load(*map(str, paths)))

    assert [edition.period for edition in found.editions] == ["2026-W19", "2026-W20"]
    assert found.warnings == ()


def test_a_mock_run_meets_no_real_one(tmp_path: Path) -> None:
    """The same week: the real one counts, and a warning says what was left out."""
    for name, mock in (("mock", True), ("real", False)):
        (tmp_path / f"{name}.json").write_text(json.dumps(run(isMock=mock)))
    found = verdicts(load(str(tmp_path / "mock.json"), str(tmp_path / "real.json")))

    assert [(edition.period, edition.mock) for edition in found.editions] == [("2026-W19", False)]
    assert found.warnings == (
        "made-up replies (mock) never mix with real ones; left out: edition 2026-W19-mock",
    )


def test_a_null_text_is_an_empty_reply(tmp_path: Path) -> None:
    content = run()
    content["results"][0]["models"][0]["samples"][1]["text"] = None
    reply = read(tmp_path, content).replies[1]

    assert (reply.text, reply.flags) == ("", ["empty"])


def test_an_effort_is_another_model(tmp_path: Path) -> None:
    content = run()
    content["results"][0]["models"][1] = entry("plain", [sample("No", 5.0)], reasoningEffort="high")
    results = read(tmp_path, content)

    assert [model.id for model in results.models] == ["plain", "plain (high)", "terse"]
    assert results.models[1].node == {"base": "plain", "effort": "high"}


def test_a_run_without_conditions_is_control(tmp_path: Path) -> None:
    content = run()
    del content["conditions"]
    content["results"] = [
        {key: value for key, value in row.items() if key != "conditionId"} for row in content["results"][:1]
    ]
    found = verdicts(read(tmp_path, content))

    assert {cell.condition for cell in found.cells} == {"control"}


@pytest.mark.parametrize(
    ("total", "reasoning", "included"),
    [(12, None, None), (12, 2, True), (14, 2, False), (99, 2, None), (12, 0, None)],
)
def test_the_total_tells_whether_output_holds_the_reasoning(
    tmp_path: Path, total: int, reasoning: int | None, included: bool | None
) -> None:
    usage = {"inputTokens": 9, "outputTokens": 3, "totalTokens": total, "reasoningTokens": reasoning}
    content = run()
    content["results"][0]["models"] = [entry("plain", [sample("No", 5.0, usage=usage)])]
    reply = read(tmp_path, content).replies[0]

    assert reply.unknown["usage"]["reasoning_included"] is included


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda r: r["questions"].append({"id": 1}), "field questions[1].id: expected text, found a number"),
        (lambda r: r.update(results={}), "field results: expected an array"),
        (
            lambda r: r["results"][0].update(questionId="z"),
            'field results[0].questionId: the run has no question "z"',
        ),
        (
            lambda r: r["results"][1].update(conditionId="z"),
            "field results[1].conditionId: the run has no condition",
        ),
        (lambda r: r["results"][0]["models"].append(3), "field results[0].models[2]: expected an object"),
        (
            lambda r: r["results"][0]["models"][0]["samples"][1].update(text=3),
            "field results[0].models[0].samples[1].text: expected text",
        ),
        (lambda r: r.update(editionKey=None, isoWeek=3), "field isoWeek: expected text, found a number"),
    ],
)
def test_a_run_that_is_wrong_says_where(tmp_path: Path, spoil: Any, said: str) -> None:
    content = run()
    spoil(content)

    with pytest.raises(RecordError) as error:
        read(tmp_path, content)

    assert said in error.value.message
    assert error.value.message.startswith(f"{tmp_path}/run.json: ")


def test_what_has_no_place_of_its_own_is_kept(tmp_path: Path) -> None:
    """Of the run, of a question, of a model's replies to it, and of a sample."""
    kept = sample("Yes", 100.0, note="n")
    kept["timing"] = kept["timing"] | {"queueMs": 5}
    kept["usage"] = kept["usage"] | {"audioTokens": 1}
    content = run(
        node={"host": "h"},
        questions=[{"id": "q", "text": "Is it? One word.", "since": "2026"}],
        conditions=None,
        results=[
            {
                "questionId": "q",
                "prompt": "Is it?",
                "models": [entry("plain", [kept], aggregate={"sampleCount": 1})],
            }
        ],
    )
    found = read(tmp_path, content)

    (reply,), (row,) = found.replies, found.other["collection"]
    assert {key: reply.extra[key] for key in ("note", "timing", "usage")} == {
        "note": "n",
        "timing": {"queueMs": 5},
        "usage": {"audioTokens": 1},
    }
    assert found.prompts[0].unknown == {"since": "2026"}
    assert row["run"]["node"] == {"host": "h"}
    assert row["results"] == [
        {"prompt": "q", "condition": "control", "question": {"prompt": "Is it?"}},
        {"prompt": "q", "condition": "control", "model": "plain", "aggregate": {"sampleCount": 1}},
    ]

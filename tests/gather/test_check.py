"""`stylekl check`: what a collection brought, counted from the file."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING

import jsonschema
import pytest

from stylekl.results import load
from stylekl.results.check import check
from tests.cli.run import bare, call

from .fake import Reply, battery, collect, provider, said, writer

if TYPE_CHECKING:
    from pathlib import Path

MADE = {
    "format": "stylekl/1",
    "models": [
        {"id": "b", "name": "Model B", "requested": "b-1", "price": {"currency": "USD"}},
        {"id": "a", "name": "Model A\x1b[31m", "requested": "a-1", "system": "Be brief.", "provider": "p"},
        {"id": "c", "name": "Model C", "unavailable": {"why": "the provider answered with 401"}},
    ],
    "prompts": [{"id": f"p{n}", "text": f"Prompt {n}"} for n in range(1, 5)]
    + [{"id": "old", "text": "Old", "retired": {"on": "2026-01-05", "why": "weak"}}],
    "conditions": [{"id": "control"}],
    "replies": [
        {"model": "b", "prompt": "p1", "sample": 1, "text": "One.", "version": "b-1", "collected": "2026-01-05",
         "latency_ms": 100, "first_content_ms": 40, "cost": 0.5, "attempts": 1, "transport_retries": 2,
         "usage": {"input": 5, "output": 6, "reasoning": None}},
        {"model": "b", "prompt": "p2", "sample": 1, "text": "Two.", "version": "b-2", "collected": "2026-01-06",
         "latency_ms": 300, "first_content_ms": None, "cost": None, "attempts": 2, "flags": ["over_length"],
         "usage": {"input": 5, "output": 7, "reasoning": 3}},
        {"model": "b", "prompt": "p3", "sample": 1, "text": "", "flags": ["refusal"], "cost": 0.25},
        {"model": "b", "prompt": "old", "sample": 1, "text": "Gone.", "cost": 0.25},
        {"model": "a", "prompt": "p1", "sample": 1, "text": "", "flags": ["empty", "truncated"], "version": "a-9"},
    ],
    "archive": [{"model": "b", "prompt": "p1", "text": "Old.", "reason": "typo"}],
    "collection": [
        {"battery": "x", "version": 1, "samples": 1, "period": None, "models": ["a", "b", "c"],
         "prompts": ["p1", "p2", "p3", "p4", "old"], "conditions": ["control"], "mock": False}
    ],
}  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> str:
    place = tmp_path / "made.json"
    place.write_text(json.dumps(MADE))
    return str(place)


def test_everything_is_counted_by_model(path: str) -> None:
    report = check(load(path))

    a, b, c = report.models
    assert [model.id for model in report.models] == ["a", "b", "c"]
    assert (b.asked, b.replies, b.missing) == (5, 4, 1)
    assert b.faults == {"refusal": 1, "over_length": 1, "truncated": 0, "empty": 0, "error": 0}
    assert b.refusal_rate == 0.25
    assert (b.latency_ms, b.first_content_ms) == (200, 40)
    assert b.tokens == {"input": 10, "output": 13, "reasoning": 3}
    assert (b.cost, b.currency, b.unpriced) == (1.0, "USD", 1)
    assert (b.asked_again, b.transport_retries) == (1, 2)
    assert [(each.version, each.replies, each.first) for each in b.versions] == [
        ("b-1", 1, "2026-01-05"),
        ("b-2", 1, "2026-01-06"),
    ]
    assert b.changed
    assert b.left_out == {"over_length": 1, "refusal": 1, "retired prompt": 1}
    assert (a.changed, a.own, a.missing, a.faults["truncated"]) == (False, ("system",), 3, 1)
    assert (c.asked, c.missing, c.refusal_rate) == (4, 4, None)
    assert c.unavailable == "the provider answered with 401"
    assert (report.replies, report.prompts, report.archived, report.cost) == (5, 5, 1, {"USD": 1.0})


def test_the_order_of_the_file_does_not_show(path: str, tmp_path: Path) -> None:
    other = dict(MADE, models=MADE["models"][::-1], replies=MADE["replies"][::-1])
    (tmp_path / "other.json").write_text(json.dumps(other))

    assert check(load(path)).models == check(load(tmp_path / "other.json")).models


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_the_report_fits_its_width_and_says_what_matters(path: str, width: int, ascii_only: bool) -> None:
    env = {"PYTHONIOENCODING": "ascii"} if ascii_only else {}
    done = call("check", path, "--width", str(width), env=env)

    assert done.code == 0
    assert max(map(len, bare(done.out))) <= width
    assert "\x1b" not in done.out
    told = " ".join(done.out.split())
    assert "THE VERSION CHANGED" in told
    assert "Unavailable: Model C: the provider answered with 401" in told
    assert "1 reply missing: Model B; the same" in told
    assert "Asked with a system prompt of their own" in told
    assert "over_length 1, refusal 1, retired prompt 1" in told


def test_the_json_is_what_its_schema_says(path: str) -> None:
    schema = json.loads((files("stylekl") / "schemas" / "check.json").read_text())
    document = json.loads(call("check", path, "--json", "-q").out)

    jsonschema.validate(document, schema)
    assert [model["id"] for model in document["data"]["models"]] == ["a", "b", "c"]


def test_the_table_leaves_as_csv_and_markdown(path: str) -> None:
    rows = call("check", path, "--csv", "-q").out.splitlines()

    assert len(rows) == 4
    assert rows[0].startswith(
        "model,name,provider,requested,versions,changed,unavailable,asked,replies,missing"
    )
    assert call("check", path, "--markdown", "-q").out.count("\n") == 5


def test_a_version_that_changes_while_collecting_is_flagged(tmp_path: Path) -> None:
    with provider() as server:
        server.answer = lambda _: Reply(
            said("Text.").replace("small-1", "small-1" if len(server.asked) < 4 else "small-2")
        )
        results, _ = collect(tmp_path, writer(server.url), what=battery(6))

    (model,) = check(results).models
    assert model.changed
    assert {each.version for each in model.versions} == {"small-1", "small-2"}
    assert model.requested == "small"

"""A real model as judge: it mostly fails to keep to the form, and what it says is counted honestly.

`scripts/test --real` runs this, as it does `test_local_model`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stylekl.gather.rubric import load_rubric
from stylekl.lenses.judgments.reply import parse_reply
from tests.cli.made import sample

from .test_local_model import PYTHON, model, stylekl

pytestmark = pytest.mark.skipif(
    not PYTHON, reason="no real model here: `scripts/test --real` fetches one and runs this"
)
TWO = ("smollm2-plain", "smollm2-lists")
JUDGE = ("judge", "r.json", "--a", TWO[0], "--b", TWO[1], "--judge", "ref", "--rubric", "rubric.yaml")
SAME = "--allow-same-family"  # the only model here wrote the replies, too
SHIPPED = Path(__file__).parents[2] / "data" / "rubric.yaml"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judge three prompts of the sample in both orders, once, with a short cap."""
    place = tmp_path_factory.mktemp("judge")
    whole = sample(TWO)
    kept = {row["id"] for row in whole["prompts"][:3]}
    whole["replies"] = [
        row | {"text": row["text"][:600], "flags": []} for row in whole["replies"] if row["prompt"] in kept
    ]
    (place / "r.json").write_text(json.dumps(whole))
    (place / "rubric.yaml").write_text(SHIPPED.read_text().replace("cap: 2000", "cap: 250"))
    with model() as url:
        (place / "models.yaml").write_text(
            f"models:\n  - {{id: ref, provider: local, base_url: '{url}', requested: SmolLM2-135M-Instruct}}\n"
        )
        done = stylekl(*JUDGE, "--both-orders", SAME, folder=place)
        assert done.returncode == 0, done.stderr
    return place


def rows(folder: Path) -> list[dict[str, Any]]:
    return json.loads((folder / "r.json").read_text())["judgments"]


def test_every_package_has_a_judgment_or_a_reason_and_its_raw_reply(folder: Path) -> None:
    scale = load_rubric(str(folder / "rubric.yaml")).scale
    found = rows(folder)

    assert len(found) == 6
    for row in found:
        assert ("verdict" in row) != ("invalid" in row)
        parsed = parse_reply(row["raw"], scale)
        assert (parsed.verdict, parsed.reason) == (row.get("verdict"), row.get("invalid"))
        assert row["returned"] == "SmolLM2-135M-Instruct"
        assert row["request"]["temperature"] == 0.0
        assert row["attempts"] == 2 or "verdict" in row


def test_the_journal_holds_every_attempt(folder: Path) -> None:
    lines = [json.loads(line) for line in (folder / "r.json.journal").read_text().splitlines()]
    attempts = [line for line in lines if "attempt" in line]

    assert len(attempts) == sum(row["attempts"] for row in rows(folder))


def test_the_lens_counts_what_there_is(folder: Path) -> None:
    done = stylekl("rank", "r.json", "--by", "judgments", "--json", folder=folder)
    valid = sum("verdict" in row for row in rows(folder))

    if valid:
        base = json.loads(done.stdout)["data"]["base"]
        assert (base["judgments"], base["invalid"]) == (valid, 6 - valid)
    else:
        assert (done.returncode, "nothing" in done.stderr) == (2, True)


def test_judging_again_asks_nothing(folder: Path) -> None:
    """The server is gone: a call would fail."""
    before = (folder / "r.json").read_bytes()
    done = stylekl(*JUDGE, "--both-orders", SAME, folder=folder)

    assert (done.returncode, "nothing to ask" in done.stdout) == (0, True)
    assert (folder / "r.json").read_bytes() == before

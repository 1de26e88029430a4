"""What `llm logs --json` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stylekl.results import load

from .strategies import write_json

if TYPE_CHECKING:
    from pathlib import Path


def test_entries_are_replies_with_their_time_and_system_prompt(tmp_path: Path) -> None:
    entry = {
        "id": "01a",
        "model": "m",
        "resolved_model": "m-0101",
        "prompt": "Q?",
        "system": None,
        "response": "A.",
        "conversation_id": "c",
        "datetime_utc": "2026-01-05T10:00:00+00:00",
        "input_tokens": 2,
    }
    rows = [entry, entry | {"system": "Brief.", "response": "B."}, entry | {"response": None}]
    found = load(write_json(tmp_path, "logs.json", rows))

    assert [(each.id, each.returned) for each in found.models] == [("m", "m-0101")]
    assert [each.system for each in found.conditions] == [None, "Brief."]
    assert [(each.text, each.flags) for each in found.replies] == [("A.", []), ("B.", []), ("", ["empty"])]
    assert found.replies[0].collected == "2026-01-05T10:00:00+00:00"
    assert found.replies[0].extra == {"id": "01a", "conversation_id": "c", "input_tokens": 2}

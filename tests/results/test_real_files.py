"""Files that people have: every one of them loads, or says in one line why not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from stylekl.errors import EmptyFileError, InputError, RecordError
from stylekl.results import load, select

if TYPE_CHECKING:
    from pathlib import Path


def test_seventy_four_alpaca_eval_files_load(shared: Path) -> None:
    """All replies are there, prompts are joined across orders, and the placeholder has its file's name."""
    loaded = load(*sorted((shared / "data" / "alpaca_eval").glob("*.json.gz")))

    assert (
        len(loaded.models),
        len(loaded.prompts),
        len(loaded.replies),
        loaded.warnings,
    ) == (74, 805, 59566, [])
    names = {model.id for model in loaded.models}
    assert "NullModel" in names
    assert "example" not in names
    left_out = {model: reasons for model, reasons in select(loaded).left_out.items() if reasons}
    assert left_out == {"gemini-pro": {"empty": 1}, "text_davinci_003": {"empty": 2}}


def test_samples_of_many_models_load(shared: Path) -> None:
    """57 models, 5 prompts, 10 samples; their condition is not one of ours."""
    loaded = load(shared / "data" / "freeflow_all_models.derived.jsonl.gz")

    assert (len(loaded.models), len(loaded.prompts), len(loaded.replies)) == (57, 5, 2850)
    assert set(range(1, 11)) == {reply.sample for reply in loaded.replies}
    assert {None} == {reply.condition for reply in loaded.replies}
    assert loaded.replies[0].extra["condition"] == "OPEN"
    assert len(select(loaded).replies) == 2850


@pytest.mark.parametrize(
    ("name", "replies"),
    [
        ("bom.json", 40),
        ("utf16.json", 40),
        ("crlf_blank_lines.jsonl", 40),
        ("gz.jsonl.gz", 40),
        ("gz_without_extension.jsonl", 40),
        ("truncated.jsonl", 39),
        ("freeflow_failed_trace.json", 1),
        ("nul_in_reply.jsonl", 1),
        ("missing_choices_o1-preview.jsonl", 50),
        ("null_finish_reason_r1-1776.jsonl", 50),
    ],
)
def test_dirty_files_that_can_be_read_are_read(name: str, replies: int, shared: Path) -> None:
    """Marks, encodings, blank lines, compression without a suffix and a torn end lose no finished record."""
    loaded = load(shared / "data" / "formats" / "dirty" / name)

    assert replies == len(loaded.replies)
    assert (name == "truncated.jsonl") == bool(loaded.warnings)


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("empty_file_gpt-4_pair.jsonl", EmptyFileError, "the file is empty"),
        ("git_lfs_pointer_kimi-k3.jsonl", InputError, "Git LFS pointer"),
        ("latin1.csv", InputError, "line 2, byte .*: not UTF-8"),
        ("everything.jsonl", RecordError, "line 11: field generator: expected text, found nothing"),
    ],
)
def test_dirty_files_that_cannot_be_read_say_why(
    name: str, error: type[InputError], message: str, shared: Path
) -> None:
    """Each is named with the place and the reason."""
    with pytest.raises(error, match=message) as caught:
        load(shared / "data" / "formats" / "dirty" / name)

    assert name in caught.value.message
    assert "\n" not in caught.value.message


def test_every_other_form_is_read_or_refused_cleanly(shared: Path) -> None:
    """No file of any kind gets through as a crash."""
    refused: dict[Path, str] = {}
    for path in sorted((shared / "data" / "formats").rglob("*")):
        if path.is_file():
            try:
                load(path)
            except InputError as error:
                refused[path] = error.message

    assert all(message.startswith(str(path)) for path, message in refused.items())

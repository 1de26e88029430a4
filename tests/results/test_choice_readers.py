"""Forced choices as others write them down: one reply a row, and both orders in one row."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from stylekl.errors import RecordError
from stylekl.lenses.choices import Options, focus, matrix
from stylekl.results import load, save

if TYPE_CHECKING:
    from pathlib import Path

LONG = [
    {"model": "one", "a": "tea", "b": "milk", "envelope": "bare", "order": "ab", "response": "Tea."},
    {"model": "one", "a": "tea", "b": "milk", "envelope": "bare", "order": "ba", "response": "tea"},
    {
        "model": "two",
        "a": "milk",
        "b": "tea",
        "envelope": "bare",
        "order": "AB",
        "response": "milk",
        "sample": 3,
    },
    {
        "model": "two",
        "pair": "tea / milk",
        "envelope": "bare",
        "order": "ab",
        "error": "timeout",
        "status": 500,
    },
]
ORDERS = [
    {"model": "one", "pair": ["tea", "milk"], "envelope": "bare", "ab": "tea", "ba": "tea"},
    {"model": "one", "pair": ["tea", "milk"], "envelope": "code", "ab": "tea", "ba": "milk"},
    {"model": "one", "pair": ["milk", "tea"], "envelope": "slash", "ab": ["milk", "tea", "milk"], "ba": None},
]


def written(folder: Path, rows: list[dict[str, Any]], name: str = "rows.jsonl") -> str:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def test_the_long_form_is_read(tmp_path: Path) -> None:
    results = load(written(tmp_path, LONG))

    assert [model.id for model in results.models] == ["one", "two"]
    assert results.other["pairs"] == [{"id": "tea-milk", "words": {"en": ["tea", "milk"]}}]
    assert results.other["envelopes"] == [{"id": "bare"}]
    assert [(c["order"], c["text"], c.get("sample"), c.get("flags")) for c in results.other["choices"]] == [
        ("ab", "Tea.", None, None),
        ("ba", "tea", None, None),
        ("ba", "milk", 3, None),
        ("ab", "", None, ["error"]),
    ]
    assert results.other["choices"][3]["extra"] == {"status": 500}
    (stand,) = focus(results, "one").fingerprint
    assert (stand.pick, stand.word, stand.real) == ("a", "tea", 1)


def test_the_form_with_both_orders_in_a_row_is_read(tmp_path: Path) -> None:
    """What is null was not asked, a list is samples, and words the other way round are the same pair."""
    results = load(written(tmp_path, ORDERS))

    assert [(c["envelope"], c["order"], c["text"], c.get("sample")) for c in results.other["choices"]] == [
        ("bare", "ab", "tea", None),
        ("bare", "ba", "tea", None),
        ("code", "ab", "tea", None),
        ("code", "ba", "milk", None),
        ("slash", "ba", "milk", 1),
        ("slash", "ba", "tea", 2),
        ("slash", "ba", "milk", 3),
    ]
    (stand,) = focus(results, "one").fingerprint
    assert (stand.a, stand.b, stand.answered, stand.reasons) == (1, 0, 2, {"order_bias": 1})


@pytest.mark.parametrize(
    "keys", [("reply_ab", "reply_ba"), ("choice_ab", "choice_ba"), ("text_ab", "text_ba")]
)
def test_other_names_of_both_orders(keys: tuple[str, str], tmp_path: Path) -> None:
    rows = [
        {keys[0] if k == "ab" else keys[1] if k == "ba" else k: v for k, v in row.items()} for row in ORDERS
    ]

    assert len(load(written(tmp_path, rows)).other["choices"]) == 7


def test_templates_and_themes_of_the_rows_are_kept(tmp_path: Path) -> None:
    rows = [row | {"theme": "drinks", "template": "{a} or {b}", "family": "bare"} for row in LONG[:2]]
    results = load(written(tmp_path, rows))

    assert results.other["pairs"][0]["theme"] == "drinks"
    assert results.other["envelopes"] == [{"id": "bare", "template": "{a} or {b}", "family": "bare"}]


def test_what_was_read_is_written_and_read_the_same(tmp_path: Path) -> None:
    results = load(written(tmp_path, LONG))
    for name in ("all.json", "all.jsonl.gz"):
        save(results, tmp_path / name)
        assert load(tmp_path / name) == results


def test_files_of_two_models_join(tmp_path: Path) -> None:
    one = written(tmp_path, LONG[:2], "one.jsonl")
    two = written(tmp_path, [row | {"model": "two", "response": "milk"} for row in LONG[:2]], "two.jsonl")

    (pair,) = matrix(load(one, two), Options(measure="violent")).pairs

    assert (pair.value, pair.n) == (1, 1)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (LONG[0] | {"order": "first"}, "field order: expected ab or ba"),
        (LONG[0] | {"a": 7}, "no words"),
        (LONG[0] | {"response": 7}, "field response: expected text"),
        ({k: v for k, v in LONG[0].items() if k != "response"}, "no reply"),
        (LONG[0] | {"envelope": None}, "field envelope: expected text"),
    ],
)
def test_a_row_that_lacks_something_is_an_error_with_its_line(
    row: dict[str, Any], told: str, tmp_path: Path
) -> None:
    with pytest.raises(RecordError, match=rf"line 3: {told}"):
        load(written(tmp_path, [*LONG[:2], row]))


def test_a_list_of_something_else_is_no_sample(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="line 1: field ab: expected text"):
        load(written(tmp_path, [ORDERS[0] | {"ab": ["tea", 1]}, ORDERS[1]]))

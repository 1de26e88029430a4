"""A table of blind judgments: two replies a row, a score of each on every dimension, totals and a verdict.

The columns are a judge, a question, two texts that end in `_response`, `NAME_A` and `NAME_B` for each dimension,
`total_A`, `total_B` and `verdict`. The text in the first of the two columns was shown as A. Without a verdict it is a
table of replies.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from stylekl.results.readers.judging import SIDES, Judging

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "score_table"
describe = "a table of judgments (verdict, NAME_A and NAME_B for each dimension, two columns NAME_response)"
_RESPONSE = "_response"
_QUESTIONS = ("question_text", "question", "prompt", "customer_input")
_IDS = ("question_id", "prompt_id", "turn_id")
_JUDGES = ("judge_name", "judge", "judge_model")
_RAW = ("verdict_reason", "raw")
_TIMES = ("timestamp", "tstamp")
_READ = (*_QUESTIONS, *_IDS, *_JUDGES, *_RAW, *_TIMES, "question_type", "topic", "verdict")
_WHOLE = re.compile(r"-?\d{1,6}")


def recognise(document: Document) -> bool:
    """Whether the first record has two responses to one question, and a verdict or scores."""
    first = document.first
    return (
        document.kind in ("table", "parquet")
        and isinstance(first, dict)
        and len(_responses(first)) == 2
        and ("verdict" in first or bool(_dimensions(first)))
        and any(key in first for key in _QUESTIONS)
    )


def read(document: Document) -> Results:
    """Return the judgments, and the two replies of each question once.

    Models are called as their columns are, without the ending (`A` and `B` for `a_response` and `b_response`). White
    space around a cell is no part of it, and one without anything is absent. A scale goes to 5, or to 10 where a score
    of the table is higher. Raises RecordError for a score that is no whole number and for a verdict that is none.
    """
    table = Judging(document)
    rows = list(document.objects())
    names = _dimensions(rows[0][1])
    scored = [(number, row, _scores(table, number, row, names)) for number, row in rows]
    most = max(
        (value for _, _, found in scored for own in found.values() for value in own.values()), default=0
    )
    for number, row, scores in scored:
        _add(table, number, row, scores, 5 if most <= 5 else max(10, most))
    return table.done()


def _responses(row: dict[str, Any]) -> list[str]:
    return [key for key in row if key.endswith(_RESPONSE) and len(key) > len(_RESPONSE)]


def _dimensions(row: dict[str, Any]) -> list[str]:
    """Return the names of which there is a column for A and one for B, each with a number."""
    names = [key[:-2] for key in row if key.endswith("_A") and f"{key[:-2]}_B" in row]
    filled = [name for name in names if _cell(row, f"{name}_A") is not None]
    return [name for name in filled if name != "total"]


def _cell(row: dict[str, Any], *keys: str) -> str | None:
    for key in keys:
        value = row.get(key)
        if value is not None and str(value).strip():
            return str(value).strip()
    return None


def _number(value: Any) -> Any:
    text = str(value).strip()
    return int(text) if _WHOLE.fullmatch(text) else text


def _scores(table: Judging, number: int, row: dict[str, Any], names: list[str]) -> dict[str, dict[str, int]]:
    return {
        side: {each: table.whole(number, f"{each}_{side}", _number(row[f"{each}_{side}"])) for each in names}
        for side in SIDES
    }


def _add(
    table: Judging, number: int, row: dict[str, Any], scores: dict[str, dict[str, int]], high: int
) -> None:
    columns = _responses(row)
    sides = []
    for key in columns:
        stem = key.removesuffix(_RESPONSE)
        sides.append(table.model(stem.upper() if len(stem) == 1 else stem).id)
    asked, wanted = _cell(row, *_QUESTIONS), _cell(row, *_IDS)
    prompt = wanted or f"row {number}"
    if asked is not None:
        prompt = table.prompt(asked, wanted, _cell(row, "question_type", "topic")).id
        for key, model in zip(columns, sides, strict=True):
            table.reply(number, model, prompt, _cell(row, key))
    if "verdict" not in row:
        return
    scored = (f"{each}_{side}" for each in scores[SIDES[0]] for side in SIDES)
    used = {*_READ, *columns, *scored, *(f"total_{side}" for side in SIDES)}
    extra = {key: value for key, value in row.items() if key not in used and _cell(row, key) is not None}
    stated = {side: _number(row[f"total_{side}"]) for side in SIDES if _cell(row, f"total_{side}")}
    table.judgment(
        number,
        judge=_cell(row, *_JUDGES) or "unknown",
        prompt=prompt,
        A=sides[0],
        B=sides[1],
        raw=_cell(row, *_RAW) or "",
        scores=scores,
        high=high,
        verdict=_cell(row, "verdict"),
        stated=stated if len(stated) == len(SIDES) else None,
        collected=_cell(row, *_TIMES),
        extra=extra or None,
    )

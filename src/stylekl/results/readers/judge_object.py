"""One blind judgment as one object: scores of A and B, totals and a verdict, alone or within a report of a run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from stylekl.errors import InputError
from stylekl.results.readers import beside
from stylekl.results.readers.judging import SIDES, Judging, Scores
from stylekl.results.readers.recording import first_text, kept
from stylekl.results.records import Source
from stylekl.results.source import read_text

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "judge_object"
_PROMPTS = ("prompt.md", "prompt.txt")
describe = "an object with scores of A and B and a verdict"


def recognise(document: Document) -> bool:
    """Whether the file is one object that holds scores of both and a verdict, or has one that does in a field."""
    return document.kind == "object" and _judgment(document.value) is not None


def read(document: Document) -> Results:
    """Return the judgment.

    The file tells neither model, so these are called A and B; the judge is what a field `evaluator` says, else
    "unknown", and the prompt is called after the scenario or the file. Its text is the scenario's summary, or what
    stands in `prompt.md` or `prompt.txt` in the file's folder. Raises RecordError for scores that are no whole numbers
    or not of both, and for a verdict that is none.
    """
    found, whole = _judgment(document.value), document.value
    assert found is not None
    table = Judging(document)
    scores: Scores = {}
    for side in SIDES:
        own = found["scores"].get(side)
        if not isinstance(own, dict) or not own:
            raise document.fault(1, f"field scores: expected an object for {side}")
        scores[side] = {str(key): table.whole(1, f"scores.{side}.{key}", value) for key, value in own.items()}
    if scores["A"].keys() != scores["B"].keys():
        raise document.fault(1, "field scores: A and B have different dimensions")
    most = max(value for own in scores.values() for value in own.values())
    evaluator, scenario = whole.get("evaluator"), whole.get("scenario")
    judge = evaluator.get("model") if isinstance(evaluator, dict) else evaluator
    scene = scenario.get("name") if isinstance(scenario, dict) else scenario
    prompt = scene if isinstance(scene, str) else f"{document.stem}-{document.sha256[:6]}"
    asked = _asked(document, scenario)
    if asked is not None:
        prompt = table.prompt(asked, prompt).id
    stated = found.get("totals")
    table.judgment(
        1,
        judge=judge if isinstance(judge, str) else "unknown",
        prompt=prompt,
        A=table.model("A").id,
        B=table.model("B").id,
        raw=document.content.read().decode() if found is whole else json.dumps(found, ensure_ascii=False),
        scores=scores,
        high=5 if most <= 5 else max(10, most),
        verdict=found.get("verdict"),
        stated=stated if isinstance(stated, dict) else None,
        collected=whole.get("date") if isinstance(whole.get("date"), str) else None,
        extra=kept(found, "scores", "totals", "verdict") or None,
    )
    if about := {key: value for key, value in whole.items() if value is not found and found is not whole}:
        table.results.unknown[f"judgment {document.stem}"] = about
    return table.done()


def _asked(document: Document, scenario: Any) -> str | None:
    """Return what was judged: the summary of the scenario, or the prompt in the file's folder; null without either."""
    if isinstance(scenario, dict):
        return first_text(scenario, "prompt", "summary", "name")
    for folder in beside.folders(document, 1):
        for path in beside.existing([folder / name for name in _PROMPTS], document):
            try:
                found = read_text(str(path))
            except InputError:
                continue
            if found.text.strip():
                document.beside.append(Source(str(path), found.sha256))
                return found.text.strip("\n")
    return None


def _judgment(value: Any) -> dict[str, Any] | None:
    """Return the object that holds a judgment: the value itself, or the only one of its fields that does."""
    if not isinstance(value, dict):
        return None
    inner = [each for each in value.values() if isinstance(each, dict) and _is(each)]
    return value if _is(value) else inner[0] if len(inner) == 1 else None


def _is(value: dict[str, Any]) -> bool:
    scores = value.get("scores")
    return isinstance(scores, dict) and set(SIDES) <= scores.keys() and "verdict" in value

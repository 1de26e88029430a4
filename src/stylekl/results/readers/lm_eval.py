"""The samples that lm-eval logs: a file for each task in a folder for each model."""

from __future__ import annotations

import hashlib
import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from stylekl.errors import NoRepliesError
from stylekl.results.readers import beside
from stylekl.results.readers.completion import Said
from stylekl.results.readers.conversation import Asked, asked
from stylekl.results.readers.recording import Recording, first_text, kept

if TYPE_CHECKING:
    from pathlib import Path

    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "lm_eval"
describe = "lm-eval samples (doc_id, doc, arguments, resps)"
_ROW = {"doc_id", "arguments", "resps"}
_SCORES = {"results", "configs", "versions", "n-shot"}
_DATE = re.compile(r"_(\d{4}-\d\d-\d\dT[\d.:-]+)$")
_SLASH = "__"  # lm-eval's own way to write a slash in the name of a folder


def recognise(document: Document) -> bool:
    """Whether the first record is a sample, or the file the scores of a run."""
    first = document.first
    return isinstance(first, dict) and (first.keys() >= _ROW or first.keys() >= _SCORES)


def read(document: Document) -> Results:
    """Return every raw response of each sample; what the filters made of them stays under `extra`.

    The same sample comes once for each filter and counts once. The model is the folder, or what a results file of the
    same date says where the folder's name is not made from it. Raises NoRepliesError for scores, and for tasks that
    were answered by likelihoods: neither holds a text.
    """
    if document.first.keys() >= _SCORES:
        raise NoRepliesError(
            f"{document.path}: scores of lm-eval without replies", "name the samples_*.jsonl files"
        )
    recording = Recording(document)
    named, requested = _model(document)
    model = recording.asked(recording.model(named), requested)
    model.also(*(folder.name for folder in beside.folders(document, 1)))
    seen: dict[bytes, range] = {}
    replies = recording.results.replies
    for number, row in document.objects():
        given = repr((row.get("doc_id"), row.get("arguments"), row.get("resps")))
        key = hashlib.sha256(given.encode("utf-8", "replace")).digest()
        if key in seen:
            for place in seen[key]:
                reply = replies[place]
                reply.extra.setdefault("filters", []).append(kept(row, "doc", "arguments", "resps"))
                replies[place] = reply
            continue
        question = _asked(row)
        if question is None:
            raise document.fault(number, "field arguments: expected a prompt")
        start = len(replies)
        for text in _texts(document, number, row):
            said = Said(text, [] if text else ["empty"])
            recording.record(number, model, question, said, extra=kept(row, "resps"))
        seen[key] = range(start, len(replies))
    return recording.done()


def _asked(row: dict[str, Any]) -> Asked | None:
    value = row.get("arguments")
    for _ in range(3):  # {"gen_args_0": {"arg_0": …}} now, [[…, {}]] before
        if isinstance(value, dict):
            value = value.get("gen_args_0", value.get("arg_0"))
        elif isinstance(value, list) and value and not isinstance(value[0], dict):
            value = value[0]
    return asked(value)


def _texts(document: Document, number: int, row: dict[str, Any]) -> list[str]:
    resps = row.get("resps")
    first = resps[0] if isinstance(resps, list) and resps else None
    texts = first if isinstance(first, list) else resps if isinstance(first, str) else None
    if isinstance(texts, list) and texts and all(isinstance(each, list) for each in texts):
        raise NoRepliesError(
            f"{document.path}: {document.unit} {number}: a task of multiple choice: likelihoods and no text",
            "lm-eval keeps replies of tasks that generate",
        )
    if not isinstance(texts, list) or not all(isinstance(each, str) for each in texts):
        raise document.fault(number, "field resps: expected a list with a list of texts")
    return texts


def _model(document: Document) -> tuple[str, str | None]:
    """Return the name of the model, and the one that the results file says."""
    folders = beside.folders(document, 1)
    if not folders:
        return document.stem, None
    folder = folders[0].name
    date = _DATE.search(document.stem)
    scores = folders[0] / f"results_{date[1]}.json" if date else None
    if scores is None or not scores.is_file():
        scores = _only_scores(folders[0])
    found = [] if scores is None else beside.rows(scores)
    said = first_text(found[0], "model_name") if found else None
    if said is not None and scores is not None:
        beside.take(document, scores)
    if said is not None and (_SLASH not in folder or said.replace("/", _SLASH) == folder):
        return said, None
    return folder.replace(_SLASH, "/"), said


def _only_scores(folder: Path) -> Path | None:
    """Return the results file of a folder that has no more than one."""
    found = list(islice(folder.glob("results_*.json"), 2))
    return found[0] if len(found) == 1 else None

"""Results of promptfoo as CSV: a row a test, variables first, then for each provider and prompt a reply."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from stylekl.results.readers.completion import Said
from stylekl.results.readers.conversation import Asked, asked
from stylekl.results.readers.recording import Recording

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "promptfoo_table"
describe = "promptfoo results as CSV (columns of variables, then [provider] prompt, Status, Score …)"
_HEAD = re.compile(r"\[(?P<provider>[^\n]+?)\] (?P<template>.*)", re.DOTALL)
_AGAIN = re.compile(r" \(\d+\)$")
_ABOUT = ("Status", "Score", "Named Scores", "Grader Reason", "Comment", "Cost", "Latency")
_STATUS = "Status"
_VARIABLE = re.compile(r"\{\{-?\s*(?P<name>[\w.-]+)\s*(?:\|\s*(?:safe|dump)\s*)?-?\}\}")
_CODE = re.compile(r"\{\{|\{%")
_MARKED = re.compile(
    r"\[(?P<status>PASS|FAIL|ERROR)\](?P<score>[ \t]*\(\d[^)\n]*\))?(?:[ \t]*\n\n?|[ \t]+|\Z)(?P<text>.*)",
    re.DOTALL,
)
_REASON = re.compile(r"(?P<text>.*?)(?:\A|\n\n)(?P<reason>(?:Pass|Fail) Reason: .*)\Z", re.DOTALL)
_LINE = "\n---\n"


class _Group(NamedTuple):
    """The columns of one provider under one prompt: that of the replies, and what is said of them by its header."""

    column: str
    provider: str
    template: str
    about: dict[str, str]


def recognise(document: Document) -> bool:
    """Whether the header has a provider in brackets with a prompt, and a status beside it or in its cell."""
    first = document.first
    if document.kind != "table" or not isinstance(first, dict):
        return False
    groups = _groups(list(first))
    return bool(groups) and all(_STATUS in each.about or _MARKED.match(first[each.column]) for each in groups)


def read(document: Document) -> Results:
    """Return a reply for each provider and prompt of every test.

    The model is the provider's label, the prompt the template with the row's variables put in. A reply of the status
    ERROR is flagged "error"; what the table says of it stays under `extra`. Tests that come again are samples. Where a
    prompt has a label in place of its template, the variables stand below it, with a warning.
    """
    recording = Recording(document)
    groups = _groups(list(document.first))
    places = {each.column for each in groups} | {key for each in groups for key in each.about.values()}
    marked = not any(_STATUS in each.about for each in groups)
    unsure = False
    for number, row in document.objects():
        variables = {key: value for key, value in row.items() if key not in places}
        for group in groups:
            found, sure = _asked(group.template, variables)
            unsure |= not sure
            said, about = _said(row, group, marked=marked)
            extra = {"vars": variables} | about
            recording.record(number, recording.model(group.provider), found, said, extra=extra)
    if unsure:
        recording.results.warnings.append(
            f"{document.path}: prompts are known by their labels and variables: the table does not hold their text"
        )
    return recording.done()


def _groups(names: Sequence[str]) -> list[_Group]:
    groups: list[_Group] = []
    for name in names:
        head = _HEAD.fullmatch(name)
        label = _AGAIN.sub("", name)
        if groups and label in _ABOUT and label not in groups[-1].about:
            groups[-1].about[label] = name
        elif head is not None:
            groups.append(_Group(name, head["provider"], head["template"], {}))
    return groups


def _asked(template: str, variables: Mapping[str, Any]) -> tuple[Asked, bool]:
    """Return what a template asks with the variables in it, and whether the template is all of the prompt."""
    inside_json = template.lstrip().startswith(("[", "{"))

    def put_in(match: re.Match[str]) -> str:
        value = variables.get(match["name"])
        if not isinstance(value, str):
            return match[0]
        return json.dumps(value, ensure_ascii=False)[1:-1] if inside_json else value

    text = _VARIABLE.sub(put_in, template)
    whole = text != template or not variables
    if not whole or _CODE.search(template.replace("{{", "", len(_VARIABLE.findall(template)))):
        values = "\n".join(f"{key}: {value}" for key, value in variables.items() if value)
        return Asked(f"{text}\n\n{values}" if values and not whole else text), whole
    return asked(text) or Asked(text), True


def _said(row: Mapping[str, Any], group: _Group, *, marked: bool) -> tuple[Said, dict[str, Any]]:
    text = str(row[group.column])
    about: dict[str, Any] = {label: row[key] for label, key in group.about.items() if row[key] != ""}
    if marked:
        text, about = _unmarked(text)
    if str(about.get(_STATUS, "")).upper() == "ERROR":
        return Said("", ["error"]), about | ({"error": text} if text else {})
    return Said(text, [] if text else ["empty"]), about


def _unmarked(cell: str) -> tuple[str, dict[str, Any]]:
    """Return the reply in a cell that says first how it did, as older versions write it, and what it says."""
    mark = _MARKED.match(cell)
    if mark is None:
        return cell, {}
    text, about = mark["text"], {_STATUS: mark["status"]}
    if mark["score"]:
        about["Score"] = mark["score"].strip(" \t()")
        reason = _REASON.fullmatch(text)
        if reason is not None:
            text, about["Grader Reason"] = reason["text"], reason["reason"]
    elif mark["status"] != "PASS" and _LINE in text:
        about["Grader Reason"], _, text = text.partition(_LINE)
    return text, about

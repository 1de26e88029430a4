"""The form that people write themselves: a reply a record, in lines, an array or a table.

A record has a model, a prompt and a reply, in columns of usual names (`columns.USUAL`) or in those that the user names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from stylekl.results.document import describe as describe_value
from stylekl.results.readers.cells import asked_in, listed_turns, replies_in
from stylekl.results.readers.columns import USUAL, Columns, is_named, wants_models
from stylekl.results.readers.completion import Said, ending
from stylekl.results.readers.conversation import Asked
from stylekl.results.readers.recording import Recording

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stylekl.results.document import Document
    from stylekl.results.reading import Turn
    from stylekl.results.records import Model, Results

name = "plain_lines"
describe = "records with a model, a prompt and a response, one a line, in an array or in a table"
PROMPT_KEYS = USUAL["prompt"]
REPLY_KEYS = USUAL["reply"]
TABLES = ("table", "parquet")
_GENERATED = "generated_"
_LAST = 10**9  # a larger number counts no samples
_ABOUT = frozenset(("requested", "returned", "provider", "stop"))
_WHOLE = re.compile(r"\d{1,9}")


def recognise(document: Document) -> bool:
    """Whether the first record has a reply (or an error in its place), and two of a model, a prompt and a prompt's id.

    A plain `id` counts as that of a prompt in tables only.
    """
    first = document.first
    if not isinstance(first, dict):
        return False
    if is_named(document):
        return not wants_models(document)
    roles = Columns(document).of(first)
    if "model" not in roles:
        return "prompt" in roles and "reply" in roles
    identified = "prompt_id" in roles and (document.kind in TABLES or roles["prompt_id"].lower() != "id")
    return ("prompt" in roles or identified) and ("reply" in roles or "error" in roles)


def read(document: Document) -> Results:
    """Return the results: models, prompts and replies as the records name them.

    Of several columns for one role the first in `columns.USUAL` counts; every other field (one called condition too)
    goes into the reply's `extra`. A record with an error in place of a reply is flagged "error", one with nothing there
    "empty"; a list of texts is several samples. Without a column for the model it is the one that the file is named
    after, without one for the prompt its id is its text: each with a warning. Records without any content are left
    out. Raises RecordError where a field is missing or of the wrong type, InputError for a column that the user names
    and the file does not have.
    """
    table = _Table(document)
    for number, row in document.objects():
        table.add(number, row)
    return table.done()


class _Table:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.recording = Recording(document)
        self.columns = Columns(document)
        self.turn: Turn = document.reading.turn or "first"
        roles = self.columns.of(document.first) if isinstance(document.first, dict) else {}
        self.one_model = "model" not in roles
        self.name = _model_in(document.stem)
        self.only_ids = "prompt" not in roles
        self.blank = 0

    def add(self, number: int, row: dict[str, Any]) -> None:
        if is_blank(row):
            self.blank += 1
            return
        roles = self.columns.of(row)
        model = self._model(number, row, roles)
        extra = {key: value for key, value in row.items() if key != roles.get("model")}
        given = row.get(roles.get("prompt", ""))
        question = self._asked(number, row, roles, extra)
        said = self._said(number, row, roles, extra, turns=listed_turns(given) is not None)
        prompt = self.recording.prompt(
            question.prompt, id_of(extra.get(roles.get("prompt_id", ""))), _text(extra, roles, "topic")
        )
        for role, used in (("prompt_id", prompt.id), ("topic", prompt.topic)):
            take_used(extra, roles, role, used)
        self._about(model, extra, roles)
        sample = _sample(extra, roles) if len(said) == 1 else None
        period = _text(extra, roles, "period")
        take_used(extra, roles, "period", period)
        for each in said:
            more = {roles.get("reply", "answer"): each.rest} if each.rest else {}
            self.recording.record(
                number,
                model,
                question,
                each,
                extra=extra | more,
                sample=sample,
                period=period,
            )

    def done(self) -> Results:
        path, warnings = self.document.path, self.recording.results.warnings
        if self.one_model:
            warnings.append(
                f"{path}: no column names the model: all replies count as those of one, {self.name}"
            )
        if self.only_ids:
            warnings.append(f"{path}: no column holds the prompts: each is called by its id")
        if self.blank:
            records = "record" if self.blank == 1 else "records"
            warnings.append(f"{path}: {self.blank} {records} without any content left out")
        return self.recording.done()

    def _model(self, number: int, row: dict[str, Any], roles: Mapping[str, str]) -> Model:
        if self.one_model and "model" not in roles:
            return self.recording.model(self.name)
        key = roles.get("model", "model")
        given = self.recording.text(number, row, key)
        given = given.strip() if self.document.kind in TABLES else given
        if not given:
            raise self.document.fault(
                number, f"field {key}: expected the name of a model, found an empty text"
            )
        return self.recording.model(given)

    def _asked(
        self, number: int, row: dict[str, Any], roles: Mapping[str, str], extra: dict[str, Any]
    ) -> Asked:
        key = roles.get("prompt")
        if key is None:
            wanted = id_of(extra.get(roles.get("prompt_id", ""))) if self.only_ids else None
            if wanted is None:
                raise self.document.fault(number, f"no prompt: expected one of {', '.join(PROMPT_KEYS[:6])}")
            return self._system(Asked(wanted), extra, roles)
        found = asked_in(row.get(key), self.turn)
        if found is None:
            what = describe_value(row[key]) if key in row else "nothing"
            raise self.document.fault(number, f"field {key}: expected text, found {what}")
        extra.pop(key, None)
        if key.lower() == "instruction":  # one prompt in two fields, as instruction data sets have it
            second = next((each for each in row if each.lower() == "input"), None)
            if second is not None and row[second]:
                found = Asked(f"{found.prompt}\n\n{self.recording.text(number, row, second)}", found.system)
                del extra[second]
        return self._system(found, extra, roles)

    def _system(self, found: Asked, extra: dict[str, Any], roles: Mapping[str, str]) -> Asked:
        system = _text(extra, roles, "system")
        take_used(extra, roles, "system", found.system or system)
        return Asked(found.prompt, found.system or system)

    def _said(
        self,
        number: int,
        row: dict[str, Any],
        roles: Mapping[str, str],
        extra: dict[str, Any],
        *,
        turns: bool,
    ) -> list[Said]:
        key, error = roles.get("reply"), roles.get("error", "")
        if key is None and not row.get(error):
            raise self.document.fault(number, f"no reply: expected one of {', '.join(REPLY_KEYS[:6])}")
        value = None if key is None else row.get(key)
        if row.get(error) and value in (None, ""):
            if key is not None:
                extra.pop(key, None)
            return [Said("", ["error"])]
        if key is not None and key not in row:
            raise self.document.fault(number, f"field {key}: expected text, found nothing")
        found = replies_in(value, self.turn, turns=turns)
        if found is None:
            raise self.document.fault(number, f"field {key}: expected text, found {describe_value(value)}")
        extra.pop(key or "", None)
        return [self._ended(each, extra, roles) for each in found]

    def _ended(self, said: Said, extra: dict[str, Any], roles: Mapping[str, str]) -> Said:
        """Return a reply with what other columns say of its end and of the model that gave it."""
        if "stop" not in roles and "returned" not in roles:
            return said
        raw = extra.get(roles.get("stop", ""))
        stop, flags = ending(said.text or None, raw, "")
        word = raw if isinstance(raw, str) and raw else None
        returned = _text(extra, roles, "returned")
        return Said(
            said.text,
            said.flags or flags,
            said.stop or (stop if word else None),
            said.stop_raw or word,
            said.model or returned or None,
            said.rest,
        )

    def _about(self, model: Model, extra: dict[str, Any], roles: Mapping[str, str]) -> None:
        """Fill in what columns say of the model; what a record says otherwise than the first stays in `extra`."""
        if _ABOUT.isdisjoint(roles):
            return
        requested, provider = (_text(extra, roles, role) or None for role in ("requested", "provider"))
        self.recording.asked(model, requested, provider)
        for role, used in (("requested", model.requested), ("provider", model.provider)):
            take_used(extra, roles, role, used)
        for role in ("returned", "stop"):
            if isinstance(extra.get(roles.get(role, "")), str):
                del extra[roles[role]]


def _model_in(stem: str) -> str:
    """Return the model that a file's name tells: generated_VENDOR__NAME is how one tool writes VENDOR/NAME."""
    generated = stem.removeprefix(_GENERATED)
    return generated.replace("__", "/") if generated and generated != stem else stem


def is_blank(row: Mapping[str, Any]) -> bool:
    """Whether a record has nothing in any field, as the rows below a spreadsheet's last one."""
    return all(value is None or (isinstance(value, str) and not value.strip()) for value in row.values())


def id_of(value: Any) -> str | None:
    """Return the id that a field holds as text or as a whole number, null where it holds none."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return str(value).strip() or None


def _text(extra: Mapping[str, Any], roles: Mapping[str, str], role: str) -> str | None:
    value = extra.get(roles.get(role, ""))
    return value if isinstance(value, str) and value else None


def take_used(extra: dict[str, Any], roles: Mapping[str, str], role: str, used: str | None) -> None:
    """Take the field of a role out of `extra` where what it says is what counts, or where it says nothing."""
    key = roles.get(role)
    if key is None or key not in extra:
        return
    value = extra[key]
    if value is None or value == "" or (used is not None and str(value).strip() == used.strip()):
        del extra[key]


def _sample(extra: dict[str, Any], roles: Mapping[str, str]) -> int | None:
    """Take the number of a sample out of `extra`, where it is one."""
    key = roles.get("sample", "")
    value = extra.get(key)
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _LAST:
        return None
    del extra[key]
    return value

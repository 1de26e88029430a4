"""Logs of Inspect in its own form: a zip with a header and a file for each sample, read one after the other."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from stylekl.errors import InputError, UnknownFormatError
from stylekl.results.document import describe as describe_value
from stylekl.results.json_text import JsonText
from stylekl.results.readers.inspect_log import ATTACHMENT, TRANSCRIPT, read_run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stylekl.results.archive import Archive
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "inspect_eval"
describe = "Inspect logs in a zip (header.json, samples)"
_HEADER, _START, _REDUCTIONS = "header.json", "_journal/start.json", "reductions.json"
_SUMMARIES = re.compile(r"summaries\.json|_journal/summaries/\d+\.json")
_WHOLE = re.compile(r"samples/(.+)_epoch_(\d{1,9})\.json", re.DOTALL)
_PARTED = re.compile(r"(samples/(.+)_epoch_(\d{1,9})/)sample\.json", re.DOTALL)
_ATTACHED = re.compile(rb'"' + ATTACHMENT.encode() + rb'(\d{1,9})"')
_SHOWN = 5
_DIGITS = 10  # no log has as many messages


def recognise(document: Document) -> bool:
    """Whether the file is a zip: of those no other form is read."""
    return document.kind == "zip"


def read(document: Document) -> Results:
    """Return what `inspect_log.read` returns of the same log in JSON: samples by epoch, then by id.

    A log that was never finished is read as far as it was written, with a warning. Raises UnknownFormatError for a zip
    that is no such log, InputError for a damaged one.
    """
    from stylekl.results.archive import Archive

    with document.open() as file:
        archive = Archive(document.path, file)
        if _HEADER not in archive and _START not in archive:
            raise UnknownFormatError(
                document.path, _seen(archive), f"{describe}; unpack any other and name its files"
            )
        log = _Log(archive)
        results = read_run(document, log.header(), log.samples())
    results.warnings.extend(log.warnings)
    return results


class _Log:
    """The members of a log as JSON."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._path = archive.path
        self._text = JsonText(archive.path)

    @property
    def warnings(self) -> list[str]:
        """What was repaired in all members that were read."""
        self._text.path = self._path
        return self._text.warnings

    def header(self) -> dict[str, Any]:
        """Return what the log says of the run: its header, or how it began where it has none."""
        finished = _HEADER in self._archive
        name = _HEADER if finished else _START
        found = self._value(name)
        run = found.get("eval") if isinstance(found, dict) else None
        if not isinstance(run, dict):
            raise InputError(
                f"{self._path}: member {name}: expected an object with eval, found {describe_value(found)}",
                "name a log that Inspect wrote",
            )
        if not finished:
            found.setdefault("status", "started")
        if _REDUCTIONS in self._archive:
            found["reductions"] = self._value(_REDUCTIONS)
        return dict(found)

    def samples(self) -> Iterator[dict[str, Any]]:
        """Yield the samples in the order of Inspect's own JSON: by epoch, then by id, numbers padded."""
        texts = self._texts()
        found: list[tuple[int, str, str]] = []
        for member in self._archive:
            whole, parted = _WHOLE.fullmatch(member.name), _PARTED.fullmatch(member.name)
            epoch, given = 0, member.name
            if parted is not None:
                given, epoch = parted[2], int(parted[3])
            elif whole is not None and f"{whole[0].removesuffix('.json')}/sample.json" not in self._archive:
                given, epoch = whole[1], int(whole[2])
            else:
                continue
            order = given if (given, epoch) in texts or not given.isdigit() else given.zfill(20)
            found.append((epoch, order, member.name))
        for _, _, name in sorted(found):
            parted = _PARTED.fullmatch(name)
            yield self._sample(name) if parted is None else self._joined(parted[1], name)

    def _texts(self) -> set[tuple[str, int]]:
        """Return the ids that are texts, by epoch: the name of a member does not tell 1 from "1"."""
        found: set[tuple[str, int]] = set()
        for member in self._archive:
            if _SUMMARIES.fullmatch(member.name):
                rows = self._value(member.name)
                for row in rows if isinstance(rows, list) else []:
                    if isinstance(row, dict) and isinstance(row.get("id"), str):
                        found.add((row["id"], row["epoch"] if isinstance(row.get("epoch"), int) else 0))
        return found

    def _sample(self, name: str) -> dict[str, Any]:
        """Return a sample without its transcript, which is not even parsed."""
        data = self._archive.read(name)
        try:
            parts = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
        except (msgspec.DecodeError, RecursionError):
            return self._object(name, self._parse(name, data))
        used = {key: part for key, part in parts.items() if key not in TRANSCRIPT}
        if ATTACHMENT.encode() in bytes(used.get("input", b""))[: len(ATTACHMENT) + 1]:
            used |= {"attachments": parts["attachments"]} if "attachments" in parts else {}
        return {key: self._parse(name, bytes(part)) for key, part in used.items()}

    def _joined(self, folder: str, name: str) -> dict[str, Any]:
        """Return a sample that is cut into several members, with its own messages."""
        sample = self._object(name, self._parse(name, self._attached(folder, self._archive.read(name))))
        sample.update(
            {"metadata": self._value(f"{folder}metadata.json")}
            if f"{folder}metadata.json" in self._archive
            else {}
        )
        messages = self._sequence(f"{folder}messages/", folder)
        refs = sample.pop("message_refs", None)
        spans = [each for each in refs if _is_span(each)] if isinstance(refs, list) else []
        own = (place for start, end in spans for place in range(start, min(end, len(messages))))
        sample["messages"] = [messages[place] for place in islice(own, len(messages))]  # each is in it once
        return sample

    def _attached(self, folder: str, data: bytes) -> bytes:
        if not _ATTACHED.search(data):
            return data
        texts = self._sequence(f"{folder}attachments/", None)

        def put(found: re.Match[bytes]) -> bytes:
            place = int(found[1])
            return msgspec.json.encode(texts[place]) if place < len(texts) else found[0]

        return _ATTACHED.sub(put, data)

    def _sequence(self, prefix: str, folder: str | None) -> list[Any]:
        """Return the parts of a list, which are called by their first place, put together."""
        parts = {
            int(number): member.name
            for member in self._archive
            if member.name.startswith(prefix)
            and (number := member.name.removeprefix(prefix).removesuffix(".json")).isdecimal()
            and len(number) < _DIGITS
        }
        joined: list[Any] = []
        for _, name in sorted(parts.items()):
            data = self._archive.read(name)
            value = self._parse(name, data if folder is None else self._attached(folder, data))
            joined += value if isinstance(value, list) else []
        return joined

    def _value(self, name: str) -> Any:
        return self._parse(name, self._archive.read(name))

    def _parse(self, name: str, data: bytes) -> Any:
        self._text.path = f"{self._path}: member {name}"
        return self._text.parse(data)

    def _object(self, name: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise InputError(
                f"{self._path}: member {name}: expected an object, found {describe_value(value)}",
                "name a log that Inspect wrote",
            )
        return value


def _is_span(value: Any) -> bool:
    return (
        isinstance(value, list) and len(value) == 2 and all(type(each) is int and each >= 0 for each in value)
    )


def _seen(archive: Archive) -> str:
    names = [member.name for member in archive]
    listed = ", ".join(names[:_SHOWN]) + (" …" if len(names) > _SHOWN else "")
    return f"a zip with {listed}" if names else "an empty zip"

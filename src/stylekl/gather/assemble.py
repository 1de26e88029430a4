"""From a journal to the results file: the reply that is kept of each question, with all that is known of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from stylekl.gather import rules
from stylekl.gather.battery import count_words
from stylekl.gather.judge_judgments import Judged, add_judgments
from stylekl.gather.probe_choices import Probed, add_choices
from stylekl.results import load
from stylekl.results.nodes import parse_node
from stylekl.results.records import Condition, Model, Prompt, Reply, Results, from_row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stylekl.gather.journal import Record

Named = TypeVar("Named", Model, Prompt, Condition)
_AS_RECORDED = (
    "stop",
    "stop_raw",
    "version",
    "usage",
    "latency_ms",
    "first_content_ms",
    "connection",
    "request_id",
)


def existing(path: str | Path) -> Results:
    """Return what the results file holds; nothing where it is absent or empty."""
    place = Path(path)
    if not place.exists() or place.stat().st_size == 0:
        return Results()
    return load(str(place))


def assemble(records: Iterable[Record], before: Results, stopped: dict[str, str] | None = None) -> Results:
    """Return `before` with everything that a journal's records hold in it.

    Replies of the journal take the place of their earlier selves; all else stays. A question whose second attempt is
    still to come has no reply yet. `stopped` says for models why they were not asked on; a model without any reply is
    marked as unavailable with it.
    """
    book = _Book()
    for record in records:
        book.take(record)
    rows = [_reply(attempts, book) for attempts in book.attempts.values() if _complete(attempts)]
    other = {*book.probe.uses, *book.judged.packages}
    replies = [row for row in rows if row["prompt"] not in other]
    known = book.keys
    results = Results(
        models=_models(before, book, stopped or {}),
        prompts=_joined(before.prompts, [from_row(Prompt, row) for row in book.prompts.values()]),
        conditions=_joined(before.conditions, [from_row(Condition, row) for row in book.conditions.values()]),
        other={name: list(rows) for name, rows in before.other.items()},
        unknown=dict(before.unknown),
    )
    kept = [reply for reply in before.replies if reply.unknown.get("key") not in known]
    results.replies = [*kept, *_sorted(results, [from_row(Reply, row) for row in replies])]
    _extend(
        results, "archive", lambda row: row.get("key") not in known, map(book.probe.archived, book.archive)
    )
    _extend(
        results, "collection", lambda row: _triple(row) not in book.collections, book.collections.values()
    )
    add_choices(results, book.probe, [row for row in rows if row["prompt"] in book.probe.uses], known)
    add_judgments(results, book.judged, [row for row in rows if row["prompt"] in book.judged.packages], known)
    return results


class _Book:
    """A journal, sorted out."""

    def __init__(self) -> None:
        self.attempts: dict[str, list[Record]] = {}
        self.keys: set[str] = set()
        self.models: dict[str, Record] = {}
        self.prompts: dict[str, Record] = {}
        self.conditions: dict[str, Record] = {}
        self.headers: dict[str, Record] = {}
        self.collections: dict[tuple[Any, ...], Record] = {}
        self.archive: list[Record] = []
        self.adapted: dict[str, Record] = {}
        self.open: dict[str, str] = {}
        self.probe = Probed()
        self.judged = Judged()

    def take(self, record: Record) -> None:
        if "config" in record:
            self._header(record)
        elif "redo" in record:
            for key in record["redo"]:
                attempts = self.attempts.pop(key, None)
                if attempts and _complete(attempts):
                    row = _reply(attempts, self)
                    self.archive.append(row | {"reason": record["why"], "archived": record["at"]})
        elif "attempt" in record:
            self.keys.add(record["key"])
            if record.get("adapted"):
                self.adapted[record["model"]] = record["adapted"]
            if record.get("open"):
                self.open[record["model"]] = record["error"]["message"]
            else:
                self.attempts.setdefault(record["key"], []).append(record)
                row = self.collections[_triple_of(self.headers[record["collection"]])]
                row["ended"] = record["at"]

    def _header(self, header: Record) -> None:
        self.headers[header["hash"][:12]] = header
        for table, rows in (
            (self.models, header["models"]),
            (self.prompts, header["prompts"]),
            (self.conditions, header["conditions"]),
        ):
            table.update({row["id"]: row for row in rows})
        if "probe" in header:
            self.probe.take(header["probe"])
        if "judging" in header:
            self.judged.take(header)
        config, triple = header["config"], _triple_of(header)
        battery = config["battery"]
        before = self.collections.get(triple, {})
        self.collections[triple] = {
            "battery": battery["id"],
            "version": battery["version"],
            "instruction": battery["instruction"],
            "length": battery["length"],
            "cap": battery["cap"],
            "samples": battery["samples"],
            "seed": config["seed"],
            "period": config["period"],
            "mock": config["mock"],
            "refusal_rule": config["refusal_rule"],
            **header["asked"],
            **_asked(header, before),
            "configuration": header["hash"],
            "started": before.get("started", header["started"]),
            "stylekl": header["stylekl"],
        }


def _asked(header: Record, before: Record) -> Record:
    """Return who was asked, now and before, under one period: models, or judges, which are no models of the file."""
    if "judging" not in header:
        return {"models": list(dict.fromkeys([*before.get("models", []), *header["config"]["models"]]))}
    judges = [*before.get("judges", []), *(row["id"] for row in header["judges"])]
    return {"models": [], "judges": list(dict.fromkeys(judges))}


def _complete(attempts: list[Record]) -> bool:
    return len(attempts) >= rules.ATTEMPTS or not rules.again(attempts[-1]["flags"])


def _reply(attempts: list[Record], book: _Book) -> Record:
    """Return the row of the reply that is kept, with the usage of every attempt."""
    kept = attempts[rules.kept([attempt["flags"] for attempt in attempts])]
    costs = [attempt["cost"] for attempt in attempts if attempt.get("cost") is not None]
    error = kept.get("error")
    told = {
        "refusal": kept.get("refusal"),
        "error": error and error["message"],
        "status": error and error.get("status"),
        "not_applied": (kept.get("adapted") or {}).get("left_out") or None,
    }
    return {
        "model": kept["model"],
        "prompt": kept["prompt"],
        "text": kept["text"],
        "condition": kept["condition"],
        "period": kept["period"],
        "sample": kept["sample"],
        "flags": kept["flags"],
        "collected": kept["at"],
        "extra": {name: value for name, value in told.items() if value is not None},
        **{name: kept.get(name) for name in _AS_RECORDED},
        "words": count_words(kept["text"]),
        "length_rule": book.headers[kept["collection"]]["length_rule"],
        "attempts": len(attempts),
        "attempt_usage": [attempt.get("usage") for attempt in attempts],
        "transport_retries": sum(len(attempt["retries"]) for attempt in attempts),
        "max_output_tokens": kept["cap"],
        "cost": round(sum(costs), 10) if costs else None,
        "key": kept["key"],
    }


def _models(before: Results, book: _Book, stopped: dict[str, str]) -> list[Model]:
    versions: dict[str, Counter[str]] = {}
    answered = set()
    for attempts in book.attempts.values():
        for attempt in attempts:
            if attempt.get("version"):
                versions.setdefault(attempt["model"], Counter())[attempt["version"]] += 1
            if "error" not in attempt["flags"]:
                answered.add(attempt["model"])
    rows = []
    for model_id, row in book.models.items():
        seen = versions.get(model_id)
        more: Record = {"returned": seen.most_common(1)[0][0] if seen else None}
        # a name may say temperature 0 where none was sent
        if "temperature" in row or "effort" in row or parse_node(model_id).protocol == "deterministic":
            left_out = book.adapted.get(model_id, {}).get("left_out", [])
            sure = row.get("temperature") == 0 and "temperature" not in left_out
            more["node"] = {
                "protocol": "deterministic" if sure else "distributional",
                **({"effort": row["effort"]} if "effort" in row and "effort" not in left_out else {}),
                **({"not_applied": left_out} if left_out else {}),
            }
        why = stopped.get(model_id) or _last_error(model_id, book)
        if model_id not in answered and why:
            more["unavailable"] = {"why": why}
        rows.append(from_row(Model, row | more))
    return _joined(before.models, rows)


def _last_error(model_id: str, book: _Book) -> str | None:
    errors = [
        attempt["error"]["message"]
        for attempts in book.attempts.values()
        for attempt in attempts
        if attempt["model"] == model_id and attempt.get("error")
    ]
    return errors[-1] if errors else book.open.get(model_id)


def _joined(before: list[Named], new: list[Named]) -> list[Named]:
    """Return the records of both by id, the new ones in the place of their earlier selves."""
    found = {record.id: record for record in before}
    for record in new:
        old = found.get(record.id)
        unknown = {k: v for k, v in old.unknown.items() if k != "unavailable"} if old else {}
        found[record.id] = msgspec.structs.replace(record, unknown=unknown | record.unknown)
    return list(found.values())


def _sorted(results: Results, replies: list[Reply]) -> list[Reply]:
    tables: tuple[list[Any], ...] = (results.models, results.prompts, results.conditions)
    models, prompts, conditions = ({each.id: place for place, each in enumerate(table)} for table in tables)
    return sorted(
        replies,
        key=lambda r: (
            *(r.period or "", models[r.model], prompts[r.prompt]),
            *(conditions[r.condition or ""], r.sample or 0),
        ),
    )


def _extend(results: Results, array: str, stays: Any, rows: Iterable[Record]) -> None:
    found = [row for row in results.other.get(array, []) if stays(row)] + [dict(row) for row in rows]
    if found:
        results.other[array] = found


def _triple_of(header: Record) -> tuple[Any, ...]:
    battery = header["config"]["battery"]
    return battery["id"], battery["version"], header["config"]["period"]


def _triple(row: Record) -> tuple[Any, ...]:
    return row.get("battery"), row.get("version"), row.get("period")

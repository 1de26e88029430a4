"""From the replies of judges to judgments: who was A and who B, what the reply says, and what was sent."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from stylekl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from stylekl.gather.journal import Record
    from stylekl.gather.plan import Plan
    from stylekl.results.records import Results

_KEPT = (
    "usage",
    "latency_ms",
    "cost",
    "attempts",
    "attempt_usage",
    "max_output_tokens",
    "request_id",
    "stop",
)
_FAILED = ("error", "refusal", "empty")


class Judged:
    """The packages that a journal knows, with the rubric of each, and its judges."""

    def __init__(self) -> None:
        self.packages: dict[str, Record] = {}
        self.judges: dict[str, Record] = {}

    def take(self, header: Record) -> None:
        """Note the packages and judges of one collection."""
        judging = header["judging"]
        shared = {name: judging[name] for name in ("rubric", "system", "seed", "mask_names")}
        self.packages |= {name: shared | each for name, each in judging["packages"].items()}
        self.judges |= {row["id"]: row for row in header["judges"]}


def add_judgments(results: Results, judged: Judged, rows: Sequence[Record], known: Iterable[str]) -> None:
    """Put judgments into results; those of the journal take the place of their earlier selves.

    A package that is two pairs' makes a row for each. A reply that is no judgment stays, with the reason.
    """
    if not judged.packages:
        return
    keys = set(known)
    kept = [row for row in results.other.get("judgments", []) if row.get("key") not in keys]
    made = [judgment for row in rows for judgment in _judgments(row, judged)]
    places = {prompt.id: place for place, prompt in enumerate(results.prompts)}
    made.sort(
        key=lambda row: (
            row.get("period") or "",
            places.get(row["prompt"], len(places)),
            *sorted((row["A"], row["B"])),
            row["judge"],
            row["order"],
        )
    )
    results.other["judgments"] = kept + made


def _judgments(row: Record, judged: Judged) -> list[Record]:
    package, judge = judged.packages[row["prompt"]], judged.judges.get(row["model"], {})
    said = outcome(row["text"], row["flags"], package["rubric"])
    left_out = row["extra"].get("not_applied") or []
    request = {
        "system": package["system"],
        "user": package["user"],
        "temperature": None if "temperature" in left_out else judge.get("temperature", 0.0),
        "max_output_tokens": row["max_output_tokens"],
    }
    found = []
    for place, use in enumerate(package["uses"]):
        made: dict[str, Any] = {
            "id": _id(row, place),
            "judge": row["model"],
            "judge_family": judge.get("family"),
            "requested": judge.get("requested"),
            "returned": row["version"],
            **{name: use[name] for name in ("prompt", "A", "B", "order")},
            "seed": package["seed"],
            "period": row["period"],
            "rubric": package["rubric"],
            "mask_names": package["mask_names"] or None,
            "masked": use["masked"] or None,
            "self_named": use["self_named"] or None,
            "request": {name: value for name, value in request.items() if value is not None},
            "raw": row["text"],
            **said,
            "not_applied": left_out or None,
            "error": row["extra"].get("error"),
            "collected": row["collected"],
            **({name: row.get(name) for name in _KEPT} if place == 0 else {}),
            "key": row["key"],
        }
        found.append({name: value for name, value in made.items() if value not in (None, [], {})})
    return found


def _id(row: Record, place: int) -> str:
    """Return an id: another run of the same package is another judgment, also where files are joined."""
    said = json.dumps([row["key"], place, row["collected"], row["text"]])
    return "j" + hashlib.sha256(said.encode()).hexdigest()[:16]


def outcome(text: str, flags: Sequence[str], rubric: Record) -> Record:
    """Return scores, totals, verdict, repairs and flags of a reply; of one that is no judgment, why not.

    `flags` are those of the call, and stay among the judgment's.
    """
    from stylekl.lenses.judgments.reply import parse_reply
    from stylekl.lenses.judgments.rubric import scale_of

    scale = scale_of({"rubric": rubric})
    assert scale is not None
    own = [flag for flag in flags if flag != "invalid"]
    failed = next((flag for flag in _FAILED if flag in flags), None)
    parsed = parse_reply(text, scale)
    if failed is not None or not parsed.valid:
        return {"invalid": failed or parsed.reason, "repairs": list(parsed.repairs), "flags": own}
    return {
        "scores": parsed.scores,
        "totals": parsed.totals,
        "stated": parsed.stated,
        "verdict": parsed.verdict,
        "repairs": list(parsed.repairs),
        "flags": [*own, *parsed.flags],
    }


def is_judging(plan: Plan, header: Record) -> bool:
    """Return whether an earlier collection of the journal asked judges by the rubric of the plan.

    Raises UsageError where a rubric of this id and version said something else then.
    """
    before, now = header["config"]["battery"], plan.battery.content
    if header.get("judging") is None or plan.battery.judging is None or before["id"] != now["id"]:
        return False
    if before["version"] == now["version"] and before["words"] != now["words"]:
        raise UsageError(
            f'the rubric "{now["rubric"]["id"]}" is not the one that the journal records',
            "give it another version, or write into another file with -o",
        )
    return True


def check_judge_place(plan: Plan, existing: Results, known: set[str]) -> None:
    """Raise UsageError where the file has a judgment of what is to be asked that its journal does not know.

    `known` are the keys of its journal.
    """
    there = {
        (row.get("judge"), row.get("prompt"), row.get("A"), row.get("B"), row.get("period"))
        for row in existing.other.get("judgments", [])
        if row.get("key") not in known
    }
    packages = (plan.battery.judging or {}).get("packages", {}) if there else {}
    for use in (use for package in packages.values() for use in package["uses"]):
        for judge in plan.asked:
            if (judge.id, use["prompt"], use["A"], use["B"], plan.period) in there:
                raise UsageError(
                    f'the results file has a judgment of "{judge.id}" on "{use["prompt"]}" that its journal does not '
                    "know",
                    "put the journal back beside it, give another --period, or write into another file with -o",
                )

"""What the readers of judgments share: a judgment as its record, totals summed from its scores, and what it flags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.results.document import describe
from stylekl.results.readers.building import Building
from stylekl.results.records import Reply

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stylekl.results.document import Document
    from stylekl.results.records import Results

SIDES = ("A", "B")
VERDICTS = {"a": "A", "b": "B", "tie": "tie"}
Scores = dict[str, dict[str, int]]


class Judging(Building):
    """Collects judgments, and replies that stand in their rows, each text of a model once."""

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self.judgments: list[dict[str, Any]] = []
        self._seen: set[tuple[str, str, str]] = set()

    def reply(self, number: int, model: str, prompt: str, text: str | None) -> None:
        """Add a reply that stands in row `number`; a null one is flagged empty."""
        said = text or ""
        if (model, prompt, said) not in self._seen:
            self._seen.add((model, prompt, said))
            flags = ["empty"] if text is None else []
            self.add(number, Reply(model=model, prompt=prompt, text=said, flags=flags))

    def judgment(
        self,
        number: int,
        *,
        scores: Scores,
        high: int,
        verdict: Any,
        stated: Mapping[str, Any] | None,
        **more: Any,
    ) -> None:
        """Add the judgment of row `number`; raises RecordError for a verdict that is none.

        Totals are summed from the scores; those that the row states otherwise stand beside them, flagged, and so does
        a verdict that the totals speak against.
        """
        found = VERDICTS.get(verdict.strip().casefold()) if isinstance(verdict, str) else None
        if found is None:
            what = "nothing" if verdict is None else f'"{verdict}"'
            raise self.document.fault(number, f"field verdict: {what} is not one of A, B, tie")
        totals = {side: sum(own.values()) for side, own in scores.items()}
        flags = []
        wrong = stated is not None and any(stated.get(side) != totals[side] for side in SIDES)
        if wrong:
            flags.append("wrong_total")
        ahead = "tie" if totals["A"] == totals["B"] else max(totals, key=totals.__getitem__)
        if found != ahead:
            flags.append("verdict_contradicts_totals")
        row = {
            "id": f"{self.document.sha256[:10]}-{number}",
            **more,
            "rubric": {"dimensions": list(scores["A"]), "low": 1, "high": high},
            "scores": scores,
            "totals": totals,
            "stated": dict(stated) if wrong and stated is not None else None,
            "verdict": found,
            "flags": flags or None,
        }
        self.judgments.append({key: value for key, value in row.items() if value is not None})

    def whole(self, number: int, field: str, value: Any) -> int:
        """Return a score; raises RecordError where it is no whole number."""
        if type(value) is not int:
            found = f'"{value}"' if isinstance(value, str) else describe(value)
            raise self.document.fault(number, f"field {field}: expected a whole number, found {found}")
        return value

    def done(self) -> Results:
        """Return the results."""
        if self.judgments:
            self.results.other["judgments"] = self.judgments
        return self.results

"""What the readers of votes share: replies that come with votes, and readers' ids that never leave as they came."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from stylekl.results.json_text import repaired
from stylekl.results.readers.building import Building
from stylekl.results.records import Reply
from stylekl.results.select_votes import text_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.results.document import Document
    from stylekl.results.reading import Turn
    from stylekl.results.records import Results


class Voting(Building):
    """Collects votes of source "import" and the replies that stand in their rows, each text of a model once."""

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._votes: list[dict[str, Any]] = []
        self._texts: dict[tuple[str, str], dict[str, None]] = {}
        self._lost: Counter[str] = Counter()

    def vote(
        self,
        number: int,
        sides: tuple[str, str],
        pick: str,
        *,
        prompt: str | None,
        texts: tuple[str | None, str | None] | None = None,
        **more: Any,
    ) -> None:
        """Add the vote of row `number` and, where they are given, the two texts; a null one is flagged empty."""
        a, b = (self.model(name).id for name in sides)
        row = {
            "id": f"{self.document.sha256[:10]}-{number}",
            "source": "import",
            "a": a,
            "b": b,
            "pick": pick,
        }
        if prompt is not None:
            row["prompt"] = prompt
        if texts is not None and prompt is not None:
            for side, model, text in (("a", a, texts[0]), ("b", b, texts[1])):
                row[f"reply_{side}"] = self._reply(number, model, prompt, text)
        self._votes.append(row | {key: value for key, value in more.items() if value is not None})

    def lost(self, reason: str) -> None:
        """Count a row that holds no verdict."""
        self._lost[reason] += 1

    def shown(
        self,
        number: int,
        sides: tuple[str, str],
        prompt: str | None,
        texts: tuple[str | None, str | None] | None,
    ) -> None:
        """Add the models and the replies of row `number`, which holds no verdict."""
        models = [self.model(name).id for name in sides]
        if texts is not None and prompt is not None:
            for model, text in zip(models, texts, strict=True):
                self._reply(number, model, prompt, text)

    def person(self, value: Any) -> str | None:
        """Return the id of a reader as it may be kept: hashed with a salt of the file's own."""
        if value is None or value == "":
            return None
        given = f"{self.document.sha256}:{value}"
        return "s" + hashlib.sha256(given.encode("utf-8", "replace")).hexdigest()[:12]

    def unknown(self, number: int, field: str, label: Any, known: Sequence[str]) -> Exception:
        """Make the error for a label that is none."""
        found = "nothing" if label is None else f'"{label}"'
        return self.document.fault(number, f"field {field}: {found} is not one of {', '.join(known)}")

    def done(self) -> Results:
        """Return the results; which reply a vote is about is said where a model has several to the prompt."""
        for row in self._votes:
            for side in ("a", "b"):
                if len(self._texts.get((row[side], row.get("prompt", "")), ())) < 2:
                    row.pop(f"reply_{side}", None)
        self.results.other["votes"] = self._votes
        for reason, count in sorted(self._lost.items()):
            rows = "row" if count == 1 else "rows"
            self.results.warnings.append(f"{self.document.path}: {count} {rows} left out: {reason}")
        return self.results

    def _reply(self, number: int, model: str, prompt: str, text: str | None) -> str:
        known = self._texts.setdefault((model, prompt), {})
        said = text or ""
        if said not in known:
            known[said] = None
            flags = ["empty"] if text is None else []  # the judge saw a blank reply, and it is one
            self.add(number, Reply(model=model, prompt=prompt, text=said, flags=flags))
        return text_key(said)


def turns(value: Any, role: str | None = None, turn: Turn | None = None) -> str | None:
    """Return the turns of one speaker as one text, a blank line between them; null where there is none.

    Of several turns those that `turn` names: all where it is null.

    `value` is a text, a list of texts or of messages ({"role", "content"}, of which `role` are taken), or either as
    JSON in a text, as tables hold it. The content of a message may itself be a list of parts with a "text".
    """
    if isinstance(value, str):
        given, value = value, _parsed(value)
        if value is None:
            return given
    if not isinstance(value, list):
        return None
    found: list[str] = []
    for each in value:
        if isinstance(each, dict) and "role" in each:
            if each["role"] != role:
                continue
            content = each.get("content")
        else:
            content = each.get("text") if isinstance(each, dict) else each
        nested = isinstance(content, list) and not any(isinstance(part, list) for part in content)
        said = turns(content) if nested else content
        found += [repaired(said, Counter())] if isinstance(said, str) else []
    chosen = {"first": found[:1], "last": found[-1:]}.get(turn or "all", found)
    return "\n\n".join(chosen) if chosen else None


def _parsed(text: str) -> list[Any] | None:
    """Return the list that a text holds as JSON, null where it is a text of another kind."""
    if not text.startswith("["):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) else None

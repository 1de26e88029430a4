"""From the replies of a probe to choices: which text is which pair, envelope and order, and what was taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from stylekl.gather.journal import Record
    from stylekl.gather.probe import Use
    from stylekl.results.records import Results

_OWN = ("prompt", "condition", "words", "length_rule")  # of a reply, and no part of a choice
_FLAGS = {"error": "error", "refusal": "refused", "empty": "empty"}


class Probed:
    """The pairs and envelopes that a journal knows, in the order in which they came; `uses` says what each text is."""

    def __init__(self) -> None:
        self.pairs: dict[str, Record] = {}
        self.envelopes: dict[str, Record] = {}
        self._uses: dict[str, list[Use]] | None = None
        self._read: dict[tuple[str, str], Any] = {}

    def take(self, probe: Record) -> None:
        """Note the pairs and envelopes of one collection."""
        self.pairs |= {row["id"]: row for row in probe["pairs"]}
        self.envelopes |= {row["id"]: row for row in probe["envelopes"]}
        self._uses = None
        self._read = {}

    @property
    def uses(self) -> dict[str, list[Use]]:
        """What each text is, by its id."""
        if self._uses is None:
            if not self.pairs:
                return {}
            from stylekl.gather.probe import uses_of
            from stylekl.lenses.choices.words import envelope_of, pair_of

            self._uses = uses_of(
                [pair_of(row, "pair") for row in self.pairs.values()],
                [envelope_of(row, "envelope") for row in self.envelopes.values()],
            )
        return self._uses

    def forms(self, use: Use) -> Any:
        """Return the forms of both words of a pair, and the letters that the envelope offers."""
        from stylekl.lenses.choices.classify import Pair
        from stylekl.lenses.choices.words import envelope_of, pair_of

        key = (use.pair, use.envelope)
        if key not in self._read:
            words = pair_of(self.pairs[use.pair], "pair").words.values()
            slots = envelope_of(self.envelopes[use.envelope], "envelope").slots
            self._read[key] = (Pair.of((a for a, _ in words), (b for _, b in words)), slots)
        return self._read[key]

    def archived(self, row: Record) -> Record:
        """Return a row of the archive, with pair, envelope and order where it is a choice."""
        uses = self.uses.get(row["prompt"]) if self.pairs else None
        return row if not uses else _placed(row, uses[0])


def add_choices(results: Results, probed: Probed, rows: Sequence[Record], known: Iterable[str]) -> None:
    """Put choices, pairs and envelopes into results; choices of the journal take the place of their earlier selves.

    A text that is two pairs' makes a row for each; tokens, cost and attempts stand with the first.
    """
    if not probed.pairs:
        return
    keys = set(known)
    for array, held in (("pairs", probed.pairs), ("envelopes", probed.envelopes)):
        before = {row.get("id"): row for row in results.other.get(array, [])}
        results.other[array] = [*(before | held).values()]
    kept = [row for row in results.other.get("choices", []) if row.get("key") not in keys]
    made = [choice for row in rows for choice in _choices(row, probed)]
    places = [
        {each.get("id"): i for i, each in enumerate(table)}
        for table in (
            [{"id": model.id} for model in results.models],
            results.other["pairs"],
            results.other["envelopes"],
        )
    ]
    made.sort(
        key=lambda row: (
            row["period"] or "",
            *(table[row[name]] for table, name in zip(places, ("model", "pair", "envelope"), strict=True)),
            row["order"],
            row["sample"],
        )
    )
    results.other["choices"] = kept + made


def _choices(row: Record, probed: Probed) -> list[Record]:
    found: list[Record] = []
    for use in probed.uses[row["prompt"]]:
        choice = _placed(row, use) | _outcome(row, use, probed)
        if found:
            own = ("usage", "attempt_usage", "cost", "attempts", "transport_retries")
            choice = {name: value for name, value in choice.items() if name not in own}
            choice["asked_as"] = {name: found[0][name] for name in ("pair", "envelope", "order")}
        found.append(choice)
    return found


def _placed(row: Record, use: Use) -> Record:
    """Return a reply as a choice: what it is of, then what is known of the reply; nothing in place of null."""
    place = {"model": row["model"], "pair": use.pair, "envelope": use.envelope, "order": use.order}
    more = {
        name: value
        for name, value in row.items()
        if name not in (*_OWN, "model") and value not in (None, [], {})
    }
    return place | {"text": row["text"], "sample": row["sample"], "period": row["period"]} | more


def _outcome(row: Record, use: Use, probed: Probed) -> Record:
    """Return pick and reason: by the flags of the reply, else by its text."""
    from stylekl.lenses.choices.classify import classify
    from stylekl.measure.choices import NAMES

    for flag in row["flags"]:
        if flag in _FLAGS:
            return {"pick": None, "reason": _FLAGS[flag]}
    forms, slots = probed.forms(use)
    name = NAMES[classify(row["text"], forms, slots, swapped=use.order == "ba")]
    picked: dict[str, Any] = {"pick": name, "reason": None}
    return picked if name in ("a", "b") else {"pick": None, "reason": name}

"""Reading envelopes from YAML: ways of asking which of two words a model takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.errors import InternalError
from stylekl.gather.battery_file import NAME, NAMED
from stylekl.gather.pairs_file import LANGUAGE, shipped
from stylekl.gather.yaml_file import quoted, read_yaml
from stylekl.lenses.choices.words import SLOTS, Envelope

if TYPE_CHECKING:
    from stylekl.gather.yaml_file import Entry

MOST = 1000
FIELDS = ("id", "template", "family", "language", "words", "matches", "slots")


def load_envelopes(path: str | None = None) -> tuple[Envelope, ...]:
    """Return the envelopes of a file, or the 29 that ship.

    Raises InputError with file, line and field for whatever is not as docs/choices.md says.
    """
    place = path or shipped("envelopes")
    if place is None:
        raise InternalError("the envelopes that ship with stylekl are missing", "install it again")
    root, _ = read_yaml(place, kind="a file of envelopes")
    entries = root.fields(("envelopes",), ("envelopes",))["envelopes"].items()
    if not 1 <= len(entries) <= MOST:
        raise root.error(f"expected 1 to {MOST:,} envelopes, found {len(entries):,}")
    found = tuple(_envelope(entry) for entry in entries)
    seen: dict[str, int] = {}
    for entry, envelope in zip(entries, found, strict=True):
        if envelope.id.casefold() in seen:
            raise entry.error(f"has the id of the envelope on line {seen[envelope.id.casefold()]}")
        seen[envelope.id.casefold()] = entry.line
    for entry, envelope in zip(entries, found, strict=True):
        if envelope.matches is not None and envelope.matches not in {each.id for each in found}:
            raise entry.error(f"matches {quoted(envelope.matches)}, which is no envelope of this file")
    return found


def envelope_record(envelope: Envelope) -> dict[str, Any]:
    """Return an envelope as a results file holds it."""
    told = {
        "id": envelope.id,
        "template": envelope.template,
        "family": envelope.family,
        "language": envelope.language,
        "words": envelope.words,
        "matches": envelope.matches,
        "slots": list(envelope.slots) if envelope.slots else None,
    }
    return {name: value for name, value in told.items() if value is not None}


def _envelope(entry: Entry) -> Envelope:
    fields = entry.fields(FIELDS, ("id", "template"))
    template = fields["template"].prose(20_000)
    for slot in SLOTS:
        if slot not in template:
            raise fields["template"].error(
                f"expected {slot} in the template", "{a} is the word that stands first, {b} the other"
            )
    if template.index(SLOTS[0]) > template.index(SLOTS[1]):
        raise fields["template"].error("{b} stands before {a}", "{a} is the word that stands first")
    return Envelope(
        id=fields["id"].name(NAME, NAMED),
        template=template,
        family=fields["family"].name(NAME, NAMED) if "family" in fields else None,
        language=_language(fields.get("language")),
        words=_language(fields.get("words")),
        matches=fields["matches"].name(NAME, NAMED) if "matches" in fields else None,
        slots=_slots(fields.get("slots"), template),
    )


def _language(entry: Entry | None) -> str | None:
    return None if entry is None else entry.name(LANGUAGE, "a language such as fr")


def _slots(entry: Entry | None, template: str) -> tuple[str, str] | None:
    if entry is None:
        return None
    letters = [each.text(10) for each in entry.items()]
    if len(letters) != 2 or letters[0].casefold() == letters[1].casefold():
        raise entry.error("expected two different letters, such as [A, B]")
    for letter in letters:
        if letter not in template:
            raise entry.error(f"the template does not offer {quoted(letter)}")
    return letters[0], letters[1]

"""A rubric: what a judge is asked to score, in which words, read from YAML with every field checked."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stylekl.errors import InternalError
from stylekl.gather.battery_file import NAME, NAMED
from stylekl.gather.pairs_file import shipped
from stylekl.gather.yaml_file import quoted, read_yaml
from stylekl.lenses.judgments.rubric import SIDES, Scale
from stylekl.results.records import Source

if TYPE_CHECKING:
    from stylekl.gather.yaml_file import Entry

CAP = 2000
FIELDS = ("id", "version", "cap", "scale", "dimensions", "system", "package", "names")
MOST = 50  # dimensions
_IN_SYSTEM = ("dimensions", "shape")
_IN_PACKAGE = ("prompt", "a", "b")
_SLOT = re.compile(r"\{(prompt|a|b|mark)\}")
_SIDE = re.compile(r"\{(dimensions|shape|low|high)\}")


@dataclass(frozen=True, slots=True)
class Rubric:
    """A checked rubric.

    `dimensions` are names with what each means, `names` those by which models tell who they are.
    """

    id: str
    version: int
    dimensions: tuple[tuple[str, str], ...]
    low: int
    high: int
    system: str
    package: str
    names: tuple[str, ...] = ()
    cap: int = CAP
    source: Source | None = None

    @property
    def scale(self) -> Scale:
        """The names of the dimensions and the bounds of a score."""
        return Scale(tuple(name for name, _ in self.dimensions), self.low, self.high)

    @property
    def record(self) -> dict[str, Any]:
        """What a judgment says of its rubric."""
        return {
            "id": self.id,
            "version": self.version,
            "dimensions": list(self.scale.dimensions),
            "low": self.low,
            "high": self.high,
        }

    @property
    def words(self) -> str:
        """The sha256 of all that a judge reads but the texts of a package."""
        said = json.dumps([self.instructions, self.package])
        return hashlib.sha256(said.encode()).hexdigest()

    @property
    def instructions(self) -> str:
        """The system message: the same for every judge and every package."""
        said = {
            "dimensions": "\n".join(f"- {name}: {text}" for name, text in self.dimensions),
            "shape": _shape(self.scale.dimensions),
            "low": str(self.low),
            "high": str(self.high),
        }
        return _SIDE.sub(lambda slot: said[slot[1]], self.system).strip()

    def user_message(self, prompt: str, a: str, b: str) -> str:
        """Return the user message: the prompt and two replies as A and B, each between marks that neither holds.

        The mark comes from the three texts, whatever their order.
        """
        texts = (prompt, a, b)
        said = {"prompt": prompt, "a": a, "b": b, "mark": _mark(texts)}
        return _SLOT.sub(lambda slot: said[slot[1]], self.package).strip()


def _mark(texts: tuple[str, ...]) -> str:
    turn = 0
    while True:
        told = json.dumps([turn, *sorted(texts)]).encode()
        mark = f"=== {hashlib.sha256(told).hexdigest()[:12]} ==="
        if not any(mark in text for text in texts):
            return mark
        turn += 1


def _shape(names: tuple[str, ...]) -> str:
    own = "{" + ", ".join(f'"{name}": N' for name in names) + "}"
    why = "{" + ", ".join(f'"{name}": "why"' for name in names) + "}"
    return (
        f'{{"scores": {{"A": {own}, "B": {own}}}, "totals": {{"A": N, "B": N}}, "justifications": {why}, '
        '"verdict": "A, B or tie", "verdict_reason": "one sentence"}'
    )


def load_rubric(path: str | None = None) -> Rubric:
    """Return the rubric of a file, or the one that ships.

    Raises InputError with file, line and field for whatever is not as docs/judging.md says.
    """
    place = path or shipped("rubric")
    if place is None:
        raise InternalError("the rubric that ships with stylekl is missing", "install it again")
    root, source = read_yaml(place, kind="a rubric")
    if path is None:  # where it is installed is nobody's business, and no two machines agree on it
        source = Source(Path(place).name, source.sha256)
    fields = root.fields(FIELDS, ("id", "version", "dimensions", "system", "package"))
    low, high = _scale(fields.get("scale"))
    return Rubric(
        id=fields["id"].name(NAME, NAMED),
        version=fields["version"].whole(1, 1_000_000),
        dimensions=_dimensions(fields["dimensions"]),
        low=low,
        high=high,
        system=_template(fields["system"], _IN_SYSTEM),
        package=_template(fields["package"], _IN_PACKAGE),
        names=tuple(each.text(100) for each in fields["names"].items()) if "names" in fields else (),
        cap=fields["cap"].whole(1, 1_000_000) if "cap" in fields else CAP,
        source=source,
    )


def _scale(entry: Entry | None) -> tuple[int, int]:
    if entry is None:
        return 1, 5
    fields = entry.fields(("low", "high"), ("low", "high"))
    low, high = fields["low"].whole(0, 100), fields["high"].whole(1, 100)
    if low >= high:
        raise fields["high"].error(f"expected more than low, {low}, found {high}")
    return low, high


def _dimensions(entry: Entry) -> tuple[tuple[str, str], ...]:
    entries = entry.items()
    if not 1 <= len(entries) <= MOST:
        raise entry.error(f"expected 1 to {MOST} dimensions, found {len(entries)}")
    found: dict[str, str] = {}
    for each in entries:
        fields = each.fields(("id", "text"), ("id", "text"))
        name = fields["id"].name(NAME, NAMED)
        if name.casefold() in {known.casefold() for known in found}:
            raise fields["id"].error(f"two dimensions are called {quoted(name)}", "rename one")
        if name in SIDES:
            raise fields["id"].error(f"{quoted(name)} is what a reply is called", "rename it")
        found[name] = fields["text"].prose(2000)
    return tuple(found.items())


def _template(entry: Entry, slots: tuple[str, ...]) -> str:
    text = entry.prose(20_000)
    for slot in slots:
        if f"{{{slot}}}" not in text:
            raise entry.error(
                f"expected {{{slot}}} in the text", f"it needs {', '.join(f'{{{s}}}' for s in slots)}"
            )
    return text

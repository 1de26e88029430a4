"""Reading pairs of words from YAML: every field checked, every error with file, line and field."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stylekl.errors import UsageError
from stylekl.gather.battery_file import NAME, NAMED
from stylekl.gather.yaml_file import near, quoted, read_yaml
from stylekl.lenses.choices.classify import folded
from stylekl.lenses.choices.words import HOME, WordPair
from stylekl.results.records import Source

if TYPE_CHECKING:
    from stylekl.gather.yaml_file import Entry

CAP = 1024
MOST = 10_000
LONGEST = 100  # characters of a word
FIELDS = ("id", "version", "cap", "pairs")
PAIR_FIELDS = ("id", "theme", "words")
LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})?")
_MEANT = {"topic": "theme", "options": "words", "max_tokens": "cap"}


@dataclass(frozen=True, slots=True)
class PairsFile:
    """Checked pairs of words, and the most tokens of a reply."""

    id: str
    version: int
    cap: int
    pairs: tuple[WordPair, ...]
    source: Source


def shipped(name: str) -> str | None:
    """Return the path of a YAML file that ships with stylekl, null where it is not installed."""
    package = Path(__file__).parents[1]
    for folder in (package / "data", package.parents[1] / "data"):
        if (folder / f"{name}.yaml").is_file():
            return str(folder / f"{name}.yaml")
    return None


def find_pairs(name: str) -> str:
    """Return the path of a pairs file: the file of that name, or "pairs", which ships.

    Raises UsageError where a bare name is neither.
    """
    path = Path(name)
    if (path.exists() and not path.is_dir()) or path.suffix or len(path.parts) != 1:
        return name
    found = shipped(name) if name == "pairs" else None
    if found is None:
        raise UsageError(
            f"{name}: no such file, nor pairs that ship with stylekl",
            near(name, ["pairs"]) or 'those that ship: "pairs"',
        )
    return found


def load_pairs(name: str) -> PairsFile:
    """Return the pairs in the file `name`, or those that ship under this name.

    Raises InputError with file, line and field for whatever is not as docs/choices.md says.
    """
    path = find_pairs(name)
    root, source = read_yaml(path, kind="a pairs file")
    if path != name:  # where it is installed is nobody's business, and no two machines agree on it
        source = Source(Path(path).name, source.sha256)
    fields = root.fields(FIELDS, ("id", "version", "pairs"), _MEANT)
    entries = fields["pairs"].items()
    if not 1 <= len(entries) <= MOST:
        raise fields["pairs"].error(f"expected 1 to {MOST:,} pairs, found {len(entries):,}")
    pairs = tuple(_pair(entry) for entry in entries)
    seen: dict[Any, int] = {}
    for entry, pair in zip(entries, pairs, strict=True):
        words = frozenset(map(folded, (pair.a, pair.b)))
        for what, value in (("id", pair.id.casefold()), ("words", words)):
            if value in seen:
                raise entry.error(
                    f"has the {what} of the pair on line {seen[value]}",
                    "each pair is asked in both orders anyway",
                )
            seen[value] = entry.line
    return PairsFile(
        id=fields["id"].name(NAME, NAMED),
        version=fields["version"].whole(1, 1_000_000),
        cap=fields["cap"].whole(1, 1_000_000) if "cap" in fields else CAP,
        pairs=pairs,
        source=source,
    )


def pair_record(pair: WordPair) -> dict[str, Any]:
    """Return a pair as a results file holds it."""
    words = {language: list(both) for language, both in pair.words.items()}
    return {"id": pair.id, "words": words} | ({"theme": pair.theme} if pair.theme else {})


def _pair(entry: Entry) -> WordPair:
    fields = entry.fields(PAIR_FIELDS, ("id", "words"), _MEANT)
    words = _words(fields["words"])
    sides: dict[str, int] = {}
    for both in words.values():
        for side, word in enumerate(both):
            if sides.setdefault(folded(word), side) != side:
                raise fields["words"].error(
                    f"{quoted(word)} stands for both words", "no reply could tell which one it means"
                )
    return WordPair(
        fields["id"].name(NAME, NAMED),
        words,
        fields["theme"].name(NAME, NAMED) if "theme" in fields else None,
    )


def _words(entry: Entry) -> dict[str, tuple[str, str]]:
    """Return the words by language, English first; a bare list is English."""
    if entry.kind == "a list":
        return {HOME: _both(entry)}
    found = {}
    for language, each in entry.members():
        if not LANGUAGE.fullmatch(language):
            raise each.error(f"expected a language such as fr, found {quoted(language)}")
        found[language] = _both(each)
    if HOME not in found:
        raise entry.error(
            f'the language "{HOME}" is missing', "the bare forms and the native ones ask in English"
        )
    return {HOME: found[HOME], **found}


def _both(entry: Entry) -> tuple[str, str]:
    words = [each.text(LONGEST) for each in entry.items()]
    if len(words) != 2:
        raise entry.error(f"expected two words, found {len(words)}")
    for each, word in zip(entry.items(), words, strict=True):
        if "\n" in word or word != word.strip() or not folded(word):
            raise each.error("a word stands on one line, without space around it")
    return words[0], words[1]

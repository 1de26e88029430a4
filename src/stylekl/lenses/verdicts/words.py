"""The word lists: which single words are a yes and which a no."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from stylekl.errors import InputError, InternalError
from stylekl.lenses.verdicts.classify import normalise
from stylekl.results.source import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    import yaml

FIELDS = ("yes", "no")
SHIPPED = "shipped"
LONGEST = 1_000_000  # characters of a file
MOST = 10_000  # words of a list
_HINT = "`stylekl verdicts --lists` prints the lists in force; docs/verdicts.md has the form of the file"


@dataclass(frozen=True, slots=True)
class Words:
    """The words that count as yes and as no, in the order of the file; `source` is its path or "shipped"."""

    yes: tuple[str, ...]
    no: tuple[str, ...]
    source: str = SHIPPED


@cache
def shipped_words() -> Words:
    """Return the lists that ship with stylekl. Raises InternalError where the file is missing."""
    package = Path(__file__).parents[2]
    for path in (package / "data" / "verdicts.yaml", package.parents[1] / "data" / "verdicts.yaml"):
        if path.is_file():
            return _read(str(path), SHIPPED)
    raise InternalError("the word lists are missing from the package", "install stylekl again")


def load_words(path: str | None = None) -> Words:
    """Return the word lists in a YAML file, the shipped ones without a path.

    The file has two fields, `yes` and `no`, each a list of single words. Raises InputError with file, line and field
    for anything else, for a word that no reply could match, and for one that is on both lists.
    """
    return shipped_words() if path is None else _read(path, path)


def _read(path: str, source: str) -> Words:
    import yaml

    text = read_text(path).text
    if len(text) > LONGEST:
        raise InputError(f"{path}: more than {LONGEST:,} characters", _HINT)
    try:
        # Composed, not constructed: YAML takes a bare yes and no for truth values.
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = "" if mark is None else f"line {mark.line + 1}: "
        raise InputError(f"{path}: {where}not YAML: {error.problem}", _HINT) from None
    except (yaml.YAMLError, RecursionError, ValueError):
        raise InputError(f"{path}: not YAML", _HINT) from None
    if not isinstance(root, yaml.MappingNode):
        raise InputError(f"{path}: expected the fields yes and no", _HINT)
    lists: dict[str, dict[str, int]] = {}
    for key, value in root.value:
        name = key.value if isinstance(key, yaml.ScalarNode) else None
        if name not in FIELDS or name in lists:
            what = "the field stands twice" if name in lists else "no such field; the fields are yes and no"
            raise _fault(path, key, str(name or "?"), what)
        lists[name] = dict(_words(path, name, value))
    for name in FIELDS:
        if not lists.get(name):
            raise InputError(f"{path}: field {name}: expected a list of words", _HINT)
    for word, line in lists["no"].items():
        if word in lists["yes"]:
            raise InputError(f'{path}: line {line}: field no: "{word}" is on both lists', _HINT)
    return Words(tuple(lists["yes"]), tuple(lists["no"]), source)


def _words(path: str, name: str, value: yaml.Node) -> Iterator[tuple[str, int]]:
    import yaml

    if not isinstance(value, yaml.SequenceNode):
        raise _fault(path, value, name, "expected a list of words")
    if len(value.value) > MOST:
        raise _fault(path, value, name, f"more than {MOST:,} words")
    for node in value.value:
        if not isinstance(node, yaml.ScalarNode):
            raise _fault(path, node, name, "expected a word")
        word = normalise(node.value)
        if not word or " " in word:
            raise _fault(
                path, node, name, f'"{node.value[:40]}" is not one word, so no answer could match it'
            )
        yield word, node.start_mark.line + 1


def _fault(path: str, node: yaml.Node, name: str, reason: str) -> InputError:
    return InputError(f"{path}: line {node.start_mark.line + 1}: field {name[:40]}: {reason}", _HINT)

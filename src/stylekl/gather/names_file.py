"""The file of names: what the models of any results files are called, their families and their colours, in YAML."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from stylekl.gather.yaml_file import read_yaml
from stylekl.results.names import COLORS, Named, is_color

if TYPE_CHECKING:
    from stylekl.gather.yaml_file import Entry

FIELDS = ("name", "family", "provider", "color", "aliases")
LONGEST = 200  # characters of a name
MOST = 10_000
_MEANT = {"colour": "color", "alias": "aliases", "label": "name", "title": "name", "vendor": "provider"}
_SHAPE = "each line is MODEL: NAME, or MODEL: with the fields " + ", ".join(FIELDS)


def load_names(path: str) -> tuple[Named, ...]:
    """Return what the file at `path` says of models, in its order; who is in no results file does no harm.

    Raises InputError with file, line and field for whatever is not as docs/reading.md says.
    """
    root, source = read_yaml(path, kind="a file of names")
    if root.kind != "fields":
        raise root.error(f"expected the names of models, found {root.kind}", _SHAPE)
    found = tuple(replace(_named(key, entry), source=source) for key, entry in root.members())
    if len(found) > MOST:
        raise root.error(f"{len(found):,} models, and at most {MOST:,} are allowed")
    return found


def _named(key: str, entry: Entry) -> Named:
    place = f"{entry.path}: line {entry.line}"
    if entry.kind == "a list":
        raise entry.error("expected a name or fields, found a list", _SHAPE)
    if entry.kind != "fields":
        return Named(key=key, name=_name(entry), place=place)
    fields = entry.fields(FIELDS, meant=_MEANT)
    color = fields["color"].text(LONGEST) if "color" in fields else None
    if color is not None and not is_color(color):
        raise fields["color"].error(
            f'expected #rrggbb or one of {", ".join(COLORS)}, found "{color[:40]}"', 'quote it: "#e07a5f"'
        )
    return Named(
        key=key,
        name=_name(fields["name"]) if "name" in fields else None,
        family=_name(fields["family"]) if "family" in fields else None,
        provider=_name(fields["provider"]) if "provider" in fields else None,
        color=color,
        aliases=_aliases(fields["aliases"]) if "aliases" in fields else (),
        place=place,
    )


def _aliases(entry: Entry) -> tuple[str, ...]:
    return tuple(map(_name, entry.items())) if entry.kind == "a list" else (_name(entry),)


def _name(entry: Entry) -> str:
    name = entry.text(LONGEST)
    if "\n" in name or "\t" in name:
        raise entry.error("a name stands on one line")
    return name.strip()

"""Names such as `model@2026-01-05`: which model, since when, asked how; and which of a file belong together.

A node is one way of asking one model at one time. Its name takes one of these forms:

    <model>                      without a date
    <model>@YYYY-MM-DD           as the provider runs it
    <model>-t0@YYYY-MM-DD        at temperature 0
    <model>@NNlabel-YYYY-MM-DD   at an effort level; NN, two digits, puts the levels in order

The date is when the experiment started. What the field `node` of a model says counts before its name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from stylekl.errors import UnknownModelError, UsageError
from stylekl.results.find import find_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.results.records import Model, Results

By = Literal["date", "effort", "period"]
Protocol = Literal["deterministic", "distributional"]

_DATED = re.compile(r"(.+?)@(?:(\d\d)(.+)-)?(\d{4}-\d\d-\d\d)", re.DOTALL)
_EFFORT = re.compile(r"(\d\d)(.+)", re.DOTALL)
_FORMS = {"date": "<model>@YYYY-MM-DD", "effort": "<model>@NNlabel-YYYY-MM-DD"}
_ZERO = "-t0"
_NAMED = 6  # more names than this are a list to read, not a hint


@dataclass(frozen=True, slots=True)
class Node:
    """What a name says: the model behind it, the start date (null without one), and how it was asked.

    `effort` is the label of an effort level without its `prefix`, which orders the levels.
    """

    base: str
    date: date | None = None
    protocol: Protocol = "distributional"
    effort: str | None = None
    prefix: int | None = None

    def chain(self, by: By) -> str:
        """Return what siblings have in common: by date all but the date, by effort all but the effort."""
        name = self.base + (_ZERO if self.protocol == "deterministic" else "")
        rest = self.effort if by == "date" else self.date and self.date.isoformat()
        return name if rest is None else f"{name}@{rest}"

    def label(self, by: By) -> str:
        """Return what tells the node from its siblings."""
        if by == "date":
            return self.date.isoformat() if self.date else "undated"
        return self.effort or "no effort"

    def place(self, by: By) -> tuple[Any, ...]:
        """Return the key that puts siblings in order: the undated first, then by date; efforts by prefix."""
        if by == "date":
            return (self.date is not None, self.date or date.min)
        return (self.prefix is None, self.prefix or 0, self.effort or "")


@dataclass(frozen=True, slots=True)
class Chain:
    """Siblings in order: their common name, what orders them, and the id and label of each.

    `results` holds them as models of their own, which for periods are not those of the file.
    """

    name: str
    by: By
    results: Results
    members: tuple[tuple[str, str], ...]


def parse_node(name: str) -> Node:
    """Return what a name says. One of no dated form, or with an impossible date, is a base without a date."""
    found = _DATED.fullmatch(name)
    started = _date(found[4]) if found else None
    if found is None or started is None:
        return _at_zero(Node(name))
    return _at_zero(
        Node(found[1], started, effort=found[3], prefix=None if found[2] is None else int(found[2]))
    )


def node_of(model: Model) -> Node:
    """Return the node that a model is.

    Base, date, protocol and effort are each taken from the field `node` where they can be read there, else from the
    id, or from the name where that has a date and the id has none.
    """
    node = parse_node(model.id)
    if node.date is None and (named := parse_node(model.label)).date is not None:
        node = named
    given = model.node or {}
    base, when, protocol, effort = (given.get(key) for key in ("base", "date", "protocol", "effort"))
    if isinstance(base, str) and base:
        node = replace(node, base=base)
    if isinstance(when, str) and (started := _date(when[:10])):
        node = replace(node, date=started)
    if protocol in ("deterministic", "distributional"):
        node = replace(node, protocol=protocol)
    if isinstance(effort, str) and effort and effort != node.effort:
        found = _EFFORT.fullmatch(effort)
        node = replace(
            node, effort=found[2] if found else effort, prefix=int(found[1]) if found else node.prefix
        )
    return node


def siblings(results: Results, name: str, by: By = "date") -> Chain:
    """Return the siblings of the model that `name` means, in order.

    `name` is what siblings have in common (`model`, `model-t0`, `model@label`), in any case, or the id, name or
    unique beginning of one of them. A model without siblings in time whose replies are of several periods is split
    into one model a period. Raises UnknownModelError where the name means nothing or several things, UsageError where
    there are no siblings, with what the file has.
    """
    if by == "period":
        split = by_period(results, model := find_model(results, name))
        if len(split.members) < 2:
            raise UsageError(
                f'the replies of "{model.label}" are of one period',
                "a reply says its period in the field period",
            )
        return split
    chains = _chains(results, by)
    key = _find(results, chains, name, by)
    members = chains[key]
    if len(members) < 2 and by == "date":
        split = by_period(results, members[0][1])
        if len(split.members) > 1:
            return split
    if len(members) < 2:
        raise _no_siblings(key, chains, by)
    return Chain(key, by, results, tuple((model.id, node.label(by)) for node, model in members))


def by_period(results: Results, model: Model) -> Chain:
    """Return the chain of one model's periods, each a model of its own in copied results; periods sort as text."""
    choices = [row for row in results.other.get("choices", []) if row.get("model") == model.id]
    periods = sorted(
        {reply.period for reply in results.replies if reply.model == model.id}
        | {row.get("period") for row in choices},
        key=lambda p: p or "",
    )
    taken = {other.id for other in results.models}
    ids = {period: _free(f"{model.id}@{period or 'no period'}", taken) for period in periods}
    models = [
        msgspec.structs.replace(model, id=ids[period], name=f"{model.label}@{period or 'no period'}")
        for period in periods
    ]
    split = replace(
        results,
        models=[*(other for other in results.models if other.id != model.id), *models],
        replies=[
            msgspec.structs.replace(reply, model=ids[reply.period]) if reply.model == model.id else reply
            for reply in results.replies
        ],
        other=results.other
        | (
            {
                "choices": [
                    row | {"model": ids[row.get("period")]} if row.get("model") == model.id else row
                    for row in results.other["choices"]
                ]
            }
            if choices
            else {}
        ),
    )
    return Chain(model.label, "period", split, tuple((ids[p], p or "no period") for p in periods))


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "~"
    return name


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _at_zero(node: Node) -> Node:
    base = node.base.removesuffix(_ZERO)
    return replace(node, base=base, protocol="deterministic") if base not in ("", node.base) else node


def _chains(results: Results, by: By) -> dict[str, list[tuple[Node, Model]]]:
    """Return the nodes of a file by what siblings have in common; by effort only those with one."""
    chains: dict[str, list[tuple[Node, Model]]] = {}
    for model in results.models:
        node = node_of(model)
        if by == "date" or node.effort is not None:
            chains.setdefault(node.chain(by), []).append((node, model))
    for members in chains.values():
        members.sort(key=lambda member: (*member[0].place(by), member[1].id))
    return chains


def _find(results: Results, chains: dict[str, list[tuple[Node, Model]]], name: str, by: By) -> str:
    """Return the key of the chain that a name means: its own name, one of its members, a unique beginning."""
    folded = name.casefold()
    for fits in (str.__eq__, str.startswith):
        found = sorted(key for key in chains if name and fits(key.casefold(), folded))
        exact = [key for key in found if key == name]
        if len(exact or found) == 1:
            return (exact or found)[0]
        if found:
            raise UnknownModelError(name, found, ambiguous=True)
    if not chains and by == "effort":
        raise UsageError("no model of the file has an effort level", f"they are named {_FORMS[by]}")
    several = sorted(key for key, members in chains.items() if len(members) > 1)
    near = get_close_matches(name, several, n=_NAMED)
    try:
        key = node_of(find_model(results, name)).chain(by)
    except UnknownModelError:
        if near:
            raise UnknownModelError(name, near) from None
        raise
    if key not in chains:
        raise _no_siblings(key, chains, by)
    return key


def _no_siblings(name: str, chains: dict[str, list[tuple[Node, Model]]], by: By) -> UsageError:
    several = sorted(key for key, members in chains.items() if len(members) > 1)
    what = "date" if by == "date" else "effort level"
    known = f"; these have: {_listed(several)}" if several else ", nor has any model of the file"
    return UsageError(
        f'"{name}" has no sibling of another {what}{known}',
        f"siblings are named {_FORMS[by]}, or say so in the field node",
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (" …" if len(names) > _NAMED else "")

"""Prompts by the million: put into groups by a hash of their text, which take the place of single prompts.

A partial of single prompts grows with them. In groups it does not: a group is a row, and what is resampled. What tells
whether two models answered the same prompts of a group is a sum over their replies of a digest of the prompt.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from stylekl.counts.scale.mapping import decoded, encoded
from stylekl.counts.scale.partial import Head, Partial, least, merge, ordered, summed
from stylekl.results.records import Prompt

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST = 200_000  # prompts beyond which they are put into groups, unless that was asked for before
GROUPS = 4096
_ODD = np.int64(0x5851F42D4C957F2D)  # spreads a digest, so that a sum with it is no sum of two others


def merge_or_group(*parts: Partial) -> Partial:
    """Merge partials, in groups of prompts where one of them has such or where there are too many prompts.

    Associative and commutative, as `merge` is: whether prompts are grouped depends on how many there are in all.
    """
    if any(part.groups for part in parts):
        number = max(part.groups for part in parts)
        return merge(*(grouped(part, number) for part in parts))
    whole = merge(*parts)
    return grouped(whole, GROUPS) if len(whole.names.prompts) > MOST else whole


def grouped(partial: Partial, number: int) -> Partial:
    """Return a partial with so many groups in the place of its prompts; itself where it has groups already.

    Prompts that count and those that do not, and those of different topics, are in groups of their own.
    """
    if partial.groups:
        return partial
    prompts = [decoded(Prompt, data) for data in partial.names.prompts]
    digests = [hashlib.sha256(each.text.encode("utf-8", "surrogatepass")).digest() for each in prompts]
    records = [
        encoded(_group(prompt, int.from_bytes(digest[:8], "big") % number, number))
        for prompt, digest in zip(prompts, digests, strict=True)
    ]
    names = tuple(sorted(set(records)))
    index = {name: place for place, name in enumerate(names)}
    place = np.array([index[record] for record in records], np.int64)
    mark = np.array([int.from_bytes(digest[8:16], "big", signed=True) for digest in digests], np.int64)
    cells = partial.cells
    asked = np.column_stack([cells.at.astype(np.int64), mark[cells.at[:, 1]] * cells.replies])
    copies, identities = partial.copies.copy(), partial.identities.copy()
    with np.errstate(over="ignore"):
        copies[:, 3] += mark[copies[:, 1]] * _ODD
        identities[:, 4] += mark[identities[:, 1]] * _ODD
    at = cells.at.copy()
    at[:, 1] = place[at[:, 1]]
    return Partial(
        splits=partial.splits,
        heads=tuple(_head(head, place) for head in partial.heads),
        names=partial.names._replace(prompts=names),
        cells=cells.placed(at),
        tallies=summed(_moved(partial.tallies, 1, place)),
        firsts=least(_moved(partial.firsts, 0, place)),
        copies=summed(_moved(copies, 1, place)),
        identities=ordered(_moved(identities, 1, place)),
        asked=summed(_moved(asked, 1, place)),
        groups=number,
    )


def _group(prompt: Prompt, group: int, number: int) -> Prompt:
    """Return the group of a prompt as a prompt."""
    kind = None if prompt.kind == "open" else prompt.kind
    about = [f"topic {prompt.topic}"] if prompt.topic is not None else []
    about += [f"kind {kind}"] if kind is not None else []
    about += ["retired"] if prompt.retired is not None else []
    name = ", ".join([f"group {group + 1} of {number}", *about])
    return Prompt(
        id=name, text=name, topic=prompt.topic, kind=kind, retired=None if prompt.retired is None else {}
    )


def _head(head: Head, place: NDArray[np.int64]) -> Head:
    """Return a head with the groups of its prompts, in the order in which they come first."""
    moved = place[head.prompts]
    found, first = np.unique(moved, return_index=True)
    return replace(head, prompts=found[np.argsort(first)].astype(np.int32))


def _moved(rows: NDArray[np.int64], column: int, place: NDArray[np.int64]) -> NDArray[np.int64]:
    rows = rows.copy()
    rows[:, column] = place[rows[:, column]]
    return rows

"""What every lens but style reports alike: its models, a cell of its matrix, the matrix.

A lens is a package here that exports `NAME`, `Options`, `has_data`, `matrix`, `pair`, `focus`, `inquire`, and `KINDS`
and `MISSING`, how its findings are said; `rank` and `drift` where it has them. `registry` lists the lenses.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class LensModel:
    """What one model brings to a lens: counts by what is counted, and how many units were left out, by reason."""

    id: str
    name: str
    counts: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    unit: str = "reply"


@dataclass(frozen=True, slots=True)
class LensPair:
    """One pair of models, a < b by id: `value` in row a and column b, with its 95 % interval.

    `n` is how many units both have. `back` is the cell of row b and column a where the measure has a direction, and
    null where both cells are the same. `undefined` says why a value is null; `detail` holds what else the lens knows.
    """

    a: str
    b: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    p: float | None = None
    q: float | None = None
    call: str | None = None
    back: float | None = None
    undefined: str | None = None
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LensMatrix:
    """How far every model is from every other by one lens; of a `diverging` measure, a share with ½ in the middle.

    `order` lists the ids of the models, `pairs` every pair once, sorted by ids; `notes` say what a cell is.
    """

    by: str
    measure: str
    unit: str
    models: tuple[LensModel, ...]
    order: tuple[str, ...]
    pairs: tuple[LensPair, ...]
    clusters: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    diverging: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Sections:
    """The reports of several lenses on one question, by lens.

    The parameters are those of the first lens, with those of the others under their names.
    """

    parts: Mapping[str, Any]
    params: dict[str, Any]
    warnings: tuple[str, ...]


def sections(parts: Mapping[str, Any], warnings: tuple[str, ...] = ()) -> Sections:
    """Join the reports of one lens or more; `warnings` come before theirs, each once."""
    first, *rest = parts
    return Sections(
        parts=parts,
        params=parts[first].params | {name: parts[name].params for name in rest},
        warnings=tuple(dict.fromkeys([*warnings, *(w for part in parts.values() for w in part.warnings)])),
    )

"""The findings of the choices lens: what it looked at, and what it says once every q is known."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from stylekl.lenses.choices.claims import KINDS, claims
from stylekl.lenses.choices.ground import Ground
from stylekl.lenses.choices.lacks import MISSING, lacks
from stylekl.lenses.choices.options import Options
from stylekl.lenses.choices.questions import loaded
from stylekl.lenses.choices.saying import key
from stylekl.lenses.choices.sides import lens_model
from stylekl.lenses.choices.table import shown
from stylekl.lenses.claims import Inquiry
from stylekl.lenses.words import plural

if TYPE_CHECKING:
    from stylekl.results.records import Results


def inquire(results: Results, options: Options | None = None) -> Inquiry:
    """Return the hypotheses of the lens and how its sentences are made; see `lenses.claims.Inquiry`.

    A preference is tested with the family of envelopes as unit, position and language with the pair of words, two nodes
    with pair and envelope; docs/choices.md says how.
    """
    options = options or Options()
    found = loaded(results, options)
    ground = Ground(found, shown(results, found, options))
    families = []
    for family in ground.hypotheses():
        kind, _, name = family.key.partition(" ")
        families.append(replace(family, key=key(kind, name)))
    least, most = found.distinct
    texts = str(most) if least == most else f"{least} to {most}"
    note = ", ".join(
        (
            plural(len(ground.shown), "model"),
            f"{plural(len(found.pairs), 'pair')} of words",
            f"{texts} distinct texts of {plural(len(found.envelopes), 'envelope')} in both orders",
            "1 reply"
            if found.cells.counts.sum() == 1
            else f"{int(found.replies[ground.shown].sum()):,} replies",
        )
    )
    return Inquiry(
        lens="choices",
        families=families,
        claims=lambda control: claims(ground, control),
        lacks=lambda control: lacks(ground, control),
        kinds=KINDS,
        missing=MISSING,
        models=tuple(lens_model(found, i) for i in ground.shown),
        note=note,
        params=options.params("models"),
        warnings=tuple(found.warnings),
    )

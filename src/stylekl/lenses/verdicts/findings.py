"""What this lens brings to the findings: its hypotheses, its sentences, and what it rests on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from stylekl.lenses.claims import Inquiry
from stylekl.lenses.verdicts.claims import KINDS, claims
from stylekl.lenses.verdicts.ground import Ground
from stylekl.lenses.verdicts.lacks import MISSING, lacks
from stylekl.lenses.verdicts.material import gather
from stylekl.lenses.verdicts.options import Options
from stylekl.lenses.verdicts.standings import lens_model
from stylekl.lenses.words import plural

if TYPE_CHECKING:
    from stylekl.results import Results


def inquire(results: Results, options: Options | None = None) -> Inquiry:
    """Return the inquiry into one edition, and into the changes from each edition to the next.

    Every hypothesis is looked at on the whole file. Raises what `gather` raises.
    """
    material = gather(results, options or Options())
    ground = Ground(material)
    base = ground.base()
    least, most = base["least_samples"], base["samples"]
    each = f"{most}" if least == most else f"{least} to {most}"
    note = (
        f"{plural(len(ground.models), 'model')}, {plural(base['questions'], 'question')}, "
        f"{plural(len(ground.framings) + 1, 'condition')}, {each} {'sample' if each == '1' else 'samples'} each"
    )
    if base["editions"] > 1:
        note += f"; edition {base['period'] or 'undated'} of {base['editions']}, and the changes between them"
    return Inquiry(
        lens="verdicts",
        families=ground.families(),
        claims=partial(claims, ground),
        lacks=partial(lacks, ground),
        kinds=KINDS,
        missing=MISSING,
        models=tuple(lens_model(material, model, material.period) for model in material.shown),
        note=note,
        params=material.options.params("models")
        | {"condition": material.condition, "period": material.period},
        warnings=material.warnings,
    )

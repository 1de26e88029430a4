"""The kinds of findings of the style lens: a module for each family of them."""

from stylekl.lenses.style.claims import drift, facets, groups, habits, lengths, pairs, prompts, tells
from stylekl.lenses.style.claims.unsupported import MISSING

KINDS = {
    **pairs.KINDS,
    **groups.KINDS,
    **tells.KINDS,
    **habits.KINDS,
    **lengths.KINDS,
    **facets.KINDS,
    **prompts.KINDS,
    **drift.KINDS,
}
HYPOTHESES = (pairs.hypotheses, groups.hypotheses, tells.hypotheses, habits.hypotheses, lengths.hypotheses)

__all__ = ["HYPOTHESES", "KINDS", "MISSING"]

"""The seal: while the arena has too few votes, nothing but how many there are leaves this lens.

Every question goes through `opened`, which returns either the fights or a `Sealed` report; a sealed arena's fights
reach nobody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stylekl.errors import UsageError
from stylekl.lenses.frame import LensModel
from stylekl.lenses.votes.ballots import Ballots
from stylekl.lenses.votes.reports import Sealed
from stylekl.results.select_votes import select_votes, vote_sources

if TYPE_CHECKING:
    from stylekl.lenses.votes.options import Options
    from stylekl.results import Results
    from stylekl.results.select_votes import Source, VoteSelection

_PREFERRED: tuple[Source, ...] = ("panel", "import", "arena")


def opened(results: Results, options: Options) -> Ballots | Sealed:
    """Return the fights of the source asked for, or how far its seal is.

    Without a source the panel's votes are taken where there are any, else imported ones, else the arena's. Raises
    UsageError where there are no votes of the source, or none that counts.
    """
    options.check()
    there = vote_sources(results)
    source = options.source or next((each for each in _PREFERRED if each in there), None)
    if source is None:
        raise UsageError("the results hold no votes", "docs/votes.md says how a file holds them")
    if source not in there:
        listed = ", ".join(f"{name} ({count:,})" for name, count in there.items()) or "none"
        raise UsageError(f"the results hold no votes of source {source}", f"they hold: {listed}")
    others: dict[str, int] = {name: count for name, count in there.items() if name != source}
    selection = select_votes(results, source, topics=options.topics, prompts=options.prompts)
    if source == "arena" and is_sealed(selection, options):
        return _sealed(results, selection, options, others)
    if not selection.fights:
        reasons = ", ".join(f"{reason} ({count:,})" for reason, count in selection.left_out.items())
        raise UsageError(f"none of {selection.votes:,} {source} votes counts", f"left out: {reasons}")
    return Ballots(results, selection, options, others)


def is_sealed(selection: VoteSelection, options: Options) -> bool:
    """Tell whether a model lacks battles or the arena lacks votes; topics and prompts chosen do not matter."""
    least = min(selection.battles.values(), default=0)
    return least < options.seal_battles or selection.battles_in_all < options.seal_votes


def _sealed(results: Results, selection: VoteSelection, options: Options, others: dict[str, int]) -> Sealed:
    return Sealed(
        source=selection.source,
        votes=selection.battles_in_all,
        votes_needed=options.seal_votes,
        battles_needed=options.seal_battles,
        models=tuple(
            LensModel(model.id, model.label, {"battles": selection.battles[model.id]}, unit="vote")
            for model in sorted(results.models, key=lambda each: each.id)
        ),
        others=others,
        params=options.params() | {"source": selection.source},
        warnings=selection.warnings,
    )


def progress_notes(sealed: Sealed) -> tuple[str, ...]:
    """Return in sentences that the arena is sealed and how far it is."""
    short = [model for model in sealed.models if model.counts["battles"] < sealed.battles_needed]
    least = min((model.counts["battles"] for model in sealed.models), default=0)
    lines = [
        "The arena is sealed: no score, rank or share is shown until every model has "
        f"{sealed.battles_needed:,} battles and there are {sealed.votes_needed:,} votes in all.",
        f"Votes so far: {sealed.votes:,} of {sealed.votes_needed:,}. Models with enough battles: "
        f"{len(sealed.models) - len(short)} of {len(sealed.models)}; the fewest is {least:,}.",
    ]
    if sealed.others:
        listed = " and ".join(f"--source {name} ({count:,} votes)" for name, count in sealed.others.items())
        lines.append(f"Not sealed: {listed}.")
    return tuple(lines)

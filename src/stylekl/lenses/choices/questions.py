"""The choices lens's answers: all pairs of nodes, two nodes, one node, and sharpness."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stylekl.errors import ConflictError, InputError, UsageError
from stylekl.lenses.choices.options import Options
from stylekl.lenses.choices.reports import (
    Both,
    ChoicesFocusReport,
    ChoicesPairReport,
    Neighbour,
    SharpnessReport,
    Theme,
    Triple,
)
from stylekl.lenses.choices.sides import (
    all_rates,
    asked_of,
    compare,
    lens_model,
    names_of,
    rates,
    simple_share,
    stand,
    stands,
    verdict,
)
from stylekl.lenses.choices.table import has_choices, shown, table
from stylekl.lenses.frame import LensMatrix, LensPair
from stylekl.measure import choices as measure
from stylekl.measure.ordering import by_linkage
from stylekl.results.find import find_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.choices.reports import Stand
    from stylekl.lenses.choices.table import Table
    from stylekl.results.records import Results

LISTED = 8  # sharpest and softest preferences of a focus
FIRM = 0.5  # share of the answered envelopes with the preferred word, from which a preference is firm
UNITS = {
    "hamming": "share of pairs on which two fingerprints differ",
    "violent": "share of pairs on which both chose, and opposite words",
    "sharpness": "share of envelopes by which one word is ahead",
}


def loaded(results: Results, options: Options) -> Table:
    """Return the table of a file; raises UsageError where it holds no choices."""
    if not has_choices(results):
        raise UsageError(
            "the results hold no choices",
            "`stylekl probe` asks for them; docs/choices.md says which records they are",
        )
    try:
        return table(results, options)
    except InputError as error:
        if len(results.sources) != 1 or isinstance(error, ConflictError):
            raise
        raise InputError(f"{results.sources[0].path}: {error.message}", error.hint) from None


def matrix(results: Results, options: Options | None = None) -> LensMatrix | SharpnessReport:
    """Return how far every node is from every other, or with `measure` "sharpness" nodes against pairs of words.

    Hamming: the share of the pairs that both were asked on which their cross-envelope preferences differ, none included
    as a value. Violent: the share on which both chose and chose opposite words. Null without a pair in common.
    Intervals are Wilson's, with the pair of words as unit; p asks whether one responder could have given both, q is
    over all pairs shown.
    """
    options = options or Options()
    found = loaded(results, options)
    nodes = shown(results, found, options)
    if options.measure == "sharpness":
        return sharpness(found, nodes, options)
    pairs = compare(found, nodes, options.measure)
    order, clusters = ordered(results, found, nodes, pairs, options.order)
    return LensMatrix(
        by="choices",
        measure=options.measure,
        unit=UNITS[options.measure],
        models=tuple(lens_model(found, i) for i in nodes),
        order=tuple(order),
        pairs=tuple(pairs),
        clusters=tuple(clusters),
        notes=_notes(found, options.measure),
        params=options.params("models", "measure", "order"),
        warnings=(*results.warnings, *found.warnings),
    )


def _notes(found: Table, kind: str) -> tuple[str, ...]:
    least, most = found.distinct
    texts = f"{least}" if least == most else f"{least} to {most}"
    pairs = f"{len(found.pairs)} pair{'s' * (len(found.pairs) != 1)} of words"
    first = {
        "hamming": f"A cell is the share of {pairs} on which two fingerprints differ; no preference counts as a value.",
        "violent": f"A cell is the share of {pairs} on which both chose, and opposite words.",
        "sharpness": "A cell is the number of envelopes by which one word is ahead, over all that were answered.",
    }[kind]
    return (
        first,
        f"A preference is what a strict majority of the envelopes with a real preference says; {texts} distinct "
        f"texts a "
        f"pair, of {len(found.envelopes)} envelopes.",
    )


def ordered(
    results: Results, found: Table, nodes: Sequence[int], pairs: Sequence[LensPair], how: str
) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return the ids of the nodes in the order of the rows, and the clusters in it."""
    ids = [found.nodes[i].id for i in nodes]
    names = dict(zip((node.id for node in found.nodes), names_of(found), strict=True))
    if how == "file":
        return [model.id for model in results.models if model.id in set(ids)], []
    if how == "name":
        return sorted(ids, key=lambda each: (names[each].casefold(), each)), []
    place = {each: i for i, each in enumerate(ids)}
    distances = np.full((len(ids), len(ids)), np.nan)
    for pair in pairs:
        if pair.value is not None:
            i, j = place[pair.a], place[pair.b]
            distances[i, j] = distances[j, i] = pair.value
    order, clusters = by_linkage(distances, ids)
    return [ids[i] for i in order], [tuple(ids[i] for i in cluster) for cluster in clusters]


def sharpness(found: Table, nodes: Sequence[int], options: Options) -> SharpnessReport:
    """Return nodes against pairs of words: how far the envelopes agree."""
    held = {found.nodes[i].id: stands(found, i) for i in nodes}
    mean = {
        each: float(np.mean([s.sharpness for s in told if s.sharpness is not None]))
        for each, told in held.items()
        if any(s.sharpness is not None for s in told)
    }
    by_pair: dict[str, list[float]] = {}
    for told in held.values():
        for each in told:
            if each.sharpness is not None:
                by_pair.setdefault(each.pair, []).append(each.sharpness)
    columns = sorted(by_pair, key=lambda pair: (-float(np.mean(by_pair[pair])), pair))
    order = sorted(held, key=lambda each: (-mean.get(each, -1.0), each))
    place = {pair: i for i, pair in enumerate(columns)}
    return SharpnessReport(
        measure="sharpness",
        unit=UNITS["sharpness"],
        models=tuple(lens_model(found, i) for i in nodes),
        order=tuple(order),
        columns=tuple(columns),
        mean=mean,
        stands={
            each: tuple(sorted((s for s in held[each] if s.pair in place), key=lambda s: place[s.pair]))
            for each in order
        },
        rates={found.nodes[i].id: rates(found, i, range(len(found.envelopes))) for i in nodes},
        asked=asked_of(found),
        notes=_notes(found, "sharpness"),
        params=options.params("models", "measure"),
        warnings=tuple(found.warnings),
    )


def pair(results: Results, a: str, b: str, options: Options | None = None) -> ChoicesPairReport:
    """Return where two nodes agree, where they disagree and how firmly, by theme.

    Raises UnknownModelError for a name, UsageError for one model twice or one without choices.
    """
    options = options or Options()
    found = loaded(results, options)
    one, other = (_node(results, found, name) for name in (a, b))
    if one == other:
        raise UsageError(f'"{a}" and "{b}" are one model', "name two")
    (measured,) = compare(found, [one, other])
    _, _, opposite = measure.agreement(found.prints[[one, other]])
    both = tuple(_both(found, one, other, i) for i in range(len(found.pairs)))
    both = tuple(each for each in both if each.verdict != "not asked")
    themes = list(dict.fromkeys(each.theme for each in both))
    themes.sort(key=lambda theme: (theme is None, theme or ""))
    places = range(len(found.envelopes))
    return ChoicesPairReport(
        a=lens_model(found, one),
        b=lens_model(found, other),
        pair=measured,
        violent=simple_share(int(opposite[0, 1]), measured.n),
        themes=tuple(_theme(theme, [each for each in both if each.theme == theme]) for theme in themes),
        stands=both,
        rates=(rates(found, one, places), rates(found, other, places)),
        asked=asked_of(found),
        params=options.params(),
        warnings=(*results.warnings, *found.warnings),
    )


def _node(results: Results, found: Table, name: str) -> int:
    model = find_model(results, name)
    place = found.place(model.id)
    if place is None:
        raise UsageError(
            f'"{model.label}" has no choices here', "`stylekl matrix --by choices` shows who has"
        )
    return place


def _both(found: Table, one: int, other: int, i: int) -> Both:
    a, b = stand(found, one, i), stand(found, other, i)
    return Both(a.pair, a.theme, a.words, a, b, verdict(a, b))


def firm(each: Stand) -> bool:
    """Tell whether the preferred word was chosen in at least half of the envelopes that were answered."""
    return each.pick in ("a", "b") and each.answered > 0 and getattr(each, each.pick) / each.answered >= FIRM


def _theme(theme: str | None, both: Sequence[Both]) -> Theme:
    count = {kind: sum(each.verdict == kind for each in both) for kind in _VERDICTS}
    differ = count["opposite"] + count["one chose"]
    return Theme(
        theme=theme,
        pairs=len(both),
        agree=count["agree"],
        opposite=count["opposite"],
        one_chose=count["one chose"],
        neither_chose=count["neither chose"],
        firm=sum(firm(each.a) and firm(each.b) for each in both),
        differ=simple_share(differ, len(both)),
    )


_VERDICTS = ("agree", "opposite", "one chose", "neither chose")


def focus(results: Results, model: str, options: Options | None = None) -> ChoicesFocusReport:
    """Return one node: fingerprint, sharpest and softest preferences, neighbours, intransitive triples, order bias.

    Raises UnknownModelError for a name, UsageError for a model without choices.
    """
    options = options or Options()
    found = loaded(results, options)
    node = _node(results, found, model)
    held = stands(found, node)
    chosen = [each for each in held if each.pick in ("a", "b")]
    sharp = sorted(chosen, key=lambda each: (-(each.sharpness or 0.0), -each.answered, each.pair))
    soft = sorted(chosen, key=lambda each: (each.sharpness or 0.0, each.pair))
    total, families, envelopes = all_rates(found, node)
    beside = sorted({*shown(results, found, options), node})
    cycles, possible = triples_of(held)
    return ChoicesFocusReport(
        model=lens_model(found, node),
        fingerprint=held,
        sharpest=tuple(each.pair for each in sharp[:LISTED]),
        softest=tuple(each.pair for each in soft[:LISTED]),
        neighbours=_neighbours(found, node, beside),
        triples=cycles,
        triples_possible=possible,
        total=total,
        families=families,
        envelopes=envelopes,
        asked=asked_of(found),
        params=options.params("models"),
        warnings=(*results.warnings, *found.warnings),
    )


def _neighbours(found: Table, node: int, beside: Sequence[int]) -> tuple[Neighbour, ...]:
    own = found.nodes[node].id
    names = dict(zip((each.id for each in found.nodes), names_of(found), strict=True))
    compared = [each for each in compare(found, beside) if own in (each.a, each.b)]
    other = {id(each): each.b if each.a == own else each.a for each in compared}
    compared.sort(key=lambda each: (each.value is None, each.value or 0.0, other[id(each)]))
    ranked = []
    for each in compared:
        nearer = sum(
            one.value is not None and each.value is not None and one.value < each.value for one in compared
        )
        place = 1 + (nearer if each.value is not None else sum(one.value is not None for one in compared))
        ranked.append(Neighbour(other[id(each)], names[other[id(each)]], place, each))
    return tuple(ranked)


def triples_of(held: Sequence[Stand]) -> tuple[tuple[Triple, ...], int]:
    """Return the intransitive triples among preferences, and of how many triples of words all three are decided.

    A word is the same in every pair that spells it the same, case apart. Where two pairs have the same two words and
    disagree, neither counts.
    """
    numbers: dict[str, int] = {}
    spelled: list[str] = []
    over: dict[tuple[int, int], str] = {}
    for each in held:
        if each.pick not in ("a", "b"):
            continue
        ranked = each.words if each.pick == "a" else each.words[::-1]
        for word in ranked:
            if numbers.setdefault(word.casefold(), len(spelled)) == len(spelled):
                spelled.append(word)
        over.setdefault((numbers[ranked[0].casefold()], numbers[ranked[1].casefold()]), each.pair)
    sure = {key: pair for key, pair in over.items() if key[::-1] not in over and key[0] != key[1]}
    winner, loser = (np.array([key[i] for key in sure], np.int64) for i in (0, 1))
    found = tuple(
        sorted(
            (
                Triple((spelled[x], spelled[y], spelled[z]), (sure[x, y], sure[y, z], sure[z, x]))
                for x, y, z in measure.triples(winner, loser)
            ),
            key=lambda each: each.words,
        )
    )
    beside: dict[int, set[int]] = {}
    for x, y in sure:
        beside.setdefault(x, set()).add(y)
        beside.setdefault(y, set()).add(x)
    possible = sum(len(beside[x] & beside[y]) for x, y in sure) // 3
    return found, possible

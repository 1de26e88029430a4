"""What is odd about one model's replies, taken by themselves or beside those of the others."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from statistics import median
from typing import TYPE_CHECKING

from stylekl.lenses.quality import thresholds as at
from stylekl.lenses.quality.reports import QualityFinding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stylekl.lenses.quality.languages import Spoken
    from stylekl.lenses.quality.reports import Severity
    from stylekl.lenses.quality.tally import Ground, Seen

# What counts by itself, however rare: it is no reply, or no text that the model meant.
_ALWAYS = {
    "error": "an error in place of a reply",
    "placeholder": "a placeholder in place of a reply",
    "special_tokens": "control tokens of a chat template in the text",
    "reasoning": "reasoning in the text",
    "mojibake": "UTF-8 that was read as another encoding",
    "nul": "NUL characters in the text",
}
_WHERE_COMMON = {
    "placeholder_text": "a text that programs write where a reply is missing",
    "empty": "no text",
    "loop": "the same stretch over and over",
    "escapes": "HTML escapes outside code",
    "replacement": "characters that were lost (U+FFFD)",
}


def of_models(ground: Ground, spoken: Spoken) -> Iterator[QualityFinding]:
    """Yield the findings about each model."""
    typical = [median(tally.lengths) if tally.lengths else None for tally in ground.tallies]
    far = _far_longer(ground)
    ordered = sorted(value for value in typical if value is not None)
    for index, tally in enumerate(ground.tallies):
        hollow = [*_near_empty(ground, index, _of_others(ordered, typical[index])), *_constant(ground, index)]
        yield from hollow
        for kind, seen in sorted(tally.seen.items()):
            if not (hollow and kind in ("empty", "loop")):
                yield from _defect(ground, index, kind, seen)
        if index in far:
            text = f"more than {at.FAR} times as long as the median of the others, and over {at.FAR_LEAST} characters"
            yield _of_replies(ground, index, "far_longer", "note", text, far[index])
        yield from _language(ground, index, spoken)


def _of_others(ordered: list[float], own: float | None) -> float | None:
    """Return the median of sorted values without `own`, which is one of them; null without another."""
    if own is None:
        return median(ordered) if ordered else None
    size, place = len(ordered) - 1, bisect_left(ordered, own)
    if not size:
        return None
    middle = [each + (each >= place) for each in ((size - 1) // 2, size // 2)]
    return (ordered[middle[0]] + ordered[middle[1]]) / 2


def _of_replies(
    ground: Ground, index: int, kind: str, severity: Severity, text: str, seen: Seen
) -> QualityFinding:
    results = ground.results
    return QualityFinding(
        kind=kind,
        severity=severity,
        models=(results.models[index].id,),
        text=text,
        replies=seen.replies,
        of=ground.tallies[index].replies,
        prompts=len(seen.prompts),
        listed=tuple(results.prompts[each].id for each in sorted(seen.prompts)[: at.LISTED]),
        place=results.place(seen.first),
    )


def _defect(ground: Ground, index: int, kind: str, seen: Seen) -> Iterator[QualityFinding]:
    share = seen.replies / ground.tallies[index].replies
    several = seen.replies >= at.SEVERAL
    if kind in _ALWAYS:
        yield _of_replies(ground, index, kind, "trouble", _ALWAYS[kind], seen)
    elif kind in _WHERE_COMMON:
        severity: Severity = "trouble" if several and share >= at.COMMON else "note"
        yield _of_replies(ground, index, kind, severity, _WHERE_COMMON[kind], seen)
    elif kind == "truncated":
        severity = "trouble" if several and share >= at.CUT_OFTEN else "note"
        yield _of_replies(ground, index, kind, severity, "cut by a limit of length", seen)
    elif kind == "filtered":
        yield _of_replies(ground, index, kind, "note", "cut by a filter of the provider", seen)
    elif kind == "leading_space" and share >= at.NEARLY_ALL and seen.replies >= at.SOME:
        yield _of_replies(ground, index, kind, "note", "white space before the first word", seen)


def _near_empty(ground: Ground, index: int, others: float | None) -> Iterator[QualityFinding]:
    """Yield a finding where most replies are blank, or a few characters where the others write prose."""
    tally = ground.tallies[index]
    size = len(tally.lengths)
    if not size:
        return
    blank = sum(length == 0 for length in tally.lengths)
    if blank > at.MOST * size:
        yield _of_short(ground, index, "trouble", "most replies have no text", 0)
        return
    short = sum(length <= at.SHORT for length in tally.lengths)
    if short <= at.MOST * size:
        return
    text = f"most replies have at most {at.SHORT} characters"
    if others is None:
        yield _of_short(ground, index, "note", text, at.SHORT)
    elif others >= at.PROSE:
        yield _of_short(
            ground, index, "trouble", f"{text}; half of the others have {others:,.0f} or more", at.SHORT
        )


def _of_short(ground: Ground, index: int, severity: Severity, text: str, most: int) -> QualityFinding:
    from stylekl.lenses.quality.tally import Seen

    tally, seen = ground.tallies[index], Seen()
    for length, prompt, place in zip(tally.lengths, tally.prompts, tally.places, strict=True):
        if length <= most:
            seen.add(place, prompt)
    return _of_replies(ground, index, "near_empty", severity, text, seen)


def _constant(ground: Ground, index: int) -> Iterator[QualityFinding]:
    """Yield a finding where nearly all replies are one text, to prompts that are several."""
    tally = ground.tallies[index]
    size, prompts = len(tally.lengths), len(set(tally.prompts))
    if prompts < at.FEW_PROMPTS:
        return
    key, times = max(tally.texts.items(), key=lambda item: item[1])
    if times < at.CONSTANT * size or key == hash(""):
        return
    results = ground.results
    yield QualityFinding(
        kind="constant",
        severity="trouble",
        models=(results.models[index].id,),
        text="one text for nearly all prompts" if times < size else "one text for all prompts",
        replies=times,
        of=tally.replies,
        prompts=prompts,
        place=results.place(tally.first_of[key]),
    )


def _far_longer(ground: Ground) -> dict[int, Seen]:
    """Return the replies of each model that are far longer than what the other models wrote to the same prompt."""
    from stylekl.lenses.quality.tally import Seen

    rare = [
        (index, length, prompt, place)
        for index, tally in enumerate(ground.tallies)
        for length, prompt, place in zip(tally.lengths, tally.prompts, tally.places, strict=True)
        if length >= at.FAR_LEAST
    ]
    wanted = {prompt for _, _, prompt, _ in rare}
    lengths: dict[int, list[tuple[int, int]]] = {}
    for index, tally in enumerate(ground.tallies):
        for length, prompt in zip(tally.lengths, tally.prompts, strict=True):
            if prompt in wanted:
                lengths.setdefault(prompt, []).append((index, length))
    found: dict[int, Seen] = {}
    for index, length, prompt, place in rare:
        others = [other for owner, other in lengths[prompt] if owner != index]
        if len(others) >= at.OTHERS and length > at.FAR * median(others):
            found.setdefault(index, Seen()).add(place, prompt)
    return found


def _language(ground: Ground, index: int, spoken: Spoken) -> Iterator[QualityFinding]:
    """Yield a finding where a model writes another language than it was asked in, and the others do not."""
    told = spoken.pairs(index)
    if len(told) < at.TOLD:
        return
    other = [each for each in told if each.asked != each.said]
    if len(other) < at.OTHER_LANGUAGE * len(told):
        return
    shares = [
        sum(each.asked != each.said for each in pairs) / len(pairs)
        for place in range(len(ground.tallies))
        if place != index and len(pairs := spoken.pairs(place)) >= at.TOLD
    ]
    usual = median(shares) if shares else None
    if usual is not None and usual > at.USUAL_LANGUAGE:
        return
    counted = Counter((each.asked, each.said) for each in other)
    asked, said = max(sorted(counted), key=counted.__getitem__)
    yield QualityFinding(
        kind="language",
        severity="note" if usual is None else "trouble",
        models=(ground.results.models[index].id,),
        text=f"answers in {said} where the prompt is in {asked}"
        + ("" if usual is None else ", unlike the others"),
        replies=len(other),
        of=len(told),
        place=ground.results.place(min(each.place for each in other)),
    )

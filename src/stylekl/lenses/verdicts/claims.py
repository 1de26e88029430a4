"""The sentences about verdicts that a file supports, each with the facts it is made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.lenses.claims import COUNTED, Claim, Control, Kind
from stylekl.lenses.verdicts.exact import differ, homogeneous, more
from stylekl.lenses.verdicts.ground import DIVIDED, EDITIONS, FORM, PAIRS, Change, Ground, framing_key
from stylekl.lenses.words import at_most, call, called, chance, listed, plural
from stylekl.measure.families import LEVEL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from stylekl.lenses.words import Voice


def claims(ground: Ground, control: Control) -> Iterator[Claim]:
    """Yield every sentence that holds, given every q."""
    yield from _apart(ground, control)
    yield from _moved(ground, control)
    yield from _steady(ground, control)
    yield from _form(ground, control)
    yield from _divided(ground, control)
    yield from _flipped(ground, control)
    yield from _wavering(ground)
    yield from _silent(ground)


def on_questions(facts: Mapping[str, Any]) -> str:
    """Write on which questions and samples it rests; it speaks of these alone."""
    number = facts["questions"]
    these = "this one question" if number == 1 else f"these {number:,} questions"
    least, most = facts["least_samples"], facts["samples"]
    each = f"{most}" if least == most else f"{least} to {most}"
    return f"on {these}, {each} {'sample' if each == '1' else 'samples'} each"


def in_edition(facts: Mapping[str, Any], voice: Voice) -> str:
    """Write the edition, where the file has several."""
    if facts["editions"] < 2:
        return ""
    return f" in edition {edition(facts['period'], voice)}"


def edition(period: str | None, voice: Voice) -> str:
    """Write a period; none at all as a word."""
    return "undated" if period is None else voice.name(period)


def tested(facts: Mapping[str, Any]) -> str:
    """Write p and q."""
    return f"{chance('p', facts['p'])}, {chance('q', facts['q'])}"


# Apart


def _apart(ground: Ground, control: Control) -> Iterator[Claim]:
    tried = [(place, pair) for place, pair in enumerate(ground.pairs) if control.q(PAIRS, place) is not None]
    held = [(q, pair) for place, pair in tried if (q := control.holds(PAIRS, place)) is not None]
    if not held:
        return
    models = sorted({model for _, pair in tried for model in (pair.a, pair.b)})
    facts = ground.base(
        models=len(models), pairs=len(tried), apart=len(held), greatest_q=max(q for q, _ in held)
    )
    facts["names"] = ground.named([]) if len(held) > 1 else ground.named([held[0][1].a, held[0][1].b])
    named = tuple(each["model"] for each in facts["names"]) or tuple(models)
    yield Claim("apart", named, facts, facts["greatest_q"], len(held) / len(tried))


def _apart_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    base = f"{on_questions(facts)}{in_edition(facts, voice)} ({at_most('q', facts['greatest_q'])})."
    if facts["apart"] == 1:
        both = called(facts, [each["model"] for each in facts["names"]], voice)
        of = "" if facts["pairs"] == 1 else f", alone of {plural(facts['pairs'], 'pair')},"
        return "Apart", f"{both}{of} answer differently {base}"
    which = "All" if facts["apart"] == facts["pairs"] else f"{facts['apart']:,} of"
    return "Apart", f"{which} {plural(facts['pairs'], 'pair')} of models answer differently {base}"


def _apart_check(facts: Mapping[str, Any]) -> bool:
    return bool(0 < facts["apart"] <= facts["pairs"] and facts["greatest_q"] < LEVEL)


# Who moves with the framing


def change_facts(ground: Ground, change: Change, **more_facts: Any) -> dict[str, Any]:
    """Return the facts of a change: the counts on either side, in all and question by question."""
    first, second = change.totals()
    least, most = change.samples
    base = ground.base(
        model=change.model,
        moved=change.moved,
        before=list(first),
        after=list(second),
        tables=[[list(a), list(b)] for a, b in change.sides],
        p=change.test.p,
        names=ground.named([change.model]),
        **more_facts,
    )
    return base | {"questions": len(change.sides), "least_samples": least, "samples": most}


def shift(facts: Mapping[str, Any]) -> float:
    """Return the total variation distance between the two sides' answers over all questions."""
    before, after = facts["before"], facts["after"]
    n, m = sum(before), sum(after)
    return sum(abs(x / n - y / m) for x, y in zip(before, after, strict=True)) / 2 if n and m else 0.0


def _moved(ground: Ground, control: Control) -> Iterator[Claim]:
    for condition, changes in ground.moves.items():
        for place, change in enumerate(changes):
            q = control.holds(framing_key(condition), place)
            if q is not None:
                facts = change_facts(
                    ground, change, condition=condition, control=ground.material.control, q=q
                )
                yield Claim("moved", (change.model,), facts, q, shift(facts))


def sides(facts: Mapping[str, Any], first: str, second: str) -> str:
    """Write the counts of both sides: `yes 1, no 8 and other 0 of 9 under control, yes 9 ... under asserted`."""
    told = []
    for counts, where in ((facts["before"], first), (facts["after"], second)):
        parts = [
            f"{name} {count}" for name, count in zip(("yes", "no", "other"), counts, strict=True) if count
        ]
        told.append(f"{', '.join(parts)} {where}")
    return "; ".join(told)


def _moved_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    condition, plain = voice.name(facts["condition"]), voice.name(facts["control"])
    return "Moved by the framing", (
        f"{call(facts, facts['model'], voice)} answers otherwise under {condition} than under {plain}"
        f"{in_edition(facts, voice)}: {sides(facts, f'under {plain}', f'under {condition}')}; the majority moves on "
        f"{facts['moved']:,} of {plural(facts['questions'], 'question')} ({tested(facts)})."
    )


def _change_check(facts: Mapping[str, Any]) -> bool:
    p = differ([(tuple(a), tuple(b)) for a, b in facts["tables"]]).p
    return bool(p is not None and abs(p - facts["p"]) < 1e-9 and p <= facts["q"] * (1 + 1e-9) < LEVEL)


# Who does not move


def _steady(ground: Ground, control: Control) -> Iterator[Claim]:
    still = []
    for place, model in enumerate(ground.models):
        changes = [changes[place] for changes in ground.moves.values()]
        if not any(change.sides for change in changes) or any(change.moved for change in changes):
            continue
        if all(control.holds(framing_key(each), place) is None for each in ground.framings):
            still.append(model)
    if not still:
        return
    compared = [change.sides for found in ground.moves.values() for change in found if change.sides]
    facts = ground.base(
        models=sum(
            any(found[place].sides for found in ground.moves.values()) for place in range(len(ground.models))
        ),
        steady=len(still),
        conditions=len(ground.framings),
        names=ground.named(still),
    ) | {"questions": max(len(each) for each in compared)}
    yield Claim("steady", tuple(still), facts, None, 0.0, COUNTED)


def _steady_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    names = called(facts, [each["model"] for each in facts["names"]], voice)
    return "Unmoved", (
        f"No majority of {names} moves under {plural(facts['conditions'], 'framing')}{in_edition(facts, voice)}, "
        f"{on_questions(facts)}: counted, and no proof that none would."
    )


def _steady_check(facts: Mapping[str, Any]) -> bool:
    return bool(0 < facts["steady"] == len(facts["names"]) <= facts["models"])


# Who refuses the form


def _form(ground: Ground, control: Control) -> Iterator[Claim]:
    for place, model in enumerate(ground.models):
        q = control.holds(FORM, place)
        if q is None:
            continue
        strata, test = ground.form[place]
        here, n, there, m = (sum(each[part] for each in strata) for part in range(4))
        facts = ground.base(
            model=model,
            followed=n - here,
            replies=n,
            others_followed=m - there,
            others_replies=m,
            strata=[list(each) for each in strata],
            p=test.p,
            q=q,
            names=ground.named([model]),
        )
        yield Claim("form", (model,), facts, q, here / n - there / m)


def _form_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    return "Not in one word", (
        f"{call(facts, facts['model'], voice)} answers in one word in {facts['followed']:,} of "
        f"{plural(facts['replies'], 'reply')}{in_edition(facts, voice)}, the other models in "
        f"{facts['others_followed']:,} of {facts['others_replies']:,} ({tested(facts)})."
    )


def _form_check(facts: Mapping[str, Any]) -> bool:
    p = more([tuple(each) for each in facts["strata"]]).p
    return bool(p is not None and abs(p - facts["p"]) < 1e-9 and facts["q"] < LEVEL)


# Questions that divide the models


def sides_of(ground: Ground, place: int) -> tuple[list[str], list[str]]:
    """Return the models whose majority is yes on a question, and those whose is no."""
    cells, _ = ground.divided[place]
    yes, no = ([cell.model for cell in cells if cell.majority == side] for side in ("yes", "no"))
    return yes, no


def divided_facts(ground: Ground, place: int) -> dict[str, Any]:
    """Return the facts of a question: who says yes, who says no, of how many."""
    cells, test = ground.divided[place]
    yes, no = sides_of(ground, place)
    return ground.base(
        question=ground.material.questions[place].id,
        condition=ground.material.condition,
        yes=yes,
        no=no,
        models=len(cells),
        counts=[[cell.yes, cell.yes + cell.no] for cell in cells],
        p=test.p,
        names=ground.named([*yes, *no]),
    )


def _divided(ground: Ground, control: Control) -> Iterator[Claim]:
    for place in range(len(ground.divided)):
        q, (yes, no) = control.holds(DIVIDED, place), sides_of(ground, place)
        if q is not None and yes and no:
            facts = divided_facts(ground, place) | {"q": q}
            effect = 2 * min(len(yes), len(no)) / facts["models"]
            yield Claim("divided", tuple(sorted([*yes, *no])), facts, q, effect)


def _divided_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    yes, no = (called(facts, facts[side], voice) for side in ("yes", "no"))
    rest = facts["models"] - len(facts["yes"]) - len(facts["no"])
    none = f"; {plural(rest, 'model')} neither" if rest else ""
    return "Divided", (
        f"Question {voice.name(facts['question'])} divides the models{in_edition(facts, voice)}: yes for {yes}, no for "
        f"{no}{none} ({tested(facts)})."
    )


def _divided_check(facts: Mapping[str, Any]) -> bool:
    p = homogeneous([(k, n) for k, n in facts["counts"]]).p
    return bool(
        p is not None and abs(p - facts["p"]) < 1e-9 and facts["q"] < LEVEL and facts["yes"] and facts["no"]
    )


# Flips between editions


def _flipped(ground: Ground, control: Control) -> Iterator[Claim]:
    for place, (first, second, change) in enumerate(ground.changes):
        q = control.holds(EDITIONS, place)
        if q is not None:
            facts = change_facts(ground, change, first=first, second=second, q=q)
            yield Claim("flipped", (change.model,), facts, q, shift(facts))


def _flipped_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    first, second = (edition(facts[side], voice) for side in ("first", "second"))
    return "Changed between editions", (
        f"{call(facts, facts['model'], voice)} answers otherwise in edition {second} than in {first}: "
        f"{sides(facts, f'in {first}', f'in {second}')}; the majority flips on {facts['moved']:,} of "
        f"{plural(facts['questions'], 'question')} ({tested(facts)})."
    )


# Counted


def _wavering(ground: Ground) -> Iterator[Claim]:
    found: list[dict[str, Any]] = []
    for model in ground.models:
        cells = [cell for cell in ground.material.of(model=model, period=ground.period) if cell.samples > 1]
        split = sum(max(cell.counts) < cell.samples for cell in cells)
        if split:
            found.append({"model": model, "split": split, "asked": len(cells)})
    if not found:
        return
    found.sort(key=lambda each: (-each["split"] / each["asked"], each["model"]))
    facts = ground.base(
        of=found,
        names=ground.named(each["model"] for each in found),
        conditions=len(ground.framings) + 1,
    )
    yield Claim("wavering", tuple(sorted(each["model"] for each in found)), facts, None, 0.0, COUNTED)


def _wavering_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    each = [
        f"{call(facts, row['model'], voice)} on {row['split']:,} of {row['asked']:,}" for row in facts["of"]
    ]
    asked = "questions" if facts["conditions"] == 1 else "questions under a condition"
    return "Split", (
        f"Asked the same thing again, models contradict themselves{in_edition(facts, voice)}: {listed(each)} {asked}."
    )


def _wavering_check(facts: Mapping[str, Any]) -> bool:
    return all(0 < row["split"] <= row["asked"] for row in facts["of"])


def _silent(ground: Ground) -> Iterator[Claim]:
    silent = [
        model
        for model in ground.models
        if not any(cell.samples for cell in ground.material.of(model=model, period=ground.period))
    ]
    if silent:
        facts = ground.base(
            silent=len(silent),
            models=len(ground.models),
            why={model: ground.standings[model].unavailable for model in silent},
            names=ground.named(silent),
        )
        yield Claim("unavailable", tuple(silent), facts, None, 0.0, COUNTED)


def _silent_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    each = [
        f"{voice.name(str(row['name']))} ({voice.name(str(facts['why'][row['model']]))})"
        for row in facts["names"]
    ]
    return "Unavailable", (
        f"{facts['silent']:,} of {plural(facts['models'], 'model')} gave no answer{in_edition(facts, voice)}: "
        f"{listed(each)}."
    )


def _silent_check(facts: Mapping[str, Any]) -> bool:
    return bool(0 < facts["silent"] == len(facts["names"]) <= facts["models"])


KINDS = {
    "apart": Kind(_apart_sentence, _apart_check),
    "moved": Kind(_moved_sentence, _change_check),
    "steady": Kind(_steady_sentence, _steady_check),
    "form": Kind(_form_sentence, _form_check),
    "divided": Kind(_divided_sentence, _divided_check),
    "flipped": Kind(_flipped_sentence, _change_check),
    "wavering": Kind(_wavering_sentence, _wavering_check),
    "unavailable": Kind(_silent_sentence, _silent_check),
}

"""Which replies fight on each prompt of a panel's battery, and which prompts make a session.

Names in, names out: nothing here reads a file or knows a text. Whatever is drawn comes from a seed, and depends on the
seed and the names alone, not on their order.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

from stylekl.errors import UsageError
from stylekl.gather.battery import drawn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Two = tuple[str, str]  # two models, the smaller id first
_NAMED = 4  # how many of a kind an error names


class PlanError(UsageError):
    """A plan that cannot be made; the message names the rule that cannot be met."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """The two models whose replies fight on a prompt. `kept` says that an earlier version had the same two."""

    prompt: str
    a: str
    b: str
    kept: bool = False

    @property
    def two(self) -> Two:
        """Both models, the smaller id first."""
        return (self.a, self.b)


@dataclass(frozen=True, slots=True)
class Rules:
    """What a session must be: numbers of fights and checks, and how often a model or a pairing may come."""

    fights: int = 8
    plain: int = 1
    instructed: int = 1
    least: int = 3
    most: int = 5
    pairing: int = 2


@dataclass(frozen=True, slots=True)
class Composition:
    """One session: the prompts of its real fights and of its instructed checks, in no particular order."""

    fights: tuple[str, ...]
    instructed: tuple[str, ...]


@dataclass(slots=True)
class Tally:
    """How often each prompt has been a real fight, and how often the instructed check."""

    real: Counter[str] = field(default_factory=Counter)
    check: Counter[str] = field(default_factory=Counter)

    def add(self, composition: Composition) -> None:
        """Count one more session."""
        self.real.update(composition.fights)
        self.check.update(composition.instructed)

    def spread(self, prompts: Iterable[str]) -> tuple[int, int, int]:
        """Return by how much the prompts differ at most: as real fights, as checks, and shown as either."""
        names = list(prompts)
        counts = [
            [self.real[name] for name in names],
            [self.check[name] for name in names],
            [self.real[name] + self.check[name] for name in names],
        ]
        real, check, shown = (max(each) - min(each) if each else 0 for each in counts)
        return real, check, shown


def two(a: str, b: str) -> Two:
    """Return two models, the smaller id first."""
    return (a, b) if a < b else (b, a)


def deficits(models: Sequence[str], kept: Mapping[str, Two], each: int) -> dict[Two, int]:
    """Return how many prompts every pairing of the models lacks: what new prompts must take.

    Raises PlanError where a pairing is kept at more than `each` prompts.
    """
    counts = Counter(kept.values())
    for pair, number in sorted(counts.items()):
        if number > each:
            raise PlanError(
                f"every pairing at {each} prompts cannot be met: {pair[0]} and {pair[1]} are kept at {number}",
                f"retire {number - each} of {_listed(p for p, q in kept.items() if q == pair)}, or raise --each",
            )
    return {pair: each - counts[pair] for pair in combinations(sorted(models), 2)}


def pairings(
    models: Iterable[str],
    fit: Mapping[str, Iterable[str]],
    *,
    each: int = 3,
    kept: Mapping[str, Two] | None = None,
    pick: bool = False,
    seed: int = 0,
) -> tuple[Pairing, ...]:
    """Return one pairing for each prompt, sorted by prompt: every pairing of the models at `each` prompts.

    `fit` holds for each prompt in use the models whose reply to it may fight. `kept` are the pairings of an earlier
    version; they stay where prompt and both models are still in use. The others are matched to what is lacking
    (augmenting paths: where an assignment exists, one is found). With `pick` prompts may be left over. Raises PlanError
    where it cannot be done, naming the rule.
    """
    names = sorted(set(models))
    if len(names) < 2:
        raise PlanError(f"a pairing takes two models, and there {_are(len(names))}", "name more models")
    usable = {prompt: frozenset(fits) & frozenset(names) for prompt, fits in fit.items()}
    stay = {
        prompt: two(*pair)
        for prompt, pair in (kept or {}).items()
        if prompt in usable and usable[prompt] >= set(pair)
    }
    lacking = deficits(names, stay, each)
    free = sorted(usable.keys() - stay.keys(), key=lambda prompt: drawn(seed, "prompt", prompt))
    _check_number(len(usable), len(names), each, len(free), lacking, pick)
    found = _matched(lacking, free, usable, each, seed)
    made = [Pairing(prompt, *pair, kept=True) for prompt, pair in stay.items()]
    made += [Pairing(prompt, *pair) for prompt, pair in found.items()]
    return tuple(sorted(made, key=lambda pairing: pairing.prompt))


def _check_number(
    have: int, models: int, each: int, free: int, lacking: Mapping[Two, int], pick: bool
) -> None:
    """Raise PlanError where the battery has too few prompts, or more than are needed."""
    pairs, short = models * (models - 1) // 2, sum(lacking.values())
    need = pairs * each
    rule = f"every pairing of {models} models at {each} prompts takes {need} prompts, and {have} are in use"
    if free < short:
        more = "1 more prompt" if short - free == 1 else f"{short - free} more prompts"
        raise PlanError(rule, f"{more}; what new ones must take: {describe(lacking)}")
    if free > short and not pick:
        fits = f"--each {have // pairs} uses all of them; " if have % pairs == 0 and have else ""
        raise PlanError(rule, f"{fits}--pick draws {need} of them; or retire {have - need}")


def describe(lacking: Mapping[Two, int]) -> str:
    """Say what new prompts must take: "a against b (2), a against c (1)"."""
    open_ = [(pair, number) for pair, number in lacking.items() if number]
    return _listed(f"{a} against {b} ({number})" for (a, b), number in open_)


def _matched(
    lacking: Mapping[Two, int],
    free: Sequence[str],
    usable: Mapping[str, frozenset[str]],
    each: int,
    seed: int,
) -> dict[str, Two]:
    """Return a pairing for as many prompts as are lacking."""
    slots = [(pair, turn) for pair, number in lacking.items() for turn in range(number)]
    slots.sort(key=lambda slot: drawn(seed, "slot", *slot[0], slot[1]))
    taken: dict[str, int] = {}  # prompt -> slot
    for start in range(len(slots)):
        # Breadth first from the slot: a prompt that is free ends the path, one that is taken leads on to its slot.
        reached: dict[str, int] = {}
        queue, end = [start], None
        for slot in queue:
            for prompt in free:
                if prompt in reached or not usable[prompt] >= set(slots[slot][0]):
                    continue
                reached[prompt] = slot
                if prompt not in taken:
                    end = prompt
                    break
                queue.append(taken[prompt])
            if end is not None:
                break
        if end is None:
            raise _unmatched({slots[slot][0] for slot in queue}, sorted(reached), lacking, each)
        while end is not None:
            slot = reached[end]
            before = next((prompt for prompt, owner in taken.items() if owner == slot), None)
            taken[end] = slot
            end = before
    return {prompt: slots[slot][0] for prompt, slot in taken.items()}


def _unmatched(pairs: set[Two], reached: list[str], lacking: Mapping[Two, int], each: int) -> PlanError:
    """Make the error for pairings that together want more prompts than have replies of theirs."""
    wanted = sum(lacking[pair] for pair in pairs)
    every = sum(number > 0 for number in lacking.values())
    which = (
        f"the {every} pairings"
        if len(pairs) == every > _NAMED
        else _listed(f"{a} against {b}" for a, b in sorted(pairs))
    )
    have = f"{len(reached)} that are free have" if reached else "none that is free has"
    return PlanError(
        f"every pairing at {each} prompts cannot be met: {which} lack {wanted}, and {have} a reply of both that counts",
        "other models, prompts that these answered, or --each",
    )


def compositions(
    paired: Sequence[Pairing],
    number: int,
    rules: Rules | None = None,
    *,
    seed: int = 0,
    before: Tally | None = None,
) -> Iterator[Composition]:
    """Yield `number` sessions, each under `rules`; raise PlanError at once where there can be none.

    Of the sets of fights that pass, the one is taken whose prompts have been real fights least often in sum (an integer
    programme, solved to the optimum; equal ones drawn from the seed). The instructed check is the leftover prompt that
    has been the check least often, then the one shown least often, then drawn. `before` holds earlier sessions, and is
    not changed. The bounds on models count fights, not checks.
    """
    rules = rules or Rules()
    ordered = sorted(paired, key=lambda pairing: pairing.prompt)
    _check_rules(ordered, rules)
    if not _solvable(ordered, rules):
        raise _impossible(ordered, rules)
    tally = Tally(Counter(before.real), Counter(before.check)) if before else Tally()
    return _compositions(ordered, number, rules, seed, tally)


def _compositions(
    paired: Sequence[Pairing], number: int, rules: Rules, seed: int, tally: Tally
) -> Iterator[Composition]:
    chance = random.Random(f"compositions {seed}")
    prompts = [pairing.prompt for pairing in paired]
    for _ in range(number):
        least = min(tally.real[prompt] for prompt in prompts)
        # One fight more outweighs all that is drawn for the ties of a session.
        weights = [
            (tally.real[prompt] - least) * 4 * max(rules.fights, 1) + chance.random() for prompt in prompts
        ]
        chosen = _solve(paired, rules, weights)
        assert chosen is not None
        left = [prompt for prompt in prompts if prompt not in chosen]
        chance.shuffle(left)
        left.sort(key=lambda prompt: (tally.check[prompt], tally.real[prompt]))
        composition = Composition(tuple(sorted(chosen)), tuple(left[: rules.instructed]))
        tally.add(composition)
        yield composition


def _check_rules(paired: Sequence[Pairing], rules: Rules) -> None:
    """Raise PlanError for what the numbers alone rule out."""
    models = {name for pairing in paired for name in pairing.two}
    sides, have, groups = 2 * rules.fights, len(paired), Counter(pairing.two for pairing in paired)
    most = sum(min(number, rules.pairing) for number in groups.values())
    checks = f" and {rules.instructed} for the instructed check" if rules.instructed else ""
    if rules.least > rules.most:
        raise PlanError(
            f"every model {rules.least} to {rules.most} times cannot be met", "--least is above --most"
        )
    if rules.fights + rules.instructed > have:
        raise PlanError(
            f"a session of {rules.fights} fights takes {rules.fights} prompts{checks}, and the battery has {have}",
            "fewer fights, or more prompts",
        )
    for bound, word, wrong in (
        (rules.least, "at least", len(models) * rules.least > sides),
        (rules.most, "at most", len(models) * rules.most < sides),
    ):
        if wrong:
            raise PlanError(
                f"every model {word} {bound} times cannot be met: {len(models)} models, and {rules.fights} fights "
                f"show {sides} replies",
                "change --fights, or the bounds --least and --most",
            )
    if most < rules.fights:
        raise PlanError(
            f"no pairing more than {rules.pairing} times cannot be met: the {len(groups)} pairings of the battery "
            f"allow {most} fights, and a session has {rules.fights}",
            "change --fights or --per-pairing",
        )


def _impossible(paired: Sequence[Pairing], rules: Rules) -> PlanError:
    """Make the error for rules that only together cannot be met: those of which giving up one is enough."""
    sides = 2 * rules.fights
    relaxed = {
        f"every model at least {rules.least} times": Rules(rules.fights, 0, 0, 0, rules.most, rules.pairing),
        f"every model at most {rules.most} times": Rules(
            rules.fights, 0, 0, rules.least, sides, rules.pairing
        ),
        f"no pairing more than {rules.pairing} times": Rules(
            rules.fights, 0, 0, rules.least, rules.most, rules.fights
        ),
    }
    found = [rule for rule, other in relaxed.items() if _solvable(paired, other)] or list(relaxed)
    return PlanError(
        f"a session of {rules.fights} fights cannot meet together: {'; '.join(found)}",
        "change --fights, --least, --most or --per-pairing",
    )


def _solvable(paired: Sequence[Pairing], rules: Rules) -> bool:
    return _solve(paired, rules, [0.0] * len(paired)) is not None


def _solve(paired: Sequence[Pairing], rules: Rules, weights: Sequence[float]) -> frozenset[str] | None:
    """Return the prompts of the fights with the smallest sum of weights under the rules; null where there are none."""
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp

    if not paired or not rules.fights:
        return frozenset() if not rules.fights and rules.least <= 0 else None
    models = sorted({name for pairing in paired for name in pairing.two})
    groups = sorted({pairing.two for pairing in paired})
    rows = [[1.0] * len(paired)]
    rows += [[float(model in pairing.two) for pairing in paired] for model in models]
    rows += [[float(group == pairing.two) for pairing in paired] for group in groups]
    low = [rules.fights, *[rules.least] * len(models), *[0] * len(groups)]
    high = [rules.fights, *[rules.most] * len(models), *[rules.pairing] * len(groups)]
    solved = milp(
        np.asarray(weights),
        integrality=np.ones(len(paired)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(np.asarray(rows), low, high),
        options={"mip_rel_gap": 0},
    )
    if solved.x is None:
        return None
    return frozenset(pairing.prompt for pairing, taken in zip(paired, solved.x, strict=True) if taken > 0.5)


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    return ", ".join(every[:_NAMED]) + (f" and {len(every) - _NAMED} more" if len(every) > _NAMED else "")


def _are(number: int) -> str:
    return "is 1" if number == 1 else f"are {number}"

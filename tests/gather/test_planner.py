"""The planner: pairings that balance and stay, sessions under every rule, and refusals that name the rule."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.gather.planner import (
    Composition,
    Pairing,
    PlanError,
    Rules,
    Tally,
    compositions,
    pairings,
)

MODELS = ("ash", "birch", "cedar", "elm")
PROMPTS = [f"p{number:02}" for number in range(1, 19)]


def everyone(prompts: list[str] = PROMPTS, models: tuple[str, ...] = MODELS) -> dict[str, tuple[str, ...]]:
    return dict.fromkeys(prompts, models)


def balanced(models: tuple[str, ...] = MODELS, each: int = 3) -> list[Pairing]:
    pairs = [pair for pair in combinations(models, 2) for _ in range(each)]
    return [Pairing(f"p{place:03}", *pair) for place, pair in enumerate(pairs)]


def check(composition: Composition, paired: list[Pairing], rules: Rules) -> None:
    """Fail unless a session keeps every rule."""
    of = {pairing.prompt: pairing.two for pairing in paired}
    fights = [of[prompt] for prompt in composition.fights]
    models = Counter(name for pair in fights for name in pair)

    assert len(set(composition.fights)) == len(composition.fights) == rules.fights
    assert all(rules.least <= models[name] <= rules.most for pair in of.values() for name in pair)
    assert max(Counter(fights).values()) <= rules.pairing
    assert len(set(composition.instructed)) == rules.instructed
    assert not set(composition.instructed) & set(composition.fights)


def test_every_pairing_is_at_three_prompts_and_every_model_at_nine() -> None:
    made = pairings(MODELS, everyone())

    assert [pairing.prompt for pairing in made] == PROMPTS
    assert Counter(pairing.two for pairing in made) == dict.fromkeys(combinations(MODELS, 2), 3)
    assert Counter(name for pairing in made for name in pairing.two) == dict.fromkeys(MODELS, 9)


@given(st.randoms(), st.integers(0, 50))
def test_the_order_of_models_and_prompts_says_nothing(chance, seed) -> None:
    models, prompts = list(MODELS), list(PROMPTS)
    chance.shuffle(models)
    chance.shuffle(prompts)

    assert pairings(models, everyone(prompts), seed=seed) == pairings(MODELS, everyone(), seed=seed)


def test_another_seed_pairs_otherwise() -> None:
    assert pairings(MODELS, everyone(), seed=1) != pairings(MODELS, everyone(), seed=2)


@given(st.sets(st.sampled_from(PROMPTS), max_size=18), st.integers(0, 5))
def test_a_pairing_stays_while_it_is_in_use_and_new_prompts_restore_the_balance(retired, seed) -> None:
    first = pairings(MODELS, everyone(), seed=seed)
    stay = [prompt for prompt in PROMPTS if prompt not in retired]
    new = [f"new{number}" for number in range(len(retired))]

    second = pairings(
        MODELS, everyone(stay + new), kept={pairing.prompt: pairing.two for pairing in first}, seed=seed + 1
    )

    before = {pairing.prompt: pairing.two for pairing in first}
    assert {p.prompt: p.two for p in second if p.kept} == {prompt: before[prompt] for prompt in stay}
    assert {p.prompt for p in second if not p.kept} == set(new)
    assert set(Counter(pairing.two for pairing in second).values()) == {3}


def test_a_pairing_of_a_model_that_left_is_made_anew() -> None:
    first = {pairing.prompt: pairing.two for pairing in pairings(MODELS, everyone())}
    models = ("ash", "birch", "cedar", "fir")

    second = pairings(models, everyone(models=models), kept=first)

    assert all((p.prompt in first and first[p.prompt] == p.two) == p.kept for p in second if p.kept)
    assert sum(p.kept for p in second) == 9
    assert set(Counter(pairing.two for pairing in second).values()) == {3}


@settings(max_examples=60)
@given(st.data())
def test_an_assignment_is_found_wherever_one_exists(data) -> None:
    """Flagged replies are made so that one way of pairing remains; it, or another one, is found."""
    hidden = balanced()
    fit = {
        pairing.prompt: {*pairing.two, *data.draw(st.sets(st.sampled_from(MODELS)), label=pairing.prompt)}
        for pairing in hidden
    }

    made = pairings(MODELS, fit, seed=data.draw(st.integers(0, 3)))

    assert set(Counter(pairing.two for pairing in made).values()) == {3}
    assert all(set(pairing.two) <= fit[pairing.prompt] for pairing in made)


def test_too_few_prompts_are_refused_and_what_new_ones_must_take_is_said() -> None:
    first = {pairing.prompt: pairing.two for pairing in pairings(MODELS, everyone())}
    gone = PROMPTS[0]

    with pytest.raises(PlanError) as error:
        pairings(MODELS, everyone(PROMPTS[1:]), kept=first)

    a, b = first[gone]
    assert error.value.message == (
        "every pairing of 4 models at 3 prompts takes 18 prompts, and 17 are in use"
    )
    assert error.value.hint == f"1 more prompt; what new ones must take: {a} against {b} (1)"


def test_more_prompts_than_needed_are_refused_unless_some_may_be_drawn() -> None:
    many = [f"p{number:02}" for number in range(36)]

    with pytest.raises(PlanError, match="takes 18 prompts, and 36 are in use") as error:
        pairings(MODELS, everyone(many))
    assert "--each 6 uses all" in error.value.hint
    assert len(pairings(MODELS, everyone(many), pick=True)) == 18
    assert len(pairings(MODELS, everyone(many), each=6)) == 36


def test_replies_that_do_not_count_can_make_it_impossible() -> None:
    """Two prompts have replies of ash and birch, and three are needed."""
    fit = {prompt: ("ash", "birch", "cedar", "elm")[place > 1 :] for place, prompt in enumerate(PROMPTS)}

    with pytest.raises(PlanError) as error:
        pairings(MODELS, fit)

    assert re.fullmatch(
        r"every pairing at 3 prompts cannot be met: .*ash against \w+.* lack \d+, and 2 that are free have .*",
        error.value.message,
    )


def test_a_pairing_kept_too_often_is_refused() -> None:
    kept = dict.fromkeys(PROMPTS[:4], ("ash", "birch"))

    with pytest.raises(PlanError, match="ash and birch are kept at 4"):
        pairings(MODELS, everyone(), kept=kept)


def test_one_model_has_nobody_to_meet() -> None:
    with pytest.raises(PlanError, match="takes two models, and there is 1"):
        pairings(["ash"], everyone(models=("ash",)))


def test_a_thousand_plans_keep_every_rule_and_prompts_come_evenly_throughout() -> None:
    """After every plan: real fights differ by 2 at most, checks by 2, times shown by 3."""
    paired, rules, tally = balanced(), Rules(), Tally()
    prompts = [pairing.prompt for pairing in paired]
    made = 0
    for composition in compositions(paired, 1000):
        check(composition, paired, rules)
        tally.add(composition)
        real, checks, shown = tally.spread(prompts)
        made += 1

        assert (real <= 2, checks <= 2, shown <= 3) == (True, True, True), (made, real, checks, shown)
    assert made == 1000


def test_no_set_that_passes_has_been_fought_less_often() -> None:
    """Against all sets of 8 of the 18 prompts, over the first sessions."""
    paired, rules, tally = balanced(), Rules(), Tally()
    of = {pairing.prompt: pairing.two for pairing in paired}
    passing = []
    for chosen in combinations(sorted(of), 8):
        pairs = Counter(of[prompt] for prompt in chosen)
        models = Counter(name for prompt in chosen for name in of[prompt])
        if max(pairs.values()) <= 2 and all(3 <= models[name] <= 5 for name in MODELS):
            passing.append(chosen)
    for composition in compositions(paired, 12, seed=3):
        least = min(sum(tally.real[prompt] for prompt in chosen) for chosen in passing)
        left = [prompt for prompt in of if prompt not in composition.fights]

        assert sum(tally.real[prompt] for prompt in composition.fights) == least
        assert tally.check[composition.instructed[0]] == min(tally.check[prompt] for prompt in left)
        tally.add(composition)
    assert rules.fights == 8


@settings(max_examples=20, deadline=None)
@given(
    models=st.integers(3, 7),
    each=st.integers(1, 4),
    fights=st.integers(2, 14),
    least=st.integers(0, 4),
    room=st.integers(0, 3),
    pairing=st.integers(1, 3),
)
def test_other_sizes_keep_their_rules_or_are_refused(models, each, fights, least, room, pairing) -> None:
    names = tuple(f"m{number}" for number in range(models))
    paired, rules = balanced(names, each), Rules(fights, 1, 1, least, least + room, pairing)

    try:
        made = list(compositions(paired, 4, rules))
    except PlanError as error:
        refused, made = error.message, []
    else:
        refused = ""

    assert len(made) == 4 or re.search("cannot|takes", refused)
    for composition in made:
        check(composition, paired, rules)


@pytest.mark.parametrize(
    ("rules", "rule"),
    [
        (Rules(fights=18), "takes 18 prompts and 1 for the instructed check, and the battery has 18"),
        (Rules(fights=5), "every model at least 3 times cannot be met"),
        (Rules(fights=11), "every model at most 5 times cannot be met"),
        (Rules(fights=8, pairing=1), "no pairing more than 1 times cannot be met"),
        (Rules(least=5, most=4), "every model 5 to 4 times cannot be met"),
    ],
)
def test_the_impossible_is_refused_with_the_rule(rules, rule) -> None:
    with pytest.raises(PlanError) as error:
        compositions(balanced(), 1, rules)

    assert rule in error.value.message
    assert error.value.hint


def test_rules_that_fail_only_together_are_named() -> None:
    """Three models, one of which is paired once: at least 2 of it cannot be had, though the sums allow it."""
    paired = [Pairing("p1", "ash", "birch"), Pairing("p2", "ash", "birch"), Pairing("p3", "ash", "birch")]
    paired.append(Pairing("p4", "birch", "cedar"))

    with pytest.raises(PlanError) as error:
        compositions(paired, 1, Rules(fights=3, instructed=1, least=2, most=3, pairing=2))

    assert "cannot meet together: every model at least 2 times" in error.value.message


def test_earlier_sessions_are_counted() -> None:
    """Prompts that have been fights before wait until the others have caught up."""
    paired, before = balanced(), Tally()
    for composition in compositions(paired, 5):
        before.add(composition)
    one_go = list(compositions(paired, 9))
    tally = Tally(Counter(before.real), Counter(before.check))
    for composition in compositions(paired, 4, before=before):
        tally.add(composition)

    assert max(tally.spread([pairing.prompt for pairing in paired])) <= 3
    assert before.real.total() == 40
    assert tally.real.total() == 8 * len(one_go)

"""Who fights next: evenly, from a seed, and only replies that count."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl import load
from stylekl.errors import InputError
from stylekl.gather.ballot import Battle, ballot_of

from . import voting


def drawn(path: str, seed: int, number: int) -> list[Battle]:
    ballot, _ = ballot_of(load(path), seed)
    return [ballot.draw() for _ in range(number)]


@settings(max_examples=10)
@given(seed=st.integers(0, 1000), number=st.integers(1, 120))
def test_models_meet_evenly_and_so_do_prompts(tmp_path_factory, seed, number) -> None:
    """At any moment no two models have met more than once more often than two others."""
    path = voting.write(tmp_path_factory.mktemp("even"))
    battles = drawn(path, seed, number)
    met = Counter(battle.two for battle in battles)
    fought = Counter((battle.two, battle.prompt.id) for battle in battles)

    counts = [met[pair] for pair in combinations(voting.MODELS, 2)]
    assert max(counts) - min(counts) <= 1
    for pair in met:
        counts = [fought[pair, prompt] for prompt in voting.PROMPTS]
        assert max(counts) - min(counts) <= 1


def test_a_seed_makes_every_run_the_same_whatever_the_order_in_the_file(tmp_path) -> None:
    other = voting.results()
    other["models"].reverse()
    other["prompts"].reverse()
    one = drawn(voting.write(tmp_path), 5, 40)

    assert one == drawn(voting.write(tmp_path), 5, 40)
    assert one == drawn(voting.write(tmp_path, other, "other.json"), 5, 40)
    assert one != drawn(voting.write(tmp_path), 6, 40)


def test_sides_are_drawn(tmp_path) -> None:
    """Each model stands on the left about as often as on the right: 300 battles, six standard errors."""
    left = Counter(battle.left.model for battle in drawn(voting.write(tmp_path), 1, 600))

    assert all(abs(left[model] - 150) < 6 * 8.7 for model in voting.MODELS)


def test_only_replies_that_count_fight(tmp_path) -> None:
    """Not one that is flagged, empty, to a retired prompt or a question of another kind, or under a condition."""
    made = voting.results()
    made["conditions"] = [{"id": "control"}, {"id": "hurried", "suffix": "Be quick."}]
    made["prompts"][0]["retired"] = {"on": "2026-01-05", "why": "weak"}
    made["prompts"][1]["kind"] = "one_word"
    for row in made["replies"]:
        if row["model"] == "ash" and row["prompt"] != "p05":
            row["flags"] = ["over_length"]
        if row["model"] == "birch" and row["prompt"] == "p06":
            row["text"] = " \u200b"
        if row["model"] == "cedar" and row["prompt"] in ("p07", "p08"):
            row["condition"] = "hurried"
    ballot, left_out = ballot_of(load(voting.write(tmp_path, made)), 0)
    battles = [ballot.draw() for _ in range(400)]

    shown = {(reply.model, reply.prompt) for battle in battles for reply in (battle.left, battle.right)}
    assert {prompt for model, prompt in shown if model == "ash"} == {"p05"}
    assert not {prompt for _, prompt in shown} & {"p01", "p02"}
    assert not shown & {("birch", "p06"), ("cedar", "p07"), ("cedar", "p08")}
    assert left_out == {
        "condition": 2,
        "empty": 1,
        "kind one_word": 4,
        "over_length": 15,
        "retired prompt": 4,
    }


def test_earlier_votes_count_and_those_of_a_panel_do_not(tmp_path) -> None:
    made = voting.results()
    arena = {"source": "arena", "a": "birch", "b": "ash", "prompt": "p01", "pick": "left"}
    panel = {"source": "panel", "a": "cedar", "b": "elm", "prompt": "p01", "pick": "left"}
    made["votes"] = [arena | {"id": f"v{n}"} for n in range(3)] + [panel | {"id": f"w{n}"} for n in range(9)]
    met = Counter(battle.two for battle in drawn(voting.write(tmp_path, made), 0, 15))

    assert met == dict.fromkeys(set(combinations(voting.MODELS, 2)) - {("ash", "birch")}, 3)


def test_any_sample_may_fight_and_the_vote_can_say_which(tmp_path) -> None:
    made = voting.results(("ash", "birch"), ("p01",))
    made["replies"] += [voting.reply("ash", "p01", sample=n, text=f"sample {n}") for n in (1, 2)]
    made["replies"][0]["sample"] = 3
    samples = Counter()
    for battle in drawn(voting.write(tmp_path, made), 0, 90):
        samples[next(r.sample for r in (battle.left, battle.right) if r.model == "ash")] += 1

    assert set(samples) == {1, 2, 3}
    assert min(samples.values()) > 10


def test_without_a_common_prompt_nobody_fights(tmp_path) -> None:
    made = voting.results(("ash", "birch"), ("p01", "p02"))
    made["replies"] = [voting.reply("ash", "p01"), voting.reply("birch", "p02")]

    with pytest.raises(InputError, match="no two models have replies to the same open prompt"):
        ballot_of(load(voting.write(tmp_path, made)), 0)

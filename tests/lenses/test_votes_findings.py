from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from stylekl.lenses.findings import conclude
from stylekl.lenses.votes import KINDS, MISSING, Options, inquire
from stylekl.results import Reply
from tests.votes import session, simulated, vote, with_votes

FAST = Options(resamples=200)
APART = {"ash": 1700.0, "birch": 1550.0, "cedar": 1450.0, "elm": 1300.0}
ALIKE = dict.fromkeys(APART, 1500.0)


def concluded(results, options=FAST):
    return conclude([inquire(results, options)])


def by_kind(report):
    return {found.kind: found for found in report.findings}


def missing(report):
    return {found.kind: found for found in report.not_supported}


def test_a_clear_leader_is_named_with_the_gap_to_the_next():
    found = by_kind(concluded(simulated(APART, sessions=100)))["leader"]

    assert found.evidence["leader"] == "ash"
    assert found.evidence["second"] == "birch"
    assert found.evidence["low"] > 0
    assert found.q < 0.05
    assert found.text.startswith("Ash leads the 3 others")


def test_no_leader_and_no_order_where_all_are_alike():
    report = concluded(simulated(ALIKE, sessions=60, seed=4))

    assert {"leader", "ahead"} & by_kind(report).keys() == set()
    assert {"leader", "ahead"} <= missing(report).keys()


def test_where_nothing_is_true_something_is_claimed_in_about_five_per_cent():
    """Readers, topics and models without any difference: any tested claim is false."""
    wrong = [
        any(
            found.q is not None
            for found in concluded(simulated(ALIKE, sessions=30, seed=seed), FAST).findings
        )
        for seed in range(100)
    ]

    assert np.mean(wrong) < 0.09


def test_topics_that_do_not_matter_are_not_claimed_where_one_side_wins_nearly_all():
    """Pseudo-wins shrink what is expected of a model that wins everything, on every topic alike."""
    far = {"ash": 2100.0, "birch": 1700.0, "cedar": 1300.0, "elm": 900.0}
    claimed = [
        any(found.kind == "topic" for found in concluded(simulated(far, sessions=20, seed=seed)).findings)
        for seed in range(40)
    ]

    assert np.mean(claimed) < 0.1


def test_a_leader_is_not_made_by_pseudo_wins():
    """Two models that beat everybody and never met: nothing says which is better."""
    votes = [vote(n, "ash", "cedar", "left", session=f"s{n % 20}") for n in range(60)]
    votes += [vote(100 + n, "birch", "cedar", "left", session=f"s{n % 20}") for n in range(20)]
    report = concluded(with_votes(votes, [session(f"s{n}") for n in range(20)]))

    assert "leader" not in by_kind(report)
    assert "leader" in missing(report)


def test_two_models_are_said_once():
    report = concluded(
        simulated({"ash": 1650.0, "birch": 1350.0}, sessions=60), replace(FAST, topics=("work",))
    )

    assert [found.kind for found in report.findings if found.q is not None] == ["ahead"]
    assert "Ash is preferred to Birch" in by_kind(report)["ahead"].text


def circle(fights: int, share: float):
    """Ash beats birch, birch beats cedar, cedar beats ash, each by `share`."""
    names = ("ash", "birch", "cedar")
    votes = []
    for place in range(3):
        for n in range(fights):
            pick = "left" if n < share * fights else "right"
            votes.append(vote(len(votes), names[place], names[(place + 1) % 3], pick))
    return with_votes(votes)


def test_a_circle_is_claimed_where_all_three_preferences_are_settled():
    found = by_kind(concluded(circle(80, 0.75)))["circle"]

    assert [(step["winner"], step["loser"]) for step in found.evidence["circle"]] == [
        ("ash", "birch"),
        ("birch", "cedar"),
        ("cedar", "ash"),
    ]
    assert (found.evidence["circle"][0]["wins"], found.evidence["circle"][0]["losses"]) == (60, 20)


def test_a_circle_by_majority_alone_is_not_supported():
    report = concluded(circle(20, 0.6))

    assert "circle" not in by_kind(report)
    assert missing(report)["circle"].evidence["circles"] == 1


def test_a_model_that_does_better_on_one_topic_is_found():
    at = random.Random(2)
    prompts = {f"p{n}": ("work", "play")[n % 2] for n in range(10)}
    votes = []
    for reader in range(60):
        for _ in range(8):
            prompt = at.randrange(10)
            a, b = at.sample(("ash", "birch", "cedar"), 2)
            lift = {"ash": 1.2 if prompt % 2 else -1.2}
            odds = lift.get(a, 0.0) - lift.get(b, 0.0)
            pick = "left" if at.random() < 1 / (1 + 2.718**-odds) else "right"
            votes.append(vote(len(votes), a, b, pick, session=f"s{reader}", prompt=f"p{prompt}"))
    report = concluded(with_votes(votes, [session(f"s{n}") for n in range(60)], prompts=prompts))
    topics = [found for found in report.findings if found.kind == "topic"]

    texts = {found.evidence["topic"]: found.text for found in topics if found.evidence["model"] == "ash"}
    assert "wins more on play" in texts["play"]
    assert "wins less on work" in texts["work"]


def judged_by(slope: dict[str, float], seed: int = 0):
    """Fights that are won by length and bold alone, with the texts that were shown."""
    at = random.Random(seed)
    names = ("ash", "birch", "cedar")
    prompts = {f"p{n}": "any" for n in range(40)}
    replies, made = [], {}
    for name in names:
        for prompt in prompts:
            words, bold = at.choice((10, 20, 40)), at.choice((0, 1, 3))
            made[name, prompt] = words, bold
            replies.append(Reply(model=name, prompt=prompt, text="word " * words + "**so** " * bold))
    votes = []
    for n in range(600):
        prompt = f"p{at.randrange(40)}"
        a, b = at.sample(names, 2)
        more = [np.log2((1 + made[a, prompt][i]) / (1 + made[b, prompt][i])) for i in (0, 1)]
        odds = slope.get("length", 0.0) * more[0] + slope.get("bold", 0.0) * more[1]
        pick = "left" if at.random() < 1 / (1 + np.exp(-odds)) else "right"
        votes.append(vote(n, a, b, pick, session=f"s{n % 50}", prompt=prompt))
    sessions = [session(f"s{n}") for n in range(50)]
    return with_votes(votes, sessions, models=names, prompts=prompts, replies=replies)


def test_a_taste_for_length_is_found_and_told_from_a_taste_for_bold():
    longer = by_kind(concluded(judged_by({"length": 1.0})))
    bolder = by_kind(concluded(judged_by({"bold": 0.8})))

    assert longer["length"].evidence["covariate"] == "length"
    assert 1.0 < longer["length"].evidence["low"] < np.e < longer["length"].evidence["high"]
    assert longer["length"].lead == "Longer wins"
    assert "layout" not in longer
    assert bolder["layout"].evidence["covariate"] == "bold"
    assert bolder["layout"].lead == "More bold wins"
    assert "length" not in bolder


def test_a_taste_for_short_replies_is_said_as_such():
    found = by_kind(concluded(judged_by({"length": -1.0})))["length"]

    assert found.lead == "Shorter wins"
    assert found.evidence["odds"] < 1


def test_without_texts_nothing_is_said_of_length():
    report = concluded(simulated(APART))

    assert "length" not in by_kind(report)
    assert missing(report)["taste"].evidence["with_texts"] == 0


def test_fights_without_a_winner_are_counted():
    votes = [vote(n, "ash", "birch", "left" if n % 2 else "right") for n in range(6)]
    votes += [vote(10, "ash", "birch", "both_weak"), vote(11, "ash", "birch", "both_good")]
    votes += [vote(12, "ash", "birch", "neither"), vote(13, "ash", "birch", "both_weak")]
    found = by_kind(concluded(with_votes(votes)))["draws"]

    assert (found.evidence["both_weak"], found.evidence["both_good"], found.evidence["neither"]) == (2, 1, 1)
    assert "40% of 10 fights had no winner: 2 both weak, 1 both good and 1 neither" in found.text


@pytest.mark.parametrize(
    "results",
    [
        simulated(APART, sessions=80),
        simulated(ALIKE),
        circle(80, 0.75),
        circle(20, 0.6),
        judged_by({"length": 1.0}),
    ],
    ids=["apart", "alike", "circle", "open circle", "taste"],
)
def test_every_sentence_is_borne_out_by_its_facts_and_the_order_of_models_does_not_matter(results):
    report = concluded(results)
    models = list(results.models)
    random.Random(3).shuffle(models)

    for found in report.findings:
        assert KINDS[found.kind].check(found.evidence), found
    for lacking in report.not_supported:
        assert MISSING[lacking.kind].sentence(lacking.evidence, _voice())[0] == lacking.text
    assert concluded(replace(results, models=models)) == report


def _voice():
    from stylekl.lenses.words import PLAIN

    return PLAIN


def test_sentences_speak_of_the_models_asked_for_alone():
    report = concluded(simulated(APART, sessions=80), replace(FAST, models=("cedar", "elm")))

    assert all({"cedar", "elm"}.issuperset(found.models) for found in report.findings)
    assert {model.id for model in report.models} == {"cedar", "elm"}


def test_a_sealed_arena_claims_nothing_whoever_won():
    open_ = simulated(APART, source="arena", sessions=30)
    turned = replace(
        open_, other=open_.other | {"votes": [row | {"pick": "left"} for row in open_.other["votes"]]}
    )
    report = concluded(open_)

    assert report.findings == ()
    assert [lacking.kind for lacking in report.not_supported] == ["sealed"]
    assert report.hypotheses == 0
    assert report == concluded(turned)

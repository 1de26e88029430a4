"""The choices lens on responders whose preferences, order bias and refusals are known."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations
from math import comb

import pytest

from stylekl.errors import ConflictError, InputError, UnknownChoiceError, UnknownModelError, UsageError
from stylekl.lenses.choices import NAME, Options, focus, has_data, matrix, pair
from stylekl.lenses.choices.reports import SharpnessReport, Stand
from stylekl.lenses.choices.table import table
from stylekl.results import Model, Results

from .choices_made import FAMILIES, Drawn, by_position, make, prefers, words

PAIRS, ENVELOPES = 12, 8
REPLIES = {  # what is said in the order ab, and in the order ba
    "a": ("{a}", "{a}"),
    "b": ("{b}", "{b}"),
    "first": ("{a}", "{b}"),
    "second": ("{b}", "{a}"),
    "refused": ("Neither.", "Neither."),
    "both": ("Both", "Both"),
    "empty": ("", ""),
    "no_choice": ("It depends.", "It depends."),
    "one_sided": ("{a}", "Neither"),
}
WAYS = tuple(REPLIES)


def script(seed: int) -> dict[tuple[int, int], str]:
    """Return what a responder does with each pair and envelope."""
    chance = random.Random(seed)
    weights = [6, 4, 2, 1, 2, 1, 1, 1, 1]
    return {(p, e): chance.choices(WAYS, weights)[0] for p in range(PAIRS) for e in range(ENVELOPES)}


def scripted(plan: dict[tuple[int, int], str]):
    def say(p: int, e: int, swapped: bool, _sample: int) -> str:
        a, b = words(p)
        return REPLIES[plan[p, e]][swapped].format(a=a, b=b)

    return say


SCRIPTS = {f"m{seed}": script(seed) for seed in range(4)}


@pytest.fixture(scope="module")
def known() -> Results:
    return make({name: scripted(plan) for name, plan in SCRIPTS.items()}, pairs=PAIRS, envelopes=ENVELOPES)


def pick_of(plan: dict[tuple[int, int], str], p: int) -> str:
    ways = Counter(plan[p, e] for e in range(ENVELOPES))
    return "a" if ways["a"] > ways["b"] else "b" if ways["b"] > ways["a"] else "none"


def outcome_of(way: str) -> str:
    return "order_bias" if way in ("first", "second") else way


def test_every_stand_is_known_exactly(known: Results) -> None:
    for name, plan in SCRIPTS.items():
        for stand in focus(known, name).fingerprint:
            p = int(stand.pair[1:])
            ways = Counter(plan[p, e] for e in range(ENVELOPES))
            reasons = Counter(outcome_of(way) for way in ways.elements() if way not in ("a", "b"))
            assert stand == Stand(
                pair=f"p{p}",
                theme=f"t{p % 3}",
                words=words(p),
                pick=pick_of(plan, p),
                a=ways["a"],
                b=ways["b"],
                answered=ENVELOPES,
                reasons=dict(reasons),
                sharpness=abs(ways["a"] - ways["b"]) / ENVELOPES,
            )


def expected_rates(
    plan: dict[tuple[int, int], str], envelopes: list[int]
) -> tuple[float, float, float, float]:
    """Return commit, order bias, real preference and position share by plain counting."""
    ways = [plan[p, e] for p in range(PAIRS) for e in envelopes]
    choices = sum(2 if way in ("a", "b", "first", "second") else way == "one_sided" for way in ways)
    front = sum({"a": 1, "b": 1, "first": 2, "second": 0, "one_sided": 1}.get(way, 0) for way in ways)
    return (
        choices / (2 * len(ways)),
        sum(way in ("first", "second") for way in ways) / len(ways),
        sum(way in ("a", "b") for way in ways) / len(ways),
        front / choices,
    )


def test_every_rate_is_known_exactly_in_all_by_family_and_by_envelope(known: Results) -> None:
    for name, plan in SCRIPTS.items():
        report = focus(known, name)
        wanted = [(report.total, list(range(ENVELOPES)))]
        wanted += [(each, [int(each.id[1:])]) for each in report.envelopes]
        wanted += [
            (each, [e for e in range(ENVELOPES) if FAMILIES[e % 4] == each.family])
            for each in report.families
        ]
        assert len(wanted) == 1 + ENVELOPES + 3
        for rates, envelopes in wanted:
            found = (rates.commit.value, rates.order_bias.value, rates.real.value, rates.first.value)
            assert found == pytest.approx(expected_rates(plan, envelopes), abs=1e-15)
            assert rates.commit.n == 2 * PAIRS * len(envelopes)
            assert rates.commit.low <= rates.commit.value <= rates.commit.high
            assert rates.outcomes == dict(
                Counter(outcome_of(plan[p, e]) for p in range(PAIRS) for e in envelopes)
            )


def test_every_distance_is_known_exactly(known: Results) -> None:
    prints = {name: [pick_of(plan, p) for p in range(PAIRS)] for name, plan in SCRIPTS.items()}
    for measure in ("hamming", "violent"):
        report = matrix(known, Options(measure=measure))
        assert [(pair.a, pair.b) for pair in report.pairs] == list(combinations(sorted(SCRIPTS), 2))
        for each in report.pairs:
            both = list(zip(prints[each.a], prints[each.b], strict=True))
            differ = sum(x != y if measure == "hamming" else {x, y} == {"a", "b"} for x, y in both)
            assert (each.value, each.n) == (differ / PAIRS, PAIRS)
            assert each.low <= each.value <= each.high


def test_a_pair_says_where_two_agree_and_how_firmly_by_theme(known: Results) -> None:
    report = pair(known, "m0", "m1")

    for each in report.stands:
        p = int(each.pair[1:])
        picks = pick_of(SCRIPTS["m0"], p), pick_of(SCRIPTS["m1"], p)
        chose = [pick for pick in picks if pick != "none"]
        expected = (
            ("agree" if picks[0] == picks[1] else "opposite")
            if len(chose) == 2
            else "one chose"
            if chose
            else "neither chose"
        )
        assert each.verdict == expected
    assert [theme.theme for theme in report.themes] == ["t0", "t1", "t2"]
    for theme in report.themes:
        assert theme.pairs == 4 == theme.agree + theme.opposite + theme.one_chose + theme.neither_chose
    assert sum(theme.opposite for theme in report.themes) == report.violent.value * PAIRS
    assert report.pair == next(p for p in matrix(known, Options(models=("m0", "m1"))).pairs)


def test_sharpness_is_a_table_of_nodes_and_pairs(known: Results) -> None:
    report = matrix(known, Options(measure="sharpness"))

    assert isinstance(report, SharpnessReport)
    assert sorted(report.columns) == sorted(f"p{p}" for p in range(PAIRS))
    for name, plan in SCRIPTS.items():
        assert {stand.pair: stand.sharpness for stand in report.stands[name]} == {
            f"p{p}": abs(sum({"a": 1, "b": -1}.get(plan[p, e], 0) for e in range(ENVELOPES))) / ENVELOPES
            for p in range(PAIRS)
        }


def test_who_follows_the_position_has_no_preference_anywhere() -> None:
    results = make({"follower": by_position, "keeper": prefers(lambda p: p % 2)}, envelopes=29)

    report = focus(results, "follower")

    assert {stand.pick for stand in report.fingerprint} == {"none"}
    assert report.total.order_bias.value == report.total.first.value == report.total.commit.value == 1
    assert report.total.real.value == 0
    assert report.total.outcomes == {"order_bias": 12 * 29}
    assert report.sharpest == report.softest == ()
    assert {each.order_bias.value for each in report.envelopes + report.families} == {1}
    assert focus(results, "keeper").total.first.value == 0.5
    (pair_of,) = matrix(results, Options(measure="hamming")).pairs
    assert pair_of.value == 1
    assert matrix(results, Options(measure="violent")).pairs[0].value == 0


REFUSE = {"native": 0.05, "bare": 0.25, "code": 0.5}
POSITION = {"native": 0.1, "bare": 0.4, "code": 0.9}
FRONT = 0.8


def majority_of_five(chance: float) -> float:
    """Return the chance that at least three of five samples are of one kind."""
    return sum(comb(5, k) * chance**k * (1 - chance) ** (5 - k) for k in (3, 4, 5))


def truth(family: str) -> dict[str, float]:
    """Return the rates of a responder who refuses, goes by position or has a taste with known chances."""
    answers, position = 1 - REFUSE[family], POSITION[family]
    # the word that is liked, standing first or second, and the other one
    liked = [answers * (position * front + 1 - position) for front in (FRONT, 1 - FRONT)]
    other = [answers * position * front for front in (1 - FRONT, FRONT)]
    like, dislike = ([majority_of_five(p) for p in each] for each in (liked, other))
    return {
        "commit": answers,
        "first": position * FRONT + (1 - position) * 0.5,
        "real": like[0] * like[1] + dislike[0] * dislike[1],
        "order_bias": like[0] * dislike[1] + like[1] * dislike[0],
    }


def test_with_samples_the_intervals_of_all_rates_hold_the_truth() -> None:
    """In 95 % of 40 collections; and no preference comes back turned round."""
    inside: Counter[str] = Counter()
    for seed in range(40):
        say = Drawn(
            refuse=lambda e: REFUSE[FAMILIES[e % 4]],
            position=lambda e: POSITION[FAMILIES[e % 4]],
            taste=lambda p: p % 2,
            first=FRONT,
            seed=seed,
        )
        report = focus(make({"one": say}, pairs=20, envelopes=4, samples=5), "one")
        for rates in report.families:
            for name, value in truth(rates.family).items():
                share = getattr(rates, name)
                inside[name] += share.low <= value <= share.high
        liked = {f"p{p}": "ba"[p % 2] for p in range(20)}
        told = [stand.pick == liked[stand.pair] for stand in report.fingerprint if stand.pick != "none"]
        assert len(told) >= 18
        assert all(told)

    assert all(inside[name] >= 0.93 * 40 * 3 for name in ("commit", "first", "real", "order_bias")), inside


def test_the_order_of_models_pairs_and_rows_changes_nothing(known: Results) -> None:
    other = Results(
        models=known.models[::-1],
        other={
            "pairs": known.other["pairs"][::-1],
            "envelopes": known.other["envelopes"],
            "choices": random.Random(3).sample(known.other["choices"], len(known.other["choices"])),
        },
    )

    for options in (Options(), Options(measure="violent"), Options(measure="sharpness")):
        one, two = matrix(known, options), matrix(other, options)
        assert one.order == two.order
        assert replace(one, models=()) == replace(two, models=())
        assert {model.id: model for model in one.models} == {model.id: model for model in two.models}
    assert focus(known, "m2") == focus(other, "m2")
    assert pair(known, "m2", "m1") == pair(other, "m2", "m1")


def test_one_responder_under_two_names_is_not_called_apart() -> None:
    results = make({"one": scripted(SCRIPTS["m0"]), "two": scripted(SCRIPTS["m0"])}, envelopes=ENVELOPES)

    (found,) = matrix(results).pairs

    assert (found.value, found.p, found.call) == (0, 1, "too close to call")


def test_two_with_opposite_tastes_are_apart_and_few_pairs_cannot_say() -> None:
    taste = {"one": prefers(lambda _: 0), "two": prefers(lambda _: 1)}

    (found,) = matrix(make(taste)).pairs
    (few,) = matrix(make(taste, pairs=5)).pairs

    assert (found.value, found.call) == (1, "apart")
    assert (few.value, few.p, few.call) == (1, None, "cannot say")


def test_models_without_a_pair_in_common_have_no_distance() -> None:
    results = make({"one": prefers(lambda _: 0), "two": prefers(lambda _: 0)})
    rows = results.other["choices"]
    results.other["choices"] = [row for row in rows if (row["model"] == "one") == (int(row["pair"][1:]) < 6)]

    for measure in ("hamming", "violent"):
        (found,) = matrix(results, Options(measure=measure)).pairs
        assert (found.value, found.low, found.n, found.undefined) == (
            None,
            None,
            0,
            "no pair of words in common",
        )


def test_a_single_envelope_is_a_preference_of_one_of_one(known: Results) -> None:
    found = focus(make({"one": prefers(lambda _: 1)}, envelopes=1), "one")

    assert {(s.pick, s.b, s.real, s.answered) for s in found.fingerprint} == {("b", 1, 1, 1)}


def test_one_of_one_among_many_refusals_is_a_preference_that_shows_its_n() -> None:
    def say(p: int, e: int, swapped: bool, sample: int) -> str:
        return words(p)[0] if e == 3 else "Neither"

    (stand, *_) = focus(make({"one": say}, envelopes=29), "one").fingerprint

    assert (stand.pick, stand.real, stand.answered) == ("a", 1, 29)
    assert stand.sharpness == pytest.approx(1 / 29)


def test_envelopes_with_one_text_count_once() -> None:
    results = make({"one": prefers(lambda _: 0)}, envelopes=4)
    templates = ("{a} ou {b}", "{a} or {b}", "{a} ou {b}", "{a} | {b}")
    for envelope, template in zip(results.other["envelopes"], templates, strict=True):
        envelope["template"] = template
    results.other["envelopes"][0]["words"] = "fr"
    results.other["pairs"][0]["words"]["fr"] = ["gauche", "droite"]

    report = focus(results, "one")

    answered = {stand.pair: stand.answered for stand in report.fingerprint}
    assert answered == {f"p{p}": 3 for p in range(1, 12)} | {"p0": 4}
    assert report.asked.distinct == (3, 4)
    assert [each.commit.n for each in report.envelopes] == [46, 24, 46, 24]
    assert report.total.commit.n == 8 * 12


def test_what_failed_is_told_apart_from_what_was_not_chosen() -> None:
    results = make({"one": prefers(lambda _: 0)}, envelopes=3)
    for row in results.other["choices"]:
        if row["pair"] == "p0":
            row |= {"text": "", "flags": ["error"]}
        if row["pair"] == "p1" and row["order"] == "ba":
            row |= {"text": "", "flags": ["refusal"]}
    results.other["choices"] = [
        row for row in results.other["choices"] if (row["pair"], row["order"]) != ("p2", "ba")
    ]

    found = {stand.pair: stand for stand in focus(results, "one").fingerprint}

    assert (found["p0"].pick, found["p0"].answered, found["p0"].reasons) == (None, 0, {"error": 3})
    assert (found["p1"].pick, found["p1"].reasons) == ("none", {"one_sided": 3})
    assert "p2" not in found


def test_intransitive_triples_are_listed() -> None:
    """Scissors, paper, stone, and three that stand in order."""
    results = make({"one": prefers(lambda _: 0)}, pairs=6, envelopes=2)
    named = [
        ("Stone", "scissors"),
        ("scissors", "paper"),
        ("paper", "stone"),
        ("tea", "milk"),
        ("milk", "beer"),
    ]
    for row, both in zip(results.other["pairs"], [*named, ("tea", "beer")], strict=True):
        row["words"]["en"] = list(both)
    for row in results.other["choices"]:
        row["text"] = results.other["pairs"][int(row["pair"][1:])]["words"]["en"][0]

    report = focus(results, "one")

    assert [triple.words for triple in report.triples] == [("Stone", "scissors", "paper")]
    assert report.triples[0].pairs == ("p0", "p1", "p2")
    assert report.triples_possible == 2


def test_neighbours_are_ranked_by_distance(known: Results) -> None:
    report = focus(known, "m0")

    values = [each.pair.value for each in report.neighbours]
    assert values == sorted(values)
    assert {each.model for each in report.neighbours} == {"m1", "m2", "m3"}
    assert report.neighbours[0].rank == 1
    assert [each.model for each in focus(known, "m0", Options(models=("m2",))).neighbours] == ["m2"]


def test_a_recorded_pick_counts_and_reclassify_reads_the_text() -> None:
    results = make({"one": prefers(lambda _: 0)}, envelopes=2)
    for row in results.other["choices"]:
        row |= {"pick": "b", "reason": None}

    assert {s.pick for s in focus(results, "one").fingerprint} == {"b"}
    assert {s.pick for s in focus(results, "one", Options(reclassify=True)).fingerprint} == {"a"}


def test_a_row_that_stands_twice_counts_once_and_two_texts_of_one_identity_are_an_error() -> None:
    results = make({"one": prefers(lambda _: 0)}, envelopes=2, samples=2)
    rows = results.other["choices"]
    rows.append(dict(rows[0]))

    model = focus(results, "one").model
    assert (model.counts["replies"], model.left_out) == (len(rows) - 1, {"repeated": 1})

    rows[-1]["text"] = "something else"
    with pytest.raises(ConflictError, match=rf"choice 1 and choice {len(rows)}"):
        focus(results, "one")


def test_what_narrows_the_file(known: Results) -> None:
    assert len(focus(known, "m0", Options(topics=("t1",))).fingerprint) == 4
    assert [s.pair for s in focus(known, "m0", Options(prompts=("p3",))).fingerprint] == ["p3"]
    assert {s.answered for s in focus(known, "m0", Options(envelopes=("e1", "e2"))).fingerprint} == {2}
    for options, what in (
        (Options(topics=("t9",)), "topic"),
        (Options(prompts=("p99",)), "pair"),
        (Options(envelopes=("e99",)), "envelope"),
        (Options(period="2026"), "period"),
    ):
        with pytest.raises(UnknownChoiceError, match=f'no {what} "'):
            focus(known, "m0", options)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"pair": "p99"}, 'choice 1: field pair: expected a pair of the file, found "p99"'),
        ({"model": 7}, "choice 1: field model: expected a model of the file, found no text"),
        ({"order": "aa"}, 'choice 1: field order: expected ab or ba, found "aa"'),
        ({"envelope": None}, "choice 1: field envelope: expected an envelope of the file, found nothing"),
        ({"text": None}, "choice 1: expected the text of a reply, or a pick"),
        ({"sample": [1]}, "a sample or a period that is neither a number nor a text"),
        ({"period": {}}, "a sample or a period that is neither a number nor a text"),
        ({"text": 7, "pick": ["a"]}, "choice 1: expected the text of a reply, or a pick"),
    ],
)
def test_a_row_that_says_nothing_usable_is_an_error_with_its_place(change: dict, told: str) -> None:
    results = make({"one": prefers(lambda _: 0)}, pairs=2, envelopes=2)
    results.other["choices"][0] |= change

    with pytest.raises(InputError, match=told):
        matrix(results)


def test_what_cannot_be_asked() -> None:
    results = make({"one": prefers(lambda _: 0), "two": prefers(lambda _: 0)}, pairs=2, envelopes=2)
    results.models.append(Model(id="silent"))

    assert NAME == "choices"
    assert has_data(results)
    assert not has_data(Results())
    with pytest.raises(UsageError, match="one model"):
        pair(results, "one", "one")
    with pytest.raises(UsageError, match='"silent" has no choices'):
        focus(results, "silent")
    with pytest.raises(UsageError, match="none of the models that are named has choices"):
        matrix(results, Options(models=("silent",)))
    with pytest.raises(UnknownModelError):
        focus(results, "nobody")
    with pytest.raises(UsageError, match="hold no choices"):
        matrix(Results())


def test_periods_are_read_together_or_one_by_one() -> None:
    one = make({"one": prefers(lambda _: 0)}, pairs=2, envelopes=2)
    later = make({"one": prefers(lambda _: 1)}, pairs=2, envelopes=2).other["choices"]
    for rows, period in ((one.other["choices"], "w1"), (later, "w2")):
        for row in rows:
            row["period"] = period
    one.other["choices"] += later

    assert {s.pick for s in focus(one, "one", Options(period="w2")).fingerprint} == {"b"}
    assert {s.pick for s in focus(one, "one").fingerprint} == {"none"}


def test_a_table_is_in_the_order_of_ids(known: Results) -> None:
    found = table(known, Options())

    assert [node.id for node in found.nodes] == sorted(SCRIPTS)
    assert found.outcome.shape == (4, PAIRS, ENVELOPES)

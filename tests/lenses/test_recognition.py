"""Recognition: what is recognised, what cannot be, and that nothing held out is ever looked at."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from stylekl.errors import UnknownModelError, UsageError
from stylekl.facets.texts import Texts
from stylekl.lenses.style import StyleOptions, traits
from stylekl.lenses.style.held_out import Held, hold, with_strangers
from stylekl.lenses.style.material import gather_material
from stylekl.lenses.style.profiles import BLOCKS, symbols_of
from stylekl.lenses.style.recognition import cut_replies, recognise, recognised, shortened
from stylekl.lenses.style.who_wrote import prepared, verdict, who_wrote
from stylekl.measure.ridge import fit_ridge
from stylekl.results import Model, Prompt, Reply, Results

from .make import POOL

if TYPE_CHECKING:
    from stylekl.lenses.style.recognition_report import RecognitionReport, WhoWroteReport

OPTIONS = StyleOptions()


def results_of(writers: dict[str, dict[str, float]], *, prompts: int = 40, samples: int = 1, seed: int = 0):
    """Return results of writers who each use some words with their own chances, in replies of 20 to 120 words."""
    chance = random.Random(seed)
    found = Results(
        models=[Model(id=name) for name in writers],
        prompts=[Prompt(id=f"p{number}", text=f"Prompt number {number}.") for number in range(prompts)],
    )
    for name, more in writers.items():
        for number in range(prompts):
            for sample in range(samples):
                text = written(chance, more)
                found.replies.append(
                    Reply(
                        model=name, prompt=f"p{number}", text=text, sample=sample + 1 if samples > 1 else None
                    )
                )
    return found


def written(chance: random.Random, more: dict[str, float], words: int | None = None) -> str:
    weights = [more.get(word, 0.02) for word in (*POOL, *more)]
    size = words or chance.randint(20, 120)
    return " ".join(chance.choices((*POOL, *more), weights, k=size)) + "."


def held_of(results: Results) -> Held:
    return hold(gather_material(results, OPTIONS))


FOUR = {
    "one": {"delve": 0.3, "moreover": 0.2},
    "two": {"honestly": 0.3, "kind": 0.2},
    "three": {"- ": 0.3, "thus": 0.2},
    "four": {"well": 0.25, "so": 0.2},
}
SAME = {"one": {"delve": 0.05}, "two": {"delve": 0.05}, "three": {"delve": 0.05}}


@pytest.fixture(scope="module")
def four() -> RecognitionReport:
    return recognise(held_of(results_of(FOUR)))


@pytest.fixture(scope="module")
def answered() -> dict[str, WhoWroteReport]:
    """What is said of texts of several kinds, by the file of four."""
    material = gather_material(results_of(FOUR, prompts=60), OPTIONS)
    chance = random.Random(99)
    texts = {
        "known": written(chance, FOUR["two"], 100),
        "short": "the a of and.",
        "foreign": "Ungefähr dreißig Gäste saßen an jenem Abend im Garten und tranken kühlen Wein. " * 6,
        "between": written(chance, {"delve": 0.1, "honestly": 0.1}, 60),
    }
    return {name: who_wrote(material, OPTIONS, text) for name, text in texts.items()}


def test_writers_that_differ_are_recognised(four: RecognitionReport) -> None:
    assert four.accuracy.value > 0.95
    assert four.accuracy.low > 0.9 > four.chance == 0.25
    assert four.answers_closed.right.value > 0.93
    assert {pair.call for pair in four.pairs} == {"told apart"}
    assert (four.prompts, four.replies, four.folds) == (40, 160, 10)


def test_the_table_counts_every_reply_once(four: RecognitionReport) -> None:
    """Rows are writers in the report's order; recalls and precisions follow from it."""
    table = np.array(four.confusion)
    place = {model: number for number, model in enumerate(four.order)}

    assert table.sum(axis=1).tolist() == [40, 40, 40, 40]
    for model in four.models:
        own = place[model.model]
        assert model.recall.value == pytest.approx(table[own, own] / 40)
        assert model.precision.value == pytest.approx(table[own, own] / table[:, own].sum())
        assert (model.most_confused_with is None) == (table[own, own] == 40)


def test_equal_writers_cannot_be_told() -> None:
    """Twelve files: chance lies in the interval but once or twice, hardly a pair is told apart, or a name given."""
    reports = [recognise(held_of(results_of(SAME, seed=seed))) for seed in range(12)]
    pairs = [pair for report in reports for pair in report.pairs]

    assert sum(report.accuracy.low <= 1 / 3 <= report.accuracy.high for report in reports) >= 9
    assert sum(pair.call == "told apart" for pair in pairs) <= 2
    assert sum(report.answers_closed.right.count for report in reports) <= 0.01 * 12 * 120


def test_no_reply_is_judged_by_another_reply_to_its_prompt() -> None:
    """Each writer answers each prompt twice with one text that nobody else has: a leak would recognise them all."""
    results = results_of(SAME, samples=2)
    chance = random.Random(5)
    for reply in results.replies:
        if reply.sample == 1:
            words = " ".join(f"w{chance.randrange(10**6)}" for _ in range(40))
        reply.text = words
    report = recognise(held_of(results))

    assert report.replies == 240
    assert report.accuracy.value < 0.5


def test_nothing_of_a_fold_is_looked_at_when_it_is_judged() -> None:
    """Whose replies are whose within a fold changes none of the probabilities of that fold."""
    held = held_of(results_of(FOUR))
    fold = held.folds[3]
    labels = held.labels.copy()
    labels[fold] = np.roll(labels[fold], 1)
    shuffled = replace(held, labels=labels, ridge=fit_ridge(held.products, labels, held.classes))

    np.testing.assert_allclose(shuffled.nested[fold], held.nested[fold], atol=1e-7)
    assert np.abs(shuffled.nested - held.nested).max() > 1e-3


def test_the_order_of_the_file_does_not_matter() -> None:
    results = results_of(FOUR, prompts=20)
    first = recognise(held_of(results))
    results.models.reverse()
    results.prompts.sort(key=lambda prompt: prompt.id[::-1])
    random.Random(3).shuffle(results.replies)

    assert recognise(held_of(results)) == first


def test_names_given_count_with_strangers(four: RecognitionReport) -> None:
    """The greater their chance beforehand, the fewer names; two models have none, and the report says why."""
    held = held_of(results_of(FOUR))
    shares = [recognise(held, stranger=prior).answers.given.value for prior in (0.0, 0.05, 0.2, 0.5)]
    two = recognise(held_of(results_of({name: FOUR[name] for name in ("one", "two")})))

    assert shares == sorted(shares, reverse=True)
    assert shares[0] == four.answers_closed.given.value
    assert all(model.stranger is not None for model in four.models)
    assert two.strangers is None
    assert two.undefined == "two models only: with one left out there is nobody to take it for"


def test_a_model_that_is_left_out_is_judged_by_the_others_alone() -> None:
    """Its replies have a score for every other model and none for itself, and a copy of it draws them all."""
    held = held_of(results_of(FOUR | {"copy": FOUR["one"]}))
    left = held.left_out
    names = np.delete(np.array(held.ids), held.ids.index("one"))
    own = held.labels[left.rows] == held.ids.index("one")

    assert left.scores.shape == (200, 4)
    assert (names[left.scores[own].argmax(axis=1)] == "copy").mean() > 0.9
    assert len(with_strangers(held, 0.05)[1]) == 200


def test_calibration_counts_every_reply(four: RecognitionReport) -> None:
    assert sum(each.replies for each in four.calibration) == four.replies
    assert all(each.claimed is None or each.low <= each.claimed <= each.high for each in four.calibration)


def test_lengths_are_of_replies_that_are_longer(four: RecognitionReport) -> None:
    """No reply here has 800 characters; the shortest length that is answered often enough is the least one."""
    by_length = {row.characters: row for row in four.lengths}

    assert by_length[50].replies > 0
    assert (by_length[800].replies, by_length[800].accuracy) == (0, None)
    assert by_length[four.least_length].answered >= 0.05
    assert all(row.answered < 0.05 for row in four.lengths if row.characters < four.least_length)


def test_one_model_has_its_fields_for_other_reports(four: RecognitionReport) -> None:
    found = recognised(four, "two")
    model = next(each for each in four.models if each.model == "two")

    assert (found.accuracy, found.low, found.high) == (
        model.recall.value,
        model.recall.low,
        model.recall.high,
    )
    assert found.chance == 0.25
    with pytest.raises(KeyError):
        recognised(four, "five")


def test_a_text_like_those_of_one_model_gets_its_name(answered: dict[str, WhoWroteReport]) -> None:
    found = answered["known"].text

    assert (found.call, found.model) == ("named", "two")
    assert found.probability == found.candidates[0].probability >= 0.9
    assert sum(each.probability for each in found.candidates) + found.none == pytest.approx(1.0, abs=1e-5)
    assert [each.model for each in found.candidates] != sorted(each.model for each in found.candidates)


def test_a_text_that_is_too_short_or_like_nobody_or_like_two_gets_no_name(
    answered: dict[str, WhoWroteReport],
) -> None:
    assert answered["short"].text.call == "too short to say"
    assert answered["foreign"].text.call == "none of these"
    assert answered["foreign"].text.unlike <= 0.02
    assert answered["between"].text.call == "could not tell"
    assert {report.text.model for name, report in answered.items() if name != "known"} == {None}


def test_held_out_texts_of_the_models_are_named_rightly_and_seldom_refused() -> None:
    """80 new texts of writers in the file: nine names in ten are right, few texts fit nobody."""
    material = gather_material(results_of(FOUR), OPTIONS)
    held = hold(material)
    report, cut = recognise(held), cut_replies(held)
    from stylekl.lenses.style.who_wrote import judge

    chance = random.Random(8)
    labels = np.repeat(np.arange(4), 20)
    texts = [written(chance, FOUR[held.ids[label]]) for label in labels.tolist()]
    found = judge(held, cut, texts)
    calls = [
        verdict(report, len(text), best, none, unlike)
        for text, best, none, unlike in zip(
            texts, found.chances.max(axis=1), found.none, found.unlike, strict=True
        )
    ]
    named = np.array([call == "named" for call in calls])

    assert named.mean() > 0.4
    assert (found.chances.argmax(axis=1) == labels)[named].mean() >= 0.93
    assert calls.count("none of these") <= 6


def test_below_ten_prompts_no_text_is_attributed() -> None:
    """Four are enough to hold some out, fewer are an error."""
    few = who_wrote(
        gather_material(results_of(FOUR, prompts=8), OPTIONS), OPTIONS, "the a of and to in " * 30
    )

    assert few.text.call == "too few prompts to say"
    with pytest.raises(UsageError, match="needs 4 prompts that two models answered; there are 3"):
        held_of(results_of(FOUR, prompts=3))


def test_prompts_that_one_model_alone_answered_do_not_count() -> None:
    """Who was asked what must not give anybody away; where it may, a warning says so."""
    results = results_of(FOUR)
    results.replies = [r for r in results.replies if r.model != "one" or int(r.prompt[1:]) < 5]
    for number in range(30):
        results.prompts.append(Prompt(id=f"x{number}", text=f"Asked of one alone {number}."))
        results.replies.append(Reply(model="one", prompt=f"x{number}", text="the a of and to in it"))
    report = recognise(held_of(results))

    assert report.prompts == 40
    assert {model.model: model.replies for model in report.models}["one"] == 5
    assert report.warnings == (
        "the models answered different prompts: what they were asked may give some away",
    )


def test_what_is_learned_from_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stylekl.lenses.style.held_out.MOST", 100)
    report = recognise(held_of(results_of(FOUR)))

    assert (report.prompts, report.replies) == (25, 100)
    assert report.warnings == ("recognition learned from 25 of 40 prompts, 100 replies at most",)


def test_models_narrow_who_comes_into_question() -> None:
    material = gather_material(results_of(FOUR), OPTIONS)
    chosen = who_wrote(material, StyleOptions(models=("three", "two")), None)

    assert [model.model for model in chosen.recognition.models] == ["three", "two"]
    assert chosen.text is None
    with pytest.raises(UsageError, match="two models; 1 has any"):
        who_wrote(material, StyleOptions(models=("two",)))
    with pytest.raises(UnknownModelError):
        who_wrote(material, StyleOptions(models=("nobody", "two")))


def test_a_text_is_prepared_as_replies_are() -> None:
    assert prepared("<think>hm</think>\r\n\n  One.\r\nTwo. \n", OPTIONS) == "One.\nTwo."
    assert prepared("<think>hm</think>One.", StyleOptions(keep_thinking=True)) == "<think>hm</think>One."
    assert prepared("**One** two.", StyleOptions(plain=True)) == "One two."
    for nothing in ("", " \n", "<think>hm</think>"):
        with pytest.raises(UsageError, match="the text is empty"):
            prepared(nothing, OPTIONS)


def test_a_text_of_the_file_meets_the_columns_of_the_file() -> None:
    """Its row is the row it had; unknown symbols count in the length but have no column; nothing at all is 0."""
    held = held_of(results_of(FOUR, prompts=12))
    rows, mass = held.columns.rows(Texts([held.texts.texts[7], "xyzzy", ""]))

    assert abs(rows[0] - held.table[7]).max() < 1e-12
    assert mass[0] == held.mass[7] == pytest.approx(1.0)
    assert rows[1].multiply(rows[1]).sum() < mass[1] - 0.3
    assert rows[2].nnz <= len(BLOCKS)
    assert (held.table.multiply(held.table).sum(axis=1) <= 1.0 + 1e-9).all()


def test_a_symbol_needs_three_prompts() -> None:
    """Words of one or two prompts, however many replies hold them, tell what these were about."""
    results = results_of(SAME, prompts=10)
    for reply in results.replies:
        reply.text += " rarely" * (reply.prompt in ("p1", "p2")) + " widely" * (
            reply.prompt in ("p1", "p2", "p3")
        )
    columns = held_of(results).columns
    word = {name: symbols_of(Texts([name]))["words"].number[0] for name in ("rarely", "widely")}

    assert word["widely"] in columns.numbers["words"]
    assert word["rarely"] not in columns.numbers["words"]


def test_traits_of_a_small_text() -> None:
    text = "Well, yes.\n\n- **One**: a\n1) two\n# Head:"

    assert traits.lines(text)[:5] == ["text 0", "blank", "- bold 0", "1) 0", "#: 0"]
    assert "^/text 0" in traits.lines(text)
    assert "1) 0/#: 0/$" in traits.lines(text)
    assert {"reply Well, yes.", "sentence Well, yes.", "paragraph - **One**:", "end two # Head:"} <= set(
        traits.starts(text)
    )
    assert {",", ".~\n\n", "=a, a", "**:", "**:~\n"} <= set(traits.joints(text))


@pytest.mark.parametrize("text", ["", " ", "\n\n", "。", "word", "é" * 50, "\ud800", "* " * 400])
def test_traits_take_any_text(text: str) -> None:
    for symbols in (traits.lines(text), traits.starts(text), traits.joints(text)):
        assert all(isinstance(symbol, str) for symbol in symbols)


def test_a_text_is_shortened_between_words() -> None:
    assert shortened("one two three", 9) == "one two"
    assert shortened("x" * 20, 9) == "x" * 9
    assert shortened("a " + "x" * 20, 9) == "a " + "x" * 7

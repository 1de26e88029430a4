"""Recognition on the shipped sample: six ways of writing, two of which differ in nothing but the seed."""

from __future__ import annotations

import random

import pytest

from stylekl.lenses.style import focus
from stylekl.lenses.style.held_out import hold
from stylekl.lenses.style.material import gather_material
from stylekl.lenses.style.options import StyleOptions
from stylekl.lenses.style.recognition import recognise
from stylekl.lenses.style.who_wrote import who_wrote
from stylekl.results import Model, Prompt, Reply, Results, load
from stylekl.results.default import sample_path


@pytest.fixture(scope="module")
def results():
    return load(str(sample_path()))


@pytest.fixture(scope="module")
def report(results):
    return recognise(hold(gather_material(results, StyleOptions())))


def test_replies_are_recognised_far_above_chance_and_answers_are_right(report):
    assert report.accuracy.low > 3 * report.chance
    assert report.answers.right.value >= 0.93


def test_writers_that_differ_only_by_seed_are_mistaken_for_each_other(report):
    pair = next(p for p in report.pairs if {p.a, p.b} == {"smollm2-plain", "smollm2-plain-again"})

    assert pair.call != "told apart"
    assert pair.accuracy.low < 0.5 < pair.accuracy.high


def test_every_reply_is_in_the_confusion_matrix_once(report):
    assert sum(map(sum, report.confusion)) == report.replies
    assert [sum(row) for row in report.confusion] == [
        next(model.replies for model in report.models if model.model == name) for name in report.order
    ]


def test_the_order_of_the_file_changes_nothing(results, report):
    shuffled = load(str(sample_path()))
    random.Random(1).shuffle(shuffled.models)
    random.Random(2).shuffle(shuffled.replies)
    again = recognise(hold(gather_material(shuffled, StyleOptions())))

    assert again.accuracy == report.accuracy
    assert again.confusion == report.confusion


def test_a_text_without_enough_characters_is_too_short_to_say(results):
    material = gather_material(results, StyleOptions())
    short = who_wrote(material, StyleOptions(), "Rain.").text

    assert short is not None
    assert (short.call, short.model) == ("too short to say", None)


def test_focus_says_the_same_of_its_model(results, report):
    found = focus(results, "smollm2-plain", StyleOptions(recognise=True, facets=False)).style.recognised

    own = next(model for model in report.models if model.model == "smollm2-plain")
    assert (found.accuracy, found.low, found.high) == (own.recall.value, own.recall.low, own.recall.high)
    assert found.most_confused_with == own.most_confused_with.model == "smollm2-plain-again"
    assert found.chance == report.chance


def test_focus_says_why_nothing_can_be_said_of_recognition():
    """Two prompts cannot be held out twice."""
    few = Results(
        models=[Model(id="a"), Model(id="b")],
        prompts=[Prompt(id="p", text="One?"), Prompt(id="q", text="Two?")],
        replies=[
            Reply(
                model=model,
                prompt=prompt,
                text=f"The {model} answers {prompt} here, and the rest is the same.",
            )
            for model in "ab"
            for prompt in "pq"
        ],
    )
    found = focus(few, "a", StyleOptions(recognise=True, facets=False))

    assert found.style.recognised is None
    assert found.warnings[-1].startswith(
        "how well it is recognised cannot be said: recognition needs 4 prompts"
    )

"""What is odd about replies: each kind in a file that is made for it, and none where nothing is wrong."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.lenses.quality import ORDER, defects, examine
from stylekl.lenses.quality.models import _of_others
from stylekl.lenses.quality.tally import Spread
from stylekl.results import Condition, Model, Prompt, Reply, Results, load

if TYPE_CHECKING:
    from pathlib import Path

    from stylekl.lenses.quality import QualityFinding, QualityReport

TOPICS = ("rivers", "bread", "trains", "music", "stars", "chess", "bees", "glass", "maps", "salt")


def prose(model: str, number: int) -> str:
    """Return a reply like no other: what a model that nobody complains of would write."""
    topic = TOPICS[number % len(TOPICS)]
    return (
        f"There is a lot to say about {topic} number {number}, and {model} would begin with what is known to all. "
        f"After that it is the {topic} themselves that matter, not the books on them; see chapter {number + 3}."
    )


def made(texts: dict[str, dict[int, Any]] | None = None, size: int = 20, **more: Any) -> Results:
    """Return results of the models "a", "b" and "c"; `texts` replaces replies, null taking one away."""
    changed = texts or {}
    models = list(dict.fromkeys(["a", "b", "c", *changed]))
    replies = []
    for model in models:
        for number in range(size):
            given_text = changed.get(model, {}).get(number, prose(model, number))
            if isinstance(given_text, Reply):
                replies.append(given_text)
            elif given_text is not None:
                replies.append(Reply(model=model, prompt=f"p{number}", text=given_text))
    return Results(
        models=[Model(id=model) for model in models],
        prompts=[
            Prompt(
                id=f"p{number}",
                text=f"What is there to say about {TOPICS[number % 10]} and the number {number}?",
            )
            for number in range(size)
        ],
        replies=replies,
        places=[("made.jsonl: line", number) for number in range(1, len(replies) + 1)],
        **more,
    )


def found(results: Results, kind: str) -> list[QualityFinding]:
    return [finding for finding in examine(results).findings if finding.kind == kind]


def kinds(report: QualityReport) -> set[tuple[str, str]]:
    return {(finding.severity, finding.kind) for finding in report.findings}


def everywhere(text: Any, size: int = 20) -> dict[int, Any]:
    return dict.fromkeys(range(size), text)


def test_nothing_is_said_of_replies_that_are_as_they_should_be() -> None:
    report = examine(made())

    assert (report.findings, report.trouble) == ((), 0)
    assert report.languages.replies == {"English": 1.0}
    assert [(each.id, each.replies, each.prompts, each.samples) for each in report.contents] == [
        (model, 20, 20, (1, 1)) for model in "abc"
    ]


@pytest.mark.parametrize("text", ["", " \n", "\u200b", "\ufeff\u2060"])
def test_a_model_without_text_is_near_empty(text: str) -> None:
    """Characters of no width are no text either; what is blank is not told a second time as empty."""
    report = examine(made({"b": everywhere(text)}))

    assert kinds(report) == {("trouble", "near_empty")}
    (finding,) = report.findings
    assert (finding.models, finding.replies, finding.of, finding.place) == (
        ("b",),
        20,
        20,
        "made.jsonl: line 21",
    )


def test_a_few_characters_are_near_empty_beside_prose_and_no_trouble_alone() -> None:
    brief = {number: f"Reply {number}" for number in range(20)}
    alone = made({"b": brief})
    alone.models = [model for model in alone.models if model.id == "b"]
    alone.replies = [reply for reply in alone.replies if reply.model == "b"]

    assert [f.severity for f in found(made({"b": brief}), "near_empty")] == ["trouble"]
    assert [f.severity for f in found(alone, "near_empty")] == ["note"]
    assert found(made({"a": brief, "b": brief, "c": brief}), "near_empty") == []


def test_one_word_prompts_may_be_answered_alike() -> None:
    """Neither short nor constant: that is what was asked for."""
    results = made({"b": everywhere("Yes.")})
    for prompt in results.prompts:
        prompt.kind = "one_word"

    assert examine(results).trouble == 0


def test_one_text_for_all_prompts_is_told_once_and_where() -> None:
    (finding,) = found(made({"b": everywhere(prose("b", 1))}), "constant")

    assert (finding.severity, finding.models, finding.replies, finding.prompts) == ("trouble", ("b",), 20, 20)
    assert finding.place == "made.jsonl: line 21"


def test_a_model_of_few_prompts_may_repeat_itself() -> None:
    assert found(made({"b": everywhere("The same, and it is right.", 4)}, size=4), "constant") == []


DEFECTS = {
    "special_tokens": "It is so.<|im_end|>\n<|im_start|>user",
    "reasoning": "<think>What do they want?</think>It is so, and no other way is known to me.",
    "mojibake": "It isnâ€™t so, and the cafÃ© is closed for the day.",
    "nul": "It is so\0 and no other way.",
    "escapes": "It &amp; the others don&#39;t know.",
    "replacement": "It is \ufffd and not more.",
    "loop": "It is so. " + "And then it went on and on. " * 40,
    "placeholder_text": "[BLOCKED]",
    "empty": "",
}


@pytest.mark.parametrize("kind", DEFECTS)
def test_a_defect_of_two_replies_in_twenty_is_trouble(kind: str) -> None:
    text = DEFECTS[kind]
    (finding,) = found(made({"b": {3: text, 7: text}}), kind)

    assert (finding.severity, finding.models, finding.replies, finding.of) == ("trouble", ("b",), 2, 20)
    assert (finding.listed, finding.place) == (("p3", "p7"), "made.jsonl: line 24")


@pytest.mark.parametrize("kind", ["escapes", "replacement", "loop", "placeholder_text", "empty"])
def test_a_single_reply_with_a_defect_that_good_models_have_too_is_a_note(kind: str) -> None:
    assert [f.severity for f in found(made({"b": {3: DEFECTS[kind]}}), kind)] == ["note"]


@pytest.mark.parametrize("kind", ["special_tokens", "reasoning", "mojibake", "nul"])
def test_what_no_model_means_to_write_is_trouble_however_rare(kind: str) -> None:
    assert [f.severity for f in found(made({"b": {3: DEFECTS[kind]}}), kind)] == ["trouble"]


@pytest.mark.parametrize(
    ("flag", "severity"), [("error", "trouble"), ("placeholder", "trouble"), ("filtered", "note")]
)
def test_flags_of_the_reader_are_told(flag: str, severity: str) -> None:
    reply = Reply(model="b", prompt="p3", text="SAFETY" if flag == "placeholder" else "", flags=[flag])
    (finding,) = found(made({"b": {3: reply}}), flag)

    assert (finding.severity, finding.replies, finding.place) == (severity, 1, "made.jsonl: line 24")


def test_replies_cut_by_a_limit_are_trouble_where_they_are_many() -> None:
    def cut(*numbers: int) -> dict[int, Any]:
        return {n: Reply(model="b", prompt=f"p{n}", text=prose("b", n), stop="length") for n in numbers}

    assert [f.severity for f in found(made({"b": cut(3)}), "truncated")] == ["note"]
    assert [(f.severity, f.replies) for f in found(made({"b": cut(3, 4)}), "truncated")] == [("trouble", 2)]


def test_a_flagged_reply_gives_no_text_and_is_not_searched() -> None:
    """It is left out of comparisons, so what is wrong with its text disturbs none."""
    reply = Reply(model="b", prompt="p3", text=DEFECTS["loop"], flags=["over_length"])

    assert examine(made({"b": {3: reply}})).findings == ()


def test_prompts_that_a_model_lacks_are_named() -> None:
    (finding,) = found(made({"b": {3: None, 7: None}}), "missing_prompts")

    assert (finding.severity, finding.models, finding.prompts) == ("trouble", ("b",), 2)
    assert finding.listed == ("p3", "p7")


def test_models_of_another_set_of_prompts_lack_nothing() -> None:
    """Two sets in one file are two sets, not two models with half of the replies."""
    first, second = dict.fromkeys(range(10)), dict.fromkeys(range(10, 20))
    results = made({"a": first, "b": first, "c": second, "d": second})

    assert examine(results).findings == ()


def test_a_prompt_that_nobody_answered_is_a_note() -> None:
    gone: dict[int, Any] = {3: None}
    report = examine(made({"a": gone, "b": gone, "c": gone}))

    assert [(f.kind, f.severity, f.listed) for f in report.findings] == [("unanswered", "note", ("p3",))]


def test_long_replies_that_two_models_share_are_told_as_a_pair() -> None:
    shared = {number: prose("someone", number) for number in (2, 5)}
    one = made({"a": {2: shared[2]}, "b": {2: shared[2]}})

    assert [
        (f.models, f.replies, f.of, f.severity) for f in found(made({"a": shared, "b": shared}), "copies")
    ] == [(("a", "b"), 2, 20, "trouble")]
    assert [f.severity for f in found(one, "copies")] == ["note"]


def test_short_replies_may_be_the_same() -> None:
    assert found(made({"a": everywhere("It is."), "b": everywhere("It is.")}), "copies") == []


def test_prompts_that_are_alike_are_told() -> None:
    results = made()
    results.prompts[1].text = results.prompts[0].text
    results.prompts[3].text = results.prompts[2].text.upper() + " "

    (same,) = found(results, "same_prompt")
    (near,) = found(results, "near_prompts")
    assert (same.severity, same.listed, same.prompts) == ("trouble", ("p0", "p1"), 2)
    assert (near.severity, near.listed, near.prompts) == ("note", ("p2", "p3"), 2)


def test_a_model_that_answers_in_another_language_is_told() -> None:
    german = {
        number: f"Das ist die Antwort Nummer {number}, und sie ist nicht auf Englisch, wie man es von mir erwartet."
        for number in range(20)
    }
    (finding,) = found(made({"b": german}), "language")

    assert (finding.severity, finding.models, finding.replies) == ("trouble", ("b",), 20)
    assert "German" in finding.text
    assert found(made({"a": german, "b": german, "c": german}), "language") == []


def test_the_language_is_that_of_the_answer_not_of_the_reasoning() -> None:
    thought = {
        number: f"<think>Das ist die Frage, und sie ist nicht so leicht, wie man denkt.</think>{prose('b', number)}"
        for number in range(20)
    }

    assert found(made({"b": thought}), "language") == []


def test_far_longer_replies_are_a_note() -> None:
    long = " ".join(prose("b", number) for number in range(60))
    results = made({"b": {4: long}, "d": {}})

    assert [(f.models, f.replies, f.severity) for f in found(results, "far_longer")] == [(("b",), 1, "note")]


def test_white_space_before_every_reply_is_a_note() -> None:
    spaced = {number: " " + prose("b", number) for number in range(20)}

    assert kinds(examine(made({"b": spaced}))) == {("note", "leading_space")}
    assert examine(made({"b": {3: spaced[3]}})).findings == ()


def test_a_model_under_another_condition_than_the_compared_is_told() -> None:
    results = made(conditions=[Condition(id="none"), Condition(id="brief", system="Be brief.")])
    for reply in results.replies:
        reply.condition = "brief" if reply.model == "b" else None

    (finding,) = found(results, "condition")
    assert (finding.severity, finding.models, finding.of) == ("trouble", ("b",), 20)
    assert examine(results).conditions == {"none": 40, "brief": 20}


def test_a_warning_that_something_is_lost_is_trouble_and_another_a_note() -> None:
    lost = "r.jsonl: line 9, the last, is cut short and left out"
    results = made(warnings=[lost, "r.jsonl: several turns, of which the first is read"])

    assert [(f.severity, f.text) for f in found(results, "warning")] == [
        ("trouble", lost),
        ("note", "r.jsonl: several turns, of which the first is read"),
    ]


def test_the_order_of_the_file_changes_nothing_but_places(tmp_path: Path) -> None:
    results = made({"b": {3: DEFECTS["loop"], 7: DEFECTS["loop"]}, "c": everywhere("")})
    turned = made({"b": {3: DEFECTS["loop"], 7: DEFECTS["loop"]}, "c": everywhere("")})
    turned.models.reverse()
    turned.prompts.reverse()
    turned.replies = list(turned.replies)[::-1]

    def told(report: QualityReport) -> list[tuple[Any, ...]]:
        return [(f.kind, f.severity, f.models, f.replies, f.of, f.prompts) for f in report.findings]

    assert told(examine(results)) == told(examine(turned))


def test_every_kind_has_its_place_in_the_order() -> None:
    assert len(set(ORDER)) == len(ORDER)


# What the texts are told by.


@given(st.text())
def test_every_test_of_a_text_answers(text: str) -> None:
    for test in (defects.is_loop, defects.is_placeholder, defects.has_escapes, defects.has_mojibake):
        assert test(text) in (True, False)


@given(
    st.text("abcdefgh ijklm", min_size=40, max_size=200).filter(lambda unit: unit.strip()),
    st.integers(12, 60),
    st.integers(0, 30),
)
def test_a_stretch_that_comes_again_to_the_end_is_a_loop(unit: str, times: int, cut: int) -> None:
    """Whatever stood before it, and where the limit cut it."""
    looped = unit * times

    assert defects.is_loop("It began well. " + looped[: len(looped) - cut])


@given(st.lists(st.text("abcdefghijklmnop", min_size=3, max_size=12), min_size=30, max_size=300, unique=True))
def test_words_that_never_come_again_are_no_loop(words: list[str]) -> None:
    assert not defects.is_loop(" ".join(words))


def test_a_table_and_a_refrain_are_no_loop() -> None:
    table = "| name | value |\n|---|---|\n" + "".join(f"| row {n} | {n * n} |\n" for n in range(60))
    song = "".join(
        f"Verse {n} tells of day {n * 7} and of what {n} people saw there.\nAnd so we go on.\n"
        for n in range(9)
    )

    assert not defects.is_loop(table)
    assert not defects.is_loop(song)
    assert not defects.is_loop("Title\n" + "-" * 80 + "\n" + prose("b", 1))


@pytest.mark.parametrize("place", range(0, 120, 7))
def test_a_long_run_of_a_character_is_a_loop_wherever_it_stands(place: int) -> None:
    text = prose("b", 1) + prose("c", 2)

    assert defects.is_loop(text[:place] + "!" * 260 + text[place:])


@given(st.text("àâçéèêëîïôùûüñäöß", min_size=1, max_size=30))
def test_utf8_read_as_latin1_is_seen_and_the_letters_themselves_are_not(text: str) -> None:
    assert defects.has_mojibake(text.encode().decode("latin-1"))
    assert not defects.has_mojibake(f"a {text} b") or "Ã" in text


@pytest.mark.parametrize(
    "text",
    ["null", "N/A", "[None]", "[BLOCKED]", "<no output>", "ERROR", "Request timed out.", "SAFETY",
     '{"error": {"message": "Overloaded", "type": "overloaded_error"}}', '{"error": "rate limited", "code": 429}'],
)  # fmt: skip
def test_what_programs_write_for_no_reply_is_a_placeholder(text: str) -> None:
    assert defects.is_placeholder(text)


@pytest.mark.parametrize(
    "text",
    ["None", "No", "Safety", "Other", "Yes.", "An error is a mistake.", '{"answer": 4}', '{"error": false}',
     "None of these is right, as the third has no verb.", ""],
)  # fmt: skip
def test_what_a_model_may_answer_is_none(text: str) -> None:
    assert not defects.is_placeholder(text)


def test_escapes_in_code_are_meant() -> None:
    assert not defects.has_escapes("Write `&lt;b&gt;` for a bold word.\n```html\n<p>a &amp; b</p>\n```\n")
    assert defects.has_escapes("Tom &amp; the others")


@given(st.integers(0, 1000))
def test_a_spread_keeps_few_and_from_everywhere(size: int) -> None:
    spread: Spread[int] = Spread(8)
    for number in range(size):
        if spread.takes:
            spread.add(number)
        else:
            spread.skip()

    assert len(spread.kept) <= 16
    assert len(spread.kept) >= min(size, 8)
    steps = {b - a for a, b in zip(spread.kept, spread.kept[1:], strict=False)}
    assert len(steps) <= 1
    assert not size or size - spread.kept[-1] <= max(steps, default=1)


# Real files: the troubles that are known to be there, and none of those that are known to be sound.


def test_the_known_troubles_of_real_models_are_found_and_sound_ones_not_accused(shared: Path) -> None:
    """A model that writes one text, one that was cut to ten characters, two with prompts missing, and copies."""
    names = (
        "NullModel",
        "gpt4_gamed",
        "gpt4",
        "alpaca-7b_verbose",
        "alpaca-7b_concise",
        "gemini-pro",
        "Storm-7B",
    )
    report = examine(load(*(shared / "data" / "alpaca_eval" / f"{name}.json.gz" for name in names)))

    assert {(f.kind, f.models) for f in report.findings if f.severity == "trouble"} == {
        ("near_empty", ("gpt4_gamed",)),
        ("constant", ("NullModel",)),
        ("missing_prompts", ("alpaca-7b_verbose",)),
        ("missing_prompts", ("alpaca-7b_concise",)),
        ("copies", ("gpt4", "gpt4_gamed")),
    }


def test_placeholders_errors_and_reasoning_of_real_answers_are_found(shared: Path) -> None:
    folder = shared / "data" / "formats" / "speechmap"
    first = examine(load(*sorted((folder / "us_criticism").glob("*.jsonl"))))
    second = examine(load(*sorted((folder / "zh_china_criticism").glob("*.jsonl"))))

    told = {
        (f.kind, f.models[0].split("/")[-1], f.replies)
        for report in (first, second)
        for f in report.findings
        if f.severity == "trouble" and f.models
    }
    assert told >= {
        ("placeholder", "gemini-1.5-pro-002", 8),
        ("reasoning", "qwen3-32b", 50),
        ("error", "qwen-max", 11),
    }


@given(st.lists(st.sampled_from([None, 0.0, 1.0, 1.5, 2.0, 9.0]), min_size=1, max_size=9))
def test_the_median_of_the_others_leaves_only_the_own_value_out(values: list[float | None]) -> None:
    """As if it were taken anew for every model."""
    ordered = sorted(value for value in values if value is not None)
    for place, own in enumerate(values):
        others = [value for at, value in enumerate(values) if at != place and value is not None]

        assert _of_others(ordered, own) == (median(others) if others else None)

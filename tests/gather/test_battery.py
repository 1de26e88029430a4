"""Batteries: what is asked word for word, and that no slip in the file passes in silence."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.errors import InputError, StyleklError, UsageError
from stylekl.gather.ask import Ask, Writer
from stylekl.gather.battery import Battery, Length, count_words
from stylekl.gather.battery_file import find_battery, load_battery, shipped, warnings_of
from stylekl.gather.yaml_file import DEPTH, LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable

WRITER = Writer("w", "W", "local", "openai-chat", "m", "http://127.0.0.1", None)
SMALL = """\
id: small
version: 3
instruction: Use at most 20 words.
prompts:
  - {id: rain, topic: weather, text: "Why does it rain?"}
  - {id: snow, topic: weather, text: Describe snow.}
  - {id: old, text: "Is it hot?", retired: {on: 2026-01-05, why: everyone said no}}
"""
ASKED = """\
id: asked
version: 1
template: Is a {subject} a fish? One word, please.
conditions:
  - id: control
  - {id: told, system: "A {subject} is a fish.", prefix: "Think of a {subject}.", suffix: Be frank.}
  - {id: quiet, suffix: Quietly., off: true}
prompts:
  - {id: whale, kind: one_word, subject: whale}
  - {id: squid, kind: one_word, subject: squid}
"""


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str], Battery]:
    """Return a function that reads a battery from its text."""

    def load(text: str) -> Battery:
        path = tmp_path / "b.yaml"
        path.write_text(text, encoding="utf-8")
        return load_battery(str(path))

    return load


@pytest.mark.parametrize("name", ["everyday", "one-word"])
def test_a_shipped_battery_is_sound(name: str) -> None:
    """It loads by its name without a warning, and the file says where it is from, not where it is installed."""
    battery = load_battery(name)

    assert battery.id == name
    assert warnings_of(battery) == []
    assert battery.source is not None
    assert battery.source.path == f"{name}.yaml"


def test_the_everyday_battery_has_eight_topics_of_twelve() -> None:
    """Every prompt is open, asks for more than a word, and has an id that begins with its topic's word."""
    battery = load_battery("everyday")

    assert battery.topics == dict.fromkeys(battery.topics, 12)
    assert len(battery.topics) == 8
    assert (battery.kind, battery.cap, battery.samples) == ("open", 2000, 1)
    assert all(6 <= count_words(p.text) <= 45 for p in battery.prompts)
    for prompt in battery.prompts:
        assert str(prompt.topic).startswith(prompt.id.split("-")[0].rstrip("y").rstrip("s"))


def test_the_sample_was_asked_the_everyday_battery() -> None:
    """Its prompts are those of the battery, word for word, and so are its instruction and its cap."""
    import stylekl

    battery = load_battery("everyday")
    sample = stylekl.load(str(Path(__file__).parents[2] / "data" / "sample.json"))
    (collection,) = sample.other["collection"]

    assert {p.id: p.text for p in sample.prompts} == {p.id: p.text for p in battery.prompts}
    assert (collection["battery"], collection["version"]) == (battery.id, battery.version)
    assert (collection["instruction"], collection["cap"]) == (battery.instruction, battery.cap)


def test_the_one_word_battery_asks_three_questions_three_ways_three_times() -> None:
    """Under one template, the control first, and 1,024 tokens each."""
    battery = load_battery("one-word")
    told, denied = battery.conditions[1:]
    first = battery.prompts[0]

    assert (len(battery.prompts), len(battery.arms), battery.samples, battery.calls) == (3, 3, 3, 27)
    assert battery.control.added == (None, None, None)
    assert (battery.kind, battery.cap, battery.instruction) == ("one_word", 1024, None)
    assert battery.user_message(first) == battery.user_message(first, told) == first.text
    assert first.text == "Does a bowl of cereal with milk count as a soup? Answer in one word."
    for condition, said in ((told, "counts as"), (denied, "does not count as")):
        question = next(q for q in battery.asks() if q.prompt == first and q.condition == condition)
        assert battery.ask(question, WRITER).system == f"A bowl of cereal with milk {said} a soup."


def test_the_user_message_is_prompt_blank_line_instruction(read: Callable[[str], Battery]) -> None:
    """Exactly, and the prompt alone where there is no instruction."""
    battery = read(SMALL)

    assert battery.user_message(battery.prompts[0]) == "Why does it rain?\n\nUse at most 20 words."
    assert replace(battery, instruction=None).user_message(battery.prompts[0]) == "Why does it rain?"


def test_a_condition_adds_its_texts_with_the_subject(read: Callable[[str], Battery]) -> None:
    """Prefix before, suffix behind, a blank line apart; the system prompt in its own place."""
    battery = read(ASKED)
    (question,) = (q for q in battery.asks() if q.key == ("whale", "told", 1))
    ask = battery.ask(question, WRITER)

    assert ask.user == "Think of a whale.\n\nIs a whale a fish? One word, please.\n\nBe frank."
    assert ask.system == "A whale is a fish."
    assert ask.max_output_tokens == 1024


def test_a_writer_of_its_own_system_prompt_keeps_it_under_every_condition(
    read: Callable[[str], Battery],
) -> None:
    """It stands before the condition's; examples and the declared protocol come from the writer too."""
    battery = read(ASKED)
    writer = replace(WRITER, system="Be a pirate.", examples=(("a", "b"),), temperature=0.0, effort="low")
    asks = {q.condition.id: battery.ask(q, writer) for q in battery.asks() if q.prompt.id == "whale"}

    assert asks["control"].system == "Be a pirate."
    assert asks["told"].system == "Be a pirate.\n\nA whale is a fish."
    assert asks["control"] == Ask(
        "Is a whale a fish? One word, please.", "Be a pirate.", (("a", "b"),), 1024, 0.0, "low"
    )


def test_every_question_is_asked_once_in_an_order_of_the_seed(read: Callable[[str], Battery]) -> None:
    """Prompts in use × conditions that are on × samples; the retired and the switched off are not asked."""
    battery = read(ASKED)
    keys = [question.key for question in battery.asks(7)]

    assert len(keys) == battery.calls == 12
    assert set(keys) == {
        (p, c, s) for p in ("whale", "squid") for c in ("control", "told") for s in (1, 2, 3)
    }
    assert keys == [question.key for question in battery.asks(7)]
    assert keys != [question.key for question in battery.asks(8)]
    assert {q.prompt.id for q in read(SMALL).asks()} == {"rain", "snow"}


def test_the_order_does_not_follow_the_file() -> None:
    """Moved prompts are asked in the same order; a new prompt moves none of the others."""
    battery = load_battery("everyday")
    keys = [question.key for question in battery.asks(1)]
    turned = replace(battery, prompts=battery.prompts[::-1])
    fewer = replace(battery, prompts=battery.prompts[:50])
    kept = {prompt.id for prompt in fewer.prompts}

    assert [question.key for question in turned.asks(1)] == keys
    assert [question.key for question in fewer.asks(1)] == [key for key in keys if key[0] in kept]


def test_the_order_is_the_same_on_every_machine() -> None:
    """These are the first that the seed 0 draws, today and for ever: a collection that resumes needs it."""
    first = [question.prompt.id for question in load_battery("everyday").asks(0)[:3]]

    assert first == ["opinion-perfect-map", "work-newsletter-choir", "message-cancel-dinner"]


def test_the_digest_is_of_the_content_alone(read: Callable[[str], Battery], tmp_path: Path) -> None:
    """Comments, order of fields and prompts, quotes and the file's name do not count; every word does."""
    battery = read(SMALL)
    loaded = yaml.load(SMALL, Loader=yaml.BaseLoader)
    loaded["version"] = 3
    loaded["prompts"].reverse()
    other = tmp_path / "other.yml"
    other.write_text(
        "# a comment\n" + yaml.safe_dump(loaded, default_style=None, sort_keys=True), encoding="utf-8"
    )

    assert load_battery(str(other)).digest == battery.digest
    assert read(SMALL.replace("Describe snow.", "Describe snow!")).digest != battery.digest
    assert read(SMALL.replace("version: 3", "version: 4")).digest != battery.digest
    assert read(SMALL.replace("said no", "said yes")).digest != battery.digest
    assert re.fullmatch("[0-9a-f]{64}", battery.digest)


def test_what_the_results_file_gets(read: Callable[[str], Battery]) -> None:
    """Every prompt, the retired ones too, with the battery they are from; every condition, the control first."""
    prompts, conditions = read(SMALL).records()

    assert [(p.id, p.text, p.topic, p.kind, p.battery) for p in prompts[:1]] == [
        ("rain", "Why does it rain?", "weather", "open", "small")
    ]
    assert prompts[2].retired == {"on": "2026-01-05", "why": "everyone said no"}
    assert [c.added for c in conditions] == [("", "", "")]
    assert [c.id for c in read(ASKED).records()[1]] == ["control", "told", "quiet"]


@pytest.mark.parametrize(
    ("rule", "words", "over"),
    [
        (Length(30), 30, False),
        (Length(30), 31, True),
        (Length(200, tolerance=0.5), 300, False),
        (Length(200, tolerance=0.5), 301, True),
        (Length(10, tolerance=0.1), 11, False),
        (Length(3, tolerance=0.1), 4, True),
        (Length(30, least=20), 0, False),
    ],
)
def test_over_length_is_more_words_than_max_and_tolerance(rule: Length, words: int, over: bool) -> None:
    assert rule.is_over(" ".join(["word"] * words)) is over


# What YAML 1.1 reads as something else is text where a text is wanted.
@pytest.mark.parametrize(
    "text",
    ["no", "Yes", "on", "off", "2026-01-05", "007", "1_000", "1:30", "1e3", "0x1f", ".5", "null and void"],
)
def test_a_text_is_what_was_written(text: str, read: Callable[[str], Battery]) -> None:
    battery = read(f"id: b\nversion: 1\nprompts:\n  - id: p1\n    text: {text}\n")

    assert battery.prompts[0].text == text


def test_the_fields_on_and_off_are_names(read: Callable[[str], Battery]) -> None:
    """YAML 1.1 takes both for booleans."""
    assert read(SMALL).prompts[2].retired is not None
    assert [condition.off for condition in read(ASKED).conditions] == [False, False, True]


def test_line_breaks_at_the_end_of_a_block_are_no_part_of_it(read: Callable[[str], Battery]) -> None:
    """The blank line before the instruction is one line, whatever form the text was written in."""
    block = SMALL.replace("text: Describe snow.}", "text: x y}").replace(
        '  - {id: rain, topic: weather, text: "Why does it rain?"}',
        "  - id: rain\n    text: |\n      First line.\n\n      Last line.\n\n",
    )

    assert read(block).user_message(read(block).prompts[0]).split("\n\n") == [
        "First line.",
        "Last line.",
        "Use at most 20 words.",
    ]


def prompt(fields: str) -> str:
    return f"id: b\nversion: 1\nprompts:\n  - {{id: p1, text: Hello there}}\n  - {{{fields}}}\n"


FAULTS = {
    "not a mapping": ("- a\n", "line 1: expected fields, found a list", "fields here: id, version"),
    "nothing": ("# only\n", "the file holds nothing", "stylekl init"),
    "misspelt": (
        SMALL.replace("instruction", "instuction"),
        "line 3: instuction: no such field",
        "instruction",
    ),
    "misspelt in a prompt": (SMALL.replace("topic: w", "topik: w", 1), "line 5: prompts[1].topik", '"topic"'),
    "another word": (SMALL.replace("instruction: U", "max_tokens: U"), "line 3: max_tokens", '"cap"'),
    "missing": ("id: b\nversion: 1\n", 'line 1: the field "prompts" is missing', "fields here"),
    "null": ("id: ~\nversion: 1\nprompts: [{id: a, text: b}]", '"id" is missing', ""),
    "twice": (SMALL + "id: other\n", "line 8: id: stands twice, first on line 1", "keep one"),
    "version": (SMALL.replace("3", "two"), "line 2: version: expected a whole number", ""),
    "version 1.0": (SMALL.replace("version: 3", "version: 1.0"), 'found "1.0"', ""),
    "quoted number": (SMALL.replace("version: 3", 'version: "3"'), 'found the text "3"', ""),
    "id": (prompt("id: two words, text: a"), "line 5: prompts[2].id: expected 1 to 64 letters", ""),
    "same id": (prompt("id: P1, text: a"), "line 5: prompts[2]: has the id of the prompt on line 4", ""),
    "same text": (prompt("id: p2, text: Hello there"), "has the text of the prompt on line 4", ""),
    "blank": (prompt('id: p2, text: "  "'), "prompts[2].text: expected text, found nothing", ""),
    "no text": (prompt("id: p2"), 'prompts[2]: the field "text" is missing', ""),
    "list as text": (prompt("id: p2, text: [a]"), "expected text, found a list", ""),
    "kind": (prompt("id: p2, kind: opne, text: a"), "expected one of open, one_word", '"open"'),
    "kinds": (prompt("id: p2, kind: one_word, text: a"), "the battery has no template", "template:"),
    "day": (prompt("id: p2, text: a, retired: {on: 2026-02-30, why: b}"), "expected a date such as", ""),
    "day in words": (prompt("id: p2, text: a, retired: {on: May, why: b}"), 'found "May"', ""),
    "retired": (
        prompt("id: p2, text: a, retired: true"),
        "line 5: prompts[2].retired: expected fields",
        "on",
    ),
    "no reason": (prompt("id: p2, text: a, retired: {on: 2026-01-05}"), '"why" is missing', ""),
    "all retired": (
        "id: b\nversion: 1\nprompts: [{id: p, text: a, retired: {on: 2026-01-05, why: b}}]",
        "every prompt is retired",
        "",
    ),
    "no prompts": ("id: b\nversion: 1\nprompts: []", "expected at least one prompt", ""),
    "control adds": (
        SMALL + "conditions: [{id: c, system: x}]",
        "conditions[1].system: the first condition",
        "",
    ),
    "control off": (SMALL + "conditions: [{id: c, off: true}]", "the control is always asked", ""),
    "off is no flag": (SMALL + "conditions: [{id: c}, {id: d, suffix: x, off: 1}]", "true or false", ""),
    "adds nothing": (SMALL + "conditions: [{id: c}, {id: d}]", "conditions[2]: adds nothing", ""),
    "same condition": (SMALL + "conditions: [{id: c}, {id: C, suffix: x}]", "two conditions", "rename"),
    "no conditions": (SMALL + "conditions: []", "expected the control at least", ""),
    "no subject": (
        SMALL + 'conditions: [{id: c}, {id: d, system: "A {subject}."}]',
        'line 5: prompts[1]: the field "subject" is missing',
        "condition d",
    ),
    "slot": (ASKED.replace("A {subject} is", "A {subjct} is"), "holds {subjct}", "{subject}"),
    "template": (
        ASKED.replace("{subject} a fish?", "whale a fish?"),
        "line 3: template: expected {subject}",
        "",
    ),
    "no template": (ASKED.replace("template: Is", "instruction: Is"), "has no template", "template:"),
    "not the template": (
        ASKED.replace("subject: squid", "subject: squid, text: 'Is squid a fish?'"),
        'prompts[2].text: is not what the template makes of the subject, "Is a squid a fish? One word',
        "leave `text` out",
    ),
    "subject for template": (ASKED.replace(", subject: squid", ""), '"subject" is missing', "template"),
    "samples": (SMALL + "samples: 0", "samples: expected a whole number from 1 to 1,000", ""),
    "cap": (SMALL + "cap: 2,000", 'found "2,000"', ""),
    "length": (SMALL + "length: 30", 'length: expected fields, found "30"', "max"),
    "min": (SMALL + "length: {max: 10, min: 20}", "length.min: expected a whole number from 0 to 10", ""),
    "tolerance": (SMALL + "length: {max: 10, tolerance: 20%}", 'found "20%"', ""),
    "over length": (SMALL + "length: {max: 10, over_length: retry}", "ask_again, record", ""),
    "calls": (
        SMALL
        + "samples: 1000\nconditions: [{id: c}"
        + "".join(f", {{id: c{i}, suffix: s{i}}}" for i in range(600))
        + "]",
        "asks every model 1,202,000 times",
        "",
    ),
    "tab": ("id: b\n\tversion: 1\n", "line 2, column 1: not YAML: found a tab", "spaces, never with tabs"),
    "colon": ("id: b: c\n", "line 1, column 6: not YAML: mapping values are not allowed here", "quotes"),
    "question mark in a flow": (
        SMALL.replace('"', ""),
        "line 5, column 54: not YAML: expected ',' or '}', but got '?'",
        "within {} and [] put text that holds a comma",
    ),
    "open quote": ("id: 'b\n", "not YAML: found unexpected end of stream", ""),
    "comment in a text": (
        "id: b\nversion: 1\nprompts:\n  - id: p\n    text: Explain #1 to me\n",
        'line 5: prompts[1].text: the text ends before "#1 to me"',
        "quotes",
    ),
    "alias": (prompt("id: p2, text: *bold"), "line 5", ""),
    "unknown alias": ("id: *bold\n", "an alias (*) without its anchor", "quotes"),
    "tag": ("id: !!python/object/apply:os.system [ls]\n", "line 1: tags (!) are not read", "quotes"),
    "merge": (SMALL + "<<: {cap: 1}\n", "line 8: merge keys (<<) are not read", "write the fields out"),
    "two documents": (SMALL + "---\nid: b\n", "line 8, column 1: not YAML: a second document", ""),
    "key of a list": ("? [a]\n: b\n", "line 1: expected the name of a field", ""),
    "control character": ("id: b\x07\n", "line 1: holds the control character U+0007", "remove"),
    "escaped control": (
        prompt(r'id: p2, text: "a\eb"'),
        "prompts[2].text: holds the control character U+001B",
        "",
    ),
    "surrogate": (prompt(r'id: p2, text: "a\uD800"'), "U+D800", ""),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_with_file_line_and_field(name: str, read: Callable[[str], Battery]) -> None:
    text, message, hint = FAULTS[name]
    with pytest.raises(InputError) as caught:
        read(text)

    assert message in caught.value.message
    assert hint in caught.value.hint
    assert "b.yaml: " in caught.value.message


def test_braces_that_are_no_subject_are_text(read: Callable[[str], Battery]) -> None:
    battery = read(SMALL + 'conditions: [{id: c}, {id: d, system: "Answer as {name} in JSON, {}."}]')

    assert battery.conditions[1].system == "Answer as {name} in JSON, {}."


def test_a_retired_question_keeps_the_words_of_its_template(read: Callable[[str], Battery]) -> None:
    """Else a template could never change."""
    battery = read(
        ASKED
        + "  - {id: eel, kind: one_word, text: 'Eel: fish?', retired: {on: 2026-01-05, why: new template}}\n"
    )

    assert battery.prompts[2].text == "Eel: fish?"


def test_an_even_number_of_samples_is_allowed_with_a_warning(read: Callable[[str], Battery]) -> None:
    assert "an odd number" in warnings_of(read(ASKED + "samples: 4\n"))[0]
    assert warnings_of(read(ASKED + "samples: 5\n")) == []


def test_what_is_rarely_meant_is_a_warning(read: Callable[[str], Battery]) -> None:
    """Few prompts, a cap that reasoning eats up, two conditions that are one."""
    few, *_ = warnings_of(read(SMALL))
    low, *_ = warnings_of(read(SMALL + "cap: 200\n"))
    same = "conditions: [{id: c}, {id: d, suffix: x}, {id: e, suffix: x}]\n"

    assert "here 2" in few
    assert "the cap of 200 tokens" in low
    assert "the conditions d and e add the same" in warnings_of(read(SMALL + same))


def test_aliases_are_read_until_they_grow(read: Callable[[str], Battery], tmp_path: Path) -> None:
    """A billion laughs is refused at once, and so are a value within itself and brackets without end."""
    shared = (
        SMALL.replace("text: Describe snow.", "text: Describe snow., topic: *w")
        .replace('topic: weather, text: "W', 'topic: &w weather, text: "W')
        .replace("id: snow, topic: weather,", "id: snow,")
    )
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 9)
    )

    assert read(shared).prompts[1].topic == "weather"
    for text, words in (
        (bomb, "too large with its aliases"),
        ("a: &a [*a, *a]\n", "nested too deep"),
        ("[" * 5000, "nested too deep"),
        ("a: " + "[" * (DEPTH + 1) + "]" * (DEPTH + 1), "nested too deep"),
        (f"a: &a {'x' * (LIMIT // 5)}\nb: [{', '.join(['*a'] * 10)}]\n", "too large"),
    ):
        with pytest.raises(InputError, match=words):
            read(text)


def test_an_escaped_pair_of_surrogates_is_its_character(read: Callable[[str], Battery]) -> None:
    """JSON is YAML, and writes an emoji so; half a pair is refused with the others above."""
    battery = read(prompt(r'id: p2, text: "a\ud83d\ude00b"'))

    assert battery.prompts[1].text == "a😀b"


def test_a_file_that_is_too_large_is_not_parsed(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    path.write_bytes(b"a" * (LIMIT + 1))
    with pytest.raises(InputError, match="1,000,001 bytes"):
        load_battery(str(path))


def test_a_text_that_is_too_long_is_refused(read: Callable[[str], Battery]) -> None:
    with pytest.raises(InputError, match="100,001 characters, and at most 100,000"):
        read(prompt(f"id: p2, text: {'x' * 100_001}"))


def test_other_encodings_that_tell_themselves_are_read(tmp_path: Path) -> None:
    """UTF-16 and UTF-8 with their marks, and Windows' line ends; anything else is refused with its place."""
    for codec in ("utf-16", "utf-8-sig"):
        path = tmp_path / f"{codec}.yaml"
        path.write_bytes(SMALL.replace("\n", "\r\n").encode(codec))
        assert load_battery(str(path)).digest == load_battery(str(path)).digest
        assert load_battery(str(path)).instruction == "Use at most 20 words."
    path.write_bytes(SMALL.replace("snow.", "snöw.").encode("latin-1"))
    with pytest.raises(InputError, match=r"line 6, byte \d+: not UTF-8"):
        load_battery(str(path))


def test_a_battery_is_found_by_file_or_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file wins over a shipped name; a folder of that name does not."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "everyday").mkdir()

    assert find_battery("everyday") == shipped()["everyday"]
    (tmp_path / "one-word").write_text(SMALL, encoding="utf-8")
    assert load_battery("one-word").id == "small"
    with pytest.raises(UsageError, match="evryday: no such file") as caught:
        load_battery("evryday")
    assert caught.value.hint == 'did you mean "everyday"?'
    with pytest.raises(InputError, match=r"nope\.yaml: no such file"):
        load_battery("nope.yaml")
    with pytest.raises(InputError, match="a folder"):
        load_battery(str(tmp_path))


texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=60).filter(str.strip)
ids = st.from_regex(r"[a-z0-9][a-z0-9-]{0,8}[a-z0-9]", fullmatch=True)


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """A battery as a program would write it."""
    names = draw(st.lists(ids, min_size=1, max_size=4, unique=True))
    words = draw(st.lists(texts, min_size=len(names), max_size=len(names), unique=True))
    return {
        "id": draw(ids),
        "version": draw(st.integers(1, 999)),
        "cap": draw(st.integers(1, 9999)),
        "instruction": draw(texts),
        "prompts": [{"id": name, "text": text} for name, text in zip(names, words, strict=True)],
    }


@settings(max_examples=60, deadline=None)
@given(document=documents())
def test_what_a_program_writes_is_read_back(
    document: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever quotes PyYAML finds necessary: every text comes back as it was."""
    path = tmp_path_factory.mktemp("made") / "b.yaml"
    path.write_text(yaml.safe_dump(document, allow_unicode=True), encoding="utf-8")
    battery = load_battery(str(path))

    assert [(p.id, p.text) for p in battery.prompts] == [(p["id"], p["text"]) for p in document["prompts"]]
    assert (battery.instruction, battery.cap) == (document["instruction"], document["cap"])


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_no_file_ends_in_anything_but_a_battery_or_our_error(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A good file with a piece cut out or put in elsewhere."""
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(ASKED))] * 2)))
    put = data.draw(
        st.sampled_from(["", ": ", "- ", "{", "[", "\t", "*a", "&a ", '"', "#", "\x00", "!!int ", "\n"])
    )
    path = tmp_path_factory.getbasetemp() / "cut.yaml"
    path.write_text(ASKED[:start] + put + ASKED[end:], encoding="utf-8")
    try:
        asked, said = load_battery(str(path)).calls, str(path)
    except StyleklError as error:
        asked, said = 1, error.message
    assert asked >= 1
    assert str(path) in said

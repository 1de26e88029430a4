"""A probe against a provider of our own: what is asked, how often, and what the results file says of it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from stylekl.errors import UsageError
from stylekl.gather.journal import journal_of, read
from stylekl.gather.ledger import Ledger
from stylekl.gather.mock import MockWriter
from stylekl.gather.plan import Plan, check_place, is_new
from stylekl.gather.probe import Probe, as_words, make_probe, warnings_of
from stylekl.gather.session import rejected_in
from stylekl.lenses.choices import Options, focus, matrix
from stylekl.results import load
from stylekl.results.nodes import node_of

from .fake import Provider, Reply, battery, collect, provider, said, writer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BARE = ["en_bare_or", "fr_ou", "cs_en_fr", "json_schema"]
WORDS = ["tradition-progress", "dog-cat"]


@pytest.fixture
def server() -> Iterator[Provider]:
    with provider() as found:
        found.answer = lambda asked: Reply(said(first_of(asked.body["messages"][-1]["content"])))
        yield found


def probe(samples: int | None = 1, **more) -> Probe:
    return make_probe("pairs", envelopes=BARE, pairs=WORDS, samples=samples, **more)


def first_of(text: str) -> str:
    """Answer as the first word of the question that the pairs have; in JSON where that is asked for."""
    known = ("tradition", "progress", "dog", "cat", "chien", "chat")
    word = min((word for word in known if word in text), key=text.index)
    return json.dumps({"choice": word}) if "JSON" in text else word


def test_every_distinct_text_is_asked_once_and_becomes_a_choice(server: Provider, tmp_path: Path) -> None:
    results, ended = collect(tmp_path, writer(server.url), what=probe())

    texts = [asked.body["messages"][-1]["content"] for asked in server.asked]
    # one pair has French words, so its code-switch form is a text of its own; of the other it is not
    said_bare = sorted(text for text in texts if "JSON" not in text)
    assert said_bare == sorted(
        f"{a} {between} {b}"
        for words, between in (
            *((("tradition", "progress"), "or"), (("tradition", "progress"), "ou"), (("dog", "cat"), "or")),
            *((("chien", "chat"), "ou"), (("dog", "cat"), "ou")),
        )
        for a, b in (words, words[::-1])
    )
    assert len(texts) == 10 + 4
    assert ended.left == 0
    assert (results.replies, results.prompts, results.conditions) == ([], [], [])
    choices = results.other["choices"]
    assert Counter((c["pair"], c["envelope"]) for c in choices) == {
        ("tradition-progress", "en_bare_or"): 2,
        ("tradition-progress", "fr_ou"): 2,
        ("tradition-progress", "json_schema"): 2,
        **{("dog-cat", envelope): 2 for envelope in BARE},
    }
    assert {(c["pick"], c["order"]) for c in choices} == {("a", "ab"), ("b", "ba")}
    report = focus(results, "one")
    assert report.total.order_bias.value == 1
    assert report.asked.distinct == (3, 4)


def test_a_choice_holds_all_that_is_known_of_its_reply(server: Provider, tmp_path: Path) -> None:
    results, _ = collect(tmp_path, writer(server.url), what=probe())

    choice = results.other["choices"][0]
    assert (choice["model"], choice["pair"], choice["envelope"], choice["order"]) == (
        *("one", "dog-cat", "json_schema", "ab"),
    )
    assert (choice["text"], choice["pick"], choice["reason"], choice["sample"]) == (
        '{"choice": "dog"}',
        "a",
        None,
        1,
    )
    assert (choice["usage"]["input"], choice["version"], choice["stop"]) == (7, "small-1", "stop")
    assert choice["cost"] == pytest.approx((7 * 1 + 3 * 2) / 1e6)
    assert choice["attempts"] == 1
    assert results.models[0].returned == "small-1"
    (row,) = results.other["collection"]
    assert (row["battery"], row["pairs"], row["envelopes"]) == (
        "pairs",
        ["dog-cat", WORDS[0]],
        row["envelopes"],
    )
    assert len(row["envelopes"]) == 4
    assert load(tmp_path / "results.json") == results


def test_a_second_run_asks_nothing_and_more_envelopes_only_what_is_new(
    server: Provider, tmp_path: Path
) -> None:
    collect(
        tmp_path, writer(server.url), what=make_probe("pairs", envelopes=["cs_en_fr"], pairs=WORDS, samples=1)
    )
    assert len(server.asked) == 4

    results, _ = collect(tmp_path, writer(server.url), what=probe())
    assert len(server.asked) == 14
    assert len(results.other["choices"]) == 14

    again, _ = collect(tmp_path, writer(server.url), what=probe())
    assert len(server.asked) == 14
    assert again == results


def test_at_temperature_zero_once_else_five_times(server: Provider, tmp_path: Path) -> None:
    at_zero, default = writer(server.url, "zero", temperature=0.0), writer(server.url, "default")

    results, _ = collect(tmp_path, at_zero, default, what=probe(None))

    assert Counter(c["model"] for c in results.other["choices"]) == {"zero": 14, "default": 70}
    assert {model.id: node_of(model).protocol for model in results.models} == {
        "zero": "deterministic",
        "default": "distributional",
    }
    sent = Counter(asked.body.get("temperature", "none") for asked in server.asked)
    assert sent == {0.0: 14, "none": 70}


def test_a_provider_that_rejects_temperature_zero_makes_the_node_distributional(
    server: Provider, tmp_path: Path
) -> None:
    """It is then asked five times, and no -t0 in its name makes it deterministic."""
    plain = server.answer

    def answer(asked):
        if "temperature" in asked.body:
            return Reply('{"error": {"message": "Unsupported value", "param": "temperature"}}', 400)
        return plain(asked)

    server.answer = answer
    one = writer(server.url, "one-t0@2026-03-01", temperature=0.0)
    results, _ = collect(tmp_path, one, what=probe(None))
    assert len(results.other["choices"]) == 14

    rejected = rejected_in(Ledger.of(read(journal_of(tmp_path / "results.json"))))
    assert rejected == {"one-t0@2026-03-01"}
    results, _ = collect(tmp_path, one, what=probe(None), rejected=rejected)

    assert len(results.other["choices"]) == 70
    assert results.models[0].node == {"protocol": "distributional", "not_applied": ["temperature"]}
    assert node_of(results.models[0]).protocol == "distributional"


def test_a_name_that_says_temperature_zero_is_not_believed(server: Provider, tmp_path: Path) -> None:
    one = writer(server.url, "one-t0@2026-03-01")

    results, _ = collect(tmp_path, one, what=probe())

    assert node_of(results.models[0]).protocol == "distributional"
    assert warnings_of(probe(), [one])[0].startswith("one-t0@2026-03-01: the name says temperature 0")
    assert warnings_of(probe(), [replace(one, temperature=0.0)]) == []
    assert "split evenly" in warnings_of(probe(4), [])[0]


def test_an_effort_level_is_sent_and_recorded(server: Provider, tmp_path: Path) -> None:
    results, _ = collect(tmp_path, writer(server.url, "m@30max-2026-03-01", effort="max"), what=probe())

    assert {asked.body["reasoning_effort"] for asked in server.asked} == {"max"}
    node = node_of(results.models[0])
    assert (node.base, node.effort, node.prefix) == ("m", "max", 30)


def test_a_reply_that_fails_twice_and_a_refusal_are_outcomes(server: Provider, tmp_path: Path) -> None:
    plain = server.answer

    def answer(asked):
        text = asked.body["messages"][-1]["content"]
        if text == "dog or cat":
            return Reply('{"error": {"message": "no"}}', 400)
        if text == "cat or dog":
            return Reply(said("", stop="content_filter"))
        return Reply(said("Neither.")) if text == "dog ou cat" else plain(asked)

    server.answer = answer
    results, _ = collect(tmp_path, writer(server.url), what=probe())

    found = {(c["pair"], c["envelope"], c["order"]): c for c in results.other["choices"]}
    failed = found["dog-cat", "en_bare_or", "ab"]
    assert (failed["pick"], failed["reason"], failed["flags"], failed["attempts"]) == (
        None,
        "error",
        ["error"],
        2,
    )
    assert found["dog-cat", "en_bare_or", "ba"]["reason"] == "refused"
    assert found["dog-cat", "cs_en_fr", "ab"]["reason"] == "refused"
    outcomes = focus(results, "one").total.outcomes
    assert (outcomes["error"], outcomes["one_sided"]) == (1, 1)


def test_pairs_with_the_same_words_share_a_reply_and_its_cost(server: Provider, tmp_path: Path) -> None:
    whole = probe()
    twin = replace(whole.pairs[0], id="twin")
    both = replace(whole, pairs=(*whole.pairs, twin))

    results, _ = collect(tmp_path, writer(server.url), what=both)

    twins = [c for c in results.other["choices"] if c["pair"] == "twin"]
    assert len(server.asked) == 14
    assert len(twins) == 8
    assert all(
        "usage" not in c and c["asked_as"]["pair"] == twin.id.replace("twin", "dog-cat") for c in twins
    )


def test_asking_a_pair_again_archives_its_choices(server: Provider, tmp_path: Path) -> None:
    what = probe()
    collect(tmp_path, writer(server.url), what=what)
    server.answer = lambda _: Reply(said("cat"))

    results, _ = collect(
        tmp_path, writer(server.url), what=what, redo=what.texts_of(["dog-cat"]), why="the server was ill"
    )

    assert {c["text"] for c in results.other["choices"] if c["pair"] == "dog-cat"} == {"cat"}
    assert len(results.other["choices"]) == 14
    archived = results.other["archive"]
    assert len(archived) == 8
    assert {(row["pair"], row["reason"]) for row in archived} == {("dog-cat", "the server was ill")}


def test_a_file_takes_replies_and_choices(server: Provider, tmp_path: Path) -> None:
    server.answer = lambda _: Reply(said("A number."))
    collect(tmp_path, writer(server.url), what=battery(2))
    server.answer = lambda _: Reply(said("dog"))

    results, _ = collect(tmp_path, writer(server.url), what=probe())

    assert (len(results.replies), len(results.other["choices"]), len(results.prompts)) == (2, 14, 2)
    assert [row["battery"] for row in results.other["collection"]] == ["small", "pairs"]


def test_words_and_templates_keep_what_they_say(server: Provider, tmp_path: Path) -> None:
    """Whether the journal knows them or the results file alone."""
    what = probe()
    results, _ = collect(tmp_path, writer(server.url), what=what)
    headers = Ledger.of(read(journal_of(tmp_path / "results.json"))).headers
    turned = replace(what.pairs[0], words={"en": ("cat", "dog")})
    other = Plan(replace(what, pairs=(turned, *what.pairs[1:])), (writer(server.url),))
    shouting = replace(what.envelopes[-1], template="{a} OR {b}")
    envelopes = Plan(replace(what, envelopes=(*what.envelopes[:-1], shouting)), (writer(server.url),))

    with pytest.raises(UsageError, match='the journal records another pair "dog-cat"'):
        is_new(other, headers)
    with pytest.raises(UsageError, match='the results file has another pair "dog-cat"'):
        check_place(other, results, ())
    with pytest.raises(UsageError, match='another envelope "cs_en_fr"'):
        is_new(envelopes, headers)
    with pytest.raises(UsageError, match='choices of "one" on "dog-cat" that its journal does not know'):
        check_place(Plan(what, (writer(server.url),)), results, ())
    check_place(Plan(what, (writer(server.url),), period="later"), results, ())


def test_a_battery_and_a_probe_of_one_name_do_not_mix(server: Provider, tmp_path: Path) -> None:
    what = probe()
    collect(tmp_path, writer(server.url), what=what)
    headers = Ledger.of(read(journal_of(tmp_path / "results.json"))).headers

    with pytest.raises(UsageError, match="both a battery and a pairs file"):
        is_new(Plan(battery(1, id="pairs"), (writer(server.url),)), headers)
    assert is_new(Plan(battery(1), (writer(server.url),)), headers)


def test_a_period_is_an_edition_of_its_own(server: Provider, tmp_path: Path) -> None:
    collect(tmp_path, writer(server.url), what=probe(), period="w1")
    server.answer = lambda _: Reply(said("cat"))

    results, _ = collect(tmp_path, writer(server.url), what=probe(), period="w2")

    assert Counter(c["period"] for c in results.other["choices"]) == {"w1": 14, "w2": 14}
    picks = {s.pair: s.word for s in focus(results, "one", Options(period="w2")).fingerprint}
    assert picks["dog-cat"] == "cat"


def test_made_up_choices_have_tastes_and_repeat_themselves(tmp_path: Path) -> None:
    what = make_probe("pairs", envelopes=["en_slash", "en_vs", "en_pipe"])
    made = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        sender = MockWriter(kind="choice", words=as_words(what))
        writers = [writer("http://127.0.0.1:9", each, temperature=0.0) for each in ("one", "two")]
        results, _ = collect(tmp_path / name, *writers, what=what, sender=sender, mock=True)
        made.append([(c["model"], c["pair"], c["text"]) for c in results.other["choices"]])

    assert made[0] == made[1]
    assert matrix(results).pairs[0].value > 0.2
    assert focus(results, "one").total.commit.value > 0.6

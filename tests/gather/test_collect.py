"""A collection against a provider of our own: the rules, the faults, and what the results file says of them."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.errors import UsageError
from stylekl.gather.battery import Condition, Length
from stylekl.gather.collect import Options
from stylekl.gather.journal import journal_of, read
from stylekl.gather.keys import Secret
from stylekl.gather.mock import MockWriter
from stylekl.gather.rules import again, kept
from stylekl.gather.transport import Patience, pause, retry_after

from .fake import DONE, QUICK, Provider, Reply, battery, chunk, collect, provider, said, usage, writer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FINE = Reply(said("It is a number."))
WORDS = " ".join(["word"] * 12)


@pytest.fixture
def server() -> Iterator[Provider]:
    with provider() as found:
        yield found


def test_a_reply_is_recorded_with_all_that_is_known_of_it(server: Provider, tmp_path: Path) -> None:
    server.answer = lambda _: Reply(said("Ünïcode, exactly.\n "), headers={"x-request-id": "req-7"})
    what = battery(1, instruction="Use at most 10 words.", length=Length(10))

    results, ended = collect(tmp_path, writer(server.url), what=what)

    (reply,) = results.replies
    more = reply.unknown
    assert reply.text == "Ünïcode, exactly.\n "
    assert (reply.flags, reply.stop, more["stop_raw"], reply.version) == ([], "stop", "stop", "small-1")
    assert (more["words"], more["length_rule"], more["attempts"]) == (2, "at most 10 words", 1)
    assert more["usage"] == more["attempt_usage"][0]
    assert (more["usage"]["input"], more["usage"]["output"], more["usage"]["total"]) == (7, 3, 10)
    assert more["usage"]["raw"]["completion_tokens"] == 3
    assert more["cost"] == pytest.approx((7 * 1 + 3 * 2) / 1e6)
    assert 0 < more["first_content_ms"] <= more["latency_ms"]
    assert (more["connection"], more["request_id"], more["max_output_tokens"]) == ("new", "req-7", 2000)
    assert reply.collected is not None
    assert reply.collected.endswith("Z")
    assert server.asked[0].body["messages"] == [
        {"role": "user", "content": "What is number 1?\n\nUse at most 10 words."}
    ]
    assert "temperature" not in server.asked[0].body
    (row,) = results.other["collection"]
    assert (row["battery"], row["cap"], row["mock"], row["seed"]) == ("small", 2000, False, 0)
    assert results.models[0].returned == "small-1"
    assert ended.left == 0


def test_every_call_opens_a_connection_of_its_own(server: Provider, tmp_path: Path) -> None:
    results, _ = collect(tmp_path, writer(server.url), what=battery(6))

    assert len({asked.connection for asked in server.asked}) == 6
    assert {reply.unknown["connection"] for reply in results.replies} == {"new"}


@pytest.mark.parametrize(
    ("fault", "retried"),
    [
        (Reply("busy", 408), 1),
        (Reply("conflict", 409), 1),
        (Reply('{"error": {"message": "slow down"}}', 429, {"retry-after-ms": "3"}), 1),
        (Reply("oops", 500), 1),
        (Reply("<html>bad gateway</html>", 502, kind="text/html"), 1),
        (Reply('{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}', 529), 1),
        (Reply(nothing=True), 1),
        (Reply(chunk(delta={"content": "It is"}), drop=True), 1),
        (Reply(chunk(delta={"content": "It is"})), 1),
        (Reply(chunk(delta={"content": "It is"}), chunked=False), 1),
        (Reply("data: {broken\n\n"), 1),
        (
            Reply(
                chunk(delta={"content": "It"}) + 'data: {"error": {"message": "upstream", "code": 502}}\n\n'
            ),
            1,
        ),
        (Reply('{"error": {"message": "overloaded", "code": 503}}', kind="application/json"), 1),
        (Reply("no JSON at all", kind="application/json"), 1),
        (Reply(""), 1),
    ],
    ids=lambda value: str(value)[:40] if isinstance(value, Reply) else "",
)
def test_what_may_pass_is_asked_again_and_counted_apart_from_attempts(
    fault: Reply, retried: int, server: Provider, tmp_path: Path
) -> None:
    server.replies.extend([fault, FINE])

    results, ended = collect(tmp_path, writer(server.url), what=battery(1))

    (reply,) = results.replies
    assert (reply.text, reply.flags) == ("It is a number.", [])
    assert (reply.unknown["attempts"], reply.unknown["transport_retries"]) == (1, retried)
    assert sum(tally.retried for tally in ended.tallies.values()) == retried
    assert server.asked[0].body == server.asked[1].body


@pytest.mark.parametrize(
    ("patience", "parts"),
    [
        (replace(QUICK, first=0.15), (0.6, said("late"))),
        (replace(QUICK, first=0.15), (": OPENROUTER PROCESSING\n\n", 0.6, said("late"))),
        (replace(QUICK, silence=0.15), (chunk(delta={"content": "It"}), 0.6, said(" is"))),
        (replace(QUICK, total=0.15), (chunk(delta={"content": "It"}), 0.6, said(" is"))),
    ],
    ids=["no first token", "comments are no token", "silence", "total"],
)
def test_a_call_that_takes_too_long_is_given_up(
    patience: Patience, parts: tuple[str | float, ...], server: Provider, tmp_path: Path
) -> None:
    server.replies.extend([Reply(parts=parts), FINE])

    results, _ = collect(tmp_path, writer(server.url), what=battery(1), patience=patience)

    assert results.replies[0].text == "It is a number."
    assert results.replies[0].unknown["transport_retries"] == 1


def test_comments_and_reasoning_are_no_content(server: Provider, tmp_path: Path) -> None:
    parts = (
        ": OPENROUTER PROCESSING\n\n",
        chunk(delta={"reasoning": "Hm.", "content": ""}),
        0.1,
        said("Yes.", prompt=5, output=40, completion_tokens_details={"reasoning_tokens": 30}),
    )
    server.replies.append(Reply(parts=parts))

    results, _ = collect(tmp_path, writer(server.url), what=battery(1))

    (reply,) = results.replies
    assert reply.text == "Yes."
    assert reply.unknown["first_content_ms"] >= 100
    assert reply.unknown["usage"]["reasoning"] == 30


def test_an_answer_that_was_complete_before_the_connection_broke_counts(
    server: Provider, tmp_path: Path
) -> None:
    complete = chunk(delta={"content": "All of it."}) + chunk(delta={}, finish_reason="stop")
    server.replies.append(Reply(complete, drop=True))

    results, _ = collect(tmp_path, writer(server.url), what=battery(1))

    assert results.replies[0].text == "All of it."
    assert results.replies[0].unknown["usage"] is None
    assert len(server.asked) == 1


def test_a_body_that_was_not_streamed_is_an_answer_too(server: Provider, tmp_path: Path) -> None:
    body = {
        "model": "small-1",
        "choices": [{"message": {"role": "assistant", "content": "Whole."}, "finish_reason": "stop"}],
    }
    server.replies.append(Reply(json.dumps(body), kind="application/json"))

    results, _ = collect(tmp_path, writer(server.url), what=battery(1))

    assert results.replies[0].text == "Whole."
    assert results.replies[0].unknown["first_content_ms"] is None


@pytest.mark.parametrize(
    ("first", "second", "text", "flags", "attempts"),
    [
        (said(WORDS), said("Short."), "Short.", [], 2),
        (said(WORDS), said(WORDS + " more"), WORDS, ["over_length"], 2),
        (said(""), said("There."), "There.", [], 2),
        (said(" \u200b\n"), said(""), " \u200b\n", ["empty"], 2),
        (said("", "length"), said("Cut", "length"), "Cut", ["truncated"], 2),
        (said("Cut", "length"), said("never asked"), "Cut", ["truncated"], 1),
        (said("Part", "content_filter"), said("Fine."), "Fine.", [], 2),
        (said("", "content_filter"), said("", "content_filter"), "", ["refusal"], 2),
        (said("", "content_filter"), said(WORDS), WORDS, ["over_length"], 2),
        (said("", "tool_calls"), said("", "tool_calls"), "", ["empty", "error"], 2),
    ],
)
def test_a_faulty_reply_is_asked_for_once_more(
    first: str, second: str, text: str, flags: list[str], attempts: int, server: Provider, tmp_path: Path
) -> None:
    server.replies.extend([Reply(first), Reply(second)])

    results, ended = collect(tmp_path, writer(server.url), what=battery(1, length=Length(10)))

    (reply,) = results.replies
    assert (reply.text, reply.flags, reply.unknown["attempts"]) == (text, flags, attempts)
    assert len(reply.unknown["attempt_usage"]) == len(server.asked) == attempts
    assert all(asked.body == server.asked[0].body for asked in server.asked)
    assert ended.left == 0
    lines = [record for record in read(journal_of(tmp_path / "results.json")) if "attempt" in record]
    assert [line["attempt"] for line in lines] == list(range(1, attempts + 1))


def test_a_battery_that_only_records_length_asks_once(server: Provider, tmp_path: Path) -> None:
    server.answer = lambda _: Reply(said(WORDS))

    results, _ = collect(tmp_path, writer(server.url), what=battery(1, length=Length(10, over="record")))

    assert (results.replies[0].flags, results.replies[0].unknown["words"]) == ([], 12)


def test_an_error_about_the_prompt_is_kept_after_two_attempts(server: Provider, tmp_path: Path) -> None:
    server.answer = lambda _: Reply('{"error": {"message": "too long", "code": "context"}}', 400)

    results, ended = collect(tmp_path, writer(server.url), what=battery(1))

    (reply,) = results.replies
    assert (reply.text, reply.flags, reply.unknown["attempts"]) == ("", ["error"], 2)
    assert reply.extra["status"] == 400
    assert "too long" in reply.extra["error"]
    assert ended.left == 0
    assert results.models[0].unknown["unavailable"]["why"] == reply.extra["error"]


def test_a_provider_s_refusal_as_an_error_is_a_refusal(server: Provider, tmp_path: Path) -> None:
    body = {"error": {"message": "flagged", "code": 403, "metadata": {"reasons": ["violence"]}}}
    server.answer = lambda _: Reply(json.dumps(body), 403)

    results, _ = collect(tmp_path, writer(server.url), what=battery(1))

    assert results.replies[0].flags == ["refusal"]
    assert results.replies[0].extra["refusal"] == "violence"


@pytest.mark.parametrize("by_text", [False, True])
def test_a_refusal_in_words_counts_only_where_that_is_asked_for(
    by_text: bool, server: Provider, tmp_path: Path
) -> None:
    server.answer = lambda _: Reply(said("I’m sorry, but I can’t help with that."))

    results, _ = collect(tmp_path, writer(server.url), what=battery(1), by_text=by_text)

    assert results.replies[0].flags == (["refusal"] if by_text else [])
    assert results.other["collection"][0]["refusal_rule"] == ("text/1" if by_text else None)


@pytest.mark.parametrize("status", [401, 402, 403, 404, 429, 503, 529])
def test_an_error_about_the_account_leaves_questions_open(
    status: int, server: Provider, tmp_path: Path
) -> None:
    """The writer is asked no more in this run, stays in the file as unavailable, and is asked by the next run."""
    server.answer = lambda _: Reply('{"error": {"message": "no"}}', status, {"retry-after": "3600"})
    one = writer(server.url)

    results, ended = collect(tmp_path, one, what=battery(9), options=Options(concurrency=1))

    assert results.replies == []
    assert (len(server.asked), ended.left) == (3, 9)
    assert str(status) in ended.stopped["one"]
    assert str(status) in results.models[0].unknown["unavailable"]["why"]

    server.answer = lambda _: FINE
    results, ended = collect(tmp_path, one, what=battery(9))
    assert (len(results.replies), ended.left) == (9, 0)
    assert "unavailable" not in results.models[0].unknown


def test_without_a_network_nothing_is_lost_and_nothing_is_marked(tmp_path: Path) -> None:
    with provider() as gone:
        url = gone.url
    results, ended = collect(tmp_path, writer(url), what=battery(5), options=Options(concurrency=1))

    assert (results.replies, ended.left) == ([], 5)
    assert "not reached" in ended.stopped["one"]


def test_one_provider_s_failure_leaves_the_others_alone(server: Provider, tmp_path: Path) -> None:
    with provider() as gone:
        url = gone.url
    results, ended = collect(tmp_path, writer(server.url), writer(url, "two"), what=battery(4))

    assert {reply.model for reply in results.replies} == {"one"}
    assert (len(results.replies), ended.left) == (4, 4)
    assert [model.id for model in results.models] == ["one", "two"]


def test_a_redirect_is_not_followed_and_carries_no_key(server: Provider, tmp_path: Path) -> None:
    with provider() as other:
        server.answer = lambda _: Reply("", 307, {"location": other.url + "/chat/completions"})
        one = writer(server.url, key="KEY")

        results, _ = collect(tmp_path, one, what=battery(1), keys={"one": Secret("a-key-of-some-length")})

        assert other.asked == []
    assert server.asked[0].headers["authorization"] == "Bearer a-key-of-some-length"
    assert "redirects to 127.0.0.1" in results.replies[0].extra["error"]


def test_a_field_that_a_provider_rejects_is_left_out_and_recorded(server: Provider, tmp_path: Path) -> None:
    def answer(asked):
        if "temperature" in asked.body:
            return Reply('{"error": {"message": "Unsupported value", "param": "temperature"}}', 400)
        return FINE

    server.answer = answer
    results, ended = collect(
        tmp_path, writer(server.url, temperature=0.0, effort="low"), options=Options(concurrency=1)
    )

    assert len(server.asked) == 4
    assert [asked.body.get("reasoning_effort") for asked in server.asked] == ["low"] * 4
    assert {tuple(reply.flags) for reply in results.replies} == {()}
    assert results.models[0].node == {
        "protocol": "distributional",
        "effort": "low",
        "not_applied": ["temperature"],
    }
    assert results.replies[0].extra["not_applied"] == ["temperature"]
    assert ended.left == 0


def test_a_declared_protocol_that_is_taken_is_recorded_as_such(server: Provider, tmp_path: Path) -> None:
    results, _ = collect(tmp_path, writer(server.url, temperature=0.0))

    assert [asked.body["temperature"] for asked in server.asked] == [0.0] * 3
    assert results.models[0].node == {"protocol": "deterministic"}


def test_the_cap_is_sent_under_the_name_that_a_provider_takes(server: Provider, tmp_path: Path) -> None:
    def answer(asked):
        if "max_tokens" in asked.body:
            words = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return Reply(json.dumps({"error": {"message": words, "param": "max_tokens"}}), 400)
        return FINE

    server.answer = answer
    results, _ = collect(tmp_path, writer(server.url), what=battery(1))

    assert server.asked[-1].body["max_completion_tokens"] == 2000
    assert results.replies[0].flags == []


def test_a_second_run_asks_only_what_is_open(server: Provider, tmp_path: Path) -> None:
    """And a third, where all is answered, touches nothing."""
    one = writer(server.url)
    _, ended = collect(
        tmp_path,
        one,
        what=battery(8),
        options=Options(concurrency=1),
        started=lambda c: _stop_after(c, server, 3),
    )
    first = len(server.asked)
    assert 0 < first < 8
    assert ended.left == 8 - first

    results, ended = collect(tmp_path, one, what=battery(8))
    assert (len(server.asked), len(results.replies), ended.left) == (8, 8, 0)

    before = (tmp_path / "results.json").stat().st_mtime_ns
    collect(tmp_path, one, what=battery(8))
    assert len(server.asked) == 8
    assert (tmp_path / "results.json").stat().st_mtime_ns == before


def _stop_after(collector, server: Provider, number: int) -> None:
    """Stop a collection when the provider gets its n-th request: that one is in flight and comes in."""
    import asyncio

    loop = asyncio.get_running_loop()
    before = server.answer

    def answer(asked):
        if len(server.asked) == number:
            loop.call_soon_threadsafe(collector.stop, "enough")
        return before(asked)

    server.answer = answer


def test_the_results_do_not_depend_on_order_or_concurrency(server: Provider, tmp_path: Path) -> None:
    texts = []
    for name, concurrency in (("a", 1), ("b", 7)):
        (tmp_path / name).mkdir()
        server.answer = lambda asked: Reply(said(asked.body["messages"][-1]["content"][::-1]))
        results, _ = collect(
            tmp_path / name,
            *(writer(server.url, "one"), writer(server.url, "two", requested="other")),
            what=battery(5, samples=2),
            options=Options(concurrency=concurrency),
        )
        texts.append([(r.model, r.prompt, r.sample, r.text) for r in results.replies])

    assert texts[0] == texts[1]
    assert len(set(texts[0])) == 20


def test_the_order_is_drawn_by_the_seed_and_mixes_models(server: Provider, tmp_path: Path) -> None:
    orders = []
    for name, seed in (("a", 0), ("b", 1), ("c", 0)):
        (tmp_path / name).mkdir()
        server.asked.clear()
        both = (writer(server.url, "one"), writer(server.url, "two", requested="other"))
        collect(tmp_path / name, *both, what=battery(8), seed=seed, options=Options(concurrency=1))
        orders.append([(a.body["model"], a.body["messages"][-1]["content"]) for a in server.asked])

    assert orders[0] == orders[2] != orders[1]
    models = [model for model, _ in orders[0]]
    assert models != sorted(models)
    assert models != sorted(models, reverse=True)


def test_a_changed_configuration_is_refused_with_what_changed(server: Provider, tmp_path: Path) -> None:
    one = writer(server.url)
    collect(tmp_path, one)
    asked = len(server.asked)
    other = replace(battery(), prompts=(replace(battery().prompts[0], text="Other?"), *battery().prompts[1:]))
    for change, words in (
        ({"seed": 5}, "seed 5, was 0"),
        ({"what": other}, '"p1" has another text'),
        ({"what": battery(cap=3000)}, "cap"),
        ({"by_text": True}, "refusal rule text/1, was none"),
        ({"mock": True}, "replies of models"),
    ):
        with pytest.raises(UsageError, match=words) as refused:
            collect(tmp_path, one, **change)
        assert refused.value.hint
    with pytest.raises(UsageError, match="requested other, was small") as refused:
        collect(tmp_path, replace(one, requested="other"))
    assert "an id of its own" in refused.value.hint
    assert len(server.asked) == asked


def test_models_and_prompts_may_be_added_and_only_the_new_is_asked(server: Provider, tmp_path: Path) -> None:
    one, two = writer(server.url), writer(server.url, "two")
    collect(tmp_path, one)
    results, _ = collect(tmp_path, one, two)
    assert (len(server.asked), len(results.replies)) == (6, 6)

    results, _ = collect(tmp_path, one, two, what=battery(4, version=2))
    assert (len(server.asked), len(results.replies)) == (8, 8)
    assert [row["version"] for row in results.other["collection"]] == [1, 2]


def test_another_period_is_another_edition_in_the_same_file(server: Provider, tmp_path: Path) -> None:
    one = writer(server.url)
    for period in ("2026-W01", "2026-W02", "2026-W01"):
        results, _ = collect(tmp_path, one, period=period)

    assert [reply.period for reply in results.replies] == ["2026-W01"] * 3 + ["2026-W02"] * 3
    assert len(server.asked) == 6


def test_redo_moves_the_old_replies_to_the_archive_with_the_reason(server: Provider, tmp_path: Path) -> None:
    server.answer = lambda _: Reply(said(f"Reply {len(server.asked)}."))
    one = writer(server.url)
    collect(tmp_path, one, what=battery(2), options=Options(concurrency=1))
    results, _ = collect(tmp_path, one, what=battery(2), redo=("p1",), why="a typo in the template")
    results, _ = collect(tmp_path, one, what=battery(2))

    (old,) = results.other["archive"]
    assert (old["prompt"], old["reason"]) == ("p1", "a typo in the template")
    texts = {reply.prompt: reply.text for reply in results.replies}
    assert texts["p1"] == "Reply 3." != old["text"]
    assert len(results.replies) == 2


def test_a_higher_cap_asks_again_only_what_was_cut(server: Provider, tmp_path: Path) -> None:
    server.answer = lambda asked: Reply(said("Cut", "length")) if "1?" in str(asked.body) else FINE
    one = writer(server.url)
    collect(tmp_path, one)
    server.answer = lambda _: FINE

    results, _ = collect(tmp_path, one, what=battery(version=2, cap=4000))

    caps = {reply.prompt: reply.unknown["max_output_tokens"] for reply in results.replies}
    assert caps == {"p1": 4000, "p2": 2000, "p3": 2000}
    assert [row["prompt"] for row in results.other["archive"]] == ["p1"]
    assert len(server.asked) == 4


def test_conditions_and_own_system_prompts_are_sent_and_recorded(server: Provider, tmp_path: Path) -> None:
    what = battery(1, conditions=(Condition("control"), Condition("told", system="Numbers are blue.")))
    own = writer(server.url, "two", system="Be brief.", examples=(("Q", "A"),))

    results, _ = collect(tmp_path, writer(server.url), own, what=what)

    sent = {(a.body["messages"][0]["role"], len(a.body["messages"])) for a in server.asked}
    assert sent == {("user", 1), ("system", 2), ("system", 4)}
    systems = sorted(a.body["messages"][0]["content"] for a in server.asked if len(a.body["messages"]) == 4)
    assert systems == ["Be brief.", "Be brief.\n\nNumbers are blue."]
    assert [condition.id for condition in results.conditions] == ["control", "told"]
    assert results.models[1].unknown["system"] == "Be brief."


def test_what_else_is_in_the_results_file_stays(server: Provider, tmp_path: Path) -> None:
    one = writer(server.url)
    results, _ = collect(tmp_path, one)
    row = json.loads((tmp_path / "results.json").read_text())
    row["votes"] = [{"id": "v1", "source": "panel", "a": "one", "b": "two", "pick": "left"}]
    row["note"] = "mine"
    (tmp_path / "results.json").write_text(json.dumps(row))

    results, _ = collect(tmp_path, one, writer(server.url, "two"))

    assert results.other["votes"] == row["votes"]
    assert results.unknown["note"] == "mine"
    assert len(results.replies) == 6


def test_max_cost_stops_before_it_is_passed(server: Provider, tmp_path: Path) -> None:
    """One call costs at most about .004 USD here and really .000013: the limit holds by the bound of the next call."""
    one = writer(server.url)
    results, ended = collect(
        tmp_path, one, what=battery(50), options=Options(concurrency=1, max_cost=0.00425)
    )

    spent = sum(reply.unknown["cost"] for reply in results.replies)
    assert 0 < len(results.replies) < 50
    assert spent < 0.00425
    assert ended.why == "the next call could go beyond --max-cost"
    assert ended.left == 50 - len(results.replies)


def test_mock_replies_are_the_same_in_every_run_and_mark_the_file(tmp_path: Path) -> None:
    found = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        results, _ = collect(
            tmp_path / name, writer("http://127.0.0.1:1"), mock=True, sender=MockWriter(), what=battery(4)
        )
        found.append([reply.text for reply in results.replies])

    assert found[0] == found[1]
    assert len(set(found[0])) == 4
    assert results.other["collection"][0]["mock"] is True


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "0"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_every_form(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_a_date_to_retry_after_counts_from_the_provider_s_own_clock() -> None:
    now = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
    headers = {
        "date": format_datetime(now, usegmt=True),
        "retry-after": format_datetime(now + timedelta(seconds=42), usegmt=True),
    }

    assert retry_after(headers) == 42
    assert retry_after(headers, now + timedelta(hours=1)) == 0


@given(st.integers(0, 100), st.none() | st.floats(0, 1e4), st.text(max_size=5))
def test_a_wait_is_bounded_and_never_shorter_than_the_provider_asks(
    turn: int, after: float | None, name: str
) -> None:
    patience = Patience()
    wait = pause(turn, after, patience, name)

    assert wait == pause(turn, after, patience, name)
    assert wait >= (after or 0)
    assert wait <= max(patience.longest, 1.1 * (after or 0))
    if after is None:
        assert wait >= patience.base / 2


def test_a_wait_beyond_the_limit_is_not_waited(server: Provider, tmp_path: Path) -> None:
    server.answer = lambda _: Reply("later", 429, {"retry-after": "3600"})

    results, ended = collect(tmp_path, writer(server.url), what=battery(1))

    assert (results.replies, ended.left, len(server.asked)) == ([], 1, 1)


@given(
    st.lists(
        st.lists(st.sampled_from(["over_length", "refusal", "empty", "error", "truncated"])),
        min_size=1,
        max_size=2,
    )
)
def test_a_sound_reply_is_kept_wherever_there_is_one(attempts: list[list[str]]) -> None:
    choice = attempts[kept(attempts)]

    assert again(choice) == all(again(flags) for flags in attempts)
    if len({tuple(flags) for flags in attempts}) == 1:
        assert kept(attempts) == 0


def test_a_full_stream_without_usage_has_no_cost(server: Provider, tmp_path: Path) -> None:
    server.answer = lambda _: Reply(chunk(delta={"content": "Hi."}, finish_reason="stop") + DONE)

    results, _ = collect(tmp_path, writer(server.url), what=battery(1))

    assert results.replies[0].unknown["cost"] is None
    assert usage() not in results.replies[0].text

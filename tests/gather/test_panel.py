"""A paced session, driven by keys and a clock of the test's own: nothing here waits."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from stylekl.errors import InputError, UsageError
from stylekl.gather.lines import words_in
from stylekl.gather.panel import PanelSession, graded, next_session
from stylekl.gather.panel_battery import PairingsWish, load_pairings, plan_pairings
from stylekl.gather.panel_file import Item, Plan, composition_of, load_plan
from stylekl.gather.panel_plan import PlanWish, plan_sessions
from stylekl.gather.planner import PlanError, Rules

from . import voting

if TYPE_CHECKING:
    from pathlib import Path

AT = "2026-11-30T12:00:00Z"


def wish(folder: Path, **more: Any) -> PairingsWish:
    battery = voting.write(folder, voting.battery(), "trees.yaml")
    return PairingsWish(battery, results=voting.write(folder), **more)


def plan_of(folder: Path, number: int = 3, **more: Any) -> Plan:
    made = plan_sessions(PlanWish(wish(folder), number, Rules(), output=str(folder / "plan.json"), **more))
    assert made.plan is not None
    return made.plan


class Reader:
    """Somebody who reads: a session, a clock, and every record that was written."""

    def __init__(self, plan: Plan, number: int = 0, pace: float = 4.0, **more: Any) -> None:
        self.plan, self.pace, self.now = plan, pace, 100.0
        self.records: list[dict[str, Any]] = []
        self.session = PanelSession(plan, plan.sessions[number], lambda: AT, consent="You may leave.", **more)

    def press(self, key: str, after: float = 0.0) -> None:
        """Press a key so many seconds later."""
        self.now += after
        self.records += self.session.press(key, self.now)

    def begin(self) -> None:
        """Agree, and read the sentences at the reader's pace."""
        self.press("y")
        self.press("space")
        for sentence in self.plan.calibration:
            self.press("space", words_in(sentence) / self.pace)

    def watch(self) -> list[float]:
        """Let the lines of a pair come; return the moment of each."""
        self.press("enter")
        while self.session.due is not None:
            self.now = self.session.due
            self.records += self.session.tick(self.now)
        return list(self.session.shown.values())

    def decide(self, *keys: str) -> None:
        """Watch a pair, and press these keys."""
        self.watch()
        for key in keys:
            self.press(key, 0.5)

    @property
    def row(self) -> dict[str, Any]:
        """The session as it was written last."""
        return [record["session"] for record in self.records if "session" in record][-1]

    @property
    def votes(self) -> list[dict[str, Any]]:
        """The votes as they were written last."""
        last = {record["vote"]["id"]: record["vote"] for record in self.records if "vote" in record}
        return list(last.values())


def instructed(plan: Plan, number: int = 0) -> int:
    return next(i for i, item in enumerate(plan.sessions[number].items) if item.check == "instructed")


def finish(reader: Reader, keys: dict[str | None, tuple[str, ...]] | None = None) -> None:
    """Decide every pair: fights for A, checks as `keys` says, else as they should be."""
    for _ in range(len(reader.session.planned.items)):
        if reader.session.stage == "code":
            return
        item = reader.session.current
        right = {"instructed": ("b",), "plain": ("b",) if item.left == "joke" else ("a",), None: ("a",)}
        reader.decide(*((keys or {}).get(item.check) or right[item.check]))


def test_a_session_is_eight_fights_and_two_checks_that_fit_the_rules(tmp_path) -> None:
    plan = plan_of(tmp_path, 40)

    assert len(plan.sessions) == 40
    for session in plan.sessions:
        assert Counter(item.check for item in session.items) == {None: 8, "plain": 1, "instructed": 1}
        assert session.items[0].check is None
        assert not set(composition_of(session).instructed) & set(composition_of(session).fights)
    lefts = Counter(item.left for session in plan.sessions for item in session.items if item.check is None)
    assert set(lefts) == set(voting.MODELS)
    assert min(lefts.values()) > 20


def test_a_plan_reads_back_and_the_same_seed_makes_it_again(tmp_path) -> None:
    plan = plan_of(tmp_path)
    path = voting.write(tmp_path, msgspec.json.encode(plan).decode(), "plan.json")

    assert load_plan(path) == plan == plan_of(tmp_path)
    assert plan.results == "results.json"


def test_lines_come_at_one_and_a_half_times_the_reader_s_time_and_never_sooner_than_1400_ms(tmp_path) -> None:
    for pace in (1.0, 3.0, 24.0):
        reader = Reader(plan_of(tmp_path), pace=pace)
        reader.begin()
        times = reader.watch()
        pair = reader.session.pair
        gaps = [later - earlier for earlier, later in zip(times, [*times[1:], reader.now], strict=True)]
        measured = reader.session.words_per_second

        assert measured == pytest.approx(pace, abs=0.001)
        assert gaps == pytest.approx([max(1.4, 1.5 * words_in(pair.line(p)) / measured) for p in pair.places])
        assert min(gaps) >= 1.4


def test_after_a_pause_of_the_machine_lines_still_come_one_by_one(tmp_path) -> None:
    reader = Reader(plan_of(tmp_path))
    reader.begin()
    reader.press("enter")
    reader.now += 600
    reader.session.tick(reader.now)

    assert len(reader.session.shown) == 2
    reader.session.tick(reader.now + 1.399)
    assert len(reader.session.shown) == 2


def test_the_whole_of_a_comes_before_b(tmp_path) -> None:
    reader = Reader(plan_of(tmp_path))
    reader.begin()
    reader.watch()

    sides = [side for side, _ in reader.session.shown]
    assert sides == ["left"] * 3 + ["right"] * 3


def test_a_fight_is_recorded_with_its_marks(tmp_path) -> None:
    """Onset from the reveal of the marked line, and from when the reader should have read it."""
    plan = plan_of(tmp_path)
    reader = Reader(plan, pace=4.0)
    reader.begin()
    reader.press("enter")
    reader.press("space", 0.9)  # the first line, 900 ms after it came
    while reader.session.due is not None:
        reader.now = reader.session.due
        reader.session.tick(reader.now)
    for key in ("up", "up", "x"):
        reader.press(key, 0.1)
    reader.press("b", 0.7)
    (vote,) = reader.votes
    first, item = reader.session.planned.items[0], plan.sessions[0].items[0]
    pair = plan.pair(str(item.prompt))
    line = (pair.lines_a if item.left == pair.a else pair.lines_b)[0]

    assert first == item
    assert vote.pop("marks")[0] == {
        "side": "left",
        "line": 1,
        "laugh_ms_after_reveal": 900,
        "laugh_ms_after_read": 900 - round(words_in(line) / 4 * 1000),
        "laugh_after_reveal": False,
    }
    assert vote == {
        "id": f"{plan.sessions[0].id}-01",
        "session": plan.sessions[0].id,
        "source": "panel",
        "prompt": item.prompt,
        "a": pair.a,
        "b": pair.b,
        "shown_left": item.left,
        "pick": "right",
        "pick_latency_ms": 1000,
        "cast": AT,
        "reply_a": pair.reply_a,
        "reply_b": pair.reply_b,
    }


def test_a_mark_behind_the_buttons_says_so(tmp_path) -> None:
    reader = Reader(plan_of(tmp_path))
    reader.begin()
    reader.watch()
    reader.press("space", 0.25)
    reader.press("a", 0.1)
    (mark,) = reader.votes[0]["marks"]

    assert (mark["side"], mark["line"], mark["laugh_after_reveal"]) == ("right", 3, True)
    assert mark["laugh_ms_after_reveal"] >= 1650


def test_two_lines_at_most_and_a_mark_can_be_taken_away(tmp_path) -> None:
    reader = Reader(plan_of(tmp_path))
    reader.begin()
    reader.watch()
    for key in ("x", "up", "x", "up", "x", "up", "x"):
        reader.press(key)
    marked = list(reader.session.marks)

    assert marked == [("right", 3), ("right", 2)]
    assert "two lines are marked" in reader.session.notice
    for key in ("down", "x", "up", "x"):
        reader.press(key)
    assert list(reader.session.marks) == [("right", 3), ("right", 1)]


def test_neither_is_followed_by_a_pick_that_must_be_made(tmp_path) -> None:
    """The Neither is on the disk at once; the forced pick joins it in the same vote."""
    reader = Reader(plan_of(tmp_path))
    reader.begin()
    reader.decide("n")
    assert reader.votes[0]["pick"] == "neither"
    assert "forced_pick" not in reader.votes[0]
    for key in ("n", "space", "enter", "q"):
        reader.press(key)
    assert reader.session.stage == "forced"
    reader.press("b", 1.0)

    assert reader.session.stage == "prompt"
    assert (reader.votes[0]["pick"], reader.votes[0]["forced_pick"]) == ("neither", "right")
    assert reader.votes[0]["forced_pick_latency_ms"] == 1000


def test_no_pick_counts_before_all_lines_have_come(tmp_path) -> None:
    reader = Reader(plan_of(tmp_path))
    reader.begin()
    for key in ("a", "b", "n", "space"):
        reader.press(key)
    assert reader.session.stage == "prompt"
    reader.press("enter")
    for key in ("a", "b", "n"):
        reader.press(key, 0.01)

    assert reader.votes == []
    assert reader.session.stage == "reveal"


def test_a_session_to_its_end(tmp_path) -> None:
    plan = plan_of(tmp_path, batch="first")
    reader = Reader(plan, participant="hash")
    reader.begin()
    finish(reader)

    assert reader.row | {"consent": ""} == {
        "id": plan.sessions[0].id,
        "source": "panel",
        "plan": plan.id,
        "batch": "first",
        "battery": "trees",
        "battery_version": 1,
        "finished": True,
        "words_per_second": 4.0,
        "too_fast": False,
        "attention_instructed_pass": True,
        "attention_nonjoke_pass": True,
        "participant": "hash",
        "consented": AT,
        "consent": "",
        "started": AT,
        "ended": AT,
    }
    assert len(reader.votes) == 10
    assert reader.session.progress() == (10, 10)
    reader.press("space")
    assert reader.session.stage == "left"


@pytest.mark.parametrize(
    ("keys", "instructed_pass", "plain_pass"),
    [
        ({"instructed": ("b",)}, True, True),
        ({"instructed": ("n", "b")}, True, True),
        ({"instructed": ("n", "a")}, False, True),
        ({"instructed": ("a",)}, False, True),
        ({"plain": ("n", "a")}, True, True),
        ({"plain": ("n", "b")}, True, True),
    ],
)
def test_how_the_checks_are_graded(tmp_path, keys, instructed_pass, plain_pass) -> None:
    reader = Reader(plan_of(tmp_path))
    reader.begin()
    finish(reader, keys)

    assert reader.row["attention_instructed_pass"] is instructed_pass
    assert reader.row["attention_nonjoke_pass"] is plain_pass


@pytest.mark.parametrize(
    ("left", "pick", "passed"),
    [("joke", "left", False), ("joke", "right", True), ("plain", "right", False), ("plain", "left", True)],
)
def test_the_plain_check_fails_on_the_joke_alone(left, pick, passed) -> None:
    assert graded({"check": "plain", "shown_left": left, "pick": pick}) == {"attention_nonjoke_pass": passed}


def test_in_the_instructed_check_b_is_the_instruction(tmp_path) -> None:
    plan = plan_of(tmp_path)
    reader = Reader(plan)
    reader.begin()
    for _ in range(instructed(plan)):
        reader.decide("a")
    item, pair = reader.session.current, reader.session.pair
    of = plan.pair(str(item.prompt))

    assert pair.right == plan.instructed
    assert pair.left == (of.lines_a if item.left == of.a else of.lines_b)
    reader.decide("b")
    vote = reader.votes[-1]
    assert (vote["check"], vote["a"], vote["b"]) == ("instructed", item.left, "instruction")


@pytest.mark.parametrize(("pace", "too_fast"), [(24.9, False), (25.0, False), (25.2, True), (400.0, True)])
def test_too_fast_is_above_25_words_a_second(tmp_path, pace, too_fast) -> None:
    reader = Reader(plan_of(tmp_path), pace=pace)
    reader.begin()

    assert reader.row["too_fast"] is too_fast


def test_a_reader_who_takes_no_time_at_all_breaks_nothing(tmp_path) -> None:
    reader = Reader(plan_of(tmp_path), pace=1e12)
    reader.begin()
    times = reader.watch()

    assert reader.row["too_fast"] is True
    assert times[1] - times[0] == pytest.approx(1.4)


def test_who_does_not_agree_leaves_nothing_behind(tmp_path) -> None:
    reader = Reader(plan_of(tmp_path))
    for key in ("space", "enter", "a", "n"):
        reader.press(key)

    assert reader.session.stage == "left"
    assert reader.records == []


@pytest.mark.parametrize("last", ["a", "n"])
def test_a_session_goes_on_where_it_ended(tmp_path, last) -> None:
    """The pace is kept; a Neither without its forced pick is asked for that alone."""
    plan = plan_of(tmp_path)
    reader = Reader(plan)
    reader.begin()
    reader.decide("b")
    reader.decide(last)
    assert reader.row["finished"] is False

    again = Reader(plan, known=reader.row, before=reader.votes)
    again.press("y")
    assert again.session.words_per_second == 4.0
    if last == "n":
        assert again.session.stage == "forced"
        assert set(again.session.shown) == set(again.session.pair.places)
        again.press("a")
    assert (again.session.stage, again.session.item) == ("prompt", 2)
    finish(again)
    assert again.row["finished"] is True
    assert again.row["started"] == AT
    ids = {vote["id"] for vote in reader.votes + again.votes}
    assert len(ids) == 10


def test_interrupted_calibration_starts_over(tmp_path) -> None:
    plan = plan_of(tmp_path)
    reader = Reader(plan)
    for key in ("y", "space", "space"):
        reader.press(key, 1)
    again = Reader(plan, known=reader.row)
    again.press("y")

    assert again.session.stage == "ready"


def test_the_next_reader_gets_the_next_session_and_who_comes_back_the_own(tmp_path) -> None:
    plan = plan_of(tmp_path)
    one, two, three = (session.id for session in plan.sessions)
    begun = {"id": one, "participant": "x", "finished": False}

    assert next_session(plan, []).id == one
    assert next_session(plan, [begun]).id == two
    assert next_session(plan, [begun], "x").id == one
    assert next_session(plan, [begun | {"finished": True}], "x").id == two
    assert next_session(plan, [{"id": name} for name in (one, two, three)]) is None


def test_a_fixed_pair_stays_from_version_to_version(tmp_path) -> None:
    """Six prompts retired, six added: twelve keep their replies, and the new ones restore the balance."""
    first = plan_pairings(wish(tmp_path))
    old = tmp_path / "pairings.json"
    old.write_bytes(first.document())
    new = tuple(f"p{number}" for number in range(70, 76))
    prompts = voting.PROMPTS[6:] + new
    results = voting.write(tmp_path, voting.results(prompts=voting.PROMPTS + new), "new.json")
    battery = voting.write(tmp_path, voting.battery(prompts, voting.PROMPTS[:6], 2), "trees2.yaml")
    second = plan_pairings(PairingsWish(battery, results=results, keep=str(old), seed=9))

    before = {pair.prompt: pair for pair in first.pairings}
    assert {pair.prompt for pair in second.pairings} == set(prompts)
    assert all(pair == before[pair.prompt] for pair in second.pairings if pair.prompt in voting.PROMPTS)
    assert {pair.since for pair in second.pairings if pair.prompt in new} == {2}
    assert Counter((pair.a, pair.b) for pair in second.pairings) == dict.fromkeys(
        combinations(voting.MODELS, 2), 3
    )
    assert second.new.total() == 6
    assert {each.why for each in second.released} == {"the prompt is not in use"}


def test_a_reply_that_changed_releases_its_pair(tmp_path) -> None:
    first = plan_pairings(wish(tmp_path))
    old = tmp_path / "pairings.json"
    old.write_bytes(first.document())
    pair = first.pairings[0]
    made = voting.results()
    for row in made["replies"]:
        if (row["model"], row["prompt"]) == (pair.a, pair.prompt):
            row["text"] = "Another reply."
    voting.write(tmp_path, made)
    second = plan_pairings(
        PairingsWish(str(tmp_path / "trees.yaml"), str(tmp_path / "results.json"), keep=str(old))
    )

    assert [(each.prompt, each.why) for each in second.released] == [
        (pair.prompt, f"{pair.a} has another reply to it now")
    ]


def test_flagged_replies_are_never_paired(tmp_path) -> None:
    made = voting.results()
    flagged = {("ash", prompt) for prompt in voting.PROMPTS[:6]}
    for row in made["replies"]:
        if (row["model"], row["prompt"]) in flagged:
            row["flags"] = ["over_length"]
    battery = voting.write(tmp_path, voting.battery(), "trees.yaml")
    report = plan_pairings(PairingsWish(battery, results=voting.write(tmp_path, made)))

    assert not flagged & {(model, pair.prompt) for pair in report.pairings for model in (pair.a, pair.b)}
    assert report.left_out == {"over_length": 6}


def test_pairings_can_be_made_before_anything_is_collected(tmp_path) -> None:
    models = "models:\n" + "".join(
        f"  - {{id: {m}, provider: local, base_url: 'http://127.0.0.1:1/v1', requested: m}}\n"
        for m in voting.MODELS
    )
    asked = PairingsWish(
        voting.write(tmp_path, voting.battery(), "trees.yaml"),
        models=voting.write(tmp_path, models, "models.yaml"),
    )
    early = plan_pairings(asked)
    old = tmp_path / "pairings.json"
    old.write_bytes(early.document())
    late = plan_pairings(replace(asked, results=voting.write(tmp_path), keep=str(old)))

    assert load_pairings(str(old)).pairings == early.pairings
    assert [(p.prompt, p.a, p.b) for p in late.pairings] == [(p.prompt, p.a, p.b) for p in early.pairings]
    assert late.released == ()
    assert all(pair.reply_a for pair in late.pairings)
    with pytest.raises(UsageError, match="a plan to run holds the replies"):
        plan_sessions(PlanWish(asked, 1, Rules(), output="plan.json"))


def test_pairs_of_a_file_are_used_as_they_are_or_refused(tmp_path) -> None:
    given = wish(tmp_path, seed=5)
    file = tmp_path / "pairings.json"
    file.write_bytes(plan_pairings(given).document())
    made = plan_sessions(
        PlanWish(replace(given, seed=1), 2, Rules(), str(file), output=str(tmp_path / "p.json"))
    )
    assert made.plan is not None
    assert {(p.prompt, p.a, p.b) for p in made.plan.pairs} == {
        (p.prompt, p.a, p.b) for p in load_pairings(str(file)).pairings
    }
    voting.write(tmp_path, voting.battery(version=2), "trees.yaml")
    with pytest.raises(UsageError, match="the battery is trees, version 2"):
        plan_sessions(PlanWish(given, 2, Rules(), str(file)))


def test_later_plans_go_on_from_earlier_ones(tmp_path) -> None:
    first = plan_of(tmp_path, 5)
    path = voting.write(tmp_path, msgspec.json.encode(first).decode(), "first.json")
    second = plan_sessions(PlanWish(wish(tmp_path), 5, Rules(), after=(path,)))

    assert sum(use.real for use in second.use) == 80
    assert second.spread["real"] <= 2
    assert second.id != first.id


def test_what_cannot_be_planned_is_refused(tmp_path) -> None:
    with pytest.raises(PlanError, match="every model at least 3 times cannot be met"):
        plan_sessions(PlanWish(wish(tmp_path), 1, Rules(fights=5)))
    with pytest.raises(PlanError, match="4 plain checks cannot be had"):
        plan_sessions(PlanWish(wish(tmp_path), 1, Rules(plain=4)))
    with pytest.raises(UsageError, match="does not say who answers it"):
        plan_sessions(PlanWish(PairingsWish("everyday"), 1, Rules()))
    with pytest.raises(UsageError, match="answered in one word"):
        plan_sessions(PlanWish(PairingsWish("one-word"), 1, Rules()))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"format": "stylekl-plan/9"}, "field format: expected stylekl-plan/1"),
        ({"sessions": []}, "no session in it"),
        ({"sessions": "x"}, r"field sessions: expected array, got str"),
        ({"fastest_ms": 10}, "expected 1400 or more"),
        ({"pace": 0}, "expected a number above 0"),
        ({"pairs": []}, "a prompt without a pair"),
        ({"plain": []}, "a plain check without text"),
        ({"calibration": [""]}, "no sentence in it"),
    ],
)
def test_a_plan_that_does_not_hold_together_is_refused(tmp_path, change, reason) -> None:
    plan = json.loads(msgspec.json.encode(plan_of(tmp_path)))
    path = voting.write(tmp_path, plan | change, "broken.json")

    with pytest.raises(InputError, match=reason):
        load_plan(path)


def test_no_json_is_no_plan(tmp_path) -> None:
    with pytest.raises(InputError, match="not a plan of sessions: not JSON"):
        load_plan(voting.write(tmp_path, "hello", "x.json"))


def test_numbers_of_checks_are_parameters(tmp_path) -> None:
    made = plan_sessions(PlanWish(wish(tmp_path), 2, Rules(plain=2, instructed=2)))
    kinds = Counter(item.check for item in made.sessions[0].items)
    none = plan_sessions(PlanWish(wish(tmp_path), 2, Rules(plain=0, instructed=0)))

    assert kinds == {None: 8, "plain": 2, "instructed": 2}
    assert all(isinstance(item, Item) and item.check is None for item in none.sessions[0].items)


def test_the_votes_of_a_session_are_those_that_the_lens_counts(tmp_path) -> None:
    """Eight fights count and two check pairs do not; each pick goes to the model that stood on its side."""
    from stylekl import load
    from stylekl.results.select_votes import select_votes

    reader = Reader(plan_of(tmp_path))
    reader.begin()
    finish(reader)
    path = voting.write(
        tmp_path, voting.results() | {"votes": reader.votes, "sessions": [reader.row]}, "voted.json"
    )
    chosen = select_votes(load(path), "panel")

    assert (len(chosen.fights), chosen.left_out, chosen.valid) == (8, {"check pair": 2}, 1)
    assert all(
        (fight.a if fight.outcome == "a" else fight.b) == fight.row["shown_left"] for fight in chosen.fights
    )

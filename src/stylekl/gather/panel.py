"""A paced session as a state machine: keys and a clock go in, records come out, and the state says what to show.

It knows nothing of a terminal and never waits. `due` says when something happens by itself; whoever drives it calls
`tick` then. Times are seconds of any clock that only goes forward.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from stylekl.gather.lines import words_in
from stylekl.gather.panel_battery import text_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from stylekl.gather.journal import Record
    from stylekl.gather.panel_file import Item, Plan, PlannedSession

Stage = Literal["consent", "ready", "sentence", "prompt", "reveal", "pick", "forced", "code", "left"]
Side = Literal["left", "right"]
Place = tuple[Side, int]  # a line: its side, and its number from 1
MARKS = 2  # lines that may be marked in a pair
TOO_FAST = 25.0  # words per second; nobody reads so fast
_SIDES: dict[str, Side] = {"a": "left", "b": "right"}


@dataclass(frozen=True, slots=True)
class Showing:
    """What a pair shows: a prompt, the lines of both sides, and the question."""

    prompt: str
    left: tuple[str, ...]
    right: tuple[str, ...]
    question: str

    @property
    def places(self) -> list[Place]:
        """Every line in the order in which they come: the whole of A, then the whole of B."""
        sides: tuple[tuple[Side, tuple[str, ...]], ...] = (("left", self.left), ("right", self.right))
        return [(side, number) for side, lines in sides for number in range(1, len(lines) + 1)]

    def line(self, place: Place) -> str:
        """Return the text of a line."""
        return (self.left if place[0] == "left" else self.right)[place[1] - 1]


class PanelSession:
    """One reader's session. `stage` says where it is, and the other attributes what is to be shown.

    `press` takes a key by name ("enter", "space", "up", "down", or a letter) and returns records to write at once:
    {"session": …} whenever something about the session is known, {"vote": …} as each pair is decided, and once more
    with the forced pick behind a Neither. `before` holds the votes of this session that are on the disk already, and
    `known` the session as it stands there: it goes on with the first pair that is not decided.
    """

    def __init__(
        self,
        plan: Plan,
        session: PlannedSession,
        wall: Callable[[], str],
        *,
        consent: str,
        participant: str | None = None,
        known: Record | None = None,
        before: Iterable[Record] = (),
    ) -> None:
        self.plan = plan
        self.planned = session
        self.consent = consent
        self._wall = wall
        self._votes = {str(vote["id"]): vote for vote in before if vote.get("session") == session.id}
        self.row: Record = dict(known or _new_row(plan, session))
        if participant is not None:
            self.row["participant"] = participant
        self.resumed = known is not None
        self.stage: Stage = "consent"
        self.sentence = 0  # of the calibration, from 0
        self._reading = 0.0  # seconds
        self._since = 0.0  # when what is on the screen appeared
        self.item = 0
        self.shown: dict[Place, float] = {}  # line -> when it was revealed
        self.due: float | None = None
        self.marks: dict[Place, Record] = {}
        self.selected: Place | None = None
        self.notice = ""

    @property
    def words_per_second(self) -> float | None:
        """The reader's pace, null before the calibration."""
        value = self.row.get("words_per_second")
        return float(value) if isinstance(value, (int, float)) and value > 0 else None

    @property
    def current(self) -> Item:
        """The pair at hand."""
        return self.planned.items[min(self.item, len(self.planned.items) - 1)]

    @property
    def pair(self) -> Showing:
        """What the pair at hand shows."""
        return showing(self.plan, self.current)

    @property
    def newest(self) -> Place | None:
        """The line that was revealed last."""
        return next(reversed(self.shown), None)

    def press(self, key: str, now: float) -> list[Record]:
        """Take a key; return what is to be written. A key that means nothing at the moment does nothing."""
        records = self.tick(now)
        self.notice = ""
        if self.stage == "consent":
            return records + self._consented(key, now)
        if self.stage in ("ready", "sentence") and key in ("space", "enter"):
            return records + self._read(now)
        if self.stage == "prompt" and key == "enter":  # space would be a mark the moment after
            self.stage = "reveal"
            self._reveal(now)
        elif self.stage in ("reveal", "pick"):
            self._mark(key, now)
            if self.stage == "pick":
                return records + self._picked(key, now)
        elif self.stage == "forced" and key in _SIDES:
            return records + self._forced(_SIDES[key], now)
        elif self.stage == "code" and key in ("space", "enter", "q"):
            self.stage = "left"
        return records

    def tick(self, now: float) -> list[Record]:
        """Let happen what is due at `now`: at most one line, so that none comes too soon after a pause."""
        if self.due is not None and now >= self.due:
            if len(self.shown) < len(self.pair.places):
                self._reveal(now)
            else:
                self.stage, self.due, self._since = "pick", None, now
        return []

    def _consented(self, key: str, now: float) -> list[Record]:
        if key == "n":
            self.stage = "left"
        if key != "y":
            return []
        at = self._wall()
        self.row |= {"consented": at, "consent": text_digest(self.consent), "finished": False}
        self.row.setdefault("started", at)
        if self.words_per_second is None:
            self.stage = "ready"
        else:
            self._next(now)
        return [self._session()]

    def _read(self, now: float) -> list[Record]:
        """Start the calibration, or end a sentence of it."""
        if self.stage == "ready":
            self.stage, self._since = "sentence", now
            return []
        self._reading += now - self._since
        self._since = now
        self.sentence += 1
        if self.sentence < len(self.plan.calibration):
            return []
        words = sum(words_in(sentence) for sentence in self.plan.calibration)
        speed = round(words / max(self._reading, 0.001), 3)
        self.row |= {"words_per_second": speed, "too_fast": speed > TOO_FAST}
        self._next(now)
        return [self._session()]

    def _next(self, now: float) -> None:
        """Go to the first pair that is not decided; one with a Neither alone is asked for its forced pick."""
        self.shown, self.marks, self.selected, self.due = {}, {}, None, None
        for place in range(len(self.planned.items)):
            self.item = place
            vote = self._votes.get(self._vote_id)
            if vote is None:
                self.stage = "prompt"
                return
            if vote["pick"] == "neither" and "forced_pick" not in vote:
                self.stage, self._since = "forced", now
                self.shown = dict.fromkeys(self.pair.places, now)
                self.marks = {(mark["side"], mark["line"]): mark for mark in vote.get("marks", [])}
                return
        self.stage = "code"

    @property
    def _vote_id(self) -> str:
        return f"{self.planned.id}-{self.item + 1:02}"

    def _reveal(self, now: float) -> None:
        place = self.pair.places[len(self.shown)]
        self.shown[place] = now
        seconds = self.plan.pace * self._expected(place)
        self.due = now + max(self.plan.fastest_ms / 1000, seconds)

    def _expected(self, place: Place) -> float:
        """Return how many seconds this reader needs for a line."""
        return words_in(self.pair.line(place)) / (self.words_per_second or 1.0)

    def _mark(self, key: str, now: float) -> None:
        """Mark the newest line with space; move the selection with up and down, mark or unmark it with x."""
        places = list(self.shown)
        if key in ("up", "down"):
            last = len(places) - 1
            at = places.index(self.selected) if self.selected in places else last + (key == "up")
            self.selected = places[max(0, min(last, at + (-1 if key == "up" else 1)))]
        elif key in ("space", "x"):
            place = self.selected if key == "x" else self.newest
            if place is None:
                self.notice = "choose a line with the arrows first"
            elif key == "x" and place in self.marks:
                del self.marks[place]
            elif place not in self.marks and len(self.marks) >= MARKS:
                self.notice = "two lines are marked: take one mark away first"
            elif place not in self.marks:
                onset = round((now - self.shown[place]) * 1000)
                self.marks[place] = {
                    "side": place[0],
                    "line": place[1],
                    "laugh_ms_after_reveal": onset,
                    "laugh_ms_after_read": round(onset - self._expected(place) * 1000),
                    "laugh_after_reveal": self.stage != "reveal",
                }

    def _picked(self, key: str, now: float) -> list[Record]:
        if key not in ("a", "b", "n"):
            return []
        pick = _SIDES.get(key, "neither")
        vote = self._vote(pick, round((now - self._since) * 1000))
        self._votes[self._vote_id] = vote
        if pick == "neither":
            self.stage, self._since = "forced", now
            return [{"vote": vote}]
        return [{"vote": vote}, *self._decided(vote, now)]

    def _forced(self, side: Side, now: float) -> list[Record]:
        vote = self._votes[self._vote_id] | {
            "forced_pick": side,
            "forced_pick_latency_ms": round((now - self._since) * 1000),
        }
        self._votes[self._vote_id] = vote
        return [{"vote": vote}, *self._decided(vote, now)]

    def _decided(self, vote: Record, now: float) -> list[Record]:
        """Grade a check, go on, and end the session behind the last pair."""
        passed = graded(vote)
        for name, result in passed.items():
            # with several checks of a kind the session passes where it passes all
            self.row[name] = result and self.row.get(name) is not False
        self._next(now)
        if self.stage == "code":
            self.row |= {"finished": True, "ended": self._wall()}
        return [self._session()] if passed or self.stage == "code" else []

    def _session(self) -> Record:
        return {"session": dict(self.row)}

    def _vote(self, pick: str, latency: int) -> Record:
        item = self.current
        if item.check is None:
            pair = self.plan.pair(str(item.prompt))
            a, b = pair.a, pair.b
        else:
            a, b = (item.left, "instruction") if item.check == "instructed" else ("joke", "plain")
        order = sorted(self.marks.values(), key=lambda mark: (mark["side"], mark["line"]))
        vote: Record = {
            "id": self._vote_id,
            "session": self.planned.id,
            "source": "panel",
            "prompt": item.prompt,
            "check": item.check,
            "a": a,
            "b": b,
            "shown_left": item.left,
            "pick": pick,
            "marks": [dict(mark) for mark in order],
            "pick_latency_ms": latency,
            "cast": self._wall(),
        }
        if item.check is None:
            vote |= {"reply_a": pair.reply_a, "reply_b": pair.reply_b}
        return {name: value for name, value in vote.items() if value is not None}

    def progress(self) -> tuple[int, int]:
        """Return how many pairs are decided, and of how many."""
        done = Counter(vote["pick"] != "neither" or "forced_pick" in vote for vote in self._votes.values())
        return done[True], len(self.planned.items)


def graded(vote: Record) -> dict[str, bool]:
    """Return what a vote on a check says of its session, by field; nothing for a fight.

    The instructed check passes on B, at once or as the forced pick behind Neither. The plain one passes on anything but
    the joke: Neither passes, whatever is then picked because one must.
    """
    check, pick = vote.get("check"), vote["pick"]
    if check == "instructed":
        return {
            "attention_instructed_pass": "right"
            in (pick, vote.get("forced_pick") if pick == "neither" else None)
        }
    if check == "plain":
        joke = "left" if vote["shown_left"] == "joke" else "right"
        return {"attention_nonjoke_pass": pick != joke}
    return {}


def showing(plan: Plan, item: Item) -> Showing:
    """Return what a pair of a session shows."""
    if item.check == "plain":
        text = plan.plain[item.plain]
        both = (text.joke, text.plain) if item.left == "joke" else (text.plain, text.joke)
        return Showing(text.prompt, *both, text.question or plan.question)
    pair = plan.pair(str(item.prompt))
    left, right = (pair.lines_a, pair.lines_b) if item.left == pair.a else (pair.lines_b, pair.lines_a)
    if item.check == "instructed":
        right = plan.instructed
    return Showing(pair.text, left, right, plan.question)


def next_session(
    plan: Plan, sessions: Iterable[Record], participant: str | None = None
) -> PlannedSession | None:
    """Return the session that this reader left unfinished, else the first that nobody has begun; null without one."""
    rows = {row.get("id"): row for row in sessions}
    for session in plan.sessions:
        row = rows.get(session.id)
        if row and participant and row.get("participant") == participant and row.get("finished") is not True:
            return session
    return next((session for session in plan.sessions if session.id not in rows), None)


def _new_row(plan: Plan, session: PlannedSession) -> Record:
    return {
        "id": session.id,
        "source": "panel",
        "plan": plan.id,
        "batch": plan.batch,
        "battery": plan.battery,
        "battery_version": plan.version,
        "finished": False,
        "words_per_second": None,
        "too_fast": None,
        "attention_instructed_pass": None,
        "attention_nonjoke_pass": None,
    }

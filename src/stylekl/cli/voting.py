"""Voting from the command line: from keys to votes on the disk, and what is said at the end."""

from __future__ import annotations

import os
import secrets
import shlex
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from stylekl.cli.exporting import keep_apart, put
from stylekl.errors import UnknownChoiceError, UsageError
from stylekl.text import visible

if TYPE_CHECKING:
    from stylekl.cli.reading import ReadingOptions
    from stylekl.cli.settings import Settings
    from stylekl.gather.panel import PanelSession
    from stylekl.gather.panel_file import Plan
    from stylekl.gather.vote import Booth
    from stylekl.gather.vote_file import VoteFile
    from stylekl.results import Results
    from stylekl.show.terminal import Terminal
    from stylekl.show.vote_screen import Screen
    from stylekl.show.vote_text import Frame

_ACTIONS = {
    "a": "a",
    "b": "b",
    "w": "weak",
    "g": "good",
    "s": "skip",
    "space": "next",
    "enter": "next",
}


@dataclass(frozen=True, slots=True)
class Ballots:
    """What a user asks for, as the command line says it."""

    how: ReadingOptions
    file: str | None = None
    output: str | None = None
    seed: int | None = None
    panel: str | None = None
    consent: str | None = None
    session: str | None = None
    participant: str | None = None
    status: bool = False


def run_battles(settings: Settings, wish: Ballots) -> int:
    """Hold blind battles until the user quits; return the exit code."""
    from stylekl.cli.answer import note
    from stylekl.gather.ballot import ballot_of
    from stylekl.gather.session import now
    from stylekl.gather.vote import Booth, session_id
    from stylekl.gather.vote_file import VoteFile
    from stylekl.results.find import find_model
    from stylekl.show.vote_screen import Screen, check_terminal

    for name in ("consent", "session", "participant"):
        if getattr(wish, name) is not None:
            raise UsageError(f"--{name} belongs to a panel", "name its plan with --panel")
    target, start = _target(wish)
    if wish.status:
        return _status(settings, target, start)
    check_terminal()
    with VoteFile(target, start) as file:
        for warning in [*file.results.warnings, *file.warnings]:
            note(settings, f"warning: {warning}")
        models = [find_model(file.results, name) for name in settings.chosen()]
        seed = secrets.randbelow(2**31) if wish.seed is None else wish.seed
        ballot, left_out = ballot_of(_with_votes(file), seed, models)
        booth = Booth(ballot, session_id(), now(), time.monotonic(), left_out=left_out)
        try:
            with Screen(lambda: _shape(settings)) as screen:
                interrupted = _battles(screen, booth, file)
        finally:
            file.merge()
        _close_battles(settings, booth, target, file)
    return _resume(["stylekl", "vote", *_again(wish)]) if interrupted else 0


def _battles(screen: Screen, booth: Booth, file: VoteFile) -> bool:
    """Show battle after battle; return whether it was interrupted."""
    from stylekl.gather.session import now
    from stylekl.show.vote_battle import battle_frame, model_labels

    names, total, offset = model_labels(file.results.models), len(file.votes), 0
    while True:
        before = booth.battle
        frame = battle_frame(booth, names, total, screen.terminal, screen.rows, offset)
        screen.draw(frame.lines)
        key = screen.key()
        if key in ("q", "interrupt"):
            return key == "interrupt"
        pages = key == "space" and booth.pick is None and frame.most > 0
        if key and not pages and key in _ACTIONS:
            for record in booth.press(_ACTIONS[key], now(), time.monotonic()):
                file.write(record)
                total += "vote" in record
        offset = 0 if booth.battle is not before else _scrolled(frame, offset, "pagedown" if pages else key)


def _scrolled(frame: Frame, offset: int, key: str | None) -> int:
    """Return where the text begins after a key."""
    steps = {"up": -1, "down": 1, "pageup": -frame.page, "pagedown": frame.page}
    steps |= {"home": -frame.most, "end": frame.most}
    return max(0, min(frame.most, offset + steps.get(key or "", 0)))


def _close_battles(settings: Settings, booth: Booth, target: str, file: VoteFile) -> None:
    from stylekl.show.numbers import count, plural

    total = len(file.votes)
    said = [f"{plural(booth.cast, 'vote')} cast; {target} holds {plural(total, 'vote')}."]
    if booth.left_out:
        reasons = ", ".join(f"{reason} {count(number)}" for reason, number in booth.left_out.items())
        said.append(f"Replies that took no part: {reasons}.")
    _say(settings, said)


def run_panel(settings: Settings, wish: Ballots) -> int:
    """Hold one paced session; return the exit code."""
    from stylekl.cli.answer import note
    from stylekl.gather.panel_file import load_plan, read_consent
    from stylekl.gather.vote_file import VoteFile
    from stylekl.results.records import Results
    from stylekl.show.vote_screen import Screen, check_terminal

    if wish.seed is not None or settings.models:
        raise UsageError("a plan says who fights, and on which side", "leave out --seed and --models")
    plan = load_plan(str(wish.panel))
    target = wish.output or wish.file or str(Path(str(wish.panel)).parent / plan.results)
    keep_apart(target)
    if wish.status:
        return _status(settings, target, Results(), plan)
    if os.name == "nt":
        raise UsageError(
            "a paced session needs Linux or macOS", "the battles of `stylekl vote FILE` run here"
        )
    consent = read_consent(wish.consent) if wish.consent else (plan.consent or "").strip()
    if not consent:
        raise UsageError(
            "a session starts with the reader's consent, and the plan has no text for it", "--consent FILE"
        )
    check_terminal()
    with VoteFile(target, Results()) as file:
        for warning in file.warnings:
            note(settings, f"warning: {warning}")
        file.know(*plan.records())
        session = _session(plan, file, wish, consent)
        try:
            with Screen(lambda: _shape(settings)) as screen:
                _paced(screen, session, file)
        finally:
            file.merge()
        begun = bool(session.row.get("consented"))
        done, total = session.progress()
        finished = session.row["finished"] is True
        state = "finished" if finished else "unfinished" if begun else "not begun"
        said = [f"Session {session.planned.id} {state}: {done} of {total} pairs answered; kept in {target}."]
        _say(settings, [*said, f"Completion code: {plan.completion_code}"] if finished else said)
    if session.stage == "left" or finished:
        return 0
    more = ["--session", session.planned.id] if begun else []
    return _resume(["stylekl", "vote", *_again(wish), *more])


def _session(plan: Plan, file: VoteFile, wish: Ballots, consent: str) -> PanelSession:
    """Return the session to run: the one that is named, the one this reader left, or the next that is free."""
    from stylekl.gather.panel import PanelSession, next_session
    from stylekl.gather.session import now

    rows = {row.get("id"): row for row in file.sessions}
    who = file.hashed(wish.participant) if wish.participant else None
    if wish.session is not None:
        chosen = next((each for each in plan.sessions if each.id == wish.session), None)
        if chosen is None:
            raise UnknownChoiceError(
                "session", wish.session, [each.id for each in plan.sessions], "in this plan"
            )
    else:
        chosen = next_session(plan, rows.values(), who)
        if chosen is None:
            raise UsageError(
                f"all {len(plan.sessions)} sessions of the plan have been begun",
                "--session ID goes on with one; `stylekl plan sessions --after PLAN` makes more",
            )
    known = rows.get(chosen.id)
    if known is not None and known.get("finished") is True:
        raise UsageError(f"session {chosen.id} is finished", "leave out --session for the next one")
    if known is not None and who and known.get("participant") not in (None, who):
        raise UsageError(
            f"session {chosen.id} belongs to another reader", "leave out --session for the next one"
        )
    return PanelSession(plan, chosen, now, consent=consent, participant=who, known=known, before=file.votes)


def _paced(screen: Screen, session: PanelSession, file: VoteFile) -> None:
    """Drive a session until it is left or interrupted."""
    from stylekl.show.vote_panel import panel_frame

    offset = 0
    while session.stage != "left":
        stage = (session.stage, session.item)
        frame = panel_frame(session, screen.terminal, screen.rows, offset)
        screen.draw(frame.lines)
        key = screen.key(None if session.due is None else session.due - time.monotonic())
        if key == "interrupt":
            return
        moment = time.monotonic()
        records = session.tick(moment) if key is None else session.press(key, moment)
        for record in records:
            file.write(record)
        offset = _scrolled(frame, offset, key) if (session.stage, session.item) == stage else 0


def _target(wish: Ballots) -> tuple[str, Results | None]:
    """Return the results file that keeps the votes, and what it starts from where it is another than is read."""
    from stylekl.results import load
    from stylekl.results.default import find_results
    from stylekl.results.document import read_document
    from stylekl.results.readers import native

    (path,), origin = find_results([wish.file] if wish.file else [], os.environ)
    keep_apart(path)
    if wish.output is not None and Path(wish.output).absolute() != Path(path).absolute():
        if Path(wish.output).exists():
            return wish.output, None
        return wish.output, load(path, reading=wish.how.reading())
    if origin == "sample":
        raise UsageError(
            "no results file given", "name one, or -o FILE to vote on the sample and keep the votes there"
        )
    if path == "-" or not native.recognise(read_document(path)):
        raise UsageError(
            f"{path}: not a file that votes can be written into",
            "-o FILE keeps replies and votes in a new one",
        )
    wish.how.leave_as_it_is(path)
    return path, None


def _with_votes(file: VoteFile) -> Results:
    """Return the results with the votes of the journal, so that they count in who meets next."""
    from dataclasses import replace

    return replace(file.results, other=file.results.other | {"votes": file.votes})


def _status(settings: Settings, target: str, start: Results | None, plan: Plan | None = None) -> int:
    """Say how many votes and sessions there are, after merging what an earlier run left in the journal."""
    from collections import Counter

    from stylekl.gather.assemble import existing
    from stylekl.gather.vote_file import VoteFile, votes_of
    from stylekl.show.numbers import plural

    if votes_of(target).exists():
        with VoteFile(target, start) as file:
            waiting = file.waiting
            if plan is not None:
                file.know(*plan.records())
            file.merge()
            votes, sessions = file.votes, file.sessions
    else:
        results, waiting = start if start and not Path(target).exists() else existing(target), 0
        votes, sessions = results.other.get("votes", []), results.other.get("sessions", [])
    sources = Counter(str(vote.get("source", "unknown")) for vote in votes)
    listed = "".join(f", {source} {number:,}" for source, number in sorted(sources.items()))
    said = [f"{target} holds {plural(len(votes), 'vote')}{listed}."]
    if waiting:
        said.append(f"{plural(waiting, 'vote')} of a run that was cut short are now in it.")
    if plan is not None:
        rows = {row.get("id"): row for row in sessions}
        begun = [rows[each.id] for each in plan.sessions if each.id in rows]
        done = sum(row.get("finished") is True for row in begun)
        said.append(
            f"Plan {plan.id}: {plural(len(plan.sessions), 'session')}, {done} finished, {len(begun) - done} unfinished."
        )
    _say(settings, said)
    return 0


def _shape(settings: Settings) -> Terminal:
    from stylekl.cli.answer import terminal

    return terminal(settings)


def _again(wish: Ballots) -> list[str]:
    words = [wish.file] if wish.file else []
    for name, value in (("--panel", wish.panel), ("-o", wish.output), ("--consent", wish.consent)):
        words += [name, value] if value else []
    return words + wish.how.words()


def _say(settings: Settings, lines: list[str]) -> None:
    from rich.text import Text

    from stylekl.show.flow import prose
    from stylekl.show.labels import shown

    shape = _shape(settings)
    rows = [row for line in lines for row in prose(Text(shown(line, shape.ascii)), shape.width, 0, 2)]
    put("".join(row.plain + "\n" for row in rows))


def _resume(words: list[str]) -> int:
    sys.stderr.write(visible(f"resume: {shlex.join(words)}") + "\n")
    return 130

"""Votes on the disk: each one flushed to a journal as it is cast, all of them in the results file at the end.

`results.json.votes` stands beside the results file and is only ever added to. Its first line names the form and holds
the file's salt; then come lines with a `vote`, with a `session` (a later one of the same id takes the place of an
earlier one), and with `merged`, which says that everything before is in the results file. What stands behind the last
of these is merged by whoever opens it next. One process at a time holds it.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from stylekl.errors import InputError, StyleklError, UsageError
from stylekl.gather.assemble import existing
from stylekl.gather.journal import Journal
from stylekl.results.save import save

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stylekl.gather.journal import Record
    from stylekl.results.records import Model, Prompt, Results

FORMAT = "stylekl-votes/1"
ROUNDS = 100_000  # of the hash of a participant's id: a list of guesses must cost something


def votes_of(results: str | Path) -> Path:
    """Return the path of the journal of votes of a results file."""
    return Path(f"{results}.votes")


class VoteFile:
    """The votes of a results file, open for more. `results` is what the file held when it was opened.

    Models and prompts that the file lacks are added from those given; `start` stands in for a file that is not there
    yet. `waiting` says how many votes of an earlier run were not yet in the file.
    """

    def __init__(self, path: str, start: Results | None = None) -> None:
        self.path = path
        self._start = start
        self._seen = _signature(path)
        self.results = self._load()
        self.journal = _opened(path)
        self.warnings = self.journal.warnings
        self._sessions: dict[str, Record] = {}
        self._votes: dict[str, Record] = {}
        self._models: list[Model] = []
        self._prompts: list[Prompt] = []
        salt = self._recall()
        self.waiting = len(self._votes)
        self.salt: str = str(self.results.unknown.get("salt") or salt or secrets.token_hex(16))
        self._salted = bool(self.results.unknown.get("salt"))
        if salt is None:
            self.journal.write({"votes": FORMAT, "salt": self.salt})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.journal.__exit__()

    def _load(self) -> Results:
        if self._start is not None and not Path(self.path).exists():
            return self._start
        return existing(self.path)

    def _recall(self) -> str | None:
        """Take what an earlier run left behind; return the salt of the journal, null for a new one."""
        salt = None
        for record in self.journal.records():
            if "votes" in record:
                if record["votes"] != FORMAT:
                    raise InputError(
                        f"{self.journal.path}: not a form of votes that this stylekl reads",
                        f"it reads {FORMAT}; a newer stylekl reads newer files",
                    )
                salt = str(record.get("salt") or "") or None
            elif "merged" in record:
                self._votes.clear()
                self._sessions.clear()
            else:
                self._take(record)
        return salt

    def _take(self, record: Record) -> None:
        for what, kept in (("vote", self._votes), ("session", self._sessions)):
            row = record.get(what)
            if isinstance(row, dict) and isinstance(row.get("id"), str):
                kept[row["id"]] = row

    @property
    def votes(self) -> list[Record]:
        """Every vote so far: those of the file, with those of the journal."""
        return _joined(self.results.other.get("votes", []), self._votes)

    @property
    def sessions(self) -> list[Record]:
        """Every session so far, as last known."""
        return _joined(self.results.other.get("sessions", []), self._sessions)

    def write(self, record: Record) -> None:
        """Put {"vote": …} or {"session": …} on the disk; return once it is there."""
        self.journal.write(record)
        self._take(record)

    def know(self, models: Iterable[Model], prompts: Iterable[Prompt]) -> None:
        """Add models and prompts to the file where it does not have them."""
        self._models, self._prompts = list(models), list(prompts)

    def hashed(self, participant: str) -> str:
        """Return what is stored of a participant's id: a hash with the salt of this file."""
        self._salted = True
        digest = hashlib.pbkdf2_hmac("sha256", participant.encode(), self.salt.encode(), ROUNDS)
        return digest.hex()[:32]

    def merge(self) -> None:
        """Write everything into the results file, whole or not at all.

        What another program changed in the file meanwhile stays. Raises StyleklError where it cannot be read or
        written: the votes then wait in the journal.
        """
        if not self._votes and not self._sessions:
            return
        try:
            results = self.results if _signature(self.path) == self._seen else self._load()
            _add(results, "models", self._models)
            _add(results, "prompts", self._prompts)
            for array, rows in (("sessions", self._sessions), ("votes", self._votes)):
                if rows:
                    results.other[array] = _joined(results.other.get(array, []), rows)
            if self._salted:
                results.unknown.setdefault("salt", self.salt)
            save(results, self.path)
        except StyleklError as error:
            raise StyleklError(
                error.message, f"the votes are safe in {self.journal.path}; the next run merges them"
            ) from None
        self.journal.write({"merged": len(self._votes)})
        self._votes, self._sessions = {}, {}
        self.results, self._seen = results, _signature(self.path)


def _opened(path: str) -> Journal:
    place = votes_of(path)
    try:
        return Journal(place)
    except UsageError:
        raise UsageError(
            f"{place}: another vote on this file is under way",
            "wait until it ends, or name another file with -o",
        ) from None
    except InputError as error:
        raise InputError(error.message, "restore the file from a copy, or move it away") from None


def _joined(rows: list[Record], new: dict[str, Record]) -> list[Record]:
    """Return the rows, each new one in the place of its earlier self or at the end."""
    known = {row.get("id") for row in rows}
    kept = [new.get(str(row.get("id")), row) for row in rows]
    return kept + [row for name, row in new.items() if name not in known]


def _add(results: Results, array: str, records: Iterable[Any]) -> None:
    rows = getattr(results, array)
    known = {row.id for row in rows}
    rows.extend(record for record in records if record.id not in known)


def _signature(path: str) -> tuple[int, int, int] | None:
    try:
        state = os.stat(path)
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size, state.st_ino

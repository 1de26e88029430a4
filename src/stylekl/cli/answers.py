"""Answers kept from one run to the next: a question asked again of the same files is answered from the disk.

An answer is the report that was shown. Its name is a digest of all that it depends on: the command and the settings
that change it, the bytes of every file, the sources of this package, the versions of the libraries that compute. So
none is ever out of date. One that is damaged, or another user's, is not believed, and made anew. Only what the style
lens alone answers of files of half a million bytes or more is kept.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from stylekl.cli.work import NO_WORK, Work, work_on
from stylekl.errors import StyleklError, UsageError
from stylekl.results.records import Model, Results, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stylekl.cli.by import Lenses
    from stylekl.cli.settings import Settings
    from stylekl.lenses.frame import Sections
    from stylekl.lenses.style.evidence import Evidence

LEAST = 500_000  # bytes of all files
_MARK = b"stylekl answer 1\n"
# What changes how an answer looks, or how fast it comes, and not what it says.
_SHOWN = {"json", "csv", "markdown", "width", "color", "ramp", "quiet", "export", "no_cache", "jobs"}
# What reads another file, whose content would have to be part of the name.
_FILES = ("names", "vocabulary", "save_vocabulary")
_PACKAGES = (".", "results", "results/readers", "facets", "counts", "measure", "lenses", "lenses/style")
_LIBRARIES = ("numpy", "scipy", "tiktoken", "regex", "markdown-it-py", "msgspec")
Report = TypeVar("Report")


class _Kept(msgspec.Struct, frozen=True):
    """An answer on the disk: what was read, the warnings before those of the report, and the report."""

    key: bytes
    sources: list[Source]
    models: list[Model]
    warnings: tuple[str, ...]
    report: msgspec.Raw


@dataclass(frozen=True)
class Answer:
    """A report, the warnings that stood before its own, and results with the sources and models, without replies."""

    results: Results
    report: Any
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question:
    """A question as it was asked, the place of its answer, and the digests of the files that it is about.

    Key and place are null where none is to be kept.
    """

    key: bytes | None = None
    path: Path | None = None
    digests: frozenset[str] = frozenset()
    work: Work = NO_WORK

    def answer(self, kind: type[Report]) -> Answer | None:
        """Return the answer that was kept, whose report is of this kind; None where there is no good one."""
        if self.path is None or self.key is None:
            return None
        from stylekl.counts import shelf

        try:
            with self.path.open("rb") as file:
                data = file.read() if shelf.own(file) else b""
        except OSError:
            return None
        digest, payload = data[len(_MARK) : len(_MARK) + 32], memoryview(data)[len(_MARK) + 32 :]
        try:
            if not data.startswith(_MARK) or hashlib.sha256(payload).digest() != digest:
                raise ValueError("damaged")
            kept = msgspec.msgpack.decode(payload, type=_Kept)
            if kept.key != self.key:
                raise ValueError("another question's")
            report = msgspec.msgpack.decode(kept.report, type=_known(kind))
        except (ValueError, msgspec.DecodeError):
            with suppress(OSError):
                self.path.unlink()
            return None
        with suppress(OSError):
            os.utime(self.path)
        return Answer(Results(models=kept.models, sources=kept.sources), report, kept.warnings)

    def keep(self, results: Results, report: Any, warnings: Sequence[str] = ()) -> None:
        """Keep an answer, where its files alone say what it is; nothing happens where it cannot be written."""
        from stylekl.counts import shelf

        if self.path is None or self.key is None or not self.is_about(results):
            return
        encode = msgspec.msgpack.encode
        kept = _Kept(self.key, results.sources, results.models, tuple(warnings), msgspec.Raw(encode(report)))
        payload, most = encode(kept), shelf.limit()
        if len(payload) > most:
            return
        with suppress(OSError):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with shelf.beside(self.path) as file:
                file.write(_MARK + hashlib.sha256(payload).digest() + payload)
            shelf.evict(self.path.parent, most)

    def keep_work(self, evidence: Evidence) -> None:
        """Keep what the next question about the same files needs too, on the same condition."""
        if self.path is not None and self.is_about(evidence.results):
            self.work.keep(evidence)

    def is_about(self, results: Results) -> bool:
        """Return whether results are what the files say that were asked about, and these alone."""
        from stylekl.results.readers import AROUND

        if any(source.form is None or source.form in AROUND for source in results.sources):
            return False
        # a file may have been changed between the question and the reading
        return {source.sha256 for source in results.sources} <= self.digests


def _known(kind: type[Report]) -> type[Report]:
    """Return a kind of report whose fields have types when they are read."""
    from stylekl.lenses import reports

    # Reports with these are not kept; importing them for their types would load all that computes them.
    for name in ("Baseline", "Recognised"):
        vars(reports).setdefault(name, type(None))
    return kind


def question(
    command: str, settings: Settings, lenses: Lenses, files: Sequence[str], **asked: Any
) -> Question:
    """Return a question about files; `asked` is what the command alone has, by name.

    It has no place where no answer is to be kept: the files are small, cannot be read or come from a pipe, a lens
    other than style is asked for, other files take part, or --no-cache says so.
    """
    if settings.no_cache or lenses.by not in (None, "style") or lenses.extra():
        return Question()
    if any(getattr(settings, name) for name in _FILES):
        return Question()
    from stylekl.counts import shelf

    place = shelf.folder()
    told = None if place is None or not shelf.limit() else _files(files)
    if place is None or told is None:
        return Question()
    code = shelf.digest_of_code(_PACKAGES, _LIBRARIES)
    if code is None:
        return Question()
    given = {field.name: getattr(settings, field.name) for field in fields(settings)}
    said = {name: value for name, value in given.items() if name not in _SHOWN}
    whole = [command, lenses.by, said, asked, told]
    key = hashlib.sha256(code + msgspec.json.encode(whole, order="deterministic")).digest()
    digests = frozenset(digest for _, digest in told)
    work = work_on(place, code, said, lenses.by, told)
    return Question(key, place / f"{key.hex()[:40]}.answer", digests, work)


def _files(given: Sequence[str]) -> list[tuple[str, str]] | None:
    """Return the path and sha256 of every file, those of folders in their place; None where there is not to be one."""
    from stylekl.results.default import find_results
    from stylekl.results.gathering import gather

    paths, origin = find_results(list(given), os.environ)
    if origin == "sample":
        return None
    found, size = [], 0
    try:
        for name in paths:
            inside = list(gather(name).files) if Path(name).is_dir() else [name]
            if not inside:
                return None  # a folder of texts
            for path in inside:
                if not Path(path).is_file():
                    return None
                size += Path(path).stat().st_size
                with Path(path).open("rb") as file:
                    found.append((str(path), hashlib.file_digest(file, "sha256").hexdigest()))
    except (OSError, ValueError):
        return None
    return found if size >= LEAST else None


def sections_of(
    verb: str,
    asked: Question,
    kind: type[Report],
    settings: Settings,
    lenses: Lenses,
    files: Sequence[str],
    models: tuple[str, ...],
    by_style: Callable[[Results, Evidence], Report],
    **extra: Any,
) -> tuple[Results, Sections]:
    """Return the answer that was kept, or that comes of kept work; else read the files, ask, and keep both.

    `by_style` answers by style of evidence, for which the options are the settings and `extra`; the other lenses answer
    to `verb` about `models`. Kept is what style alone answered.
    """
    from stylekl.cli.ahead import counting_ahead
    from stylekl.cli.answer import busy, gather, read, read_again
    from stylekl.cli.by import ask
    from stylekl.lenses.frame import sections

    if (known := asked.answer(kind)) is not None:
        return read_again(settings, known.results), sections({"style": known.report}, known.warnings)
    if (made := _made_of_work(verb, asked.work, settings, models, by_style, extra)) is not None:
        results, report = made
        asked.keep(results, report)
        return read_again(settings, results), sections({"style": report})
    gathered: list[Evidence] = []

    def style() -> Report:
        gathered.append(evidence := gather(settings, results, reader, **extra))
        asked.work.tell(evidence)
        return by_style(results, evidence)

    with counting_ahead(settings, lenses) as reader:
        results = read(settings, files, reader=reader)
        with busy(settings, "comparing …"):
            found = ask(verb, results, settings, lenses, style, *models)
    if list(found.parts) == ["style"]:
        asked.keep(results, found.parts["style"], found.warnings)
        asked.keep_work(gathered[0])
    return results, found


def _made_of_work(
    verb: str,
    work: Work,
    settings: Settings,
    models: tuple[str, ...],
    by_style: Callable[[Results, Evidence], Report],
    extra: dict[str, Any],
) -> tuple[Results, Report] | None:
    """Return what style says of kept work, and results without replies; None where there is none."""
    from stylekl.cli.answer import busy, options, read_again

    if not work.there():
        return None
    from stylekl.lenses.style.evidence import require_calibrated

    try:
        chosen = options(settings, **extra)
        require_calibrated(chosen)
    except UsageError:
        return None  # it is said when the files are read

    def answer(evidence: Evidence) -> tuple[Results, Report]:
        try:
            return evidence.results, by_style(evidence.results, evidence)
        except StyleklError:
            read_again(settings, evidence.results)  # comes before the error, as where they are read
            raise

    with busy(settings, "comparing …"):
        return work.answer(chosen, models if verb == "pair" else None, answer)

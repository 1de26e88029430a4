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

from stylekl.results.records import Model, Results, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stylekl.cli.by import Lenses
    from stylekl.cli.settings import Settings
    from stylekl.lenses.frame import Sections

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
        from stylekl.results.readers import AROUND

        if self.path is None or self.key is None:
            return
        if any(source.form is None or source.form in AROUND for source in results.sources):
            return
        if not {source.sha256 for source in results.sources} <= self.digests:
            return  # a file was changed between the question and the reading
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
    return Question(key, place / f"{key.hex()[:40]}.answer", frozenset(digest for _, digest in told))


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
    asked: Question,
    kind: type[Report],
    settings: Settings,
    reading: Callable[[], Results],
    asking: Callable[[Results], Sections],
) -> tuple[Results, Sections]:
    """Return the answer that was kept, or read the files and ask, and keep what style alone answered."""
    from stylekl.cli.answer import read_again
    from stylekl.lenses.frame import sections

    if (known := asked.answer(kind)) is not None:
        return read_again(settings, known.results), sections({"style": known.report}, known.warnings)
    results = reading()
    found = asking(results)
    if list(found.parts) == ["style"]:
        asked.keep(results, found.parts["style"], found.warnings)
    return results, found

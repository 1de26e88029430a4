"""The results file: what it holds, how it is read, joined and written, and which of its replies count."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from stylekl.errors import UsageError
from stylekl.results import readers
from stylekl.results.ahead import documents
from stylekl.results.find import find_model
from stylekl.results.gathering import gather, read_gathered
from stylekl.results.merge import merge
from stylekl.results.names import Named, name_models, rename_apart, rename_models
from stylekl.results.readers.folder import add_folders, is_folder, only_folders, read_folder
from stylekl.results.reading import AS_FOUND, Reading
from stylekl.results.records import Condition, Model, Prompt, Reply, Results
from stylekl.results.save import save
from stylekl.results.select import Selection, select

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping

    from stylekl.results.gathering import Gathered
    from stylekl.results.records import Source

__all__ = [
    "Condition",
    "Model",
    "Named",
    "Prompt",
    "Reading",
    "Reply",
    "Results",
    "Selection",
    "find_model",
    "load",
    "load_apart",
    "merge",
    "save",
    "select",
]


def load(
    *paths: str | os.PathLike[str],
    reading: Reading = AS_FOUND,
    seen: Callable[[Results], None] | None = None,
) -> Results:
    """Read one or several files and return what they hold together; "-" is standard input.

    Each file is read by the reader that recognises it, or by the one that `reading` names, and the parts are joined
    as `merge` says, then named as `reading` says. Models, prompts and replies keep the order of the files. A folder
    stands for the results files in it and below it, in the order of their names (`gather`). Where it has none it is one
    writer, or several, of the texts in it (`read_folder`): they answer the prompts of the files, whose ids they are
    named after, and come after them; where there are no files, the texts of one name answer the same prompt. Files that
    a reader took something from are sources too. `seen` is called with what each file holds, before the next is read.
    Raises UsageError without a path, InputError, in one of its kinds, for
    a file that cannot be read as results, and UnknownModelError where a model to rename is none.
    """
    if not paths:
        raise UsageError("no results file given", "name one, or - for standard input")
    names = [str(path) for path in paths]
    gathered = {name: gather(name) for name in dict.fromkeys(names) if is_folder(name)}
    folders = [read_folder(name) for name in names if name in gathered and not gathered[name].files]
    beside: list[Source] = []
    parts = _parts(names, gathered, reading, beside)
    if seen is not None:
        parts = _shown(parts, seen)
    if not folders:
        results = merge(parts)
    elif len(folders) == len(names):
        results = merge(only_folders(folders))
    else:
        kept = list(parts)
        whole = merge(kept)
        results = merge([whole, *add_folders(whole, kept, folders)])
    known = {(source.path, source.sha256) for source in results.sources}
    for source in beside:
        if (source.path, source.sha256) not in known:
            known.add((source.path, source.sha256))
            results.sources.append(source)
    rename_models(results, reading.rename)
    name_models(results, reading.names)
    return results


def load_apart(
    *paths: str | os.PathLike[str], reading: Reading = AS_FOUND, strict: bool = True
) -> list[Results]:
    """Return what each file holds, to be compared with one another; the errors are those of `load`.

    A model to rename need not be in all of them, nor where not `strict` in any.
    """
    bare = replace(reading, rename={}, names=())
    several = [load(path, reading=bare) for path in paths]
    rename_apart(several, reading.rename, strict=strict)
    for results in several:
        name_models(results, reading.names)
    return several


def _shown(parts: Iterator[Results], seen: Callable[[Results], None]) -> Iterator[Results]:
    for part in parts:
        seen(part)
        yield part


def _parts(
    names: list[str], gathered: Mapping[str, Gathered], reading: Reading, beside: list[Source]
) -> Iterator[Results]:
    """Yield what each file holds, those of a folder in its place; `beside` takes what was read with them."""
    given = tuple(name for name in names if name not in gathered)
    opened = documents(given, given, reading)
    for name in names:
        if name not in gathered:
            document = next(opened)
            yield readers.read(document)
            beside += document.beside
        elif gathered[name].files:
            yield from read_gathered(gathered[name], given, reading, beside)

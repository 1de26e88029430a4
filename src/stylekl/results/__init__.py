"""The results file: what it holds, how it is read, joined and written, and which of its replies count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stylekl.errors import UsageError
from stylekl.results import readers
from stylekl.results.document import read_document
from stylekl.results.find import find_model
from stylekl.results.merge import merge
from stylekl.results.readers.folder import add_folders, is_folder, only_folders, read_folder
from stylekl.results.reading import AS_FOUND, Reading
from stylekl.results.records import Condition, Model, Prompt, Reply, Results
from stylekl.results.save import save
from stylekl.results.select import Selection, select

if TYPE_CHECKING:
    import os

__all__ = [
    "Condition",
    "Model",
    "Prompt",
    "Reading",
    "Reply",
    "Results",
    "Selection",
    "find_model",
    "load",
    "merge",
    "save",
    "select",
]


def load(*paths: str | os.PathLike[str], reading: Reading = AS_FOUND) -> Results:
    """Read one or several files and return what they hold together; "-" is standard input.

    Each file is read by the reader that recognises it, or by the one that `reading` names, and the parts are joined
    as `merge` says. Models, prompts and replies keep the order of the files. A folder is one writer, or several, of the
    texts in it (`read_folder`): they answer the prompts of the files, whose ids they are named after, and come after
    them; where only folders are given, the texts of one name answer the same prompt. Raises UsageError without a path
    and InputError, in one of its kinds, for a file that cannot be read as results.
    """
    if not paths:
        raise UsageError("no results file given", "name one, or - for standard input")
    names = [str(path) for path in paths]
    folders = [read_folder(name) for name in names if is_folder(name)]
    files = tuple(name for name in names if not is_folder(name))
    parts = (readers.read(read_document(name, files, reading)) for name in files)
    if not folders:
        return merge(parts)
    if len(folders) == len(names):
        return merge(only_folders(folders))
    kept = list(parts)
    whole = merge(kept)
    return merge([whole, *add_folders(whole, kept, folders)])

"""Folders of texts: people's texts, a file each, named after the prompt that it answers.

`p17.txt` answers prompt p17, and `p17.2.txt` is a second text to it. A folder with such files is one writer, named by
the folder; one that holds folders of such files instead is several writers. Both become results like those of any other
file, so what compares models compares people with them.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from stylekl.errors import InputError
from stylekl.results.records import Model, Prompt, Reply, Results, Source
from stylekl.results.source import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SUFFIXES = (".txt", ".md")
_SAMPLE = re.compile(r"(.+)\.([0-9]{1,9})")
_NAMED = "name each text after the id of the prompt that it answers"


@dataclass(frozen=True, slots=True)
class Text:
    """A text, its path, and its file's name without the suffix."""

    path: str
    stem: str
    text: str


@dataclass(slots=True)
class Folder:
    """What a folder holds: the texts of each writer, and how many entries were left out as what.

    `sha256` is that of a list of the texts' files with the sha256 of each, as sha256sum writes it, sorted by name.
    """

    path: str
    writers: dict[str, list[Text]] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    sha256: str = ""


class _Answer(NamedTuple):
    writer: str
    text: Text
    prompt: str
    sample: int | None


def is_folder(path: str) -> bool:
    """Whether there is a folder at `path`."""
    return os.path.isdir(path)  # unlike Path.is_dir it never raises


def read_folder(path: str) -> Folder:
    """Read the texts in the folder at `path`: its own, or where it has none those of the folders in it.

    A text is a file that ends in .txt or .md, in any case of letters, unless it is called README. It is read as UTF-8;
    a line break is "\n" whatever the system, and those that end the file are no part of the text. Files are taken in
    the order of their names. Everything else is counted, hidden files apart. Raises InputError where a folder or a
    text cannot be read or a text is not UTF-8, naming it, and where there is no text.
    """
    folder = Folder(path)
    hashes: list[str] = []
    entries = entries_of(path)
    texts, folders = _sorted_out(folder, entries)
    if texts:
        folder.left_out["folder"] += len(folders)
        _read_writer(folder, _name(path), texts, hashes)
    else:
        for inner in folders:
            texts, deeper = _sorted_out(folder, entries_of(inner.path))
            folder.left_out["folder"] += len(deeper)
            if texts:
                _read_writer(folder, inner.name, texts, hashes)
    if not folder.writers:
        raise InputError(
            f"{path}: a folder without texts (.txt or .md files) and without results files",
            f"{_NAMED}, such as p1.txt; the endings of results files are in docs/reading.md",
        )
    folder.sha256 = hashlib.sha256("".join(hashes).encode("utf-8", "surrogateescape")).hexdigest()
    return folder


def add_folders(whole: Results, parts: Iterable[Results], folders: Iterable[Folder]) -> list[Results]:
    """Return the results of each folder, whose texts answer prompts of `whole`, the results of `parts` joined.

    A file's name stands for the prompt of this id, in `whole` or in the part that it came from. Texts that answer none
    are left out and counted in a warning. Raises InputError for a folder that answers no prompt at all.
    """
    prompts = {prompt.id: prompt for prompt in whole.prompts}
    known = _ids(whole, parts)
    return [_answers(folder, prompts, known) for folder in folders]


def only_folders(folders: Iterable[Folder]) -> list[Results]:
    """Return the results of folders without other files: the files' names are the prompts, ids and texts."""
    results = []
    for folder in folders:
        prompts: dict[str, Prompt] = {}
        answers: list[_Answer] = []
        for writer, texts in folder.writers.items():
            for text in texts:
                match = _SAMPLE.fullmatch(text.stem)
                prompt, sample = (match[1], int(match[2])) if match else (text.stem, None)
                prompts.setdefault(prompt, Prompt(id=prompt, text=prompt))
                answers.append(_Answer(writer, text, prompt, sample))
        results.append(_results(folder, prompts.values(), answers))
    return results


def _answers(folder: Folder, prompts: Mapping[str, Prompt], known: Mapping[str, str]) -> Results:
    answers: list[_Answer] = []
    warnings: list[str] = []
    for writer, texts in folder.writers.items():
        lost: list[Text] = []
        for text in texts:
            prompt, sample = _prompt(text.stem, known)
            if prompt is None:
                lost.append(text)
            else:
                answers.append(_Answer(writer, text, prompt, sample))
        if lost:
            answer = "answers" if len(lost) == 1 else "answer"
            warnings.append(
                f"{os.path.dirname(lost[0].path)}: {len(lost)} of {len(texts)} texts {answer} no prompt of the files "
                f"beside it, such as {os.path.basename(lost[0].path)}"
            )
    if not answers:
        example = next((name for name in known if not re.search(r"[/\\\n]", name)), None)
        raise InputError(
            f"{folder.path}: none of its texts is named after a prompt of the files beside it",
            f"{_NAMED}, such as {example}.txt"
            if example
            else "the files beside it have no prompt that can name a file",
        )
    used = dict.fromkeys(answer.prompt for answer in answers)
    results = _results(folder, (prompts[prompt] for prompt in used), answers)
    results.warnings.extend(warnings)
    return results


def _prompt(stem: str, known: Mapping[str, str]) -> tuple[str | None, int | None]:
    """Return the prompt and the sample that a file's name means; macOS may have taken its accents apart."""
    for name in (stem, unicodedata.normalize("NFC", stem)):
        if name in known:
            return known[name], None
        match = _SAMPLE.fullmatch(name)
        if match and match[1] in known:
            return known[match[1]], int(match[2])
    return None, None


def _ids(whole: Results, parts: Iterable[Results]) -> dict[str, str]:
    """Return the prompt that each id means: those of `whole`, then those that only a part calls so."""
    known = {prompt.id: prompt.id for prompt in whole.prompts}
    joined: dict[str, str] = {}
    for prompt in whole.prompts:
        joined.setdefault(prompt.text, prompt.id)
    others: dict[str, set[str]] = {}
    for part in parts:
        for prompt in part.prompts:
            if prompt.id not in known:
                others.setdefault(prompt.id, set()).add(joined[prompt.text])
    return known | {name: targets.pop() for name, targets in others.items() if len(targets) == 1}


def _results(folder: Folder, prompts: Iterable[Prompt], answers: Iterable[_Answer]) -> Results:
    results = Results(prompts=list(prompts), sources=[Source(folder.path, folder.sha256)])
    for writer, text, prompt, sample in answers:
        results.replies.append(Reply(model=writer, prompt=prompt, sample=sample, text=text.text))
        results.places.append((f"{text.path}: line", 1))
    results.models = [Model(id=writer) for writer in dict.fromkeys(answer.writer for answer in answers)]
    if rest := counted(folder.left_out):
        results.warnings.append(f"{folder.path}: left out: {rest}")
    return results


def counted(things: Counter[str]) -> str:
    """Return how many there are of each kind of thing, in words; "" where there are none."""
    found = []
    for what, number in sorted((+things).items()):
        noun, more, rest = what.partition(" without ")
        found.append(f"{number} {noun}{'s' if number > 1 else ''}{more}{rest}")
    return ", ".join(found)


def entries_of(path: str) -> list[os.DirEntry[str]]:
    """Return what is in a folder, by name; raises InputError where it cannot be read."""
    try:
        with os.scandir(path) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read: {os.strerror(error.errno or 0)}", "check the folder's permissions"
        ) from None


def _sorted_out(
    folder: Folder, entries: list[os.DirEntry[str]]
) -> tuple[list[os.DirEntry[str]], list[os.DirEntry[str]]]:
    """Return the texts and the folders among the entries, and count the rest."""
    texts: list[os.DirEntry[str]] = []
    folders: list[os.DirEntry[str]] = []
    for entry in entries:
        stem, dot, suffix = entry.name.rpartition(".")
        if entry.name.startswith("."):
            folder.left_out["hidden file"] += 1
        elif is_folder(entry.path):
            folders.append(entry)
        elif dot + suffix.lower() in SUFFIXES and stem.lower() != "readme" and _readable(entry.path):
            texts.append(entry)
        else:
            folder.left_out["other file"] += 1
    return texts, folders


def _readable(path: str) -> bool:
    """Whether to read what is there: a file, or a link to nothing, an error; not a pipe, which waits for ever."""
    return os.path.isfile(path) or not os.path.exists(path)


def _read_writer(folder: Folder, name: str, entries: list[os.DirEntry[str]], hashes: list[str]) -> None:
    texts = folder.writers.setdefault(_sound(name), [])
    for entry in entries:
        read = read_text(entry.path)
        hashes.append(f"{read.sha256}  {name}/{entry.name}\n")
        # What an editor or a system adds is nobody's style.
        text = read.text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
        texts.append(Text(_sound(entry.path), _sound(entry.name).rpartition(".")[0], text))


def _sound(name: str) -> str:
    """Return a name of the file system as text: bytes that are no UTF-8 as U+FFFD, which JSON can hold."""
    return os.fsencode(name).decode("utf-8", "replace")


def _name(path: str) -> str:
    """Return the name of the folder, also where the path is "." or ends in "..".

    Raises InputError for the root of the file system, which has none.
    """
    name = os.path.basename(os.path.abspath(path))  # of a link its own, not that of what it leads to
    if not name:
        raise InputError(
            f"{path}: a folder without a name", "a writer is named by the folder; put the texts into one"
        )
    return name

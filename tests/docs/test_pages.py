"""What a page tells its reader to type works, and what it shows is what comes: every page of the documentation."""

from __future__ import annotations

import re
import shlex
import shutil
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.cli.made import provide
from tests.docs.shell import ROOT, Reader, bare, blocks, body, compare, expected, typed

if TYPE_CHECKING:
    from pathlib import Path

PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))
# Lines that no test can run, and why. Each must stand on some page.
NOT_RUN = {
    r"scripts/(demo|test|environment)\b": "make an environment; they are what runs the tests",
    r"\.venv/bin/stylekl report\b": "tests/release goes this way, from a clone",
    r"pip install\b": "scripts/wheel-check installs the wheel into an environment of its own",
    r"stylekl vote (?!.*--status)": "asks a person at a terminal; tests/cli/test_vote.py is that person",
    r"stylekl --install-completion\b": "changes the start-up files of a shell; tests/release does it in another home",
    r"man stylekl\b": "needs the pages to be installed and a pager",
}
# Lines that ask models, and what is added to them so that no network is asked.
OFFLINE = {
    r"stylekl collect (?!.*--(dry-run|mock))": "--mock",
    r"stylekl probe (?!.*--(dry-run|mock))": "--mock --samples 1 --pair dog-cat",
    r"stylekl judge (?!.*--(dry-run|show-package))": "--dry-run",
}


def skipped(line: str) -> bool:
    return any(re.match(pattern, line) for pattern in NOT_RUN)


def lines_of(name: str) -> list[str]:
    page = (ROOT / name).read_text(encoding="utf-8")
    found = (block for block in blocks(page) if block.language in ("sh", "console"))
    return [line.text for block in found for line in typed(page, block)]


def reader_in(folder: Path) -> Reader:
    """Return a reader in a folder with the data of the checkout and what else the pages presume."""
    shutil.copytree(ROOT / "data", folder / "data")
    (folder / "consent.txt").write_text(
        "You read pairs of texts and say which you prefer.\n", encoding="utf-8"
    )
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = (block for block in blocks(readme) if block.language == "jsonl")
    replies = body(readme, block)
    (folder / "replies.jsonl").write_text(replies, encoding="utf-8")
    (folder / "answers").mkdir()
    leaked = replies.replace("It moves.", "It moves.<|im_end|>")
    (folder / "answers" / "one.jsonl").write_text(leaked, encoding="utf-8")
    return Reader(folder)


def typing(reader: Reader, line: str) -> str:
    """Type a line after making the files that it reads and no line before has written; return what it writes."""
    words = shlex.split(bare(line))
    written = {words[place + 1] for place, word in enumerate(words[:-1]) if word in ("-o", "--output")}
    there = {word for word in words if (reader.folder / word).exists()}
    if "models.yaml" in there:
        words.remove("models.yaml")
    provide([word for word in words if word not in written | there], folder=reader.folder)
    for pattern, option in OFFLINE.items():
        if re.match(pattern, line):
            line = f"{bare(line)} {option}"
    return reader.types(line)


@pytest.mark.parametrize("name", PAGES)
def test_the_commands_of_a_page_work_and_print_what_it_shows(name: str, tmp_path: Path) -> None:
    """In their order, in one folder: what one line writes is there for the next."""
    path = ROOT / name
    page = path.read_text(encoding="utf-8")
    reader, fresh, copied = reader_in(tmp_path), [], 0
    for block in blocks(page):
        if block.title is not None:
            (reader.folder / block.title).parent.mkdir(parents=True, exist_ok=True)
            (reader.folder / block.title).write_text(body(page, block), encoding="utf-8")
        elif block.language == "sh":
            for line in typed(page, block):
                if not skipped(line.text):
                    written = typing(reader, line.text)
                    assert reader.code == expected(line.text), f"{line.text}\n{written}"
        elif block.language == "console":
            text = ""
            for line in typed(page, block):
                written = typing(reader, line.text).rstrip("\n")
                text += f"$ {line.text}\n" + (f"{written}\n" if written else "")
            indented = re.sub(r"^(?=.)", block.indent, text, flags=re.MULTILINE)
            fresh += [page[copied : block.start], indented]
            copied = block.end
    compare(path, page, "".join([*fresh, page[copied:]]))


README = dict.fromkeys(line for line in lines_of("README.md") if not skipped(line))


@pytest.mark.parametrize("line", README)
def test_a_command_of_the_readme_works(line: str, tmp_path: Path) -> None:
    """Each alone, in a folder of its own: a reader may start anywhere."""
    reader = reader_in(tmp_path)

    written = typing(reader, line)

    assert reader.code == expected(line), written
    assert written


def test_what_is_not_run_is_few_and_there() -> None:
    """No pattern of a line that is not run has outlived its line."""
    every = [line for name in ["README.md", *PAGES] for line in lines_of(name)]

    assert [pattern for pattern in NOT_RUN if not any(re.match(pattern, line) for line in every)] == []
    assert sum(map(skipped, every)) <= 12


@pytest.mark.parametrize("name", ["README.md", *PAGES])
def test_commands_stand_in_blocks_that_are_run(name: str) -> None:
    """In any other block a reader would believe them and no test would; docs/cli.md is the help itself."""
    page = (ROOT / name).read_text(encoding="utf-8")
    others = [block for block in blocks(page) if block.language not in ("sh", "console", "yaml")]
    if name != "docs/cli.md":
        found = [line for block in others for line in body(page, block).splitlines()]

        assert [line for line in found if re.match(r"\$ |stylekl ", line)] == []


def test_the_workflow_runs_what_the_page_has_shown(tmp_path: Path) -> None:
    """The gate of the job is one of the lines that the page runs; what asks models works without a network."""
    name = "docs/recipes/gate.md"
    page = (ROOT / name).read_text(encoding="utf-8")
    (block,) = (block for block in blocks(page) if block.title == ".github/workflows/drift.yml")
    steps = yaml.safe_load(body(page, block))["jobs"]["drift"]["steps"]
    collect, gate = (step["run"] for step in steps if step.get("run", "").startswith("stylekl "))
    reader = reader_in(tmp_path)
    written = typing(reader, collect)

    assert reader.code == 0, written
    assert gate in [line.replace("changed.json", "new.json") for line in lines_of(name)]


def test_the_gate_of_the_readme_fails_where_a_model_changed(tmp_path: Path) -> None:
    """The step for CI, on three dates of which the last writes otherwise."""
    (line,) = re.findall(
        r"^- run: (stylekl .+)$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    reader = reader_in(tmp_path)
    (tmp_path / "results").mkdir()
    provide(["dated.json"], folder=tmp_path / "results")

    written = reader.types(line)

    assert reader.code == 1, written
    assert (tmp_path / "drift.xml").read_text(encoding="utf-8").count("<failure") == 2


def test_the_test_sees_a_wrong_output_and_a_wrong_code(tmp_path: Path) -> None:
    """The reader's shell reports what comes, and the last code."""
    reader = Reader(tmp_path)

    assert reader.types("stylekl matrix nothing.json").startswith("error: nothing.json")
    assert reader.types("echo $?") == "2\n"
    assert "stylekl " in reader.types("stylekl --version | cat")
    assert reader.types("exit 3") == ""
    assert reader.code == 3

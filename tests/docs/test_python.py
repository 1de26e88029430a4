"""The Python of the documentation runs, and prints what the pages show."""

from __future__ import annotations

import doctest
from typing import TYPE_CHECKING

import pytest

from tests.cli.made import provide
from tests.docs.shell import ROOT, blocks, body, compare
from tests.docs.test_pages import reader_in

if TYPE_CHECKING:
    from pathlib import Path

PAGES = [
    path.relative_to(ROOT).as_posix()
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if any(block.language == "pycon" for block in blocks(path.read_text(encoding="utf-8")))
]


class _Recorder(doctest.DocTestRunner):
    """A runner that remembers what each example printed."""

    def __init__(self) -> None:
        super().__init__(verbose=False)
        self.printed: dict[int, str] = {}

    def report_success(self, _out: object, _test: object, example: doctest.Example, got: str) -> None:
        self.printed[example.lineno] = got

    def report_failure(self, _out: object, _test: object, example: doctest.Example, got: str) -> None:
        self.printed[example.lineno] = got


@pytest.mark.parametrize("name", PAGES)
def test_the_examples_of_a_page_print_what_it_shows(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All blocks of a page are one session; STYLEKL_UPDATE_GOLDEN=1 writes the outputs anew."""
    path = ROOT / name
    page = path.read_text(encoding="utf-8")
    folder = reader_in(tmp_path).folder
    provide(["votes.json", "choices.json"], folder=folder)
    monkeypatch.chdir(folder)
    fresh, copied, names = [], 0, {"__name__": "__main__"}
    for block in blocks(page):
        if block.language != "pycon":
            continue
        text = body(page, block)
        test = doctest.DocTestParser().get_doctest(text, names, name, name, 0)
        runner = _Recorder()
        runner.run(test, clear_globs=False)
        names = test.globs
        lines = []
        for example in test.examples:
            source = example.source.rstrip("\n").split("\n")
            lines += [
                f"{'>>> ' if not place else '... '}{line}".rstrip() for place, line in enumerate(source)
            ]
            printed = runner.printed.get(example.lineno, f"no output: {example.source}")
            lines += printed.rstrip("\n").split("\n") if printed else []
        fresh += [page[copied : block.start], "\n".join(lines) + "\n"]
        copied = block.end
    compare(path, page, "".join([*fresh, page[copied:]]))

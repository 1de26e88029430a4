"""`stylekl report`: where the page goes, what it spares, and what it says when it cannot."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING

import pytest

from stylekl.results.default import sample_path
from tests.cli import made
from tests.cli.run import call, run
from tests.cli.test_votes import written

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the empty folder that the command runs in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _small(folder: Path, name: str = "small.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(made.sample(made.THREE[::2])), encoding="utf-8")
    return path


def test_the_page_is_written_and_written_again_and_stdout_stays_empty(folder: Path) -> None:
    small = _small(folder)
    first = call("report", small.name, "--title", "Two & one <writer>")
    assert (first.code, first.out) == (0, "")
    assert "note: report.html written" in first.err
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "<title>Two &amp; one &lt;writer&gt;</title>" in text
    assert call("report", small.name, "-q").code == 0
    assert (folder / "report.html").read_text(encoding="utf-8") != text


def test_two_runs_give_the_same_bytes(folder: Path) -> None:
    small = _small(folder)
    for name in ("one.html", "two.html"):
        assert call("report", small.name, "-o", name).code == 0
    assert (folder / "one.html").read_bytes() == (folder / "two.html").read_bytes()


def test_a_file_that_was_read_and_one_that_is_no_page_are_spared(folder: Path) -> None:
    small = _small(folder)
    before = small.read_bytes()
    found = call("report", small.name, "-o", small.name)
    assert found.code == 2
    assert "is one of the files read" in found.err
    (folder / "report.html").write_text("<!doctype html>mine", encoding="utf-8")
    found = call("report", small.name)
    assert found.code == 2
    assert "is no report of stylekl" in found.err
    assert "hint: " in found.err
    assert small.read_bytes() == before
    assert (folder / "report.html").read_text(encoding="utf-8") == "<!doctype html>mine"


def test_a_dash_writes_the_page_to_stdout(folder: Path) -> None:
    found = call("report", _small(folder).name, "-o", "-")
    assert (found.code, found.err) == (0, "")
    assert found.out.startswith("<!doctype html>")
    assert [path.name for path in folder.iterdir()] == ["small.json"]


def test_without_a_value_there_is_no_map_and_the_page_says_why(folder: Path) -> None:
    lines = [{"model": model, "prompt": "Rain?", "response": f"{model} says no."} for model in ("ash", "elm")]
    (folder / "few.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert call("report", "few.jsonl").code == 0
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert 'class="cells"' not in text
    assert "no symbol is common enough" in text
    assert "nearest: " not in text


def test_a_measure_that_no_pair_has_gives_way_to_one_that_it_has(folder: Path) -> None:
    """Kinship needs four models; of two the map shows KL, and its first view says so."""
    assert call("report", _small(folder).name, "--rank", "kinship").code == 0
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert re.search(r'<select class="view">\s*<option value="kl"', text)
    assert re.search(r'<rect x="\d+" class="l\d+"/>', text)


def test_a_folder_that_is_not_there_is_said_before_any_work(folder: Path) -> None:
    found = call("report", _small(folder).name, "-o", "nowhere/page.html")
    assert (found.code, "nowhere is no folder" in found.err) == (2, True)


def test_a_folder_cannot_be_written_to(folder: Path) -> None:
    found = call("report", _small(folder).name, "-o", ".")
    assert (found.code, "is a folder" in found.err) == (2, True)


def test_json_prints_the_document_that_the_page_embeds(folder: Path) -> None:
    small = _small(folder)
    assert call("report", small.name, "-o", "page.html").code == 0
    page = (folder / "page.html").read_text(encoding="utf-8")
    embedded = page.split('<script type="application/json"', 1)[1].split(">", 1)[1].split("</script>", 1)[0]
    assert json.loads(call("report", small.name, "--json").out) == json.loads(embedded)


def test_no_text_keeps_replies_out(folder: Path) -> None:
    """No word of a reply but those that are symbols stands in the page; the quotes around examples are gone."""
    small = _small(folder)
    assert call("report", small.name, "-o", "with.html").code == 0
    assert call("report", small.name, "-o", "without.html", "--no-text").code == 0
    assert "<mark>" in (folder / "with.html").read_text(encoding="utf-8")
    assert "<mark>" not in (folder / "without.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--csv",), "No such option"),
        (("--json", "-o", "x.html"), "-o writes the page"),
        (("--pair", "one"), "is not A,B"),
        (("--pair", "smollm2-plain,nobody"), "no model"),
        (("--focus", "nobody"), "no model"),
        (("--by", "votes"), "nothing for --by votes"),
        (("--source", "arena"), "says nothing to --by style"),
    ],
    ids=lambda each: "-".join(each).strip("-") if isinstance(each, tuple) else "",
)
def test_what_does_not_go_together_is_an_error_with_a_hint(
    folder: Path, options: tuple[str, ...], said: str
) -> None:
    found = call("report", _small(folder).name, *options)
    assert found.code == 2
    assert said in found.err
    assert "hint: " in found.err
    assert not (folder / "x.html").exists()


def test_without_jinja2_the_hint_says_what_to_install(folder: Path) -> None:
    """Before any work: a program that has no Jinja2 says so at once."""
    program = [
        sys.executable,
        "-c",
        "import sys; sys.modules['jinja2'] = None; from stylekl.cli import main; main()",
    ]
    found = run("report", str(sample_path()), program=program, cwd=folder)
    assert found.code == 2
    assert "pip install 'stylekl[report]'" in found.err
    assert "Traceback" not in found.err
    assert not (folder / "report.html").exists()


@pytest.mark.parametrize("by", [(), ("--by", "votes")], ids=["all", "votes"])
def test_a_sealed_arena_stays_sealed(folder: Path, by: tuple[str, ...]) -> None:
    """While an arena is sealed nothing of the page depends on who won, in a picture, in words or in the JSON."""
    pages = []
    for picks in ("first", "second"):
        assert call("report", written(folder, "arena", picks), "-o", "page.html", *by).code == 0
        text = (folder / "page.html").read_text(encoding="utf-8")
        pages.append(re.sub("[0-9a-f]{64}|sha256 [0-9a-f]{12}", "", text))
    assert pages[0] == pages[1]
    assert "sealed" in pages[0]

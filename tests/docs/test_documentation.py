"""The documentation says what the program does: its commands run, its examples parse, its links lead somewhere."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

import stylekl
from stylekl.gather.assemble import _AS_RECORDED, _reply
from stylekl.lenses.style import StyleOptions
from stylekl.lenses.style.material import gather_material
from stylekl.lenses.style.tree import tree
from stylekl.lenses.style.who_wrote import who_wrote
from stylekl.show.json import envelope, focus_data, matrix_data, pair_data
from stylekl.show.recognition import who_wrote_data
from stylekl.show.tree_forms import tree_data

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
SAMPLE = ROOT / "data" / "sample.json"


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name: str, language: str) -> list[str]:
    """Return the fenced blocks of one language on a page."""
    return re.findall(rf"^ *```{language}\n(.*?)^ *```$", text_of(name), re.MULTILINE | re.DOTALL)


def commands(*names: str) -> list[str]:
    lines = [line for name in names for block in blocks(name, "sh") for line in block.splitlines()]
    return [line.split("  #")[0].strip() for line in lines if line.strip().startswith("stylekl ")]


def run(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python in `folder` with the sources on its path and none of this machine's settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STYLEKL_")}
    path = os.pathsep.join([str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])
    given = {"PYTHONPATH": path, "PYTHONUTF8": "1", "HOME": str(folder), "APPDATA": str(folder)}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=folder, env=kept | given, capture_output=True, encoding="utf-8", check=False
    )


def test_the_readme_asks_all_three_questions() -> None:
    asked = {line.split()[1] for line in commands("README.md")}

    assert asked >= {"matrix", "pair", "focus"}


def test_the_python_of_the_readme_runs(tmp_path: Path) -> None:
    (code,) = blocks("README.md", "python")

    done = run(["-c", code.replace('"data/sample.json"', repr(str(SAMPLE)))], tmp_path)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("apart ")


def test_the_example_of_the_readme_is_read_as_two_models(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text(blocks("README.md", "jsonl")[0], encoding="utf-8")

    results = stylekl.load(path)

    assert [model.id for model in results.models] == ["SmolLM2 terse", "SmolLM2 formal"]
    assert len(results.prompts) == 3


def test_the_two_forms_of_the_results_file_say_the_same(tmp_path: Path) -> None:
    as_json, as_lines = tmp_path / "results.json", tmp_path / "results.jsonl"
    as_json.write_text(blocks("docs/results-file.md", "json")[0], encoding="utf-8")
    as_lines.write_text(blocks("docs/results-file.md", "jsonl")[0], encoding="utf-8")

    one, other = stylekl.load(as_json), stylekl.load(as_lines)

    assert one.replies
    assert [(r.model, r.prompt, r.text) for r in one.replies] == [
        (r.model, r.prompt, r.text) for r in other.replies
    ]


@pytest.mark.parametrize("name", NAMES)
def test_json_and_toml_examples_parse(name: str) -> None:
    for block in blocks(name, "json"):
        json.loads(block)
    for block in blocks(name, "jsonl"):
        assert [json.loads(line) for line in block.splitlines()]
    for block in blocks(name, "toml"):
        tomllib.loads(block)


def _keys(value: object) -> set[str]:
    if isinstance(value, dict):
        # The reasons in left_out are names of the file's making, not fields.
        found = {key for key in value if isinstance(key, str)}
        return found.union(*(_keys(item) for key, item in value.items() if key != "left_out"))
    if isinstance(value, list):
        return set().union(*map(_keys, value))
    return set()


def test_every_field_of_the_json_output_is_documented() -> None:
    results = stylekl.load(SAMPLE)
    options = StyleOptions(floor=True, tells=3)
    reports = [
        ("matrix", stylekl.matrix(results, options), matrix_data),
        ("pair", stylekl.pair(results, "smollm2-plain", "smollm2-lists", options), pair_data),
        ("focus", stylekl.focus(results, "smollm2-plain", options), focus_data),
        ("tree", tree(results, options), tree_data),
        ("who-wrote", who_wrote(gather_material(results, options), options, "word " * 99), who_wrote_data),
    ]
    source = [{"path": "data/sample.json", "sha256": "0" * 64}]
    named = set(re.findall(r"`([\w.]+)`", text_of("docs/json.md")))

    for command, report, data in reports:
        document = json.loads(envelope(command, report.params, source, data(report), [], version="0"))

        assert _keys(document) - named == set(), command


def test_every_field_of_the_schemas_is_documented() -> None:
    named = set(re.findall(r"`([\w.]+)`", text_of("docs/json.md")))

    for path in (ROOT / "src" / "stylekl" / "schemas").glob("*.json"):
        fields = set(re.findall(r'^\s*"(\w+)": \{$', path.read_text(encoding="utf-8"), re.MULTILINE))
        of_the_schema = {"properties", "items", "additionalProperties", "if", "then", "else"}
        definitions = set(json.loads(path.read_text(encoding="utf-8")).get("$defs", {}))

        assert fields - of_the_schema - definitions - named == set(), path.name


@pytest.mark.parametrize("script", ["reference", "picture"])
def test_what_a_script_writes_is_fresh(script: str, tmp_path: Path) -> None:
    """docs/cli.md and the pictures are what the commands print now; the message says which script to run."""
    done = run([str(ROOT / "scripts" / script), "--check"], tmp_path)

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", ["picture.svg", "pair.svg", "focus.svg", "card.svg"])
def test_a_picture_fetches_nothing(name: str) -> None:
    addresses = re.findall(r"https?://[^\s\"'<>)]*", text_of(f"docs/{name}"))

    assert set(addresses) == {"http://www.w3.org/2000/svg"}
    assert "@import" not in text_of(f"docs/{name}")


def test_the_newest_version_of_the_changelog_is_the_package_s() -> None:
    newest = re.search(r"^## \[([^\]]+)\]", text_of("CHANGELOG.md"), re.MULTILINE)

    assert newest is not None
    assert newest[1] == tomllib.loads(text_of("pyproject.toml"))["project"]["version"]


@pytest.mark.parametrize("name", NAMES)
def test_links_to_files_lead_somewhere(name: str) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", text_of(name))
    local = [link.split("#")[0] for link in links if "://" not in link and not link.startswith("#")]
    missing = [link for link in local if not ((ROOT / name).parent / link).exists()]

    assert missing == []


@pytest.mark.parametrize("name", [name for name in NAMES if "/" not in name])
def test_links_into_a_page_name_a_heading_of_it(name: str) -> None:
    """For the pages outside of docs/; those within are checked when the site is built."""
    links = re.findall(r"\]\(([^)\s:]*)#([^)\s]+)\)", text_of(name))
    missing = [f"{page}#{part}" for page, part in links if part not in _anchors(page or name)]

    assert missing == []


def _anchors(name: str) -> set[str]:
    """Return what the headings of a page are called in links."""
    headings = re.findall(r"^#+ (.+)$", text_of(name), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", NAMES)
def test_a_page_keeps_to_its_subject(name: str) -> None:
    """The project speaks of itself; nothing outside the checkout is named."""
    found = re.findall(r"\b(?:issues?|tickets?)\b|\.\./shared", text_of(name), re.IGNORECASE)

    assert found == []


@pytest.mark.parametrize("name", [*NAMES, "docs/picture.svg", "docs/pair.svg", "docs/focus.svg"])
def test_a_page_holds_no_control_characters(name: str) -> None:
    assert re.findall(r"[\x00-\x09\x0b-\x1f\x7f]", text_of(name)) == []


def test_every_field_that_the_collector_records_is_documented() -> None:
    row = _reply(
        [
            dict.fromkeys((*_AS_RECORDED, "condition", "period", "error", "refusal", "cost", "usage"))
            | {"model": "m", "prompt": "p", "text": "Yes.", "sample": 1, "flags": [], "at": "", "key": "k"}
            | {"collection": "h", "retries": [], "cap": 9}
        ],
        SimpleNamespace(headers={"h": {"length_rule": None}}),
    )
    named = set(re.findall(r"`([\w.]+)`", text_of("docs/results-file.md"))) | {"model", "prompt", "condition"}

    assert row.keys() - named - {"period", "sample"} == set()

"""What is released says of itself what is so: version, licences, citation, man page."""

from __future__ import annotations

import gzip
import hashlib
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import distribution, version
from pathlib import Path

import pytest
import yaml

import stylekl

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NOTICE = (ROOT / "NOTICE").read_text(encoding="utf-8")
MAN = ROOT / "docs" / "man" / "stylekl.1"
VOCABULARY = ROOT / "src" / "stylekl" / "facets" / "vocabulary" / "o200k_base.tiktoken.gz"


def flat(text: str) -> str:
    return " ".join(text.split())


def test_the_version_stands_in_one_place() -> None:
    """In pyproject.toml; the package asks what is installed, and no other file of ours repeats it."""
    written = PROJECT["version"]
    texts = [
        *(ROOT / "src").rglob("*.py"),
        *(ROOT / "scripts").iterdir(),
        ROOT / "CITATION.cff",
        ROOT / "mkdocs.yml",
    ]

    assert stylekl.__version__ == version("stylekl") == written
    assert [path.name for path in texts if f'"{written}"' in path.read_text(encoding="utf-8")] == []
    assert "\nversion:" not in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_changelog_has_an_entry_with_a_date_for_the_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    (entry,) = re.findall(
        rf"^## \[{re.escape(PROJECT['version'])}\] - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |\Z)",
        changelog,
        re.M | re.S,
    )

    assert re.search(r"^- \S", entry, re.MULTILINE)


def test_the_notice_holds_the_licence_of_the_vocabulary_word_for_word() -> None:
    """As the package tiktoken, whose vocabulary it is, carries it."""
    carried = distribution("tiktoken")
    (licence,) = (path for path in carried.files or () if path.name == "LICENSE")

    assert carried.metadata["License"] == "MIT License" or "MIT" in licence.read_text()
    assert flat(licence.read_text()) in flat(NOTICE)


def test_the_notice_names_the_vocabulary_that_ships() -> None:
    """By its hash, which is the one that tiktoken expects of OpenAI's file."""
    found = hashlib.sha256(gzip.decompress(VOCABULARY.read_bytes())).hexdigest()
    (source,) = (path for path in distribution("tiktoken").files or () if path.name == "openai_public.py")

    assert found in NOTICE
    assert found in source.read_text()


def test_every_file_that_the_notice_names_is_there() -> None:
    named = re.findall(r"\b((?:src|data)/[\w./]+\w)", NOTICE)

    assert len(named) >= 3
    assert [name for name in named if not (ROOT / name).is_file()] == []


def test_what_ships_is_under_licences_that_the_package_states() -> None:
    assert PROJECT["license"] == "MIT"
    assert set(PROJECT["license-files"]) == {"LICENSE", "NOTICE"}
    assert "SmolLM2-135M-Instruct" in NOTICE
    assert "Apache License 2.0" in NOTICE


def test_the_citation_file_is_one() -> None:
    """The keys that Citation File Format 1.2.0 requires, none that it does not know, and what it says is ours."""
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    known = "abstract authors cff-version commit contact date-released doi identifiers keywords license license-url"
    known += (
        " message preferred-citation references repository repository-artifact repository-code title type url"
    )

    assert {"cff-version", "message", "title", "authors"} <= set(found) <= {*known.split(), "version"}
    assert found["cff-version"] == "1.2.0"
    assert found["type"] in ("software", "dataset")
    assert found["authors"] == PROJECT["authors"]
    assert found["license"] == PROJECT["license"]
    assert found["title"] == PROJECT["name"]


def test_the_man_page_is_fresh() -> None:
    """It is what the help of every command says now; the message names the script to run."""
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "man", "--check"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not on this machine")
def test_the_man_page_is_drawn_without_a_warning() -> None:
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", "-rLL=100n", MAN],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    drawn = re.sub(r"\x1b\[[\d;]*m|.\x08", "", done.stdout)

    assert (done.returncode, done.stderr) == (0, "")
    assert "stylekl matrix results.json --json | jq '.data.pairs[0]'" in drawn
    assert "--install-completion" in drawn


def test_nothing_of_the_help_is_lost_or_becomes_a_request() -> None:
    """Every line that begins with a dot is a request that the script writes, and the page is plain ASCII."""
    text = MAN.read_text(encoding="utf-8")
    requests = {line.split(" ")[0] for line in text.splitlines() if line.startswith((".", "'"))}

    assert requests == {
        *('.\\"', ".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".I", ".BI", ".BR", ".nf", ".fi", ".RS", ".RE")
    }
    assert text.isascii()

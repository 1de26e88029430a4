"""From a clone to the page of the sample, as the README says it: it works, and how long it takes is said.

What is cloned is the last commit. It installs from a package index: without one the test is skipped, and fails in CI.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import tomllib
from typing import TYPE_CHECKING

import pytest

import stylekl
from tests.docs.shell import ROOT, bare, blocks, typed

if TYPE_CHECKING:
    from pathlib import Path

CEILING = 300  # seconds; it takes a tenth of that on a machine with nothing else to do
# Read before the tests hide the environment from the program: how pip finds its index is the machine's affair.
_IN_CI = bool(os.environ.get("CI"))
_OURS = ("GIT_", "STYLEKL_", "VIRTUAL_ENV", "PYTHON", "COV_", "PYTEST_")
_OUTSIDE = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="scripts/demo is for a POSIX shell"),
    pytest.mark.skipif(
        shutil.which("git") is None or not (ROOT / ".git").exists(), reason="not a checkout of git"
    ),
]


def way_of_the_readme() -> list[str]:
    """Return the lines of the README's first block up to the page."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first = next(block for block in blocks(readme) if block.language == "sh")
    lines = [bare(line.text) for line in typed(readme, first)]
    return lines[: next(i for i, line in enumerate(lines) if " report " in line) + 1]


def run(
    command: list[str | Path], folder: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False
    )


def no_index(folder: Path, environment: dict[str, str]) -> bool:
    """Return whether not even the smallest packages that stylekl needs can be had here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    small = [each for each in project["dependencies"] if each.startswith(("typer", "markdown-it-py"))]
    assert len(small) == 2
    asked = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, *small]
    return run(asked, folder, environment).returncode != 0


def test_the_way_of_the_readme_leads_from_a_clone_to_the_page_of_the_sample(
    tmp_path: Path, record_property: pytest.RecordProperty
) -> None:
    """In two commands, the clone and the demo, plus one for the page."""
    way = way_of_the_readme()
    assert len(way) == 2
    trusting = tmp_path / "gitconfig"  # the checkout may be another user's
    trusting.write_text("[safe]\n\tdirectory = *\n", encoding="utf-8")
    environment = _OUTSIDE | {
        "GIT_CONFIG_GLOBAL": str(trusting),
        "PYTHON": sys.executable,
        "PYTHONUTF8": "1",
        "STYLEKL_NO_CACHE": "true",
        "PIP_RETRIES": "1",
    }
    clone = tmp_path / "stylekl"

    start = time.monotonic()
    cloned = run(["git", "clone", "--quiet", ROOT, clone], tmp_path, environment)
    assert cloned.returncode == 0, cloned.stderr
    for line in way:
        done = run(["sh", "-c", line], clone, environment)
        if done.returncode and "pip could not install" in done.stderr and no_index(tmp_path, environment):
            reason = "no package index answers here"
            pytest.fail(reason) if _IN_CI else pytest.skip(reason)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    seconds = time.monotonic() - start
    record_property("seconds", round(seconds, 1))
    print(f"from the clone to the page: {seconds:.1f} s")

    page = (clone / "report.html").read_text(encoding="utf-8")
    names = {model.name for model in stylekl.load(ROOT / "data" / "sample.json").models}
    assert len(names) == 6
    assert {name for name in names if name not in page} == set()
    assert page.rstrip().endswith("</html>")
    assert seconds < CEILING, f"{seconds:.0f} s from the clone to the page, {CEILING} at most"

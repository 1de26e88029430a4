"""The pages as a site: it builds strictly, holds every page, and fetches nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md"))
# An element that makes a browser fetch, with an address on another host.
FETCHES = re.compile(
    r"<(?:script|link|img|iframe|source|object|use)\b[^>]*\b(?:src|href|data)=\"?(?:https?:)?//[^>]*"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the built site; a link, an anchor or a page that is nowhere listed fails the build."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},  # the theme's advertisement of its successor
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_is_in_the_site_and_can_be_reached(site: Path) -> None:
    menu = (site / "index.html").read_text(encoding="utf-8")

    assert PAGES
    for page in PAGES:
        assert (site / page).is_file()
        assert f'href="{page.as_posix()}"' in menu


def test_no_page_fetches_from_elsewhere(site: Path) -> None:
    """Neither a font nor a script nor a picture; links that a reader follows may lead anywhere."""
    for page in site.rglob("*.html"):
        assert FETCHES.findall(page.read_text(encoding="utf-8")) == [], page.name
    for sheet in site.rglob("*.css"):
        assert re.findall(r"@import|url\(\s*[\"']?(?:https?:)?//", sheet.read_text(encoding="utf-8")) == []


def test_what_would_be_fetched_is_seen() -> None:
    assert FETCHES.search('<link rel="stylesheet" href="https://fonts.example/css">')
    assert FETCHES.search("<script async src=//cdn.example/x.js>")
    assert not FETCHES.search('<a href="https://example.com">')


def test_no_address_is_made_up(site: Path) -> None:
    """The project has no address yet, so no page says that it has one."""
    assert 'rel="canonical"' not in (site / "index.html").read_text(encoding="utf-8")
    assert "site_url" not in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")

"""A browser for the tests of this folder, and pages of the sample to look at in it."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.cli import made

from .made import asked, loaded, page_of, report_page, sample_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

# Read before the tests hide the environment from the program.
_IN_CI = bool(os.environ.get("CI"))
_FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return Debian's Chromium; tests that need it skip where it is absent, and fail in CI.

    For a module at a time: as long as it is there an event loop runs in this thread, and others cannot start theirs.
    """
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        reason = "no Chromium here: scripts/browser installs it"
        pytest.fail(reason) if _IN_CI else pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=[*_FLAGS])
        yield found
        found.close()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Return a function that opens a page from a file; whatever it logs, throws or fetches fails the test."""
    contexts, wrong = [], []

    def open_page(path: Path, **options: object) -> Page:
        context = browser.new_context(viewport={"width": 1280, "height": 900}, **options)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: wrong.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on(
            "request", lambda request: request.url == path.as_uri() or wrong.append(f"request: {request.url}")
        )
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [each for each in wrong if not each.startswith("request: blob:")] == []


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of the sample, in a file."""
    path = tmp_path_factory.mktemp("sample") / "report.html"
    path.write_text(sample_page(), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of three writers of the sample, in a file."""
    path = tmp_path_factory.mktemp("three") / "report.html"
    path.write_text(page_of(asked(loaded(made.sample(made.THREE), path.parent))), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def every_lens(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a page by four kinds of evidence, in a file."""
    path = tmp_path_factory.mktemp("lenses") / "report.html"
    path.write_text(report_page("lenses"), encoding="utf-8")
    return path

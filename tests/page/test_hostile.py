"""Names, prompts and replies that would act somewhere do nothing on the page."""

from __future__ import annotations

import json
import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stylekl.show.page.document import expand

from .made import HOSTILE, asked, document_of, hostile, hostile_lenses, loaded, page_of, sample_report

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from stylekl.lenses.everything import Everything


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Everything:
    return asked(loaded(hostile(), tmp_path_factory.mktemp("hostile")))


def test_hostile_text_does_nothing_in_the_browser(
    visit: Callable[..., Page], found: Everything, tmp_path: Path
) -> None:
    """No script but the page's own runs, no element of the text's own stands in the page, and the JSON is whole."""
    path = tmp_path / "report.html"
    path.write_text(page_of(found, title=HOSTILE[1]), encoding="utf-8")
    page = visit(path)
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    for row in range(1, 7):
        cell = page.locator(f".cells .row:nth-of-type({row + 1}) rect:nth-of-type({row % 6 + 1})")
        cell.hover()
        cell.click()
    page.locator(".order").select_option("name")
    page.mouse.move(5, 5)
    assert page.evaluate("document.scripts.length") == 2
    assert (
        page.evaluate("document.querySelectorAll('img, iframe, object, embed, form, base, svg title').length")
        <= 1
    )
    handlers = "(each) => [...each.attributes].some((one) => one.name.startsWith('on'))"
    assert page.evaluate(f"[...document.querySelectorAll('*')].filter({handlers}).length") == 0
    assert json.loads(page.locator("#document").text_content() or "") == json.loads(
        document_of(found, title=HOSTILE[1])
    )
    shown = page.evaluate("document.body.innerText")
    assert "{{ 7 * 7 }}" in shown
    assert "<script>alert(1)</script>" in shown
    assert not [
        c for c in shown if unicodedata.category(c) == "Cs" or c in "\x00\u202e\u2066\u2028\u2029\ufffe\uffff"
    ]
    assert page.title() == HOSTILE[1]


def test_hostile_text_does_nothing_by_any_lens(visit: Callable[..., Page], tmp_path: Path) -> None:
    """Names of models, words to choose from, topics, judges and questions, wherever a lens shows them."""
    report = hostile_lenses(tmp_path)
    path = tmp_path / "report.html"
    path.write_text(page_of(report), encoding="utf-8")
    page = visit(path)
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    for name in ("choices", "verdicts", "votes", "judgments"):
        assert page.locator(f"#{name}-models table.plot").count(), name
        page.locator(f"#{name} .cells .row:nth-of-type(2) rect:nth-of-type(2)").click()
        text = page.evaluate("(name) => document.getElementById(name + '-models').innerText", name)
        assert any(each in text for each in ("<script>alert(1)</script>", "<svg onload=", "javascript:")), (
            name
        )
    assert page.evaluate("document.scripts.length") == 2
    inside = "main img, main iframe, main object, main embed, main form, main base, main script, main style"
    assert page.evaluate(f"document.querySelectorAll('{inside}').length") == 0
    handlers = "(each) => [...each.attributes].some((one) => one.name.startsWith('on'))"
    assert page.evaluate(f"[...document.querySelectorAll('*')].filter({handlers}).length") == 0
    shown = page.evaluate("document.body.innerText")
    assert "{{ 7 * 7 }}" in shown
    assert not [c for c in shown if unicodedata.category(c) == "Cs" or c in "\x00\u202e\u2066\u2028\u2029"]


def test_a_script_that_is_not_the_page_s_would_not_run(
    browser: Browser, sample: Path, tmp_path: Path
) -> None:
    """The policy holds even where text came through: a page with a script put into it still runs none but its own."""
    path = tmp_path / "report.html"
    text = sample.read_text(encoding="utf-8")
    bad = "<script>document.title = 'taken'</script><img src=x onerror=\"document.title = 'taken'\">"
    path.write_text(text.replace("<main", f"{bad}<main", 1), encoding="utf-8")
    context = browser.new_context()
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(path.as_uri())
    title = page.title()
    context.close()
    assert title == "6 models compared"
    assert len([each for each in said if "Content Security Policy" in each]) >= 2


def test_text_stays_as_it_is_in_the_json(found: Everything) -> None:
    data = json.loads(document_of(found))["data"]
    ids = {model["id"] for model in expand(data["lenses"]["style"]["matrix"])["models"]}
    assert ids == set(HOSTILE[:6])


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(max_size=40) | st.sampled_from(HOSTILE), min_size=6, max_size=6, unique=True))
def test_no_name_changes_the_elements_of_a_page(names: list[str]) -> None:
    """Whatever the models are called, the page has the elements that it has with plain names."""
    report = sample_report()
    style = report.lenses["style"]
    text = _renamed(report, [f"writer {i}" for i in range(len(style.matrix.models))])
    assert _tags(_renamed(report, names)) == _tags(text)


def _renamed(report: Everything, names: list[str]) -> str:
    from dataclasses import replace

    style = report.lenses["style"]
    models = tuple(replace(m, name=name) for m, name in zip(style.matrix.models, names, strict=True))
    called = {model.id: model for model in models}
    pairs = {
        key: replace(pair, a=called[pair.a.id], b=called[pair.b.id])
        for key, pair in list(style.pairs.items())[:2]
    }
    changed = replace(style, matrix=replace(style.matrix, models=models), focus={}, pairs=pairs)
    return page_of(replace(report, lenses={"style": changed}, findings=None), title=names[0])


def _tags(text: str) -> list[str]:
    from html.parser import HTMLParser

    found: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.append(f"{tag} {sorted(name for name, _ in attrs)}")

    reader = Reader()
    reader.feed(text)
    reader.close()
    return [each for each in found if not each.startswith(("nav", "a "))]

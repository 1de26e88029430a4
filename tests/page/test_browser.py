"""The page in a real browser: what it shows, what answers to mouse and keys, and that it asks nothing of anyone."""

from __future__ import annotations

import csv
import io
import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest

from stylekl.show.json import matrix_data
from stylekl.show.numbers import estimate, interval, number, percent
from stylekl.show.page.document import expand
from tests.cli.run import call

from .made import crowd, page_of, sample_report

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Locator, Page

    Visit = Callable[..., Page]

FIRST, SECOND = (
    ".cells .row:nth-of-type(2) rect:nth-of-type(2)",
    ".cells .row:nth-of-type(2) rect:nth-of-type(3)",
)


def _names(page: Page) -> list[str]:
    return page.locator(".names").first.locator("li").all_text_contents()


def _box(found: Locator) -> dict[str, float]:
    box = found.bounding_box()
    assert box is not None
    return dict(box)


def test_the_figures_of_the_page_are_those_of_json_to_the_digit(visit: Visit, tmp_path: Path) -> None:
    """What the page holds is read out of the browser and compared with what `matrix --json` prints of the same file."""
    page_file = tmp_path / "report.html"
    assert call("report", "-o", str(page_file)).code == 0
    said = json.loads(call("matrix", "--json").out)["data"]
    page = visit(page_file)
    held = json.loads(page.locator("#document").text_content() or "")
    assert expand(held["data"]["lenses"]["style"]["matrix"]) == said
    rows = page.locator("#style-pairs tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.cells].map((cell) => cell.textContent.trim()))"
    )
    names = {model["id"]: model["name"] for model in said["models"]}
    wanted = [
        [names[p["a"]], names[p["b"]], *(_written(p[k]) for k in ("kl_ab", "kl_ba", "js"))]
        for p in said["pairs"]
    ]
    # The first of a pair stands once for all rows that it begins.
    first, whole = "", []
    for row in rows:
        first = row[0] if len(row) == max(map(len, rows)) else first
        whole.append([first, *row[-(max(map(len, rows)) - 1) :]][:5])
    assert whole == wanted


def _written(value: dict[str, float]) -> str:
    from stylekl.lenses.reports import Estimate

    found = Estimate(**value)
    return f"{estimate(found)} {interval(found)}" if found.value > 0 else estimate(found)


def test_pointing_at_a_cell_shows_its_figures_with_their_intervals(visit: Visit, sample: Path) -> None:
    page = visit(sample)
    page.locator(SECOND).hover()
    said = page.locator(".readout").inner_text()
    row, _, column, *_ = _names(page)
    pair = next(
        pair
        for pair in sample_report().lenses["style"].matrix.pairs
        if {pair.a, pair.b} == {_id(row), _id(column)}
    )
    there = pair.kl_ab if pair.a == _id(row) else pair.kl_ba
    assert said.startswith(f"Row {row}, column {column}: ")
    assert f"KL({row} ‖ {column}) {estimate(there)} {interval(there)}" in said


def _id(name: str) -> str:
    return next(m.id for m in sample_report().lenses["style"].matrix.models if m.name == name)


def test_a_click_opens_the_pair_with_its_tells_and_escape_closes_it(visit: Visit, sample: Path) -> None:
    page = visit(sample)
    page.locator(SECOND).click()
    panel = page.locator(".pair")
    assert panel.is_visible()
    names = _names(page)
    assert panel.locator("h3").first.inner_text() == f"{names[0]} and {names[2]}"
    assert "says more" in panel.inner_text()
    page.keyboard.press("Escape")
    assert not panel.is_visible()
    assert page.evaluate("document.activeElement.tagName") == "rect"


def test_keys_walk_the_cells_and_enter_opens_the_pair(visit: Visit, sample: Path) -> None:
    page = visit(sample)
    page.locator(".cells rect[tabindex='0']").focus()
    names = _names(page)
    for key, row, column in (
        ("ArrowRight", 0, 2),
        ("ArrowDown", 1, 2),
        ("End", 1, len(names) - 1),
        ("Home", 1, 0),
        ("ArrowUp", 0, 0),
        ("Control+End", len(names) - 1, len(names) - 1),
        ("ArrowLeft", len(names) - 1, len(names) - 2),
    ):
        page.keyboard.press(key)
        said = page.evaluate("document.activeElement.getAttribute('aria-label')")
        expected = f"{names[row]}, itself" if row == column else f"Row {names[row]}, column {names[column]}: "
        assert said.startswith(expected), key
        assert page.locator(".cells rect[tabindex='0']").count() == 1
    page.keyboard.press("Enter")
    assert page.locator(".pair h3").first.inner_text() == f"{names[-1]} and {names[-2]}"


@pytest.mark.parametrize("order", ["name", "2"])
def test_rows_and_columns_move_together(visit: Visit, sample: Path, order: str) -> None:
    """Whatever the order, the diagonal is the models themselves, and a cell still says what it said."""
    page = visit(sample)
    before, first = _cells(page), _names(page)
    page.locator(".order").select_option(order)
    names = _names(page)
    after = _cells(page)
    assert names != first
    assert before == after
    if order == "name":
        assert names == sorted(names, key=str.casefold)
    else:
        assert names[0] == first[2]


def _cells(page: Page) -> dict[tuple[str, str], str]:
    """Return the level of each cell by the names of its row and column, read from where it stands."""
    found = page.evaluate(
        """() => {
          const names = [...document.querySelectorAll('.names li')].map((li) => li.textContent);
          const rows = [...document.querySelectorAll('.cells .row')];
          const cell = Number(document.querySelector('.heat').dataset.cell);
          return rows.flatMap((row) => [...row.querySelectorAll('rect')].map((rect) => [
            names[Math.round((row.transform.baseVal[0].matrix.f - 22) / cell)],
            names[Math.round(Number(rect.getAttribute('x')) / cell)],
            rect.getAttribute('class'),
          ]));
        }"""
    )
    return {(row, column): level for row, column, level in found}


def test_the_other_direction_is_the_map_turned(visit: Visit, sample: Path) -> None:
    page = visit(sample)
    before = _cells(page)
    figures = page.locator(".cells .row").first.locator("text").all_text_contents()
    page.locator(".view").select_option("kl-back")
    assert _cells(page) == {(column, row): level for (row, column), level in before.items()}
    assert page.locator(".cells .row").first.locator("text").all_text_contents() != figures
    page.locator(".view").select_option("kl")
    assert _cells(page) == before
    page.locator(".view").select_option("js")
    turned = _cells(page)
    assert all(turned[row, column] == turned[column, row] for row, column in turned)
    assert "JS" in page.locator(".heat .unit").inner_text()


def test_sentences_that_are_folded_away_have_their_evidence_from_the_json(visit: Visit, sample: Path) -> None:
    """All of it, digit by digit."""

    def leaves(value: Any) -> list[str]:
        if isinstance(value, dict):
            return [leaf for item in value.values() for leaf in leaves(item)]
        if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
            return [leaf for item in value for leaf in leaves(item)]
        return [] if value is None else [json.dumps(value)]

    page = visit(sample)
    data = expand(json.loads(page.locator("#document").text_content() or ""))["data"]["findings"]
    folded = page.locator("ul[data-folded]")
    assert folded.count() == 1
    folded.locator("xpath=..").locator("> summary").click()
    items = folded.locator("> li")
    assert items.count() >= 2
    for item in items.all():
        item.locator("summary").click()
        found = [
            json.loads(f"[{text}]") if text[:1] in "-0123456789" else text
            for text in item.locator("dd").all_inner_texts()
        ]
        evidence = data[folded.get_attribute("data-folded")][int(item.get_attribute("data-place") or "")][
            "evidence"
        ]
        numbers = [float(leaf) for leaf in leaves(evidence) if leaf[:1] in "-0123456789"]
        assert numbers
        assert [each for some in found if isinstance(some, list) for each in some] == numbers


def test_another_ramp_changes_colours_and_nothing_else(visit: Visit, sample: Path) -> None:
    page = visit(sample)
    before = _cells(page)
    other = page.locator(SECOND)
    colour = other.evaluate("rect => getComputedStyle(rect).fill")
    page.locator(".ramp").select_option("cividis")
    assert other.evaluate("rect => getComputedStyle(rect).fill") != colour
    assert _cells(page) == before


def test_tables_leave_as_csv_and_the_whole_as_json(visit: Visit, sample: Path) -> None:
    page = visit(sample)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="The whole as JSON").click()
    assert json.loads(waiting.value.path().read_text()) == json.loads(
        page.locator("#document").text_content() or ""
    )
    page.get_by_text("Every pair in figures").click()
    with page.expect_download() as waiting:
        page.locator("#style .save").first.click()
    assert waiting.value.suggested_filename == "pairs-style.csv"
    head, *rows = csv.reader(io.StringIO(waiting.value.path().read_text()))
    pairs = matrix_data(sample_report().lenses["style"].matrix)["pairs"]
    place = head.index("kl_ab.low")
    assert [float(row[place]) for row in rows] == [pair["kl_ab"]["low"] for pair in pairs]


def test_everything_is_there_without_a_script(visit: Visit, sample: Path) -> None:
    page = visit(sample, java_script_enabled=False)
    assert page.locator(".cells").is_visible()
    assert not page.locator(".controls").is_visible()
    page.get_by_text("Every pair in figures").click()
    assert page.locator("#style-pairs").is_visible()
    block = page.locator("#style-models details.block").first
    block.locator("summary").first.click()
    assert block.locator(".plot").is_visible()
    assert block.locator(".bar svg").first.is_visible()


def test_a_narrow_screen_scrolls_within_figures_alone_and_keeps_the_names(visit: Visit, sample: Path) -> None:
    page = visit(sample)
    page.set_viewport_size({"width": 360, "height": 740})
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    scroll, names = page.locator(".heat .scroll").first, page.locator(".names").first
    scroll.evaluate("each => (each.scrollLeft = 200)")
    assert scroll.evaluate("each => each.scrollLeft") > 0
    assert _box(names)["x"] == pytest.approx(_box(scroll)["x"], abs=1)


def test_a_narrow_screen_shows_names_whole_and_clear_of_the_numbers_of_their_rows(
    visit: Visit, sample: Path
) -> None:
    page = visit(sample)
    page.set_viewport_size({"width": 360, "height": 740})
    for item in page.locator(".names li").all():
        name, row = item.locator("span"), _box(item)
        assert name.evaluate("each => each.scrollWidth - each.clientWidth") <= 0
        assert name.evaluate("each => each.scrollHeight - each.clientHeight") <= 0
        number = item.evaluate("each => parseFloat(getComputedStyle(each, '::after').width)")
        assert number > 0
        assert _box(name)["x"] + _box(name)["width"] <= row["x"] + row["width"] - number


@pytest.mark.parametrize("width", [360, 900, 1280])
def test_rows_stand_beside_their_names_and_parts_below_each_other(
    visit: Visit, sample: Path, width: int
) -> None:
    """Layout is compared by boxes: names with rows, the legend under the map, sections one under the other."""
    page = visit(sample)
    page.set_viewport_size({"width": width, "height": 900})
    items, rows = page.locator(".names li").all(), page.locator(".cells .row rect:nth-of-type(1)").all()
    for item, row in zip(items, rows, strict=True):
        name, cell = _box(item), _box(row)
        assert name["y"] + name["height"] / 2 == pytest.approx(cell["y"] + cell["height"] / 2, abs=2)
    cells = _box(page.locator(".cells"))
    assert _box(page.locator(".heat figcaption").first)["y"] >= cells["y"] + cells["height"]
    boxes = [_box(section) for section in page.locator("main > section").all()]
    for above, below in itertools.pairwise(boxes):
        assert below["y"] >= above["y"] + above["height"] - 1
        assert below["x"] == pytest.approx(above["x"], abs=1)


def test_print_opens_what_is_folded_and_leaves_the_controls_out(visit: Visit, sample: Path) -> None:
    page = visit(sample)
    page.emulate_media(media="print")
    assert not page.locator(".controls").first.is_visible()
    assert not page.locator(".save").first.is_visible()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#style-models .plot").first.is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not page.locator("#style-models .plot").first.is_visible()
    assert len(page.pdf()) > 10_000


def test_every_lens_has_its_map_and_its_ranking_where_it_has_one(visit: Visit, every_lens: Path) -> None:
    page = visit(every_lens)
    assert page.locator("main > section h2").all_inner_texts()
    for name in ("choices", "verdicts", "votes", "judgments"):
        section = page.locator(f"section#{name}")
        assert section.locator(".cells").is_visible()
        assert section.get_by_role("heading", name="The ranking").count() == (name != "choices")
        cell = section.locator(".cells .row rect:nth-of-type(2)").first
        cell.hover()
        assert section.locator(".readout").inner_text().startswith("Row ")
        cell.click()
        assert section.locator(".pair table").first.is_visible()


def test_every_table_has_heads_with_a_scope_and_a_button_that_saves_it(
    visit: Visit, every_lens: Path
) -> None:
    page = visit(every_lens)
    assert page.locator("main pre").count() == 0
    assert page.locator("main th:not([scope])").count() == 0
    bare = page.evaluate(
        """[...document.querySelectorAll('main table')].filter((table) =>
             !table.dataset.file || !table.parentElement.nextElementSibling?.matches('.save')).length"""
    )
    assert bare == 0
    block = page.locator("#votes-models details.block").first
    block.locator("summary").first.click()
    with page.expect_download() as waiting:
        block.locator(".save").first.click()
    head, *rows = csv.reader(io.StringIO(waiting.value.path().read_text()))
    assert head == ["model", "share won", "95% interval", "won : lost", "call", "q"]
    assert len(rows) == 3


def test_whiskers_are_drawn_where_there_is_an_interval_and_nowhere_else(
    visit: Visit, every_lens: Path
) -> None:
    rows = _plots(visit(every_lens))
    assert len(rows) > 100
    for row in rows:
        assert row["line"] == bool(row["interval"]), row
        assert row["dot"] == bool(row["figure"]), row


def test_the_figures_of_every_lens_are_those_of_the_json(visit: Visit, every_lens: Path) -> None:
    """What stands beside each whisker, read out of the browser, is what the JSON in the page says there."""
    page = visit(every_lens)
    data = expand(json.loads(page.locator("#document").text_content() or ""))["data"]["lenses"]
    found: dict[tuple[str, str, str], list[tuple[str, str, str]]] = {}
    for row in _plots(page):
        key = (row["lens"], row["block"], row["file"])
        found.setdefault(key, []).append((row["name"], row["figure"], row["interval"]))
    checked = set()
    for name in ("choices", "verdicts", "votes", "judgments"):
        called = {model["id"]: model["name"] for model in data[name]["matrix"]["models"]}
        wanted = [(called[key], said) for key, said in data[name]["focus"].items()]
        wanted += [
            (f"{called[said['a']]} and {called[said['b']]}", {"pair": True} | said)
            for said in data[name]["pairs"]
        ]
        for title, said in wanted:
            for file, figures in _said(name, said).items():
                assert found[name, title, file] == figures, (name, title, file)
                checked.add((name, file))
    assert checked == {
        ("choices", "neighbours"),
        ("choices", "by-family-of-envelopes"),
        ("choices", "themes-differ"),
        ("votes", "neighbours"),
        ("votes", "topics"),
        ("judgments", "means"),
        ("judgments", "points"),
        ("judgments", "judges"),
        ("judgments", "dimensions"),
        ("judgments", "agreement"),
    }


def _said(lens: str, said: dict[str, Any]) -> dict[str, list[tuple[str, str, str]]]:
    """Return name, figure and interval of what the JSON of a model or a pair has, by the file of its table."""

    def part(name: str, value: float | None, low: float | None, high: float | None) -> tuple[str, str, str]:
        ends = "" if low is None or high is None else f"[{percent(low)} {percent(high)}]"
        return (name, "" if value is None else percent(value), ends)

    def points(name: str, of: dict[str, Any], sign: str = "") -> tuple[str, str, str]:
        ends = "" if of["low"] is None else f"[{number(of['low'], 2)} {number(of['high'], 2)}]"
        value = number(of["value"], 2)
        return (name, f"{sign if of['value'] > 0 else ''}{value}", ends)

    keys = ("value", "low", "high")
    if lens == "choices" and "themes" in said:
        themes = [part(each["theme"], *(each["differ"][key] for key in keys)) for each in said["themes"]]
        return {"themes-differ": themes} if len(themes) > 1 else {}
    if lens == "choices":
        near = [
            (each["name"], number(each["pair"]["value"], 2), _ends(each["pair"]))
            for each in said["neighbours"]
        ]
        families = [part(each["family"], *(each["commit"][key] for key in keys)) for each in said["families"]]
        return {"neighbours": near, "by-family-of-envelopes": families}
    if lens == "votes":
        topics = [part(each["topic"], each["share"], each["low"], each["high"]) for each in said["topics"]]
        if "pair" in said:
            return {"topics": topics}
        rivals = [
            (
                said["names"][each["b"]],
                percent(each["share"]),
                f"[{100 * each['low']:.0f} {100 * each['high']:.0f}]",
            )
            for each in said["rivals"]
        ]
        return {"neighbours": rivals, "topics": topics}
    if lens == "judgments":
        judges = [
            part(each["judge"], *(each["position"][key] for key in ("share", "low", "high")))
            for each in said["judges"]
        ]
        if "pair" in said:
            dimensions = [points(each["name"], each["difference"], "+") for each in said["dimensions"]]
            agreed = [
                (each["what"], number(each["value"], 2), _ends(each) if each["low"] is not None else "")
                for each in said["agreement"]
            ]
            return {"judges": judges, "dimensions": dimensions, "agreement": agreed}
        means = [points(each["name"], each) for each in said["means"] if each["name"] is not None]
        above = [points(each["name"], each["difference"], "+") for each in said["rivals"]]
        return {"means": means, "points": above, "judges": judges}
    return {}


def _ends(of: dict[str, Any]) -> str:
    return f"[{number(of['low'], 2)} {number(of['high'], 2)}]"


def _plots(page: Page) -> list[dict[str, Any]]:
    """Return every row of whiskers by a lens other than style, with whether a dot and a line are drawn in it."""
    found: list[dict[str, Any]] = page.evaluate(
        """() => [...document.querySelectorAll('details.block:not([data-lens=style]) table.plot')].flatMap((table) => {
          const block = table.closest('details.block');
          const shift = table.tHead.rows[0].cells[0].textContent === 'rank' ? 1 : 0;
          const text = (row, place) => row.cells[place + shift].textContent.trim();
          return [...table.tBodies[0].rows].map((row) => ({
            lens: block.dataset.lens,
            block: block.querySelector('summary b').textContent,
            file: table.dataset.file,
            name: text(row, 0),
            figure: text(row, 2),
            interval: text(row, 3),
            dot: Boolean(row.querySelector('circle')),
            line: Boolean(row.querySelector('path:not(.f)')),
          }));
        })"""
    )
    return found


def test_a_page_of_74_models_is_small_and_opens_at_once(visit: Visit, tmp_path: Path) -> None:
    """Its bytes, and the time from the start to the load event as the browser counts it."""
    path = tmp_path / "report.html"
    path.write_text(page_of(crowd(74)), encoding="utf-8")
    assert path.stat().st_size < 3_000_000
    page = visit(path)
    opened = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    painted = page.evaluate("performance.getEntriesByName('first-paint')[0].startTime")
    assert 0 < painted < 1500
    assert 0 < opened < 1500
    page.locator(SECOND).hover()
    assert page.locator(".readout").inner_text().startswith("Row a-model")
    page.locator(SECOND).click()
    assert page.locator(".pair code").inner_text().startswith("stylekl pair 'a-model")


@pytest.mark.parametrize(
    ("which", "width", "scheme"),
    [
        ("three", 360, "light"),
        ("three", 1280, "dark"),
        ("every_lens", 360, "dark"),
        ("every_lens", 1280, "light"),
    ],
)
def test_axe_finds_nothing(
    visit: Visit, request: pytest.FixtureRequest, which: str, width: int, scheme: str
) -> None:
    """With a pair open, and one of everything that is folded, so that all kinds of it are looked at."""
    import importlib.resources

    page = visit(request.getfixturevalue(which), color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    page.locator(SECOND).first.click()
    page.evaluate(
        """() => {
          const first = [...document.querySelectorAll('main section')].flatMap((section) =>
            [...section.querySelectorAll('details.block')].slice(0, 1));
          const inside = first.flatMap((block) => [block, ...block.querySelectorAll('details')]);
          const others = [...document.querySelectorAll('details.fold')].filter((each) => !each.closest('.block'));
          [...inside, ...others].forEach((each) => (each.open = true));
        }"""
    )
    axe = importlib.resources.files("axe_playwright_python") / "axe.min.js"
    page.evaluate(axe.read_text(encoding="utf-8"))
    found: dict[str, Any] = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert [
        (each["id"], [node["html"][:200] for node in each["nodes"][:3]]) for each in found["violations"]
    ] == []

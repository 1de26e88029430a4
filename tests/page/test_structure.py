from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.show.grid import Grid
from stylekl.show.numbers import estimate, interval
from stylekl.show.page.heat import LEVELS, heat, level, view
from stylekl.show.page.safe import digest, policy, script_json, seen
from stylekl.show.page.tables import plot
from stylekl.show.whiskers import Whisker

from .made import HOSTILE, report_page, sample_page, sample_report

_VOID = {"meta", "link", "br", "img", "input", "hr"}
_IMPLIED = {"td", "th", "tr", "option", "li", "dt", "dd", "p"}


class _Reader(HTMLParser):
    """What stands in a page: every tag with its attributes, and the text of its scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.raw: list[tuple[dict[str, str | None], str]] = []
        self.unclosed: list[str] = []
        self._in: dict[str, str | None] | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self._in = dict(attrs)
        if tag not in _VOID | _IMPLIED:
            self.unclosed.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in _VOID | _IMPLIED:
            assert self.unclosed.pop() == tag
        self._in = None

    def handle_data(self, data: str) -> None:
        if self._in is not None:
            self.raw.append((self._in, data))


@pytest.fixture(scope="module", params=["sample", "lenses"])
def text(request: pytest.FixtureRequest) -> str:
    return sample_page() if request.param == "sample" else report_page("lenses")


def test_the_policy_admits_exactly_the_script_and_the_style_of_the_page(text: str) -> None:
    found = _Reader(text)
    (content,) = [a["content"] for tag, a in found.tags if a.get("http-equiv") == "Content-Security-Policy"]
    style = "".join(data for attrs, data in found.raw if "type" not in attrs)
    script = "".join(data for attrs, data in found.raw if attrs.get("type") == "module")
    assert content == policy(script, style)
    assert content.startswith("default-src 'none'; script-src 'sha256-")


def test_elements_are_closed_and_carry_no_style_no_handler_and_no_address(text: str) -> None:
    found = _Reader(text)
    assert found.unclosed == []
    for tag, attributes in found.tags:
        assert not {name for name in attributes if name == "style" or name.startswith("on")}, tag
        for name in ("href", "src", "action", "xlink:href"):
            assert (attributes.get(name) or "#")[0] == "#" or attributes[name] == "data:,", (tag, attributes)
    assert {tag for tag, _ in found.tags} & {"iframe", "img", "object", "embed", "form", "base"} == set()


def test_ids_are_unique_and_links_within_the_page_lead_somewhere(text: str) -> None:
    tags = _Reader(text).tags
    ids = [attributes["id"] for _, attributes in tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {a["href"][1:] for tag, a in tags if tag == "a" and a.get("href")} <= set(ids)
    assert {a["aria-labelledby"] for _, a in tags if "aria-labelledby" in a} <= set(ids)


def test_every_map_has_a_cell_for_each_pair_of_models_and_a_table_of_the_pairs() -> None:
    text, order = sample_page(), sample_report().lenses["style"].matrix.order
    drawn = re.search(r'<svg class="cells".*?</svg>', text, re.DOTALL)
    assert drawn is not None
    assert len(re.findall("<rect", drawn[0])) == len(order) ** 2
    table = re.search(r'id="style-pairs".*?</table>', text, re.DOTALL)
    assert table is not None
    assert table[0].count("<tr>") == 1 + len(order) * (len(order) - 1) // 2


def test_the_figures_of_a_pair_are_written_as_a_terminal_writes_them() -> None:
    text = sample_page()
    for pair in sample_report().lenses["style"].matrix.pairs:
        for value in (pair.kl_ab, pair.kl_ba, pair.js):
            written = f"{estimate(value)} {interval(value)}" if value.value > 0 else estimate(value)
            assert f"<td>{escape(written)}" in text


def test_the_script_is_small() -> None:
    assert len((files("stylekl.show.page") / "page.js").read_bytes()) < 20_000


@given(st.text())
def test_json_in_a_script_element_reads_as_it_was_and_holds_nothing_that_ends_it(text: str) -> None:
    import json

    safe = script_json(json.dumps(text, ensure_ascii=False))
    assert not set(safe) & set("<>&\u2028\u2029")
    assert json.loads(safe) == text


def test_a_digest_is_that_of_the_policy_language() -> None:
    """The empty text has a known SHA-256."""
    assert digest("") == "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"


@given(st.text() | st.sampled_from(HOSTILE))
def test_shown_text_holds_no_control_and_nothing_that_turns_the_direction(text: str) -> None:
    import unicodedata

    assert not [c for c in seen(text) if unicodedata.category(c) in ("Cc", "Cs") or c in "\u202e\u2066"]


@settings(max_examples=30)
@given(st.lists(st.lists(st.none() | st.floats(-0.01, 5), min_size=4, max_size=4), min_size=4, max_size=4))
def test_near_is_the_first_level_and_the_farthest_the_last(values: list[list[float | None]]) -> None:
    grid = Grid([str(i) for i in range(4)], values, "bits")
    found = heat("style", grid, [view("kl", "KL", ("a", "b"), grid)])
    for i, row in enumerate(found.rows):
        for j, cell in enumerate(row):
            assert (cell.level is None) == (i == j or values[i][j] is None)
            assert cell.level is None or 0 <= cell.level < LEVELS


def test_the_colours_can_be_spread_where_a_few_models_take_most_of_the_scale() -> None:
    near = [[None if i == j else 0.1 for j in range(30)] for i in range(30)]
    far = [
        [None if i == j else 3.0 if 0 in (i, j) and 1 in (i, j) else 0.1 for j in range(30)]
        for i in range(30)
    ]
    names = [str(i) for i in range(30)]
    assert view("kl", "KL", ("a", "b"), Grid(names, near, "bits")).usual is None
    assert view("kl", "KL", ("a", "b"), Grid(names, far, "bits")).usual == (0.1, ".10 or more")


def test_levels_are_even_steps_of_the_scale() -> None:
    assert [level(0.0), level(0.5), level(1.0)] == [0, LEVELS // 2, LEVELS - 1]


def test_a_whisker_stands_between_its_ends_and_one_beyond_the_axis_is_said_to_be_there() -> None:
    rows = [Whisker("1", "a", 0.1, 0.05, 0.2, 0.01, ".10", "[.05 .20]")] * 5
    found = plot([*rows, Whisker("6", "b", 9.0, 8.0, 10.0, None, "9.0", "[8.0 10.0]")])
    _, mark = found.rows[0]
    assert mark.dot is not None
    assert float(mark.floor or 0) < float(mark.dot)
    assert found.rows[-1][1].beyond
    assert next(text for _, text in found.ticks) == "0"

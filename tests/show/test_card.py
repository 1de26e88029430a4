"""The card of one model: its figures are those of the terminal, it fits its width, and it says what it rests on."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.errors import UsageError
from stylekl.results.collected import days_collected
from stylekl.results.records import Reply
from stylekl.show import png as drawing
from stylekl.show.card import card_svg
from stylekl.show.card_parts import FONTS, INNER, PAD, SMALL, WIDTH, fitted, placed, wide, wrapped
from stylekl.show.glyphs import UNICODE
from stylekl.show.numbers import lift
from stylekl.show.png import SCALE, png
from stylekl.show.style import neighbour_row
from stylekl.text import visible

from .factory import HOSTILE, focus_report
from .output import acting

SVG = "{http://www.w3.org/2000/svg}"
GOLDEN = Path(__file__).parent / "golden" / "card.svg"
MEASURES = ("kl", "js")
TAGS = {"svg", "title", "style", "rect", "text", "tspan", "path", "circle"}


def texts(svg: str) -> list[str]:
    return ["".join(element.itertext()) for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def report(**style):
    found = focus_report()
    return replace(found, style=replace(found.style, **style))


def test_a_card_is_the_golden_one() -> None:
    """STYLEKL_UPDATE_GOLDEN=1 draws it anew."""
    drawn = card_svg(focus_report(), ("2026-01-05", "2026-02-02"))
    if os.environ.get("STYLEKL_UPDATE_GOLDEN") == "1":
        GOLDEN.write_text(drawn, encoding="utf-8")

    assert GOLDEN.read_text(encoding="utf-8") == drawn


@pytest.mark.parametrize("rank_by", MEASURES)
def test_the_nearest_five_have_the_figures_of_the_terminal(rank_by: str) -> None:
    """Rank with its range, name, value, interval, in this order, for five neighbours and no more."""
    found = focus_report(rank_by=rank_by)
    rows = [neighbour_row(neighbour, rank_by, UNICODE) for neighbour in found.style.neighbours]
    said = texts(card_svg(found))
    start = said.index("Nearest 5 of 10 in style") + 1

    expected = [text for row in rows[:5] for text in (row.rank, row.name, row.figure, row.interval)]
    assert said[start : start + 20] == expected
    assert rows[5].name not in " ".join(said)


def test_an_interval_is_drawn_where_its_axis_says() -> None:
    """Caps, dot and floor of a neighbour lie at the pixels of their values between two ticks of the axis."""
    root = ElementTree.fromstring(card_svg(focus_report()))
    ticks = {e.text: float(e.get("x", "")) for e in root.iter(f"{SVG}text") if e.get("class") == "tick"}
    zero, step = ticks["0"], ticks[".1"] - ticks["0"]
    paths = [e for e in root.iter(f"{SVG}path") if e.get("class") == "apart"]
    low, high, *_ = re.findall(r"M([\d.]+)", paths[0].get("d", ""))
    dots = [float(e.get("cx", "")) for e in root.iter(f"{SVG}circle") if e.get("class") == "dot"]
    floors = [e.get("d", "") for e in root.iter(f"{SVG}path") if e.get("class") == "floor"]

    second = focus_report().style.neighbours[1]
    assert second.kl is not None
    for pixels, value in ((low, second.kl.low), (dots[0], second.kl.value), (high, second.kl.high)):
        assert (float(pixels) - zero) / step * 0.1 == pytest.approx(value, abs=0.0005)
    assert (float(floors[1][1:].split()[0]) - zero) / step * 0.1 == pytest.approx(second.floor, abs=0.0005)


def test_what_is_too_close_to_call_is_no_dot_and_is_named() -> None:
    """A ring on the plot, its meaning in the legend, its q below."""
    svg = card_svg(focus_report())

    assert svg.count('class="ring"') == 2
    assert svg.count('class="dot"') == 4 + 1
    assert "too close to call" in texts(svg)
    assert "Too close to call: Birch 5 (q = .41)." in texts(svg)


def test_what_cannot_be_said_is_said_so() -> None:
    """A neighbour without a value has its reason in place of a plot; without any value there is no axis."""
    unknown = replace(focus_report().style.neighbours[-1])
    svg = card_svg(report(neighbours=(unknown,)))

    assert "no prompt in common" in texts(svg)
    assert 'class="tick"' not in svg
    assert 'class="dot"' not in svg


def test_few_prompts_stand_below_the_name() -> None:
    """In words, before any figure; warnings too."""
    few = tuple(
        replace(n, unit="reply", prompts=5, se_prompts=0.02) for n in focus_report().style.neighbours[:4]
    )
    said = texts(card_svg(replace(report(neighbours=few), warnings=("5 prompts only",))))
    place = said.index("Nearest in style")

    assert "Few prompts: intervals are over replies" in " ".join(said[:place])
    assert "these 5 prompts only" in " ".join(said[:place])
    assert "Warning: 5 prompts only." in said[:place]
    assert any("Of these prompts only" in " ".join(said[i : i + 2]) for i in range(len(said)))


@pytest.mark.parametrize(
    ("days", "line"),
    [
        (None, "805 prompts · 805 replies · compared with 10 models"),
        (("2026-01-05",) * 2, "805 prompts · 805 replies · collected 2026-01-05 · compared with 10 models"),
    ],
)
def test_sample_size_and_date_stand_below_the_name(days: tuple[str, str] | None, line: str) -> None:
    """A date only where there is one."""
    said = texts(card_svg(focus_report(), days))

    assert " ".join(said[1:3]).startswith(line)


def test_each_tell_has_one_figure() -> None:
    """Its lift, or the counts where the other side never does; each side's strongest first."""
    found = focus_report()
    said = texts(card_svg(found))
    mine = said[said.index("Says more than the others") + 1 : said.index("The others say more")]
    own = [tell for tell in found.style.tells if tell.more == "m00"]

    assert 3 <= len(mine) <= len(own)
    for text, tell in zip(mine, own, strict=False):
        figure = lift(tell.lift) if tell.lift is not None else f"{tell.count_a}:{tell.count_b}"
        assert text == tell.symbol.strip(" ").replace("\n", "⏎") + figure


def test_the_counts_of_the_other_side_come_first_where_it_says_more() -> None:
    only = tuple(tell for tell in focus_report().style.tells if tell.lift is None and tell.more == "others")
    assert only

    said = texts(card_svg(report(tells=only)))

    chip = said[said.index("The others say more") + 1]
    assert chip.endswith("812:0")
    assert "Says more than the others" not in said


def test_without_tells_it_says_among_how_many() -> None:
    said = texts(card_svg(report(tells=())))

    assert "No tells among 1,311 symbols." in said
    assert not any("q <" in text for text in said)


def test_the_bar_is_as_wide_as_the_card_and_parted_by_the_shares() -> None:
    """Classes below 0 are not in it, and are named below."""
    found = focus_report()
    root = ElementTree.fromstring(card_svg(found))
    bar = [e for e in root.iter(f"{SVG}rect") if e.get("height") == "26" and e.get("fill")]
    widths = [float(e.get("width", "")) for e in bar]
    shares = [total.share_ab or 0.0 for total in found.style.classes]
    above = [share for share in shares if share > 0]

    assert sum(widths) == pytest.approx(INNER, abs=0.5)
    assert widths == pytest.approx([INNER * share / sum(above) for share in above], abs=0.1)
    assert "Below 0, so not in the bar: emoji -1%." in texts(card_svg(found))


def test_a_difference_that_may_be_nothing_has_no_bar() -> None:
    classes = tuple(replace(c, share_ab=None, share_ba=None) for c in focus_report().style.classes)
    said = texts(card_svg(report(classes=classes)))

    assert "Not parted by classes: the difference may be nothing." in said
    assert not any("%" in text for text in said if "Style vocabulary" not in text and "95%" not in text)


@pytest.mark.parametrize("name", [*HOSTILE, "<script>alert(1)</script>", "{{7*7}}", "\ufffe&amp;", "字" * 80])
def test_hostile_names_only_show(name: str) -> None:
    """As the model in focus and as a neighbour: well-formed, nothing acts, no tag comes of it."""
    labels = [name, *(f"{name} {i}" for i in range(10))]
    svg = card_svg(focus_report(labels=labels))
    root = ElementTree.fromstring(svg)

    assert svg.encode()
    assert not acting(svg)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == TAGS


def test_nothing_is_fetched_and_nothing_runs() -> None:
    svg = card_svg(focus_report()).replace("http://www.w3.org/2000/svg", "")

    assert not re.search(r"https?:|//|<script|\bon\w+=|@import|@font-face|url\(|href", svg)


@pytest.mark.parametrize(
    "name", ["Alder", "W" * 90, "文心一言" * 20, "👩\u200d👩\u200d👧 family " * 9, "שלום " * 20]
)
def test_every_text_stays_on_the_card(name: str) -> None:
    """By widths of a wide font; no letter is smaller than 12 pixels on the 600 that a card is wide."""
    labels = [name, *(f"{name} {i}" for i in range(10))]
    root = ElementTree.fromstring(card_svg(focus_report(labels=labels), ("2026-01-05", "2026-02-02")))
    height = float(root.get("height", ""))

    assert root.get("width") == str(WIDTH)
    for element in root.iter(f"{SVG}text"):
        size, x = float(element.get("font-size", "")), float(element.get("x", ""))
        long = wide("".join(element.itertext()), size, bold=element.get("class") in ("name", "title"))
        start = x - {"end": long, "middle": long / 2}.get(element.get("text-anchor", ""), 0)
        assert size >= SMALL == 12
        assert start >= 0
        assert start + long <= WIDTH
        assert float(element.get("y", "")) < height


def test_neighbours_alike_at_the_beginning_keep_different_labels() -> None:
    labels = ["a", *(f"Llama 4 Maverick 17B 128E Instruct preview {i}" for i in range(10))]
    said = texts(card_svg(focus_report(labels=labels)))

    assert len({text for text in said if text.startswith("Llama")}) >= 5


@given(st.text(), st.integers(60, 544), st.integers(1, 4))
def test_a_wrapped_text_keeps_its_words_or_says_that_some_are_missing(
    text: str, room: int, most: int
) -> None:
    lines = wrapped(visible(text), room, 12, most)

    assert 1 <= len(lines) <= most
    assert all(wide(line, 12) <= room for line in lines)
    if not any(line.endswith("…") for line in lines):
        assert " ".join(lines).split(" ") == [w for w in visible(text).split(" ") if w] or not text.strip(" ")


@given(st.lists(st.floats(1, 600), max_size=30), st.integers(1, 4))
def test_pieces_side_by_side_do_not_overlap(widths: list[float], rows: int) -> None:
    """From left to right, row by row, each within the margins unless it is wider than they are."""
    places = list(placed(widths, 8, rows))

    assert len(places) <= len(widths)
    for (row, x), (below, y), width in zip(places, places[1:], widths, strict=False):
        assert (row == below and x + width + 8 == pytest.approx(y)) or (below == row + 1 and y == PAD)
    assert all(row < rows for row, _ in places)
    assert all(
        x + width <= PAD + INNER + 1e-6 or x == PAD for (_, x), width in zip(places, widths, strict=False)
    )


@given(st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=5))
def test_fitted_labels_differ(names: list[str]) -> None:
    assert len(set(fitted(names, 176, 14, 26))) == len(names)


@pytest.fixture(scope="module")
def _fonts() -> None:
    """Skip on a machine on which words cannot be drawn; what is said there has a test of its own."""
    try:
        png(card_svg(focus_report()))
    except UsageError as error:
        pytest.skip(error.message)


def size(data: bytes) -> tuple[int, int]:
    return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])


@pytest.mark.usefixtures("_fonts")
def test_a_png_is_the_card_at_twice_its_size() -> None:
    svg = card_svg(focus_report())
    data, _ = png(svg)
    height = int(ElementTree.fromstring(svg).get("height", ""))

    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert size(data) == (SCALE * WIDTH, SCALE * height)


@pytest.mark.usefixtures("_fonts")
def test_a_png_has_words() -> None:
    """Another name makes another picture: no card is drawn without its text."""
    one, other = (png(card_svg(focus_report(labels=[name, *"bcdefghijk"])))[0] for name in ("mmm", "lll"))

    assert one != other


@pytest.mark.usefixtures("_fonts")
def test_a_character_that_no_font_has_is_named() -> None:
    """A private one, which is nobody's."""
    labels = ["a\U000f1234b \u200d\u3000é", *"bcdefghijk"]

    assert png(card_svg(focus_report(labels=labels)))[1] == "\U000f1234"


def test_a_machine_without_fonts_gets_no_png(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error rather than a card without words. No family of this name is on any machine."""
    monkeypatch.setattr(drawing, "_FAMILIES", ("No Such Family 1b7c",))

    with pytest.raises(UsageError, match="needs a font") as error:
        png(card_svg(focus_report()))

    assert ".svg" in error.value.hint


def test_the_fonts_of_a_card_are_named_once() -> None:
    """What the PNG replaces is there, in the form in which it looks for it."""
    assert card_svg(focus_report()).count(f'"{FONTS}"') == 1


@pytest.mark.parametrize(
    ("times", "days"),
    [
        (["2026-01-05T10:00:00Z"], ("2026-01-05", "2026-01-05")),
        (["2026-02-02", "2026-01-05T23:59:59+02:00"], ("2026-01-05", "2026-02-02")),
        ([], None),
        ([None], None),
        (["2026-01-05", None], None),
        (["2026-13-05"], None),
        (["yesterday"], None),
        (["1767600000"], None),
    ],
    ids=str,
)
def test_the_days_of_a_collection(times: list[str | None], days: tuple[str, str] | None) -> None:
    """The first and the last; none where one reply does not say."""
    replies = [Reply(model="m", prompt="p", text="t", collected=time) for time in times]

    assert days_collected(replies) == days

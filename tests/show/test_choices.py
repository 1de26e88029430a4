"""Choices in a terminal, as JSON and as tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from stylekl.lenses.choices import Options, drift, focus, matrix, pair
from stylekl.show import choices as shows
from stylekl.show.json import plain
from stylekl.show.terminal import Terminal
from tests.lenses.choices_made import Drawn, by_position, make, prefers, words

from .output import MODES, acting, bare, printed

if TYPE_CHECKING:
    from stylekl.results import Results

NAMES = ("m@00low-2026-01-01", "m@30max-2026-01-01", "follower")


def results(pairs: int = 12) -> Results:
    say = Drawn(refuse=lambda _: 0.1, position=lambda _: 0.3, taste=lambda p: p % 2)
    return make(
        {NAMES[0]: say, NAMES[1]: prefers(lambda p: int(p < 4)), NAMES[2]: by_position},
        pairs=pairs,
        envelopes=8,
    )


def views(found: Results, terminal: Terminal) -> dict[str, list]:
    return {
        "pair": shows.pair_view(pair(found, NAMES[0], NAMES[1]), terminal),
        "focus": shows.focus_view(focus(found, NAMES[0]), terminal),
        "follower": shows.focus_view(focus(found, NAMES[2]), terminal),
        "sharpness": shows.sharpness_view(matrix(found, Options(measure="sharpness")), terminal),
        "drift": shows.drift_view(drift(found, "m@2026-01-01", axis="effort"), terminal),
    }


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
@pytest.mark.parametrize("mode", MODES)
def test_every_view_fits_its_width(width: int, mode: str) -> None:
    terminal = Terminal(width=width, colour=MODES[mode].colour, ascii=MODES[mode].ascii)
    for name, lines in views(results(), terminal).items():
        out = printed(lines, terminal)
        assert max(text.cell_len for text in lines) <= width, name
        assert mode != "ascii" or out.isascii()


def said(lines: list, terminal: Terminal) -> str:
    return " ".join(" ".join(bare(printed(lines, terminal))).split())


def test_what_the_views_say() -> None:
    terminal = Terminal(width=120, colour="none")
    told = {name: said(lines, terminal) for name, lines in views(results(), terminal).items()}

    assert "follower takes the same word in both orders in 0% [0%" in told["follower"]
    assert "of 96 questions; 100% by position." in told["follower"]
    assert "preferences on 0 of 12 pairs of words" in told["follower"]
    assert "the first word 100% [" in told["follower"]
    assert "Sharpest preferences" not in told["follower"]
    assert "Sharpest preferences" in told["focus"]
    assert "m@00low-2026-01-01 and m@30max-2026-01-01 choose differently (p < .001, q < .001)" in told["pair"]
    assert "By theme" in told["pair"]
    assert "Opposite words" in told["pair"]
    assert "low to max: apart" in told["drift"]
    assert "Flips to the other word" in told["drift"]
    assert "A cell is in tenths" in told["sharpness"]


def test_one_of_one_looks_like_one_of_one() -> None:
    """A preference that a single envelope of eight has says so beside it."""

    def say(p: int, e: int, _swapped: bool, _sample: int) -> str:
        return words(p)[0] if e == 2 else "Neither."

    terminal = Terminal(width=100, colour="none")
    told = said(shows.focus_view(focus(make({"one": say}, pairs=2, envelopes=8), "one"), terminal), terminal)

    assert "left0 or right0 left0 1/8" in told
    assert "in a single envelope 2" in told


def test_words_and_names_of_a_file_cannot_act() -> None:
    hostile = "\x1b]52;c;cGF3bmVk\x07\u202e[red]tea[/red]"
    found = results(pairs=2)
    found.models[0].name = hostile
    for row in found.other["pairs"]:
        row["theme"] = hostile
    for row in found.other["pairs"]:
        row["words"]["en"] = [hostile + row["id"], "milk" + row["id"]]
    for row in found.other["choices"]:
        row["text"] = hostile + row["pair"] if row["order"] == "ab" else "milk" + row["pair"]
    for row in found.other["envelopes"]:
        row["family"] = hostile

    for mode in MODES.values():
        terminal = Terminal(width=80, colour=mode.colour, ascii=mode.ascii)
        for name, lines in views(found, terminal).items():
            out = "\n".join(bare(printed(lines, terminal)))
            assert not acting(out), name
            assert "[red]" in out or name != "pair"


def test_json_holds_the_whole_report_and_tables_a_row_for_each() -> None:
    found = results()
    one, two = pair(found, NAMES[0], NAMES[1]), focus(found, NAMES[0])
    sharp, moved = matrix(found, Options(measure="sharpness")), drift(found, "m@2026-01-01", axis="effort")
    for data in (
        *(shows.pair_data(one), shows.focus_data(two)),
        *(shows.sharpness_data(sharp), shows.drift_data(moved)),
    ):
        assert json.loads(json.dumps(data)) == data == plain(data)

    assert shows.focus_data(two)["fingerprint"][0]["reasons"] == two.fingerprint[0].reasons
    for header, rows in (
        *(shows.pair_rows(one), shows.focus_rows(two)),
        *(shows.sharpness_rows(sharp), shows.drift_rows(moved)),
    ):
        assert rows
        assert {len(row) for row in rows} == {len(header)}
    assert len(shows.pair_rows(one)[1]) == len(shows.focus_rows(two)[1]) == 12
    assert len(shows.sharpness_rows(sharp)[1]) == 36
    assert len(shows.drift_rows(moved)[1]) == len(moved.steps[0].moved)


def test_more_pairs_than_columns_show_the_sharpest_and_the_softest() -> None:
    terminal = Terminal(width=60, colour="none")
    report = matrix(results(pairs=40), Options(measure="sharpness"))

    lines = bare(printed(shows.sharpness_view(report, terminal), terminal))

    assert lines[0].split()[0] == "mean"
    assert lines[0].split()[1] == "1"
    assert lines[0].split()[-1] == "40"
    assert any("sharpest and softest of 40 pairs" in line for line in lines)

"""`stylekl card` through the command: the figures of `focus`, its files, its errors."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from stylekl.lenses.reports import Estimate
from stylekl.show.numbers import count, estimate, interval, lift, percent
from tests.show.output import acting

from . import made
from .run import call, run

PLAIN, AGAIN, LISTS = made.THREE
SVG = "{http://www.w3.org/2000/svg}"


def texts(path: str) -> list[str]:
    root = ElementTree.parse(path).getroot()
    return ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]


def focus(*arguments: str) -> Any:
    return json.loads(call("focus", *arguments, "--json", "-q").out)["data"]


@pytest.mark.parametrize("more", [(), ("--measure", "js"), ("--facet", "words"), ("--plain",)], ids=str)
@pytest.mark.parametrize("model", [PLAIN, LISTS])
def test_the_figures_are_those_of_focus(model: str, more: tuple[str, ...]) -> None:
    """Neighbours with intervals, tells, classes and sample size are as --json has them."""
    done = call("card", model, *more, "-o", "c.svg", "-q")
    data = focus(model, *more)
    style, said = data["lenses"]["style"], texts("c.svg")

    assert (done.code, done.err) == (0, "")
    for neighbour in style["neighbours"][:5]:
        value = Estimate(**neighbour[style["rank_by"]])
        assert neighbour["name"] in said
        if value.value > 0:
            assert {estimate(value), interval(value)} <= set(said)
    chips = [text for text in said if "×" in text and not text.startswith("×")]
    lifts = {lift(tell["lift"]) for tell in style["tells"] if tell["lift"] is not None}
    assert {f"×{chip.rsplit('×', 1)[1]}" for chip in chips} <= lifts
    shares = [row["share_ab"] for row in style["classes"]]
    if all(share is not None for share in shares):
        for row, share in zip(style["classes"], shares, strict=True):
            named = [t for t in said if t.startswith(f"{row['class']} ") and t.endswith("%")]
            assert bool(named) == (share > 0) or abs(share) < 0.01
            assert not named or abs(int(named[0].split()[-1][:-1]) - 100 * share) < 1
    size = f"{count(data['model']['prompts'])} prompts · {count(data['model']['replies'])} replies"
    assert " ".join(said[1:3]).startswith(f"{size} · collected 2026-11-30 · compared with 5 models")
    together = Estimate(**style["against_others"])
    assert any(f"From the others together: {estimate(together)} bits" in text for text in said)
    assert any(percent(style["vocabulary"]["coverage"]) in text for text in said)


def test_the_picture_is_said_to_be_written() -> None:
    """On stdout, with the sample size; `card.svg` unless -o says otherwise."""
    done = call("card", "smollm2-l", "-q")

    assert done.out == "Wrote card.svg: SmolLM2 lists, 92 prompts, compared with 5 models.\n"
    assert [path.name for path in Path().iterdir()] == ["card.svg"]


def test_standard_output_gets_the_picture_alone() -> None:
    call("card", PLAIN, "-q")
    done = call("card", PLAIN, "-o", "-", "-q")

    assert done.out == Path("card.svg").read_text(encoding="utf-8")


def test_the_same_file_gives_the_same_bytes() -> None:
    """Wherever and in whatever colour or width a terminal is."""
    first = call("card", PLAIN, "-o", "-", "-q").out
    again = run(
        "card", PLAIN, "-o", "-", "-q", env={"COLUMNS": "40", "COLORTERM": "truecolor", "FORCE_COLOR": "1"}
    )

    assert again.out == first


def test_a_png_is_written_by_its_ending() -> None:
    done = call("card", PLAIN, "-o", "c.PNG", "-q")
    if "needs a font" in done.err:
        pytest.skip("no font on this machine")

    assert done.code == 0
    assert Path("c.PNG").read_bytes().startswith(b"\x89PNG")


def test_without_its_package_a_png_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what to install, and nothing written; .svg needs nothing."""
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    done = call("card", PLAIN, "-o", "c.png", "-q")

    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: PNG needs the package resvg-py\nhint: pip install 'stylekl[report]', or write .svg\n"
    )
    assert not Path("c.png").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((PLAIN, "-o", "card.jpg"), "end the name in .svg or .png"),
        ((PLAIN, "-o", "card"), "end the name in .svg or .png"),
        (("SmolLM2 fromal",), "nearest: SmolLM2 formal"),
        ((PLAIN, "-o", "nowhere/c.svg"), "nowhere/c.svg: not written"),
        ((PLAIN, "none.json"), "none.json"),
        ((PLAIN, "--json"), "--json"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_said_in_two_lines(arguments: tuple[str, ...], said: str) -> None:
    """Exit 2, nothing on stdout, nothing written."""
    done = call("card", *arguments, "-q")

    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert [line.split(":")[0] for line in done.err.splitlines()] == ["error", "hint"]
    assert not list(Path().iterdir())


def test_a_file_that_is_read_is_not_written_over() -> None:
    made.write(made.sample(made.THREE), "three.svg")
    before = Path("three.svg").read_bytes()
    done = call("card", PLAIN, "three.svg", "-o", "./three.svg", "-q")

    assert (done.code, done.out) == (2, "")
    assert "is a file that is read" in done.err
    assert Path("three.svg").read_bytes() == before


def test_a_file_without_dates_gets_none() -> None:
    """And says of few prompts what they are."""
    path = made.write(made.rows("abc", prompts=8))
    call("card", "a", path, "-o", "c.svg", "-q")
    said = texts("c.svg")

    assert said[1] == "8 prompts · 8 replies · compared with 2 models"
    assert "8 prompts only" in " ".join(said[:5])


def test_hostile_files_make_a_card() -> None:
    """For every model of theirs; nothing acts, on the card or on the terminal."""
    models = [f"{text} {i}" for i, text in enumerate(made.HOSTILE)]
    path = made.write(made.rows(models, prompts=12))
    for model in models[::3]:
        done = call("card", model, path, "-o", "h.svg")

        assert done.code == 0
        assert not acting(done.out + done.err + Path("h.svg").read_text(encoding="utf-8"))
        assert ElementTree.parse("h.svg") is not None


def test_settings_of_a_folder_apply() -> None:
    Path("stylekl.toml").write_text('facet = "words"\nramp = "cividis"\n', encoding="utf-8")
    call("card", PLAIN, "-q")

    assert any("bits per word" in text for text in texts("card.svg"))

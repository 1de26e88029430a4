"""Work kept on disk: another pair, another focus, other settings say what they say without it, to the last byte."""

from __future__ import annotations

import json
import os
import random
import subprocess
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from stylekl.cli import answers, work
from stylekl.cli.by import Lenses
from stylekl.cli.settings import Color, Measure, Settings

from . import lens_files, made
from .run import COMMAND, Outcome, call, environment

HOME = {"STYLEKL_CACHE_DIR": "kept"}
MODELS = ("a", "b", "c", "d", "e")
THINKING = "<think>the river</think> "
SHARED = "the same words that both of the two models have given to this prompt, a hundred characters or more of them"


def content() -> dict[str, Any]:
    """Return replies with all that takes part: thinking, layout, several samples, gaps, copies, topics, names."""
    chance = random.Random(4)
    rows = made.rows(MODELS, prompts=14, words=50)
    replies = []
    for number, row in enumerate(rows):
        prompt = number % 14
        if row["model"] == "e" and prompt > 8:
            continue
        text = row["response"]
        if row["model"] in "bc" and not prompt % 3:
            text = SHARED + f" {prompt}"
        if row["model"] == "d":
            text = f"{THINKING if prompt % 2 else ''}# One\n\n- **{text[:60]}**\n- naïve “日本” {text}\n" * 4
        samples = 2 if row["model"] == "c" and chance.random() < 0.5 else 1
        for sample in range(samples):
            text = f"{text} {chance.choice(made.WORDS)}" if sample else text
            replies.append({"model": row["model"], "prompt": f"p{prompt}", "sample": sample, "text": text})
    return {
        "format": "stylekl/1",
        "models": [{"id": name, "name": f"Model {name.upper()}"} for name in reversed(MODELS)],
        "prompts": [
            {"id": f"p{number}", "text": f"Prompt {number} of all", "topic": "odd" if number % 2 else "even"}
            for number in range(14)
        ],
        "replies": replies,
    }


@pytest.fixture
def large(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a file that counts as large enough to be kept."""
    monkeypatch.setattr(answers, "LEAST", 1)
    return made.write(content(), "large.json")


def kept() -> list[Path]:
    """Return the entries of the work, the material first."""
    return sorted(Path("kept").glob("counts/*.work"), key=lambda path: -path.stat().st_size)


def again(*words: str) -> Outcome:
    """Ask again, with all that was kept but the answers; the work must be there and is used."""
    for path in Path("kept").glob("counts/*.answer"):
        path.unlink()
    return call(*words, env=HOME)


def used(before: float = 0.0) -> bool:
    """Return whether the material was used since its time was set back."""
    return kept()[0].stat().st_mtime > before


def set_back() -> None:
    for path in kept():
        os.utime(path, (0, 0))


ASKED = [
    ("pair", "c", "d"),
    ("pair", "d", "c"),
    ("pair", "b", "c"),
    ("pair", "e", "a"),
    ("focus", "d"),
    ("focus", "e"),
]
SETTINGS = [
    (),
    ("--plain",),
    ("--keep-thinking",),
    ("--match-length",),
    ("--topic", "odd"),
    ("--prompts", "p1", "--prompts", "p2", "--prompts", "p3", "--prompts", "p5"),
    ("--threshold", "0.6"),
    ("--rename", "a=aa", "--rename", "aa=a"),
]
# What needs no other work: asked after a plain question.
SHOWN = [
    ("--skew", "0.7"),
    ("--rank", "js"),
    ("--rank", "kinship"),
    ("--seed", "3"),
    ("--no-text",),
    ("--tells", "2"),
    ("--class", "layout", "--class", "function words"),
    ("--models", "a,c,d,e"),
    ("--csv",),
    ("--markdown",),
    ("--examples",),
    ("--examples", "--width", "60"),
    ("--facet", "tokens"),
]


@pytest.mark.parametrize("chosen", SETTINGS, ids=" ".join)
def test_every_question_is_answered_alike_from_the_work_of_another(
    large: str, chosen: tuple[str, ...]
) -> None:
    """After one pair: byte for byte on both streams."""
    call("pair", "a", "b", large, *chosen, env=HOME)
    assert len(kept()) == 2
    for words in ASKED:
        set_back()
        fresh = call(*words, large, *chosen, "--json", "--no-cache", env=HOME)
        assert fresh.code == 0
        assert not used()
        assert again(*words, large, *chosen, "--json") == fresh
        assert used()
        assert len(kept()) == 2


@pytest.mark.parametrize("shown", SHOWN, ids=" ".join)
def test_what_changes_no_text_and_no_symbol_needs_no_other_work(large: str, shown: tuple[str, ...]) -> None:
    call("focus", "a", large, env=HOME)
    for words in ASKED[2:5]:
        set_back()
        assert again(*words, large, *shown) == call(*words, large, *shown, "--no-cache", env=HOME)
        assert used()
    assert len(kept()) == 2


@pytest.mark.parametrize("facet", ["words", "layout"])
def test_another_facet_shares_the_material(large: str, facet: str) -> None:
    """What was found of pairs is of one facet."""
    call("pair", "a", "b", large, env=HOME)
    for words in ASKED[2:5]:
        fresh = call(*words, large, "--facet", facet, "--no-cache", env=HOME)
        assert [again(*words, large, "--facet", facet) for _ in range(2)] == [fresh, fresh]
    assert len(kept()) == 3


def test_a_pair_uses_what_a_matrix_found(large: str) -> None:
    """A matrix keeps what it found of pairs alone; the pair then keeps the rest."""
    call("matrix", large, env=HOME)
    assert len(kept()) == 1
    set_back()
    fresh = call("pair", "b", "d", large, "--json", "--no-cache", env=HOME)
    assert call("pair", "b", "d", large, "--json", env=HOME) == fresh
    assert used()
    assert len(kept()) == 2
    assert again("pair", "b", "d", large, "--json") == fresh


@pytest.mark.parametrize(
    "wrong",
    [
        ("pair", "a", "nobody"),
        ("pair", "a", "a"),
        ("pair", "a", "Model"),
        ("focus", "nobody"),
        ("focus", "a", "--models", "a"),
        ("focus", "a", "--models", "nobody"),
        ("focus", "a", "--rank", "kinship", "--facet", "words"),
        ("pair", "a", "b", "--class", "nonsense"),
        ("pair", "a", "b", "--rank", "wins"),
    ],
    ids=" ".join,
)
def test_errors_are_those_of_the_files(large: str, wrong: tuple[str, ...]) -> None:
    call("pair", "a", "b", large, env=HOME)
    call("pair", "a", "b", large, "--facet", "words", env=HOME)
    fresh = call(*wrong, large, "--no-cache", env=HOME)
    assert fresh.code != 0
    assert again(*wrong, large) == fresh


def test_notes_on_foreign_files_are_said_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an error too, where they stand."""
    monkeypatch.setattr(answers, "LEAST", 1)
    name = made.write(made.rows(MODELS, prompts=12), "foreign.json")
    call("pair", "a", "b", name, env=HOME)
    for words in (("pair", "c", "d"), ("focus", "c"), ("pair", "c", "nobody")):
        fresh = call(*words, name, "--no-cache", env=HOME)
        assert "note: read" in fresh.err
        assert again(*words, name) == fresh


@pytest.mark.parametrize("which", [0, 1], ids=["material", "pairs"])
@pytest.mark.parametrize(
    "harm",
    [
        lambda data: data[:0],
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: data + b"\0",
        lambda data: b"x" + data[1:],
        lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:],
        lambda data: data[:20] + bytes([data[20] ^ 1]) + data[21:],
    ],
    ids=["empty", "torn", "half", "longer", "mark", "list", "first block"],
)
def test_damaged_work_is_made_anew(large: str, which: int, harm) -> None:
    """And then it is whole again."""
    call("pair", "a", "b", large, env=HOME)
    entry = kept()[which]
    whole = entry.read_bytes()
    fresh = call("focus", "d", large, "--json", "--no-cache", env=HOME)
    entry.write_bytes(harm(whole))

    assert again("focus", "d", large, "--json") == fresh
    assert len(entry.read_bytes()) == len(whole)
    set_back()
    assert again("focus", "d", large, "--json") == fresh
    assert used()


def test_no_flipped_byte_changes_an_answer(large: str) -> None:
    """Wherever it is: where it matters it is noticed."""
    call("pair", "a", "b", large, env=HOME)
    fresh = call("pair", "c", "d", large, "--json", "--no-cache", env=HOME)
    for which, steps in ((0, 14), (1, 5)):
        size = kept()[which].stat().st_size
        for place in range(7, size, size // steps):
            data = bytearray(kept()[which].read_bytes())
            data[place] ^= 0x10
            kept()[which].write_bytes(data)
            assert again("pair", "c", "d", large, "--json") == fresh


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="it gives a file to somebody else")
def test_another_users_work_is_not_believed(large: str) -> None:
    call("pair", "a", "b", large, env=HOME)
    fresh = call("pair", "c", "d", large, "--json", "--no-cache", env=HOME)
    for path in kept():
        os.chown(path, 12345, -1)

    assert again("pair", "c", "d", large, "--json") == fresh
    assert {path.stat().st_uid for path in kept()} == {os.getuid()}


def test_the_work_on_other_settings_is_not_taken_for_this(large: str) -> None:
    """Though its file has this one's name."""
    call("pair", "a", "b", large, "--plain", env=HOME)
    plain = [path.read_bytes() for path in kept()]
    for path in kept():
        path.unlink()
    call("pair", "a", "b", large, env=HOME)
    for path, data in zip(kept(), plain, strict=True):
        path.write_bytes(data)

    assert again("pair", "c", "d", large) == call("pair", "c", "d", large, "--no-cache", env=HOME)


def test_one_changed_letter_is_another_file(large: str) -> None:
    call("pair", "c", "d", large, env=HOME)
    document = json.loads(Path(large).read_text())
    document["replies"][0]["text"] += " And more of the river."
    made.write(document, large)
    fresh = call("pair", "c", "d", large, "--json", "--no-cache", env=HOME)

    assert call("pair", "c", "d", large, "--json", env=HOME) == fresh
    assert len(kept()) == 4


def test_a_file_that_changed_while_it_was_read_leaves_no_work(
    large: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be taken for that of the file that was there before."""
    from stylekl import load
    from stylekl.lenses.style import StyleOptions, pair
    from stylekl.lenses.style.evidence import gather_evidence

    monkeypatch.setenv("STYLEKL_CACHE_DIR", "kept")
    asked = answers.question("pair", Settings(), Lenses(), [large])
    Path(large).write_text(Path(large).read_text() + " ")
    for question, number in ((asked, 0), (answers.question("pair", Settings(), Lenses(), [large]), 2)):
        evidence = gather_evidence(load(large), StyleOptions())
        pair(evidence.results, "a", "b", evidence=evidence)
        question.keep_work(evidence)
        assert len(kept()) == number


def test_no_work_is_kept_or_read_where_none_is_to_be(large: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --no-cache, for small files, where names come from another file, and where another lens answers too."""
    call("pair", "a", "b", large, "--no-cache", env=HOME)
    made.write({"models": [{"id": "a", "name": "A"}]}, "names.yaml")
    call("pair", "a", "b", large, "--names", "names.yaml", env=HOME)
    both = made.write(content() | {"votes": _votes()}, "votes.json")
    call("pair", "a", "b", both, env=HOME)
    call("focus", "a", large, "--recognise", env=HOME)
    monkeypatch.setattr(answers, "LEAST", 1 << 30)
    call("pair", "a", "b", large, env=HOME)

    assert kept() == []


def _votes() -> Any:
    votes = [dict(vote) for vote in lens_files.votes()["votes"]]
    names = dict(zip(sorted({vote[side] for vote in votes for side in ("a", "b")}), MODELS * 9, strict=False))
    kept_votes = [vote | {"a": names[vote["a"]], "b": names[vote["b"]], "prompt": "p1"} for vote in votes]
    return [vote for vote in kept_votes if vote["a"] != vote["b"]]


def test_where_style_alone_is_asked_other_evidence_does_not_matter(large: str) -> None:
    both = made.write(content() | {"votes": _votes()}, "votes.json")
    call("pair", "a", "b", both, "--by", "style", env=HOME)
    assert len(kept()) == 2
    fresh = call("pair", "c", "d", both, "--by", "style", "--no-cache", env=HOME)
    assert again("pair", "c", "d", both, "--by", "style") == fresh
    assert again("pair", "c", "d", both) == call("pair", "c", "d", both, "--no-cache", env=HOME)


@pytest.mark.parametrize("place", ["prompts", "replies"])
def test_lone_surrogates_are_no_end(folder: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    """Whether they can be kept or not."""
    monkeypatch.setattr(answers, "LEAST", 1)
    document = content()
    for row in document[place]:
        row["text"] += " the \ud800 end"
    name = made.write(document, f"{place}.json")
    fresh = call("pair", "c", "d", name, "--json", "--no-cache", env=HOME)
    call("pair", "a", "b", name, env=HOME)
    assert again("pair", "c", "d", name, "--json") == fresh


def test_two_at_a_time_write_and_read_the_same_work(large: str) -> None:
    """Each answers as one alone does, and one entry of each kind is left."""
    Path(large).write_text(Path(large).read_text() + " " * 500_000)
    fresh = {words: call(*words, large, "--json", "--no-cache").out for words in ASKED[2:5]}
    for _ in range(2):
        started = [
            (
                words,
                subprocess.Popen(
                    [*COMMAND, *words, large, "--json"], env=environment(HOME), stdout=subprocess.PIPE
                ),
            )
            for words in fresh
        ]
        assert {words: process.communicate()[0].decode() for words, process in started} == fresh
        for path in Path("kept").glob("counts/*.answer"):
            path.unlink()

    assert len(kept()) == 2
    assert not [*Path("kept").glob("counts/*.tmp")]


def test_every_setting_that_changes_texts_or_symbols_is_part_of_the_name(
    large: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A setting that is new is part of it until somebody says that it need not be."""
    monkeypatch.setenv("STYLEKL_CACHE_DIR", "kept")
    plain = answers.question("pair", Settings(), Lenses(), [large]).work
    other = {
        "color": Color.always,
        "rank": Measure.js,
        "condition": "x",
        "facet": "words",
        "format": "native",
    }
    for field in fields(Settings):
        now = getattr(Settings(), field.name)
        changed = other.get(field.name)
        if changed is None:
            changed = not now if isinstance(now, bool) else now + 1 if isinstance(now, int | float) else ["x"]
        asked = answers.question("pair", Settings(**{field.name: changed}), Lenses(), [large]).work
        if field.name in answers._FILES or field.name == "no_cache":
            assert asked == work.NO_WORK
            continue
        same = field.name in answers._SHOWN | work._ASKED
        assert (asked.material == plain.material) == (same or field.name == "facet"), field.name
        assert (asked.pairs == plain.pairs) == same, field.name
    assert answers.question("focus", Settings(), Lenses(), [large], model="a").work == plain
    assert answers.question("pair", Settings(), Lenses(by="style"), [large]).work != plain

"""The pieces of the speed bench count what they say they count, and a row says no more than was measured."""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from bench.speeding import growth, made, peer_counter, peer_counts, peer_tfidf, peers, reading, warm
from bench.speeding.context import Context
from bench.speeding.rows import Bar, Row, compared, inserted, markdown
from bench.speeding.runs import Spent, Unmeasured, best, run
from hypothesis import given
from hypothesis import strategies as st

from bench import speed

if TYPE_CHECKING:
    from pathlib import Path

# Words that every peer cuts alike: lower case, two letters or more, nothing between them but a space.
REPLIES = {
    "plain": ["rain falls from the clouds", "snow falls on the hills and the roofs"],
    "lists": ["rain and snow and wind", "the wind moves the clouds"],
}
SAID = {model: Counter(" ".join(texts).split()) for model, texts in REPLIES.items()}
MACHINE = {
    "date": "2026-01-05 12:00 UTC",
    "cpu": "A processor",
    "cores": 2,
    "system": "Linux x86_64",
    "versions": {"Python": "3.11"},
    "load": 0.1,
    "load_after": 1.2,
    "disturbed": False,
    "quick": False,
}


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    """Write one array for each model."""
    for model, texts in REPLIES.items():
        rows = [
            {"instruction": f"What of {place}?", "output": text, "generator": model}
            for place, text in enumerate(texts)
        ]
        (tmp_path / f"{model}.json").write_text(json.dumps(rows))
    return sorted(tmp_path.glob("*.json"))


def joined() -> list[str]:
    return [" ".join(texts) for texts in REPLIES.values()]


def test_peers_read_every_reply_once(paths: list[Path]) -> None:
    assert reading.replies([str(path) for path in paths]) == dict(sorted(REPLIES.items()))


def test_peers_read_an_empty_reply_as_none(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"output": None, "generator": "a"}, {"output": "b", "generator": "a"}]))
    assert reading.replies([str(path)]) == {"a": ["b"]}


def test_counter_counts_the_words() -> None:
    assert peer_counter.count(joined()) == list(SAID.values())


def test_counts_count_the_words() -> None:
    pytest.importorskip("sklearn")
    vectorizer, table = peer_counts.count(joined())
    terms = vectorizer.get_feature_names_out()
    for row, said in zip(table.toarray(), SAID.values(), strict=True):
        assert {term: number for term, number in zip(terms, row, strict=True) if number} == said


def test_tfidf_has_the_words_and_pairs_and_each_text_is_like_itself() -> None:
    pytest.importorskip("sklearn")
    vectorizer, _, cosines = peer_tfidf.tfidf(joined())
    words = [text.split() for text in joined()]
    pairs = {f"{one} {other}" for text in words for one, other in pairwise(text)}
    assert set(vectorizer.get_feature_names_out()) == {word for text in words for word in text} | pairs
    assert cosines.diagonal() == pytest.approx([1, 1])
    assert 0 < cosines[0, 1] == pytest.approx(cosines[1, 0])


def test_scattertext_counts_the_words() -> None:
    pytest.importorskip("scattertext")
    from bench.speeding import peer_scattertext

    table = peer_scattertext.frequencies(REPLIES)
    for model, said in SAID.items():
        column = table[f"{model} freq"]
        assert {term: n for term, n in column.items() if n and " " not in term} == said


def test_divergences_are_those_of_the_plain_formula() -> None:
    bits = peer_counter.divergences(list(SAID.values()))
    words = set().union(*SAID.values())
    shares = [
        {word: (said[word] + 0.5) / (said.total() + len(words) / 2) for word in words}
        for said in SAID.values()
    ]
    p, q = shares
    assert bits[0, 1] == pytest.approx(sum(p[word] * math.log2(p[word] / q[word]) for word in words))
    assert bits.diagonal() == pytest.approx([0, 0])


def test_each_module_exists_and_says_what_stylekl_computes_beyond_it() -> None:
    for module, *_ in peers.PEERS:
        text = (speed.ROOT / "bench" / "speeding" / f"{module}.py").read_text()
        assert "What it computes" in text
        assert "What stylekl computes beyond that" in text


@given(st.text(alphabet="ab .!?\n", max_size=60), st.text(max_size=3))
def test_a_variation_holds_sentences_of_the_text_and_no_others(text: str, seed: str) -> None:
    variation = made.varied(text, seed)
    assert not Counter(variation) - Counter(text)
    assert bool(variation) == bool(text)
    assert made.varied(text, seed) == variation


@pytest.mark.parametrize(
    ("kind", "number", "sizes"), [("prompts", 1, [2, 2]), ("prompts", 2, [1, 1]), ("samples", 4, [8, 8])]
)
def test_made_inputs_have_the_size_that_is_asked_for(
    kind: str, number: int, sizes: list[int], paths: list[Path], tmp_path: Path
) -> None:
    written = made.write(tmp_path / "new", kind, number, paths)
    assert [len(json.loads(path.read_text())) for path in written] == sizes


def test_more_models_have_names_of_their_own_and_the_same_prompts(paths: list[Path], tmp_path: Path) -> None:
    written = made.write(tmp_path / "new", "models", 5, paths)
    rows = [json.loads(path.read_text()) for path in written]
    assert [row[0]["generator"] for row in rows] == ["lists", "plain", "lists~1", "plain~1", "lists~2"]
    assert {tuple(each["instruction"] for each in row) for row in rows} == {("What of 0?", "What of 1?")}


def test_lines_have_every_reply(paths: list[Path], tmp_path: Path) -> None:
    (path,) = made.write(tmp_path / "new", "lines", 1, paths)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert Counter((line["model"], line["response"]) for line in lines) == Counter(
        (model, text) for model, texts in REPLIES.items() for text in texts
    )


def test_the_small_file_stops_before_its_size() -> None:
    rows = [{"instruction": "ab", "output": "c" * 8}] * 5
    assert len(made.small(rows, 39)) == 3


def test_every_step_of_growth_can_be_made(paths: list[Path], tmp_path: Path) -> None:
    for place, (_, less, more, bar) in enumerate(growth.steps(quick=False)):
        sizes = [
            sum(
                len(json.loads(path.read_text()))
                for path in made.write(tmp_path / f"{place}{n}", *kind, paths)
            )
            for n, kind in enumerate((less, more))
        ]
        assert 1.9 < sizes[1] / sizes[0] < 2.1 < bar + 0.01


@pytest.mark.parametrize(
    ("ours", "theirs", "bar", "faster", "met"),
    [
        (1.0, 2.0, Bar(0.5), False, True),
        (1.1, 2.0, Bar(0.5), False, False),
        (1.0, 20.0, Bar(10, least=True), True, True),
        (2.1, 20.0, Bar(10, least=True), True, False),
        (0.4, 9.0, Bar(0.5, ours=True), False, True),
        (0.6, 9.0, Bar(0.5, ours=True), False, False),
        (1.0, 2.0, None, False, None),
        (None, 2.0, Bar(0.5), False, None),
    ],
)
def test_a_bar_is_met_or_not_or_nothing_is_said(
    ours: float | None, theirs: float, bar: Bar | None, faster: bool, met: bool | None
) -> None:
    row = Row("family", "what", "theirs", ours, theirs, bar=bar, faster=faster, runs=1)
    assert row.met is met
    assert Row.again(json.loads(json.dumps(row.json()))) == row


def test_both_sides_have_the_best_of_equally_many_runs() -> None:
    """More runs on one side would make its best look better."""
    ours = [Spent(0, wall, 0, None, "") for wall in (3.0, 1.0, 0.5)]
    row = compared(
        "family", "what", "theirs", ours, [Spent(0, wall, 0, None, "") for wall in (4.0, 8.0)], "wall"
    )
    assert (row.ours, row.theirs, row.runs) == (1.0, 4.0, 2)
    assert compared("family", "what", "theirs", ours, [], "wall").note == "not measured"
    assert compared("family", "what", "theirs", ours, ours, "together").ours is None


def test_markdown_has_every_row_and_names_the_machine() -> None:
    made_up = [
        Row("one", "a | b", "floor,", 1.0, 2.0, bar=Bar(0.4), runs=3),
        Row("two", "c", "peer", note="absent"),
    ]
    text = markdown(made_up, MACHINE | {"disturbed": True})
    assert r"| a \| b | 1.00 s | floor, 2.00 s | 0.50 | at most 0.4 | no | 3 |  |" in text
    assert "| c |  | peer |  |  |  |  | absent |" in text
    assert "A processor, 2 cores" in text
    assert "before the run: 0.10, after it: 1.20." in text
    assert "disturbed" in text


def test_the_cpu_of_grandchildren_counts(tmp_path: Path) -> None:
    burn = "import time\nwhile time.process_time() < 0.3: pass"
    outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burn!r}])"
    spent = run([sys.executable, "-c", outer], folder=tmp_path)
    assert spent.cpu >= 0.3


def test_the_memory_of_all_processes_is_that_of_both(tmp_path: Path) -> None:
    held = "held = bytearray(60 << 20)"
    inner = f"{held}\nimport time\nwhile time.process_time() < 0.4: pass"
    outer = f"{held}\nimport subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])"
    spent = run([sys.executable, "-c", outer], folder=tmp_path, watch=True)
    if spent.together is None:
        pytest.skip("this system does not say how much memory processes share")
    assert spent.largest > 60
    assert spent.together > 120


def test_what_fails_is_unmeasured_and_says_why(tmp_path: Path) -> None:
    with pytest.raises(Unmeasured, match="ended with 1: no such luck"):
        run([sys.executable, "-c", "import sys; sys.exit('no such luck')"], folder=tmp_path)
    with pytest.raises(Unmeasured, match="No such file"):
        run([str(tmp_path / "nothing")], folder=tmp_path)


def test_the_best_is_the_least() -> None:
    assert best([Spent(2.0, 3.0, 0, None, ""), Spent(1.0, 4.0, 0, None, "")], "cpu") == 1.0


def context(tmp_path: Path, paths: list[Path]) -> Context:
    return Context(tuple(paths), tmp_path, None, 1, 1, True, False, (sys.executable,), lambda _: None)


def test_without_a_floor_and_gigatoken_the_rows_say_so(
    paths: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = list(speed.measure(context(tmp_path, paths), ["cold"]))
    assert [row.note for row in found if row.bar and not row.runs] == [
        "no floor: name the script with --floor"
    ] * 3
    assert all(row.met is None for row in found if row.bar and not row.runs)


def test_a_family_that_fails_is_a_row(tmp_path: Path) -> None:
    broken = context(tmp_path, [tmp_path / "absent.json"])
    (row,) = speed.measure(broken, ["cold"])
    assert row.note.startswith("failed: stylekl matrix")


def test_a_chain_begins_with_a_question_that_only_the_matrix_came_before() -> None:
    models = [f"m{place}" for place in range(8)]
    chains = warm.chains(models)
    assert [chain[0][1][0] for chain in chains] == ["matrix", "pair", "focus"]
    for chain in chains[1:]:
        first, again, other = (command for _, command in chain)
        assert first == again != other


def test_a_page_has_the_new_table_in_place_of_the_old_one() -> None:
    page = "# Speed\n\n<!-- speed -->\nold\n<!-- end of speed -->\n\nMore.\n"
    new = inserted(page, "new\n")
    assert new == "# Speed\n\n<!-- speed -->\n\nnew\n\n<!-- end of speed -->\n\nMore.\n"
    assert inserted(new, "new\n") == new
    with pytest.raises(ValueError, match="the page has no"):
        inserted("# Speed\n", "new\n")

"""Arrays and data frames hold the figures of the report, and of `--csv`."""

from __future__ import annotations

import csv
import io
import json
import math

import numpy as np
import pytest

import stylekl
from stylekl.errors import UsageError
from stylekl.frames import frame, square
from stylekl.lenses.style import StyleOptions, drift
from stylekl.show.tables import focus_rows, matrix_rows, pair_rows, to_csv
from tests.cli.made import SAMPLE, THREE, provide

PARTS = ("value", "raw", "low", "high", "se", "upper")


@pytest.fixture(scope="module")
def results():
    return stylekl.load(SAMPLE)


@pytest.fixture(scope="module")
def report(results):
    return stylekl.matrix(results)


@pytest.fixture(scope="module")
def votes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("votes")
    provide(["votes.json"], folder=folder)
    return stylekl.load(folder / "votes.json")


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("measure", ["kl", "js", "kinship"])
def test_each_cell_is_the_estimate_of_its_pair(report, measure, part):
    """Row against column, to the last bit; the diagonal is 0, and of kinship nan."""
    array = square(report, measure, part)
    place = {model: i for i, model in enumerate(report.order)}

    for pair in report.pairs:
        there, back = (pair.kl_ab, pair.kl_ba) if measure == "kl" else (getattr(pair, measure),) * 2
        i, j = place[pair.a], place[pair.b]
        assert array[i, j] == getattr(there, part)
        assert array[j, i] == getattr(back, part)
    assert np.isnan(np.diag(array)).all() if measure == "kinship" else not np.diag(array).any()


def test_a_pair_without_a_value_is_nan(tmp_path):
    """Two models that were asked nothing in common."""
    asked = [(model, f"{topic} {n}?") for model, topic in (("a", "tea"), ("b", "milk")) for n in range(3)]
    rows = [json.dumps({"model": model, "prompt": prompt, "response": "One."}) for model, prompt in asked]
    (tmp_path / "r.jsonl").write_text("\n".join(rows), encoding="utf-8")
    array = square(stylekl.matrix(stylekl.load(tmp_path / "r.jsonl")))

    assert np.isnan(array[0, 1])
    assert np.isnan(array[1, 0])
    assert not np.diag(array).any()


def test_the_matrix_of_another_lens_has_its_shares(votes):
    """The two cells of a pair add up to 1, and the interval is that of the direction that has one."""
    found = stylekl.lens("votes").matrix(votes)
    values, low, high = (square(found, part=part) for part in ("value", "low", "high"))
    off = ~np.eye(len(found.order), dtype=bool)

    assert np.allclose((values + values.T)[off], 1)
    assert np.isnan(np.diag(values)).all()
    known = ~np.isnan(low)
    assert known.sum() == len(found.pairs)
    assert ((low <= values) & (values <= high))[known].all()


def test_what_a_matrix_lacks_is_said(report, votes):
    other = stylekl.lens("votes").matrix(votes)

    with pytest.raises(UsageError, match="no measure score"):
        square(report, "score")
    with pytest.raises(UsageError, match="no median"):
        square(report, part="median")
    with pytest.raises(UsageError, match="no raw"):
        square(other, part="raw")


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_frame_has_the_rows_of_the_table(results, report, kind):
    pytest.importorskip(kind)
    pair = stylekl.pair(results, *THREE[1:])
    focus = stylekl.focus(results, THREE[0])

    for asked, rows in ((report, matrix_rows), (pair, pair_rows), (focus, focus_rows)):
        header, wanted = rows(asked)
        table = frame(asked, kind)
        assert list(table.columns) == header
        found = table.values.tolist() if kind == "pandas" else [list(row) for row in table.rows()]
        assert [list(map(_plain, row)) for row in found] == [list(map(_plain, row)) for row in wanted]


def _plain(value):
    return None if value is None or (isinstance(value, float) and math.isnan(value)) else value


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_figures_of_a_frame_are_numbers_and_those_of_the_csv(report, kind):
    pytest.importorskip(kind)
    table = frame(report, kind)
    written = list(csv.DictReader(io.StringIO(to_csv(*matrix_rows(report)))))

    for name in ("kl_ab", "kl_ba_low", "js_se", "q"):
        assert str(table[name].dtype).lower() == "float64"
        assert table[name].to_list() == pytest.approx([float(row[name]) for row in written], rel=1e-9)


def test_text_of_a_frame_is_as_in_the_file():
    """The guard against formulas is for spreadsheets, which read CSV."""
    pytest.importorskip("polars")
    held = stylekl.load(SAMPLE, reading=stylekl.Reading(rename={THREE[0]: "=1+1"}))
    report = stylekl.matrix(held, StyleOptions(models=("=1+1", THREE[2])))

    assert frame(report, "polars")["a"].to_list() == ["=1+1"]
    assert to_csv(*matrix_rows(report)).splitlines()[1].startswith("'=1+1,")


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_every_report_of_the_command_line_has_a_frame(results, votes, tmp_path, kind):
    pytest.importorskip(kind)
    provide(["choices.json", "judgments.json", "words.json", "dated.json"], folder=tmp_path)
    reports = [stylekl.findings(results), drift(stylekl.load(tmp_path / "dated.json"), "smollm2")]
    for name, file in (("choices", "choices"), ("judgments", "judgments"), ("verdicts", "words")):
        held, lens = stylekl.load(tmp_path / f"{file}.json"), stylekl.lens(name)
        first, second = (model.id for model in held.models[:2])
        reports += [lens.matrix(held), lens.pair(held, first, second), lens.focus(held, first)]
        reports += [lens.rank(held)] if hasattr(lens, "rank") else []
    lens = stylekl.lens("votes")
    reports += [
        lens.rank(votes),
        lens.pair(votes, *THREE[:2]),
        lens.focus(votes, THREE[0]),
        lens.matrix(votes),
    ]

    for asked in reports:
        assert len(frame(asked, kind)) >= 1, type(asked).__name__


def test_what_is_no_report_has_no_frame():
    pytest.importorskip("pandas")

    with pytest.raises(UsageError, match="str has no table"):
        frame("report")
    with pytest.raises(UsageError, match="no data frames of arrow"):
        frame("report", "arrow")


def test_without_a_library_the_hint_says_what_to_install(report, monkeypatch):
    """Neither is found, as on a machine that has neither."""
    monkeypatch.setattr("stylekl.frames.find_spec", lambda _: None)

    with pytest.raises(UsageError, match="pandas or polars is not installed") as caught:
        frame(report)
    assert caught.value.hint == "pip install pandas"
    with pytest.raises(UsageError, match="polars is not installed"):
        frame(report, "polars")


def test_pandas_comes_first_and_polars_takes_its_place(report, monkeypatch):
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    first = type(frame(report)).__module__.split(".")[0]
    monkeypatch.setattr("stylekl.frames.find_spec", lambda name: name == "polars" or None)

    assert first == "pandas"
    assert type(frame(report)).__module__.split(".")[0] == "polars"

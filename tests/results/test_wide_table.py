"""Tables with a column for each model: which columns are models, and what comes of the others."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stylekl.errors import InputError, RecordError, StyleklError, UnknownFormatError, UsageError
from stylekl.results import Reading, Results, load

from .strategies import write, write_lines

if TYPE_CHECKING:
    from pathlib import Path

LONG = "Rain is water that falls from a cloud."
OTHER = "Water, my friend, falls out of clouds."


def table(folder: Path, *rows: tuple[Any, ...], mark: str = ",", **columns: str) -> Results:
    """Write rows as a table, the first as its header, and read it."""
    text = io.StringIO()
    csv.writer(text, delimiter=mark).writerows(rows)
    return load(write(folder, "t.csv", text.getvalue()), reading=Reading(columns=columns))


def said(found: Results) -> list[tuple[str, str, str]]:
    texts = {each.id: each.text for each in found.prompts}
    return [(each.model, texts[each.prompt], each.text) for each in found.replies]


@pytest.mark.parametrize("mark", [",", "\t", ";"])
def test_a_filled_cell_is_a_reply_of_its_column(mark: str, tmp_path: Path) -> None:
    """A row is a prompt; what is no model stays beside the replies, an empty cell is none."""
    found = table(
        tmp_path,
        ("ID", "Category", "Question", "v/one-7b", "v/two", "difficulty"),
        ("q1", "sky", "Rain?", "Yes", "No", "easy"),
        ("q2", "sky", "Snow?", "", "Maybe", ""),
        mark=mark,
    )

    assert said(found) == [
        ("v/one-7b", "Rain?", "Yes"),
        ("v/two", "Rain?", "No"),
        ("v/two", "Snow?", "Maybe"),
    ]
    assert [(each.id, each.topic) for each in found.prompts] == [("q1", "sky"), ("q2", "sky")]
    assert [each.extra for each in found.replies] == [
        {"difficulty": "easy"},
        {"difficulty": "easy"},
        {"difficulty": ""},
    ]
    assert len(found.warnings) == 1
    assert "took the columns v/one-7b and v/two for models, not difficulty" in found.warnings[0]


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        (("terse_response", "formal_response"), ["terse", "formal"]),
        (("Terse Response", "Formal Response", "Third Response"), ["Terse", "Formal", "Third"]),
        (("output (terse)", "output (formal)"), ["terse", "formal"]),
        (("Output [v/m]", "Output [v/n]"), ["v/m", "v/n"]),
        (("response_model_a", "response_model_b"), ["model_a", "model_b"]),
        (("reply: terse", "reply: formal"), ["terse", "formal"]),
        (("a_response", "b_response"), ["A", "B"]),
        (("response_1", "response_2"), ["response_1", "response_2"]),
        (("Model A", "Model B"), ["Model A", "Model B"]),
        (("smollm2-plain", "smollm2-terse"), ["smollm2-plain", "smollm2-terse"]),
        (("tiny 135M", "small 0.5b"), ["tiny 135M", "small 0.5b"]),
    ],
)
def test_names_are_told_by_the_header(columns: tuple[str, ...], names: list[str], tmp_path: Path) -> None:
    """A word for a reply that all columns share is no part of a name; short replies do where names tell."""
    found = table(tmp_path, ("prompt", *columns), ("Rain?", *["Yes"] * len(columns)))

    assert [each.id for each in found.models] == names
    assert len(found.replies) == len(names)


def test_sentences_make_columns_of_any_name_models(tmp_path: Path) -> None:
    """In any script; where one free column holds none, nothing is guessed."""
    assert [
        each.id for each in table(tmp_path, ("prompt", "anna", "ben"), ("Rain?", LONG, OTHER)).models
    ] == [
        "anna",
        "ben",
    ]
    cats = "猫在阳光下睡觉，直到晚饭的时候。"
    assert len(table(tmp_path, ("prompt", "anna", "ben"), ("猫?", cats, cats[1:])).models) == 2
    with pytest.raises(UnknownFormatError):
        table(tmp_path, ("prompt", "anna", "ben", "place"), ("Rain?", LONG, OTHER, "here"))


@pytest.mark.parametrize(
    "header",
    [
        ("question", "context", "passage"),
        ("question", "explanation", "Reference Answer"),
        ("prompt", "chosen", "rejected"),
        ("prompt", "anna", "ben", "winner"),
        ("prompt", "one-7b", "two-7b", "preference"),
        ("question", "option1", "option2", "option3"),
        ("instruction", "expected_output", "ideal_response"),
        ("prompt", "notes", "review comments"),
        ("name", "anna", "ben"),
        ("id", "anna", "ben"),
    ],
)
def test_columns_beside_replies_are_never_models(header: tuple[str, ...], tmp_path: Path) -> None:
    """However long the texts in them: they are refused, as are votes, and tables without a prompt."""
    with pytest.raises(UnknownFormatError):
        table(tmp_path, header, ("Rain?", *[LONG] * (len(header) - 1)))


@pytest.mark.parametrize(
    "cell", ["0.91", "-3", "1,204", "12%", "2026-01-05", "https://a.example/x", "3.1e-5", "4/5"]
)
def test_numbers_dates_and_addresses_are_no_replies(cell: str, tmp_path: Path) -> None:
    """A table of scores with a column for each model holds no text."""
    with pytest.raises(UnknownFormatError):
        table(tmp_path, ("prompt", "one-7b", "two-7b"), ("Rain?", cell, cell))


def test_choices_of_a_quiz_are_no_models(tmp_path: Path) -> None:
    """Short texts under answer_a to answer_d; sentences there are replies."""
    head = ("question", "answer_a", "answer_b", "answer_c")
    with pytest.raises(UnknownFormatError):
        table(tmp_path, head, ("2 + 2?", "three", "four", "five"))

    assert [each.id for each in table(tmp_path, head, ("Rain?", LONG, OTHER, LONG)).models] == ["A", "B", "C"]


def test_a_column_of_the_model_s_name_counts_for_its_replies(tmp_path: Path) -> None:
    """model_a says whose response_a is, row by row."""
    found = table(
        tmp_path,
        ("prompt", "model_a", "model_b", "response_a", "response_b"),
        ("Rain?", "m", "n", "Yes", "No"),
        ("Snow?", "n", "o", "No", "Yes"),
    )

    assert said(found) == [
        ("m", "Rain?", "Yes"),
        ("n", "Rain?", "No"),
        ("n", "Snow?", "No"),
        ("o", "Snow?", "Yes"),
    ]
    assert [each.id for each in found.models] == ["m", "n", "o"]
    assert found.replies[0].extra == {}


def test_two_columns_of_one_name_are_two_models_and_it_is_said(tmp_path: Path) -> None:
    found = table(tmp_path, ("prompt", "m-7b", "m-7b"), ("Rain?", "Yes", "No"))

    assert [each.id for each in found.models] == ["m-7b", "m-7b (2)"]
    assert 'several columns are called "m-7b"' in found.warnings[1]


def test_an_id_stands_for_a_prompt_that_is_not_there(tmp_path: Path) -> None:
    """With a warning."""
    found = table(tmp_path, ("question_id", "v/m", "v/n"), ("q1", "Yes", "No"))

    assert [(each.id, each.text) for each in found.prompts] == [("q1", "q1")]
    assert "each is called by its id" in found.warnings[1]


def test_columns_can_be_named(tmp_path: Path) -> None:
    """A header with a comma stands in quotes; case does not count; the rest stays beside."""
    rows = ("Aufgabe", "kurz", "lang, förmlich", "note"), ("Rain?", "7", "No", "x")
    found = table(tmp_path, *rows, prompt="aufgabe", models='kurz,"lang, förmlich"')

    assert said(found) == [("kurz", "Rain?", "7"), ("lang, förmlich", "Rain?", "No")]
    assert found.replies[0].extra == {"note": "x"}
    assert found.warnings == []


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"prompt": "prompt", "models": "anna,carl"}, InputError, 'no column "carl" for the models'),
        ({"models": "anna,ben", "prompt": "task"}, InputError, 'no column "task" for the prompt'),
        ({"model": "x"}, InputError, 'no column "x" for the model'),
        ({"sort": "prompt"}, UsageError, 'no part of a reply is called "sort"'),
    ],
)
def test_a_column_that_is_not_there_is_named_with_those_that_are(
    columns: dict[str, str], error: type[StyleklError], message: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=message) as caught:
        table(tmp_path, ("prompt", "anna", "ben"), ("Rain?", LONG, OTHER), **columns)

    assert "prompt" in caught.value.hint


def test_records_of_json_may_be_wide(tmp_path: Path) -> None:
    """Content may have any of its forms there; a field that comes late counts among the first records."""
    rows = (
        {"prompt": "Rain?", "v/m": "Yes", "v/n": None, "note": 1},
        {
            "prompt": [{"role": "user", "content": "Snow?"}],
            "v/m": [{"type": "text", "text": "No"}],
            "v/n": ["A", "B"],
        },
    )
    found = load(write_lines(tmp_path, "t.jsonl", *rows))

    assert said(found) == [
        ("v/m", "Rain?", "Yes"),
        ("v/m", "Snow?", "No"),
        ("v/n", "Snow?", "A"),
        ("v/n", "Snow?", "B"),
    ]
    assert found.replies[0].extra == {"note": 1}
    with pytest.raises(RecordError, match="line 2: field v/n: expected text, found a number"):
        load(write_lines(tmp_path, "u.jsonl", rows[0] | {"v/n": "Z"}, {"prompt": "x", "v/m": "y", "v/n": 3}))
    with pytest.raises(UnknownFormatError):
        load(write_lines(tmp_path, "v.jsonl", *[{"prompt": "Rain?", "story": LONG, "moral": OTHER}] * 2))


def test_empty_cells_above_hide_no_column(tmp_path: Path) -> None:
    """The first rows tell together, however large the table: a reply that failed early is no sign."""
    rows = [(f"P{place}?", LONG, OTHER if place else "") for place in range(60)]

    assert len(table(tmp_path, ("prompt", "anna", "ben"), *rows).replies) == 119


def test_parquet_is_a_table_too(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {
        "question": ["Rain?", "Snow?"],
        "anna": [LONG, None],
        "ben": [OTHER, OTHER],
        "score": [1.5, 2.0],
    }
    parquet.write_table(arrow.table(columns), tmp_path / "t.parquet")
    found = load(tmp_path / "t.parquet")

    assert said(found) == [("anna", "Rain?", LONG), ("ben", "Rain?", OTHER), ("ben", "Snow?", OTHER)]
    assert found.replies[0].extra == {"score": 1.5}


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    cells=st.lists(
        st.tuples(*[st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=9)] * 3),
        min_size=1,
        max_size=4,
    )
)
def test_what_stands_in_the_cells_is_what_is_read(cells: list[tuple[str, ...]], tmp_path: Path) -> None:
    """Every cell with anything in it is a reply, unchanged."""
    rows = [(f"p{place}", *row) for place, row in enumerate(cells)]
    columns = {"prompt": "prompt", "models": "a,b,c"}
    found = table(tmp_path, ("prompt", "a", "b", "c"), *rows, **columns)

    expected = [
        (name, row[0], text)
        for row in rows
        for name, text in zip("abc", row[1:], strict=True)
        if text.strip()
    ]
    assert said(found) == expected


@pytest.mark.parametrize("pattern", ["alpaca_eval/leaderboard/*", "freeflow_traces/_published/*.tsv"])
def test_published_tables_of_scores_are_refused(pattern: str, shared: Path) -> None:
    """Their columns are numbers, and none holds a prompt."""
    paths = sorted((shared / "data" / "formats").glob(pattern))
    assert paths
    for path in paths:
        with pytest.raises(UnknownFormatError, match="a table with the columns"):
            load(path)


def test_a_table_of_judgments_keeps_its_reader(shared: Path) -> None:
    found = load(shared / "data" / "formats" / "ejentum_eval" / "menu_rag_5q" / "judge_data.csv")

    assert [each.form for each in found.sources] == ["score_table"]
    assert json.dumps(found.other["judgments"])

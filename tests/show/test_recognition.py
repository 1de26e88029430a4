"""Recognition as it is drawn: widths, tables and lists, verdicts in words, and names that cannot act."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from wcwidth import wcswidth

from stylekl.lenses.style.recognition_report import (
    Answers,
    Attribution,
    Bin,
    ByLength,
    Candidate,
    Confused,
    RecognisedModel,
    RecognisedPair,
    RecognitionReport,
    WhoWroteReport,
)
from stylekl.measure.attribution import Rate
from stylekl.show.confusion import confusion_view
from stylekl.show.recognition import chance, who_wrote_data, who_wrote_rows, who_wrote_view
from stylekl.show.tables import to_csv, to_markdown
from stylekl.show.terminal import Terminal

from .factory import HOSTILE, names
from .output import MODES, acting, bare, printed

RATE = Rate(0.731, 0.712, 0.749, 800, 640.0)
NONE = Rate(None, None, None, 0)
PARAMS = {"stranger": 0.05, "plain": False}


def report(n: int = 5, labels: list[str] | None = None, seed: int = 1) -> RecognitionReport:
    """Return the report of n models made at random."""
    at = random.Random(seed)
    labels = labels or names(n)
    ids = [f"m{place}" for place in range(len(labels))]
    table = [[at.randint(0, 9) + 90 * (i == j) for j in range(len(ids))] for i in range(len(ids))]
    models = tuple(
        RecognisedModel(each, label, 100, 100, RATE, RATE, Confused(ids[place - 1], 0.19), RATE)
        for place, (each, label) in enumerate(zip(ids, labels, strict=True))
    )
    pairs = tuple(
        RecognisedPair(a, b, replace(RATE, value=0.5 + 0.4 * at.random()), 1e-9, 1e-8, "told apart")
        for place, a in enumerate(ids)
        for b in ids[place + 1 :]
    )
    close = replace(pairs[0], accuracy=replace(RATE, value=0.49), p=0.4, q=0.41, call="could not tell")
    return RecognitionReport(
        models=models,
        order=tuple(reversed(ids)),
        prompts=100,
        replies=100 * n,
        folds=10,
        columns=4835,
        accuracy=RATE,
        chance=1 / n,
        answers=Answers(RATE, RATE),
        answers_closed=Answers(RATE, NONE),
        strangers=RATE if n > 2 else None,
        confusion=tuple(tuple(row) for row in table),
        pairs=(close, *pairs[1:]),
        calibration=(Bin(0.9, 1.0, 10, 0.95, 0.96),),
        lengths=(ByLength(50, 600, 0.4, 0.01, None),),
        least_length=400,
        undefined=None if n > 2 else "two models only",
        params=PARAMS,
    )


def text_of(found: RecognitionReport, **changes: object) -> Attribution:
    chances = [0.95] + [0.03 / (len(found.models) - 1)] * (len(found.models) - 1)
    given = Attribution(
        call="named",
        model="m0",
        probability=0.95,
        characters=1234,
        read=1234,
        none=0.02,
        unlike=0.4,
        candidates=tuple(
            Candidate(model.model, model.name, chance)
            for model, chance in zip(found.models, chances, strict=True)
        ),
    )
    return replace(given, **changes)


def drawn(found: RecognitionReport, terminal: Terminal, text: Attribution | None = None) -> str:
    return printed(who_wrote_view(WhoWroteReport(found, text, PARAMS), terminal), terminal)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("n", [2, 5, 20, 74])
def test_no_line_is_wider_than_the_terminal(n: int, mode: str) -> None:
    """Nor is a colour code in what has none, nor a character beyond ASCII where there is only that."""
    for width in (40, 52, 60, 80, 100, 120, 200):
        terminal = replace(MODES[mode], width=width)
        for text in (None, text_of(report(n)), text_of(report(n), call="could not tell", model=None)):
            out = drawn(report(n), terminal, text)

            assert max(map(wcswidth, bare(out))) <= width
            assert ("\x1b" in out) == (terminal.colour != "none")
            assert out.isascii() or not terminal.ascii


def test_the_table_shows_per_cent_of_the_row_and_nothing_for_never() -> None:
    lines = bare(printed(confusion_view(["one", "two"], [[3, 1], [0, 7]], Terminal()), Terminal()))

    assert lines == [
        "Who wrote it (row), the name it got (column), % of the row",
        "         1   2",
        "one 1   75  25",
        "two 2    . 100",
    ]


def test_where_no_table_fits_the_most_frequent_confusions_are_listed() -> None:
    """Greatest first; the hint says the width at which the table fits, and there it does."""
    found = report(30)
    labels = [model.name for model in found.models]
    lines = bare(printed(confusion_view(labels, found.confusion, Terminal(width=80)), Terminal(width=80)))
    shares = [int(line.split("%")[0]) for line in lines if " taken for " in line]
    needed = int(next(line for line in lines if "--width" in line).split("--width ")[1].split()[0])

    assert lines[0] == "Most confused"
    assert shares == sorted(shares, reverse=True)
    assert len(shares) == 12
    wide = Terminal(width=needed)
    assert printed(confusion_view(labels, found.confusion, wide), wide).startswith("Who wrote it")
    narrow = Terminal(width=needed - 1)
    assert printed(confusion_view(labels, found.confusion, narrow), narrow).startswith("Most confused")


def test_pairs_that_cannot_be_told_apart_come_first_and_say_so() -> None:
    lines = bare(drawn(report(4), Terminal(width=120)))
    start = next(place for place, line in enumerate(lines) if line.startswith("Two at a time"))

    assert lines[start].startswith("Two at a time: 5 of 6 pairs told apart (q < .05)")
    assert lines[start + 1].startswith("  49% [71 75] ")
    assert lines[start + 1].endswith(", could not tell (q = .41)")


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("named", "wrote this, with a probability of .95."),
        ("could not tell", "Could not tell: no model has a probability of .9; the best has .95."),
        ("none of these", "None of these: the text fits none of the 5 models well. 0.3% of replies"),
        ("too short to say", "Too short to say: 1,234 characters, and below 400 fewer than 1 in 20"),
        ("too few prompts to say", "Too few prompts to say: 100; from 10 on a text is attributed."),
    ],
)
def test_each_verdict_has_its_words(call: str, says: str) -> None:
    """A name stands with its probability and with how often such names are right; only two verdicts list candidates."""
    found = report()
    out = " ".join(drawn(found, Terminal(width=200), text_of(found, call=call, unlike=0.003)).split())

    assert says in out
    assert ("none of these .02" in out) == (call in ("named", "could not tell"))
    assert ("left out" in out) == (call == "named")


def test_many_candidates_are_summed_up() -> None:
    found = report(20)
    lines = bare(drawn(found, Terminal(), text_of(found)))

    assert sum("━" in line or " .0" in line or "< .01" in line for line in lines) == 8 + 1 + 1
    assert any(line.startswith("  12 others") for line in lines)


def test_a_part_of_a_long_text_is_said_to_be_one() -> None:
    found = report()
    out = drawn(found, Terminal(), text_of(found, characters=2_000_000, read=200_000))

    assert "The first 200,000 of 2,000,000 characters were looked at." in out


def test_a_probability_is_never_printed_as_certain() -> None:
    assert [chance(value) for value in (1.0, 0.9951, 0.95, 0.005, 0.0049, 0.0)] == [
        *("> .99", "> .99", ".95", ".01", "< .01", "< .01")
    ]


def test_hostile_names_do_not_act() -> None:
    found = report(len(HOSTILE), list(HOSTILE))
    whole = WhoWroteReport(found, text_of(found), PARAMS)

    for width in (40, 80, 160):
        for text in (None, whole.text):
            out = drawn(found, Terminal(width=width), text)
            assert not acting(out)
            assert max(map(wcswidth, bare(out))) <= width
    assert not acting(to_markdown(*who_wrote_rows(whole)))
    assert not acting(to_csv(*who_wrote_rows(replace(whole, text=None))))


def test_tables_have_a_row_for_each_candidate_or_model() -> None:
    found = report(4)
    header, rows = who_wrote_rows(WhoWroteReport(found, None))
    assert [len(rows), {len(row) for row in rows}] == [4, {len(header)}]
    assert rows[0][header.index("accuracy")] == RATE.value
    header, rows = who_wrote_rows(WhoWroteReport(found, text_of(found)))
    assert [len(rows), {len(row) for row in rows}] == [4, {len(header)}]


def test_json_has_every_field_of_the_report() -> None:
    found = report()
    data = who_wrote_data(WhoWroteReport(found, text_of(found)))

    assert set(data["recognition"]) == {
        field for field in RecognitionReport.__slots__ if field not in ("params", "warnings")
    }
    assert set(data["text"]) == set(Attribution.__slots__)
    assert who_wrote_data(WhoWroteReport(found, None))["text"] is None

"""What a judge writes becomes a judgment or stays invalid; nothing is guessed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.lenses.judgments.reply import parse_reply
from stylekl.lenses.judgments.rubric import Scale

from .judgments_made import DIMENSIONS, SCALE, reply, text

CASES = Path("/work/shared/reference/judging/judge_replies.json")
SETTLED = Scale(("specificity", "posture", "depth", "actionability", "honesty"))
BASE = text()


def state(raw: str) -> str:
    found = parse_reply(raw, SCALE)
    return found.reason or ("ok" if not found.repairs else "+".join(found.repairs))


@pytest.mark.skipif(not CASES.exists(), reason="the collected replies of judges are not here")
def test_all_collected_replies_come_out_as_settled() -> None:
    """53 replies seen in the wild: sound, mended with the stated repair, or invalid for the stated reason."""
    cases = json.loads(CASES.read_text())

    assert len(cases) == 53
    for case in cases:
        found = parse_reply(case["raw"], SETTLED)
        said = "invalid" if not found.valid else "repairable" if found.repairs else "ok"

        assert said == case["expect"], case["id"]
        assert case.get("flag") in (None, found.reason, *found.repairs, *found.flags), case["id"]
        if "value" in case:
            assert {"verdict": found.verdict, "totals": found.totals} == case["value"], case["id"]


def test_a_sound_reply_needs_no_repair_and_keeps_braces_and_fences_in_its_texts() -> None:
    found = parse_reply(BASE, SCALE)

    assert (found.reason, found.repairs, found.flags, found.stated) == (None, (), (), None)
    assert found.scores == reply()["scores"]
    assert (found.totals, found.verdict) == ({"A": 12, "B": 9}, "A")


@pytest.mark.parametrize(
    ("raw", "repairs"),
    [
        (f"```json\n{BASE}\n```", "code_fence"),
        (f"Well:\n```\n{BASE}\n```\nThat is all {{of it}}.", "code_fence+prose"),
        (BASE[:-1] + ",}", "trailing_comma"),
        (BASE.replace('"totals"', '/* summed */ "totals"'), "comment"),
        (repr(reply()), "python_literal"),
        (f"[{BASE}]", "wrapped"),
        (json.dumps(BASE), "double_encoded"),
        (f"\ufeff{BASE}", "bom"),
        (f'<think>{{"verdict": "B"}}</think>{BASE}', "reasoning_block"),
        (text(verdict=" a\t"), "letter_case+whitespace"),
        (text(verdict="Response A"), "label_text"),
        (text(confidence=1), "extra_key"),
        (text(totals={"A": 13, "B": 9}), "wrong_total"),
        (text(totals=None), "missing_total"),
        (text(totals={"A": "12", "B": 9}), "string_number"),
        (text(justifications={}), "missing_text"),
        (text(a={"breadth": "4/5", "candour": 5, "rigour": 3}, totals={"A": 12, "B": 9}), "string_number"),
        (BASE[:-5], "missing_text+truncated"),
    ],
)
def test_what_can_only_mean_one_thing_is_mended_and_named(raw: str, repairs: str) -> None:
    assert state(raw) == repairs
    assert parse_reply(raw, SCALE).verdict == "A"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("", "empty"),
        ("\u200b\n", "empty"),
        ("I would rather not.", "no_json"),
        ("A>>B", "other_format"),
        (f"{BASE}\n{BASE}", "two_objects"),
        (f'{{"verdict": "B"}} or rather {BASE}', "two_objects"),
        (f"{BASE}\nNo: " + BASE[:-40], "two_objects"),
        (f"[{BASE}, {BASE}]", "two_objects"),
        (BASE[: BASE.index('"verdict"')], "truncated"),
        (BASE[:-1] + ', "verdict": "B"}', "duplicate_key"),
        (BASE.replace('"breadth": 4', '"breadth": 4, "breadth": 5', 1), "duplicate_key"),
        (BASE.replace('"scores"', '"SCORES": {}, "scores"', 1), "duplicate_key"),
        (BASE.replace('"breadth": 4', '"breadth": NaN', 1), "nan"),
        ("Here: " + BASE.replace('"breadth": 4', '"breadth": -Infinity', 1), "nan"),
        (text(a={"breadth": True, "candour": 5, "rigour": 3}), "bool_score"),
        (text(a={"breadth": 4.5, "candour": 5, "rigour": 3}), "fractional_score"),
        (text(a={"breadth": 4.0, "candour": 5, "rigour": 3}), "fractional_score"),
        (text(a={"breadth": 6, "candour": 5, "rigour": 3}), "out_of_range"),
        (text(a={"breadth": 0, "candour": 5, "rigour": 3}), "out_of_range"),
        (text(a={"breadth": "4/10", "candour": 5, "rigour": 3}, totals=None), "not_a_number"),
        (text(a={"breadth": "٤", "candour": 5, "rigour": 3}, totals=None), "not_a_number"),
        (text(a={"breadth": None, "candour": 5, "rigour": 3}, totals=None), "null_score"),
        (text(a={"breadth": [4], "candour": 5, "rigour": 3}, totals=None), "not_a_number"),
        (text(a={"breadth": 4, "candour": 5}), "missing_dimension"),
        (
            text(a=dict.fromkeys(DIMENSIONS, 0), b=dict.fromkeys(DIMENSIONS, 0), verdict="A, B or tie"),
            "template_echo",
        ),
        (text(verdict="AB"), "bad_verdict"),
        (text(verdict="neither"), "bad_verdict"),
        (text(verdict=["A"]), "bad_verdict"),
        (text(verdict="Response"), "bad_verdict"),
        (json.dumps({key: value for key, value in reply().items() if key != "verdict"}), "missing_verdict"),
        (json.dumps({"verdict": "A"}), "missing_scores"),
        (json.dumps(reply() | {"scores": [1, 2]}), "shape"),
        (BASE.replace('"A": {"breadth"', '"1": {"breadth"', 1), "relabelled"),
        ('{"a":' * 5000, "truncated"),
        ('{"a":' * 20 + BASE + "}" * 20, "missing_scores"),
        ('{"a":' * 20 + BASE + "}" * 20 + "!", "shape"),
        (f'{{"draft": no, "final": {BASE}}}', "shape"),
        (f"Scores in [braces: {BASE}", "shape"),
        ("x" * 1_000_001, "too_long"),
    ],
)
def test_what_breaks_the_contract_is_invalid_for_a_reason(raw: str, reason: str) -> None:
    found = parse_reply(raw, SCALE)

    assert found.reason == reason
    assert (found.scores, found.totals, found.verdict) == (None, None, None)


def test_totals_come_from_the_scores_and_a_stated_one_that_differs_is_kept() -> None:
    found = parse_reply(text(totals={"A": 15, "B": 9}), SCALE)

    assert (found.totals, found.stated, found.repairs) == (
        {"A": 12, "B": 9},
        {"A": 15, "B": 9},
        ("wrong_total",),
    )


@pytest.mark.parametrize("verdict", ["B", "tie"])
def test_a_verdict_against_the_totals_stands_and_is_flagged(verdict: str) -> None:
    found = parse_reply(text(verdict=verdict), SCALE)

    assert (found.verdict, found.flags, found.repairs) == (verdict, ("verdict_contradicts_totals",), ())


def test_a_further_dimension_is_dropped_and_does_not_count_in_the_total() -> None:
    found = parse_reply(text(a={"breadth": 4, "candour": 5, "rigour": 3, "wit": 5}), SCALE)

    assert (found.totals, found.repairs) == ({"A": 12, "B": 9}, ("extra_dimension",))


def sound(raw: str) -> bool:
    """Return whether a reply came out valid, having checked that it then holds all that a judgment needs."""
    found = parse_reply(raw, SCALE)
    if not found.valid:
        assert (found.scores, found.totals, found.verdict) == (None, None, None)
        return False
    assert found.verdict in ("A", "B", "tie")
    assert found.scores is not None
    assert found.totals is not None
    for side in ("A", "B"):
        assert found.scores[side].keys() == set(DIMENSIONS)
        assert all(type(score) is int and 1 <= score <= 5 for score in found.scores[side].values())
        assert found.totals[side] == sum(found.scores[side].values())
    return True


@given(
    st.text()
    | st.text(alphabet="{}[]\"',:\\ \n/*AB12345tie")
    | st.binary().map(lambda b: b.decode("latin-1"))
)
def test_no_text_makes_the_parser_fail(raw: str) -> None:
    sound(raw)


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 9)
    | st.floats()
    | st.sampled_from(["A", "B", "tie", "4", "5/5", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["scores", "verdict", "totals", "A", "B", *DIMENSIONS]), inner, max_size=4
        )
    ),
    max_leaves=20,
)


@given(values, values, st.sampled_from(["A", "B", "tie"]))
def test_no_json_of_another_shape_makes_a_verdict(one: Any, other: Any, verdict: str) -> None:
    """Scores that are not all whole numbers from 1 to 5 on every dimension, as JSON has them, give nothing."""
    raw = json.dumps({"scores": {"A": one, "B": other}, "verdict": verdict})

    def fits(value: Any) -> bool:
        return isinstance(value, dict) and all(
            (type(score) is int and 1 <= score <= 5) or score in ("4", "5/5")
            for score in (value.get(name) for name in DIMENSIONS)
        )

    assert sound(raw) == (fits(one) and fits(other) and "NaN" not in raw and "Infinity" not in raw)


def test_no_beginning_of_a_reply_changes_its_verdict() -> None:
    """Cut anywhere, a reply is invalid until its verdict has come whole, and then it is that verdict."""
    for verdict in ("A", "B", "tie"):
        whole = text(verdict=verdict)
        complete = whole.index('"verdict_reason"')
        for end in range(len(whole)):
            found = parse_reply(whole[:end], SCALE)

            assert found.verdict in (None, verdict)
            assert found.valid or end < len(whole)
            if end < complete - 2:
                assert not found.valid


@given(st.sets(st.integers(0, len(BASE) - 1), min_size=1, max_size=3), st.sampled_from(["A", "B", "tie"]))
def test_a_reply_that_lost_characters_gives_its_verdict_and_scores_or_nothing(
    lost: set[int], verdict: str
) -> None:
    whole = text(verdict=verdict)
    found = parse_reply("".join(mark for place, mark in enumerate(whole) if place not in lost), SCALE)

    if found.valid:
        assert found.verdict == verdict
        assert found.scores == reply()["scores"]


BREAKING = st.sampled_from(
    [
        lambda raw: raw[:-1] + ', "verdict": "tie"}',
        lambda raw: raw + raw,
        lambda raw: raw.replace('"rigour": 3', '"rigour": 7', 1),
        lambda raw: raw.replace('"rigour": 3', '"rigour": true', 1),
        lambda raw: raw.replace('"rigour": 3', '"rigour": NaN', 1),
        lambda raw: raw.replace('"rigour": 3', '"vigour": 3', 1),
        lambda raw: raw.replace('"rigour": 3', '"rigour": "three"', 1),
        lambda raw: raw.replace('"verdict": "A"', '"verdict": "A | B | tie"', 1),
    ]
)
WRAPPING = st.sampled_from(
    [
        str,
        lambda raw: f"```json\n{raw}\n```",
        lambda raw: f"So: {raw} Done.",
        lambda raw: f"<think>{{</think>{raw}",
    ]
)


@given(BREAKING, WRAPPING)
def test_what_breaks_the_contract_breaks_it_in_any_wrapping(breaks: Any, wraps: Any) -> None:
    assert parse_reply(wraps(BASE), SCALE).verdict == "A"
    assert not sound(wraps(breaks(BASE)))


def test_a_rubric_of_seven_dimensions_and_ten_points_is_read_alike() -> None:
    scale = Scale(tuple("abcdefg"), 1, 10)
    own = dict.fromkeys(scale.dimensions, 10)
    raw = json.dumps(
        {
            "scores": {"A": own, "B": own},
            "totals": {"A": 70, "B": 70},
            "verdict": "tie",
            "verdict_reason": "x",
        }
        | {"justifications": {"a": "x"}}
    )

    assert parse_reply(raw, scale).totals == {"A": 70, "B": 70}
    assert parse_reply(raw, Scale(scale.dimensions)).reason == "out_of_range"

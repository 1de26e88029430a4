"""The findings on a terminal: what is chosen, how it is set, and that nothing from a file acts."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from wcwidth import wcswidth

from stylekl.lenses.style import findings
from stylekl.show.findings import chosen, findings_data, findings_rows, findings_view
from stylekl.show.tables import to_csv
from tests.lenses.make import make_results

from .factory import HOSTILE
from .output import MODES, acting, bare, printed

WRITERS = {"one": ("delve", 0.1), "three": ("delve", 0.02), "two": ("honestly", 0.1), "zero": ("delve", 0.1)}


@cache
def report():
    """Return the findings of four writers, two of whom differ in nothing."""
    return findings(make_results(WRITERS, prompts=60))


@cache
def hostile_report():
    """Return the same writers under names that would act on a terminal, and so their words."""
    results = make_results({f"m{i}": (f"del{text}ve", 0.05 * (i % 3)) for i, text in enumerate(HOSTILE[:8])})
    for model, name in zip(results.models, HOSTILE[-8:], strict=True):
        model.name = name
    return findings(results)


def lines(found, *, mode="none", width=80, most=12):
    terminal = replace(MODES[mode], width=width)
    return bare(printed(findings_view(found, terminal, most=most), terminal))


@pytest.mark.parametrize("mode", MODES)
def test_no_line_exceeds_the_width_and_nothing_acts(mode):
    for width in (40, 47, 60, 80, 100, 120, 200):
        for found in (report(), hostile_report()):
            out = lines(found, mode=mode, width=width, most=50)

            assert max(map(wcswidth, out)) <= width
            assert not acting("\n".join(out))
            assert mode != "ascii" or "".join(out).isascii()


def test_leads_are_bold_and_sentences_hang():
    terminal = replace(MODES["16"], width=60)
    out = printed(findings_view(report(), terminal), terminal)

    assert out.startswith(
        "\x1b[1mSupported\x1b[0m, strongest first\n  \x1b[1mClosest\x1b[0m \x1b[1mpair.\x1b[0m one"
    )
    assert "  \x1b[1mApart.\x1b[0m 5 of 6 pairs of models write differently" in out
    assert "\n\x1b[1mNot\x1b[0m \x1b[1msupported\x1b[0m\n" in out
    assert all(line.startswith("    ") for line in bare(out)[2:4])


def test_the_words_are_those_of_the_report():
    out = " ".join(" ".join(lines(report(), width=200, most=200)).split())

    for found in report().findings:
        assert f"{found.lead}. {found.text}" in out
    for lacking in report().not_supported:
        assert f"{lacking.text} {lacking.why}" in out


def test_a_symbol_of_white_space_is_shown_as_what_it_is():
    """In the text as an escape, on a terminal as an arrow."""
    found = next(each for each in report().findings if each.kind == "tell")
    told = replace(found, evidence={**found.evidence, "symbol": ".\n\n"})

    assert '".⏎⏎"' in " ".join(lines(replace(report(), findings=(told,)), width=200))
    assert r'".\n\n"' in " ".join(lines(replace(report(), findings=(told,)), width=200, mode="ascii"))


def test_the_strongest_of_each_kind_are_chosen_first_and_stand_strongest_first():
    kinds = {found.kind for found in report().findings}
    kept = chosen(report().findings, len(kinds))

    assert {found.kind for found in kept} == kinds
    assert kept == sorted(kept, key=report().findings.index)
    assert len(kept) == len(kinds)
    assert chosen(report().findings, 10_000) == list(report().findings)


def test_what_is_not_shown_is_counted_by_kind():
    total = len(report().findings)
    out = " ".join(" ".join(lines(report(), most=1, width=200)).split())

    assert f"and {total - 1} more (tell " in out
    assert "--most shows more, --json all" in out


def test_where_nothing_is_found_it_says_so():
    out = lines(replace(report(), findings=(), not_supported=()))

    assert out[0] == "Supported"
    assert out[1].startswith("  Nothing, of ")
    assert "Not supported" not in out


def test_the_json_has_what_the_report_has():
    data = findings_data(report())

    assert [each["text"] for each in data["findings"]] == [each.text for each in report().findings]
    assert list(data["findings"][0]) == [
        "kind",
        "lens",
        "lead",
        "text",
        "models",
        "evidence",
        "q",
        "strength",
    ]
    assert list(data["not_supported"][0]) == ["kind", "lens", "text", "why", "models", "evidence"]


def test_the_table_has_a_row_for_each_sentence():
    header, rows = findings_rows(report())

    assert len(rows) == len(report().findings) + len(report().not_supported)
    assert all(len(row) == len(header) for row in rows)
    assert to_csv(header, rows).startswith("supported,kind,lens,text,why,models,q,strength\ntrue,")

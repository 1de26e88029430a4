"""Reports built by hand: small, deterministic, with every kind of value that a view must survive."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from stylekl.lenses.reports import (
    ClassTotal,
    Context,
    Copy,
    Estimate,
    FacetLine,
    FocusReport,
    MatrixReport,
    ModelRow,
    Neighbour,
    PairReport,
    StyleFocusReport,
    StylePair,
    StylePairReport,
    Tell,
    Vocabulary,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

NAMES = (
    "Alder 3",
    "Birch 5",
    "Gemini 3.1 Pro",
    "Grok 5",
    "Nova Premier 2",
    "GPT-5.6 Sol",
    "Mistral Large 3",
    "Claude Opus 4.8",
    "Qwen4-235B-A22B",
    "Llama 4 Maverick",
    "文心一言 5.0",
    "DeepSeek V4",
)
VOCABULARY = Vocabulary("tokens", 1312, 0.02, 0.71, "file")
HOSTILE = (
    "[/]",
    "[link=file:///etc/passwd]x[/link]",
    ":smile: [bold red]",
    "a\x1b]8;;http://x\x1b\\b",
    "a\x1b]52;c;aGk=\x07b",
    "\x1b]0;title",
    "\x1b[31mred",
    "\x9b31mred\x85",
    "over\rwritten\x08\x00\x7f",
    "abc\u202edcb\u2066x",
    "zero\u200bwidth\u00ad",
    "lone\ud800surrogate\udfff",
    "tag\U000e0041\U000e007f",
    "line\nfeed\ttab\u2028sep",
    "=HYPERLINK(1)|`x`<b>",
    "👩\u200d👩\u200d👧 family\u200d",
    "e\u0301te\u0301 한국어 🇩🇪",
    "",
)


def names(n: int) -> list[str]:
    """Return `n` names, different from each other; some only at their very end."""
    return [NAMES[i % 12] + ("" if i < 12 else f" preview {i // 12}") for i in range(n)]


def estimate(value: float, width: float = 0.02) -> Estimate:
    """Return an estimate with an interval of half this width on either side."""
    return Estimate(value, value + 0.02, value - width, value + width, width / 2, value + 0.8 * width)


def model(i: int, name: str, left_out: dict[str, int] | None = None) -> ModelRow:
    """Return the row of a model with the id `m<i>`."""
    return ModelRow(f"m{i:02}", name, 805, 805, 160_000 + i, left_out or {})


def pair(a: str, b: str, there: float, back: float, **changes: Any) -> StylePair:
    """Return a pair that is apart unless the changes say otherwise."""
    values: dict[str, Any] = {
        "prompts": 805,
        "unit": "prompt",
        "units": 805,
        "groups": 20,
        "kl_ab": estimate(there),
        "kl_ba": estimate(back),
        "js": estimate(min(there, back) / 4, 0.005),
        "kinship": None,
        "floor": 0.004,
        "p": 0.00000095,
        "q": 0.0000012,
        "call": "apart",
        "copies": 0,
        "length_ratio": 1.2,
        "length_rule": False,
        "se_prompts": None,
        "undefined": None,
    }
    return StylePair(a, b, **(values | changes))


def _special(i: int, j: int) -> dict[str, Any]:
    if (i, j) == (0, 1):
        return {
            "p": 0.31,
            "q": 0.41,
            "call": "too close to call",
            "copies": 12,
            "kl_ab": estimate(-0.001, 0.006),
        }
    if (i, j) == (1, 3):
        nothing = dict.fromkeys(("kl_ab", "kl_ba", "js", "floor", "p", "q"))
        return {**nothing, "call": "cannot say", "undefined": "no prompt in common", "prompts": 0}
    return {}


def matrix(n: int, labels: Sequence[str] | None = None, **changes: Any) -> MatrixReport:
    """Return the report of `n` models placed at random in the plane, ordered along it."""
    at = random.Random(7)
    places = sorted((at.random(), at.random()) for _ in range(n))
    shown = list(labels or names(n))
    models = [model(i, name, {"refusal": 3, "empty": 1} if i == 2 else None) for i, name in enumerate(shown)]
    pairs = []
    for i in range(n):
        for j in range(i + 1, n):
            (x, y), (v, w) = places[i], places[j]
            far = 0.01 + abs(x - v) * 0.45 + abs(y - w) * 0.1
            pairs.append(pair(models[i].id, models[j].id, far, far * 1.07, **(_special(i, j) | changes)))
    third = max(1, n // 3)
    order = tuple(row.id for row in models)
    clusters = tuple(order[i : i + third] for i in range(0, n, third))
    params = {"skew": 0.99}
    return MatrixReport(
        "style", "kl", "bits per token", tuple(models), order, tuple(pairs), VOCABULARY, clusters, params
    )


def contexts(symbol: str, models: Sequence[str]) -> tuple[Context, ...]:
    """Return a place of the symbol for each model, in replies to different prompts."""
    around = [
        ("There is more to it.\n\nLet us", " into the rich, layered story of how it all began, and see."),
        ("I", " at once"),
        ("夜は短し歩けよ乙女、 夜は短し歩けよ乙女、", "の話をしましょう。面白い物語です。"),
        (
            "What a long sentence this is, which goes on and on and will not",
            " before the end of it is reached.",
        ),
    ]
    found = []
    for number, (model_id, (before, after)) in enumerate(zip(models, around, strict=False)):
        start = len(before)
        text = before + symbol + after
        found.append(Context(model_id, f"p{number}", text, start, start + len(symbol)))
    return tuple(found)


def tell(symbol: str, more: str, lift: float | None, kind: str = "content words", **changes: Any) -> Tell:
    """Return a tell of the model with the id `more`; side a is m00."""
    times = (812, 58 if lift else 0)
    prompts = (301, 40 if lift else 0)
    if more != "m00":
        times, prompts = times[::-1], prompts[::-1]
    example = f"Let us{symbol} into the rich, layered story of how it all began, and see where it leads."
    values: dict[str, Any] = {
        "low": lift and lift * 0.7,
        "high": lift and lift * 1.4,
        "bits": 0.0052,
        "share": 0.04,
        "q": 0.0004,
        "example": example,
        "span": (6, 6 + len(symbol)),
        "contexts": contexts(symbol, [more] * 3 + (["m01" if more == "m00" else "m00"] if lift else [])),
    }
    return Tell(
        symbol,
        "tokens",
        kind,
        more,
        lift,
        bits=values["bits"],
        share=values["share"],
        rate_a=times[0] / 40_000,
        rate_b=times[1] / 40_000,
        count_a=times[0],
        count_b=times[1],
        prompts_a=prompts[0],
        prompts_b=prompts[1],
        **{key: (values | changes)[key] for key in ("low", "high", "q", "example", "span", "contexts")},
    )


def tells(other: str) -> tuple[Tell, ...]:
    """Return tells of both sides: words, layout, white space, and some that one side never uses."""
    mine = [(" delve", 14.2), (" tapestry", 11.1), ("—", 8.4), (" not just", 6.1), (" Certainly", 5.0)]
    mine += [("\n\n###", 4.4), (" nuanced", 3.9), (" multifaceted", 3.2), (" **", 2.8)]
    theirs = [
        (" honestly", 21.0),
        (" kind of", 9.3),
        ("…", 7.7),
        (" yeah", 5.2),
        ("\t", 4.1),
        ("说实话", 3.6),
    ]
    rows = [tell(symbol, "m00", lift) for symbol, lift in mine]
    rows += [tell(symbol, other, lift) for symbol, lift in theirs]
    return (*rows, tell(" testament", "m00", None), tell(" lol", other, None))


CLASSES = (
    ClassTotal("layout", 0.061, 0.050, 0.47, 0.36),
    ClassTotal("function words", 0.034, 0.041, 0.26, 0.29),
    ClassTotal("content words", 0.023, 0.030, 0.18, 0.21),
    ClassTotal("punctuation", 0.013, 0.019, 0.10, 0.14),
    ClassTotal("emoji", -0.001, 0.0, -0.01, 0.0),
    ClassTotal("numbers", 0.0, 0.0, 0.0, 0.0),
    ClassTotal("other", 0.0, 0.002, 0.0, 0.0),
)


def facet(name: str, there: float, back: float | None, **changes: Any) -> FacetLine:
    """Return the line of a facet that is apart unless the changes say otherwise."""
    values: dict[str, Any] = {
        "unit": name.removesuffix("s"),
        "symbols": 120,
        "coverage": 0.6,
        "kl_ab": estimate(there),
        "kl_ba": None if back is None else estimate(back),
        "floor": 0.01,
        "p": 0.00000095,
        "q": 0.0000012,
        "call": "apart",
    }
    return FacetLine(name, **(values | changes))


def facets(*, both: bool = True) -> tuple[FacetLine, ...]:
    """Return the lines of facets that are apart, too close to call, and without a value; one direction or both."""
    close: dict[str, Any] = {"p": 0.31, "q": 0.41, "call": "too close to call", "floor": 0.02}
    nothing = dict.fromkeys(("kl_ab", "kl_ba", "floor", "p", "q"))
    return (
        facet("tokens", 0.13, 0.142 if both else None),
        facet("words", 0.08, 0.09 if both else None, floor=0.02),
        facet("layout", 1.21, 1.4 if both else None),
        facet("rhythm", -0.002, -0.001 if both else None, **close),
        facet("openings", 0.0, None, **nothing, call="cannot say", undefined="no symbol is common enough"),
    )


def copied(n: int) -> tuple[Copy, ...]:
    """Return `n` replies that two models share, two of them to one prompt."""
    text = "The quick brown fox jumps over the lazy dog,\nand then it does so again. " * 6
    return tuple(Copy(f"p{max(i, 1)}", 1412 - i, text[:200]) for i in range(n))


def pair_report(a: str = "Alder 3", b: str = "Birch 5", **changes: Any) -> PairReport:
    """Return the report of two models that are apart unless the changes say otherwise."""
    compared = pair("m00", "m01", 0.13, 0.142, **changes)
    shared = copied(compared.copies)
    style = StylePairReport(compared, tells("m01"), CLASSES, 1311, facets=facets(), copied=shared)
    return PairReport(model(0, a, {"refusal": 3}), model(1, b), style, VOCABULARY)


def focus_report(n: int = 10, labels: Sequence[str] | None = None, rank_by: str = "kl") -> FocusReport:
    """Return the report of one model among `n` others: the nearest too close to call, the last unknown."""
    shown = list(labels or names(n + 1))
    at = [-0.001, 0.16, 0.35, 0.351, 0.36, 0.38, 0.40, 0.43, 0.47, 0.54]
    ranges = [(1, 1), (2, 2), (3, 6), (3, 6), (3, 6), (3, 6), (7, 8), (7, 8), (9, 9), (10, 10)]
    neighbours = []
    for i in range(n):
        value = at[i] if i < 10 else 0.54 + 0.004 * i
        low, high = ranges[i] if i < 10 else (i + 1, i + 1)
        missing = i == n - 1 and n > 3
        found = None if missing else estimate(value, 0.006 if value < 0 else 0.02)
        neighbours.append(
            Neighbour(
                f"m{i + 1:02}",
                shown[i + 1],
                None if missing else i + 1,
                None if missing else low,
                None if missing else high,
                found,
                None if missing else estimate(max(value, 0.0) / 4, 0.005),
                None,
                None if missing else 0.02 + 0.001 * i,
                None if missing else 0.31 if i == 0 else 0.000001,
                None if missing else 0.41 if i == 0 else 0.000002,
                "cannot say" if missing else "too close to call" if i == 0 else "apart",
                0 if missing else 805,
                12 if i == 0 else 0,
                undefined="no prompt in common" if missing else None,
            )
        )
    style = StyleFocusReport(
        rank_by,
        tuple(neighbours),
        tells("others"),
        CLASSES,
        estimate(0.21),
        1311,
        facets=facets(both=False),
    )
    return FocusReport(model(0, shown[0]), style, VOCABULARY)

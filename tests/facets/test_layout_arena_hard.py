"""The layout of 2,650 real replies against the counts that Arena-Hard publishes with them.

Their rule is a handful of regular expressions over the reply without its fenced code. Each of its matches, and each of
our elements, has a place in the reply; those that share a place agree, and every other one has a reason, which is
checked where it stands.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from stylekl.facets.layout import spans, symbols

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

KOREAN = "arena_hard_ko/model_answer"
FILES = {
    "claude": f"{KOREAN}/claude-3.7-sonnet(thinking).jsonl",
    "deepseek": f"{KOREAN}/deepseek-chat-v3-0324.jsonl",
    "gpt-4.1": f"{KOREAN}/gpt-4.1-2025-04-14.jsonl",
    "llama": f"{KOREAN}/llama-4-maverick.jsonl",
    "o4-mini": f"{KOREAN}/o4-mini-high.jsonl",
    "o3-mini": "arena_hard_v2/model_answer/o3-mini-2025-01-31.head150.jsonl",
}

# Their rule, and where in a match the element itself stands.
RULES = {
    **{f"heading {level}": re.compile(rf"^()#{{{level}}}\s", re.MULTILINE) for level in range(1, 7)},
    "ordered": re.compile(r"^(\s*)\d+\.\s", re.MULTILINE),
    "unordered": re.compile(r"^(\s*)[-*+]\s", re.MULTILINE),
    "bold **": re.compile(r"()\*\*[^*\n]+\*\*"),
    "bold __": re.compile(r"()__[^_\n]+__"),
}
OURS = {"ordered": "numbered item", "unordered": "bullet", "bold **": "bold", "bold __": "bold"}


ATX = re.compile(r"#{1,6}(?=\s|\Z)")


def replies(path: Path) -> Iterator[tuple[str, dict[str, int]]]:
    for line in path.read_text(encoding="utf-8").rstrip("\n").split("\n"):
        record = json.loads(line)
        if "choices" in record:
            text, counts = record["choices"][0]["turns"][0]["content"], record["conv_metadata"]
        else:
            answer = next(m["content"] for m in record["messages"] if m["role"] == "assistant")
            text, counts = answer["answer"], record["metadata"]
        headings = {f"heading {name[1]}": count for name, count in counts["header_count"].items()}
        bold = {f"bold {name}": count for name, count in counts["bold_count"].items()}
        yield text, {**headings, **counts["list_count"], **bold}


@pytest.fixture(scope="module", params=FILES)
def file(request, shared) -> tuple[str, list[Reading]]:
    every = replies(shared / "data" / "formats" / FILES[request.param])
    return request.param, [Reading(text, published) for text, published in every]


def without_code(text: str) -> tuple[str, list[int]]:
    """What their rule looks at, and where each character of it stands in the reply.

    What stands between two fences goes, wherever in the reply the same stands again; the fences stay.
    """
    seen, places = text, list(range(len(text)))
    for inside in filter(None, re.findall(r"```([^`]*)```", text)):
        starts = [match.start() for match in re.finditer(re.escape(inside), seen)]
        for start in reversed(starts):
            del places[start : start + len(inside)]
        seen = seen.replace(inside, "")
    return seen, places


@dataclass
class Reading:
    """A reply as both sides read it."""

    text: str
    published: dict[str, int]
    seen: str = field(init=False)  # what their rule looks at
    places: list[int] = field(init=False)  # where that stands in the reply
    ours: list[tuple[str, int, int]] = field(init=False)

    def __post_init__(self) -> None:
        self.seen, self.places = without_code(self.text)
        self.ours = spans(self.text)

    def theirs(self, kind: str) -> dict[int, re.Match[str]]:
        """Place in the reply -> match."""
        return {self.places[m.end(1)]: m for m in RULES[kind].finditer(self.seen)}

    def found(self, kind: str) -> dict[int, int]:
        """Where each of our elements of a kind begins -> where it ends."""
        wanted = OURS.get(kind, kind)
        marker = kind.split()[1] if kind.startswith("bold") else ""
        return {
            low: high for name, low, high in self.ours if name == wanted and self.text.startswith(marker, low)
        }


def test_their_rule_gives_the_published_counts(file):
    _, every = file

    for reading in every:
        assert {kind: len(rule.findall(reading.seen)) for kind, rule in RULES.items()} == reading.published


@dataclass
class Lone:
    """An element that one side has and the other lacks."""

    reading: Reading
    at: int  # where it begins in the reply
    end: int = 0  # where ours ends
    match: str = ""  # theirs
    around: tuple[str, str] = ("", "")  # the characters before and behind theirs

    @property
    def text(self) -> str:
        """The reply."""
        return self.reading.text

    @property
    def source(self) -> str:
        """Ours, as the reply has it."""
        return self.text[self.at : self.end]

    @property
    def line_before(self) -> str:
        """What stands before it on its line."""
        return self.text[self.text.rfind("\n", 0, self.at) + 1 : self.at]

    @property
    def gone(self) -> bool:
        """Whether their rule took it away with what it holds for code."""
        return self.at not in self.reading.places

    @property
    def is_atx(self) -> bool:
        """Whether hash signs begin there, as they begin a heading."""
        return ATX.match(self.text, self.at) is not None

    @property
    def goes_on(self) -> bool:
        """Whether a further line of a paragraph begins there."""
        return any(name == "line break" and high == self.at for name, _, high in self.reading.ours)

    @property
    def underlines(self) -> bool:
        """Whether it stands in a heading that is underlined."""
        return any(
            name.startswith("heading") and low < self.at < high and not ATX.match(self.text, low)
            for name, low, high in self.reading.ours
        )

    def inside(self, wanted: str) -> bool:
        """Whether it stands in one of our elements."""
        return any(name == wanted and low <= self.at < high for name, low, high in self.reading.ours)


# Why theirs is none of ours. Their rule takes code for text where it holds backticks or is fenced by indentation.
IN_CODE = {"in code that their rule does not see": lambda one: one.inside("code block")}
THEIRS_ONLY: dict[str, dict[str, Callable[[Lone], bool]]] = {
    "heading": IN_CODE,
    "list": {
        **IN_CODE,
        "underlines a heading": lambda one: one.underlines,
        "a space beside the marker that is not ASCII's": lambda one: (
            one.match[-1] not in " \t\n" or re.search(r"[^ \t]", one.line_before) is not None
        ),
        "goes on a paragraph: begins with another number than 1": lambda one: (
            one.goes_on and re.match(r"(?!0*1\.)\d", one.text[one.at :]) is not None
        ),
        "goes on a paragraph: four columns in": lambda one: (
            one.goes_on and len(one.line_before.expandtabs(4)) >= 4
        ),
    },
    "bold": {
        **IN_CODE,
        "in inline code": lambda one: one.inside("inline code"),
        "a space inside the markers": lambda one: one.match[2].isspace() or one.match[-3].isspace(),
        "part of a longer run of markers": lambda one: one.match[0] in one.around,
        "closes between punctuation and a letter": lambda one: (
            not one.match[-3].isalnum() and one.around[1].isalnum()
        ),
    },
}
# Why ours is none of theirs. Their rule takes text for code where backticks pair otherwise than they mean.
GONE = {"gone with what is no code": lambda one: one.gone}
OURS_ONLY: dict[str, dict[str, Callable[[Lone], bool]]] = {
    "heading": {
        "underlined": lambda one: not one.is_atx and re.search(r"\n[ \t>]*(=+|-+)\Z", one.source) is not None,
        "indented": lambda one: one.is_atx and one.line_before.isspace(),
        **GONE,
    },
    "list": {
        "marked with a parenthesis": lambda one: re.match(r"\d+\)", one.source) is not None,
        "in a quote": lambda one: one.line_before.lstrip().startswith(">"),
        **GONE,
    },
    "bold": {
        "holds an asterisk": lambda one: "*" in one.source[2:-2],
        "begins where a pair of theirs ends": lambda one: any(
            one.reading.places[match.end() - 2] == one.at
            for match in one.reading.theirs(f"bold {one.source[:2]}").values()
        ),
        "part of a longer run of markers": lambda one: (
            one.source[0]
            in (one.text[one.at - 1 : one.at], one.source[2], one.source[-3], one.text[one.end : one.end + 1])
        ),
        "spans lines": lambda one: "\n" in one.source,
        **GONE,
    },
}


def reasons(reading: Reading, kind: str) -> Iterator[str]:
    """Yield why each place that only one side has is not the other's; "unexplained: …" where nothing holds."""
    theirs, ours = reading.theirs(kind), reading.found(kind)
    group = "list" if kind.endswith("ordered") else kind.split(maxsplit=1)[0]
    for at in sorted(theirs.keys() ^ ours.keys()):
        if at in ours:
            side, checks, one = "ours", OURS_ONLY[group], Lone(reading, at, end=ours[at])
        else:
            match = theirs[at]
            around = (
                reading.seen[match.start() - 1 : match.start()],
                reading.seen[match.end() : match.end() + 1],
            )
            side, checks, one = "theirs", THEIRS_ONLY[group], Lone(reading, at, match=match[0], around=around)
        why = (f"{side}: {name}" for name, holds in checks.items() if holds(one))
        yield next(
            why, f"unexplained: {side}, {reading.text[at - 40 : at]!r} >> {reading.text[at : at + 60]!r}"
        )


def compare(every: list[Reading]) -> tuple[dict[str, int], Counter[tuple[str, str]]]:
    """In how many replies each kind differs, and how often each reason holds there."""
    unequal: Counter[str] = Counter()
    why: Counter[tuple[str, str]] = Counter()
    for reading in every:
        for kind in RULES:
            found = list(reasons(reading, kind))
            unequal[kind] += bool(found)
            why.update((kind, reason) for reason in found)
    return dict(+unequal), why


# Replies, of 500 and of 150, whose elements of a kind do not all have the same places on both sides.
UNEQUAL = {
    "claude": {"heading 2": 6, "heading 3": 1, "ordered": 3, "unordered": 2, "bold **": 1, "bold __": 3},
    "deepseek": {"heading 2": 7, "heading 3": 3, "ordered": 3, "unordered": 7, "bold **": 6, "bold __": 2},
    "gpt-4.1": {"heading 1": 1, "heading 2": 1, "heading 3": 1, "unordered": 8, "bold **": 3, "bold __": 1},
    "llama": {"heading 1": 34, "heading 2": 15, "heading 4": 1, "ordered": 4, "unordered": 2}
    | {"bold **": 3, "bold __": 5},
    "o4-mini": {
        "heading 1": 6,
        "heading 2": 6,
        "heading 3": 1,
        "ordered": 199,
        "unordered": 12,
        "bold __": 8,
    },
    "o3-mini": {"heading 1": 3, "heading 2": 55, "ordered": 14, "unordered": 6, "bold **": 2, "bold __": 4},
}


def test_every_difference_has_a_reason(file):
    """Reply by reply: an element has the same place on both sides, or a reason why one side lacks it."""
    name, every = file

    unequal, why = compare(every)

    assert [reason for _, reason in why if reason.startswith("unexplained")] == []
    assert unequal == UNEQUAL[name]


def test_places_stand_for_all_that_is_counted(file):
    _, every = file

    for reading in every:
        counts = Counter(symbols(reading.text))
        placed = {kind: len(reading.found(kind)) for kind in RULES}
        assert placed["bold **"] + placed["bold __"] == counts["bold"]
        assert all(placed[kind] == counts[OURS.get(kind, kind)] for kind in RULES if "bold" not in kind)

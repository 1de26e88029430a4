"""The layout facet: what it counts, that its short cut is exact, and that nothing can hurt it."""

from __future__ import annotations

import gzip
import json
import re
import time
import unicodedata
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned

from stylekl.facets.layout import CLASSES, class_of, spans, symbols
from stylekl.facets.layout_lines import LONGEST, Lines, marks

TOKENS = {f"h{level}": f"heading {level}" for level in range(1, 7)} | {
    "fence": "code block",
    "code_block": "code block",
    "hr": "rule",
    "code_inline": "inline code",
    "blockquote_open": "quote",
    "table_open": "table",
    "tr_open": "table row",
    "strong_open": "bold",
    "em_open": "italics",
    "s_open": "strikethrough",
    "softbreak": "line break",
    "hardbreak": "line break",
    "link_open": "link",
    "image": "image",
}


# White space, but for what only Python takes for it.
SPACES = "".join({*filter(str.isspace, map(chr, range(0x3001)))} - {*"\x1c\x1d\x1e\x1f\x85"})


class CjkState(StateInline):
    """CommonMark's flanking rule, and beside CJK text the one that its issue 650 proposes."""

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N802
        """Return whether a run of markers may open and close, and its length."""
        run = len(self.src[start : self.posMax]) - len(self.src[start : self.posMax].lstrip(self.src[start]))
        sides = (" " + self.src[:start])[-1], (self.src[: self.posMax] + " ")[start + run]
        space = [side in "\t\n\v\f\r" or unicodedata.category(side) == "Zs" for side in sides]
        sign = [unicodedata.category(side)[0] in "PS" for side in sides]
        cjk = any(map(self._is_cjk, sides))
        left = not space[1] and (not sign[1] or space[0] or sign[0] or cjk)
        right = not space[0] and (not sign[0] or space[1] or sign[1] or cjk)
        return Scanned(
            left and (canSplitWord or not right or sign[0]),
            right and (canSplitWord or not left or sign[1]),
            run,
        )

    @staticmethod
    def _is_cjk(character: str) -> bool:
        wide = unicodedata.east_asian_width(character) in "WFH" and unicodedata.category(character) != "So"
        return wide or unicodedata.name(character, "").startswith("HANGUL")


def parser(state: type[StateInline]) -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])

    def parse(content, _markdown, environment, tokens):
        found = state(content, markdown, environment, tokens)
        markdown.inline.tokenize(found)
        for rule in markdown.inline.ruler2.getRules(""):
            rule(found)
        return found.tokens

    markdown.inline.parse = parse
    return markdown


STOCK, CJK = parser(StateInline), parser(CjkState)


def parsed(text: str, markdown: MarkdownIt = STOCK) -> Counter[str]:
    """The same elements, from a parse of the whole text."""
    found = []
    before = ""
    for token in markdown.parse(text):
        if token.type == "list_item_open":
            found.append("numbered item" if token.markup in ".)" else "bullet")
        elif token.type == "heading_open":
            found.append(TOKENS[token.tag])
        elif token.type == "paragraph_open":
            found += [] if token.hidden else ["paragraph"]
        else:
            found += [TOKENS[one.type] for one in (token, *(token.children or ())) if one.type in TOKENS]
        if token.type == "inline" and before not in ("th_open", "td_open"):
            found += filter(None, map(typed, token.content.split("\n")))
        before = token.type
    return Counter(found or (["paragraph"] if text.strip() else []))


def typed(line: str) -> str | None:
    line = line.strip(SPACES)
    if line[:1] in {*"•・･·∙◦‣⁃▪▫■□●○◉◆◇►▶▸➤➢＊\uf0b7"}:
        return "typed bullet"
    if {*line} <= {*"─━═┄┈╌—–―"} and line:
        return "typed rule"
    if line[:1] in {*"–—―－"}:
        return "leading dash"
    digit, kanji = "[0-9０-９]", "[一二三四五六七八九十]"
    full = f"{digit}{{1,3}}[．、）]|[０-９]{{1,3}}[.)]|{kanji}{{1,3}}、|[①-⓿❶-➓]|（({digit}|{kanji}){{1,3}}）"
    return "typed number" if re.match(rf"{full}|(\(\d{{1,2}}\)|\(?[A-Za-z]\))(?!\S)", line) else None


def named(**counts: int) -> Counter[str]:
    return Counter({name.replace("_", " "): count for name, count in counts.items()})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        (" \n\t\n", {}),
        ("plain", {"paragraph": 1}),
        ("one\n\ntwo\nand on\n\n \nthree", {"paragraph": 3, "line_break": 1}),
        ("# a\n## b ##\n### c\n#### d\n##### e\n###### f\n####### g", dict.fromkeys(
            [f"heading_{level}" for level in range(1, 7)], 1) | {"paragraph": 1}),
        ("a\n=\nb\n-", {"heading_1": 1, "heading_2": 1}),
        ("#no heading\n#5 either", {"paragraph": 1, "line_break": 1}),
        ("- a\n- b", {"bullet": 2}),
        ("* a\n+ b", {"bullet": 2}),
        ("1. a\n2. b\n3) c", {"numbered_item": 3}),
        ("- a\n\n- b", {"bullet": 2, "paragraph": 2}),
        ("1. a\n   - b\n     - c\n2. d", {"numbered_item": 2, "bullet": 2}),
        ("1. a\n\n   more\n2. b", {"numbered_item": 2, "paragraph": 3}),
        ("- - a", {"bullet": 2}),
        ("- ## a", {"bullet": 1, "heading_2": 1}),
        ("text\n- a", {"paragraph": 1, "bullet": 1}),
        ("text\n2. a", {"paragraph": 1, "line_break": 1}),
        ("**a** __b__ *c* _d_ ***e*** ~~f~~ `g`", {"paragraph": 1, "bold": 3, "italics": 3}
            | {"strikethrough": 1, "inline_code": 1}),
        ("2 * 3 * 4, snake_case_name, ~5 and 2**3", {"paragraph": 1}),
        (r"\*a\* and \`b\`", {"paragraph": 1}),
        ("`**a**` and **`b`**", {"paragraph": 1, "inline_code": 2, "bold": 1}),
        ("```py\n# a\n**b**\n\n- c\n```", {"code_block": 1}),
        ("~~~\nopen to the end\n\n# a", {"code_block": 1}),
        ("- a\n  ```\n  b\n  ```\n- c", {"bullet": 2, "code_block": 1}),
        ("a\n\n    indented", {"paragraph": 1, "code_block": 1}),
        ("> a\n> b\n\n> c", {"quote": 2, "paragraph": 2, "line_break": 1}),
        ("a\n\n---\n\n***\n___", {"paragraph": 1, "rule": 3}),
        ("| a | **b** |\n|---|---|\n| c | d |", {"table": 1, "table_row": 2, "bold": 1}),
        ("a  \nb\\\nc", {"paragraph": 1, "line_break": 2}),
        ("[a](http://b) <http://c> ![d *e*](f) [g]", {"paragraph": 1, "link": 2, "image": 1}),
        ("[a][b]\n\n[b]: http://c", {"paragraph": 1, "link": 1}),
        ("[b]: http://c", {"paragraph": 1}),
        ("• a\n● b\n\n・c\n- • d", {"paragraph": 2, "line_break": 1, "bullet": 1, "typed_bullet": 4}),
        ("– a\n—b\nc – d", {"paragraph": 1, "line_break": 2, "leading_dash": 2}),
        ("────\n\n—\n\n一、a\n（1）b\n1、c", {"paragraph": 3, "line_break": 2, "typed_rule": 2}
            | {"typed_number": 3}),
        ("a) b\n(2) c\n(2)c\nA. d\n(etc) e", {"paragraph": 1, "line_break": 4, "typed_number": 2}),
        ("| • |\n|---|\n| – |\n\n```\n• a\n```", {"table": 1, "table_row": 2, "code_block": 1}),
        ("<b>no</b> <!-- HTML -->", {"paragraph": 1}),
        ("a\r\nb\rc\r\n\r\nd", {"paragraph": 2, "line_break": 2}),
        ("a\0**b**", {"paragraph": 1, "bold": 1}),
        ("a\u2028b\x85c", {"paragraph": 1}),
        ("\ud800 **\udfff**", {"paragraph": 1, "bold": 1}),
    ],
)  # fmt: skip
def test_known_texts(text, expected):
    assert Counter(symbols(text)) == named(**expected)


@pytest.mark.parametrize(
    "text",
    [
        "**강조(strong)**입니다",
        "그는 **“왕”**을 보았다",
        "**「重要」**です",
        "这是**我想做的事。**所以继续。",
        "他说**（真的）**吗",
        "これは**`code`**です",
    ],
)
def test_bold_beside_cjk_text_counts_where_commonmark_has_none(text):
    assert parsed(text)["bold"] == 0
    assert symbols(text).count("bold") == 1


@pytest.mark.parametrize(
    "text", ["**a (b)**c", "2**(3) and 4**(5)", "**« a »**b", "** 重要 **です", "__強調__です"]
)
def test_other_text_reads_as_commonmark_has_it(text):
    assert Counter(symbols(text)) == parsed(text)
    assert "bold" not in symbols(text)


def test_every_element_has_a_class():
    assert CLASSES[-1] == "other"
    assert {class_of(symbol) for symbol in {*TOKENS.values(), "bullet", "numbered item", "paragraph"}} == {
        *CLASSES[:-1]
    }
    assert [class_of(f"typed {name}") for name in ("bullet", "number", "rule")] == [
        "lists",
        "lists",
        "blocks",
    ]
    assert class_of("no such") == "other"


# What lines are made of: indentation, markers, and text with marks.
def pick(words: str, *others: str) -> st.SearchStrategy[str]:
    return st.sampled_from([*words.split(), *others])


INDENT = pick("", "", "", "", "", " ", "  ", "   ", "    ", "     ", "      ", "\t", " \t")
USUAL_MARKER = pick("- * 1.", "", "", "- ", "* ", "+ ", "1. ", "2. ", "1) ", "10. ", "-   ", "-     ", "1.\t")
ODD_MARKER = pick(
    "> # ####### ``` ```py ~~~ ```` --- *** === | |---|---| -| [ \\ --",
    *("> ", "# ", "### ", "- - -", "* * *", "_ _ _", "| a | b |", "a | b", "[a]: b", "```|"),
)

MARKS = pick(
    "**a** *a* _a_ __a__ a_b_c ___ `a` `` ` * ** *** ~~a~~ ~ **(a)** (**a**) **a:**b a**b**c **a b**", " * "
)
WORDS = pick("word a b . , ( ) !", " ", "  ", "a b", ". ", "\u3000", "\u2028", "\xa0", "\t")
SIGNS = pick("[a](b) ![a](b) [a] ]( <http://a> <b> <a@b.c> \\ \\* \\` &amp; “ — é # | \\| : - 1. €", " #")
TYPED = pick("• – — ── ═ ① (1) (a) a) A) 3)", "• a", "– a", "(12) a", "(123) a")
ASIAN_TYPED = pick("・ １． 一、 （1） （二） ＊ 12、 10） －")
ASIAN = pick(
    "가 かな 。 （가） 「 」 ， ー ！ ₩ ＊ **강조(strong)**입니다 **「a」**は ~~（가）~~나 _「a」_は",
    "\u1160",
)


def texts(pieces: st.SearchStrategy[str], *, asian: bool = False) -> st.SearchStrategy[str]:
    marker = USUAL_MARKER | ODD_MARKER | TYPED
    if asian:
        marker, pieces = marker | ASIAN_TYPED, pieces | ASIAN
    content = st.lists(pieces, max_size=5).map("".join)
    usual = st.sampled_from(["a", "**a** b", "a *b*", "`a`", "a_b", "", "a **b (c)**."])
    line = st.builds(str.__add__, st.builds(str.__add__, INDENT, marker), content | usual)
    nested = st.builds(lambda indent, marker, line: indent + marker + line, INDENT, marker, line)
    ends = st.sampled_from(["\n", "\n", "\n", "\n\n", "\n  \n", ""])
    return st.lists(st.builds(str.__add__, line | nested, ends), max_size=12).map("".join)


@settings(max_examples=400, deadline=None)
@given(texts(WORDS | MARKS | SIGNS))
def test_the_short_cut_finds_what_markdown_it_finds(text):
    assert Counter(symbols(text)) == parsed(text)


@settings(max_examples=150, deadline=None)
@given(texts(WORDS | MARKS, asian=True))
def test_the_short_cut_finds_what_markdown_it_finds_with_the_rule_for_cjk(text):
    assert Counter(symbols(text)) == parsed(text, CJK)


@settings(max_examples=150, deadline=None)
@given(texts(WORDS | MARKS | SIGNS, asian=True))
def test_places_lie_in_the_text_and_stand_for_all_that_is_counted(text):
    found = spans(text)

    assert Counter(name for name, _, _ in found) == Counter(symbols(text))
    assert all(0 <= low < high <= len(text) for _, low, high in found)
    assert [low for _, low, _ in found] == sorted(low for _, low, _ in found)


def test_places_hold_the_source_of_each_element():
    text = (
        "# A *title* #\r\n\r\nOne **bold\r\nand** ~~two~~ [li **n** k](u 't') ![i](u) <http://a> `x`.\n"
        "> quoted _it_\n\n- item **b**\n  1. more\n\n| a | **c** |\n|---|---|\n| *d* | `e \\| f` |\n\n---\n\n"
        "```\ncode\n```\n\n**강조(가)**입니다"
    )

    assert [(name, text[low:high]) for name, low, high in spans(text)] == [
        ("heading 1", "# A *title* #"),
        ("italics", "*title*"),
        ("paragraph", "One **bold\r\nand** ~~two~~ [li **n** k](u 't') ![i](u) <http://a> `x`."),
        ("bold", "**bold\r\nand**"),
        ("line break", "\r\n"),
        ("strikethrough", "~~two~~"),
        ("link", "[li **n** k](u 't')"),
        ("bold", "**n**"),
        ("image", "![i](u)"),
        ("link", "<http://a>"),
        ("inline code", "`x`"),
        ("quote", "> quoted _it_"),
        ("paragraph", "> quoted _it_"),
        ("italics", "_it_"),
        ("bullet", "- item **b**"),
        ("bold", "**b**"),
        ("numbered item", "1. more"),
        ("table", "| a | **c** |\n|---|---|\n| *d* | `e \\| f` |"),
        ("table row", "| a | **c** |"),
        ("bold", "**c**"),
        ("table row", "| *d* | `e \\| f` |"),
        ("inline code", "| *d* | `e \\| f` |"),
        ("italics", "*d*"),
        ("rule", "---"),
        ("code block", "```\ncode\n```"),
        ("paragraph", "**강조(가)**입니다"),
        ("bold", "**강조(가)**"),
    ]


def test_the_marks_of_a_very_long_paragraph_are_read_in_pieces():
    text = "**a** " * (LONGEST // 3) + "`b`"
    found = Counter(symbols(text))

    assert found["inline code"] == 1
    assert LONGEST // 3 - 2 <= found["bold"] <= LONGEST // 3
    assert Counter(name for name, _, _ in spans(text)) == found


@pytest.mark.parametrize(
    "text",
    [
        *("[" * 30_000, "![" * 15_000, "[a](" * 8_000, "[[]" * 15_000, "[a]: b\n\n" + "[" * 30_000),
        *("*" * 30_000, "_a" * 15_000, "**a " * 8_000, "*_" * 15_000, "~" * 30_000, "`" * 30_000, "`a*" * 15_000),
        *(">" * 30_000, "> " * 15_000, "- " * 15_000, "1. " * 15_000, "- a\n" * 8_000, "> a\n\n" * 10_000),
        *(" " * 1_000_000, "\n" * 1_000_000, " \n" * 300_000, "\t" * 30_000, "\0" * 30_000, "\ud800" * 30_000),
        *("a\r\n" * 15_000, "\u2028" * 30_000, "<" * 30_000, "<a:" * 15_000, "&" * 30_000, "\\" * 30_000),
        *("[a\n" * 15_000, "[a]: b '\n" * 2_000, "a|b\n-|-\n" + "|\n" * 20_000, "a\n=\n" * 10_000, "_" * 30_000 + "a"),
        *("".join(f"{'  ' * depth}- a\n" for depth in range(200)), "```\n" * 10_000, "- ```\n" * 8_000, "#" * 30_000),
    ],
    ids=lambda text: repr(text[:8]),
)  # fmt: skip
def test_hostile_texts_take_little_time(text):
    start = time.process_time()
    found = symbols(text)

    assert time.process_time() - start < 4
    assert bool(found) == bool(text.strip())


def test_usual_markdown_takes_no_parser():
    """Otherwise it would take four times as long."""
    text = (
        "# Title\n\nSome **bold** text (with *italics*) and `code_with_bars`:\n\n1. **One**: a\n   - b\n   - c\n\n"
        "2. **Two**: d\n\n```python\nx = a[0] * 2\n```\n\n---\n\nA last line,\nand its end."
    )
    lines = Lines(text)

    assert lines.rest == []
    assert marks(lines.contents) is not None


@pytest.fixture(scope="module")
def english(shared) -> list[str]:
    """Every 20th reply of every third of 74 models."""
    return [
        record["output"]
        for path in sorted((shared / "data" / "alpaca_eval").glob("*.json.gz"))[::3]
        for record in json.loads(gzip.decompress(path.read_bytes()))[::20]
    ]


def turns(path) -> list[str]:
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").rstrip("\n").split("\n")]
    found = [turn for record in records for choice in record["choices"] for turn in choice["turns"]]
    return [turn["content"] if isinstance(turn, dict) else turn for turn in found]


def test_the_short_cut_finds_what_markdown_it_finds_in_real_replies(english):
    assert len(english) > 1000
    for text in english:
        assert Counter(symbols(text)) == parsed(text)


def test_most_real_replies_take_no_parser(english):
    alone = [not (lines := Lines(text)).rest and marks(lines.contents) is not None for text in english]

    assert sum(alone) > 0.85 * len(english)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("mt_bench/model_answer/SOLAR-10.7B-Instruct-v1.0.jsonl", {"paragraph": 599, "numbered item": 236}),
        ("mt_bench_zh/model_answer/Qwen__Qwen2-7B-Instruct.jsonl", {"bold": 340, "numbered item": 244}),
        ("mt_bench_ja/model_answer/gpt-4o.jsonl", {"heading 3": 159, "bold": 597, "bullet": 519}),
        ("arena_hard_ko/model_answer/o4-mini-high.jsonl", {"typed bullet": 2085, "leading dash": 1129}),
    ],
    ids=["Polish", "Chinese", "Japanese", "Korean"],
)
def test_real_replies_in_other_languages(shared, path, expected):
    replies = turns(shared / "data" / "formats" / path)
    total: Counter[str] = Counter()
    for number, text in enumerate(replies):
        found = Counter(symbols(text))
        assert number > 160 or found == parsed(text, CJK)
        total += found

    assert {name: total[name] for name in expected} == expected


def test_a_noticeable_part_of_the_bold_of_real_models_is_lost_to_commonmark_alone(shared):
    path = shared / "data" / "formats" / "speechmap" / "zh_china_criticism"
    path /= "zh_china_criticism_google_gemini-1.5-pro-002.jsonl"
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").rstrip("\n").split("\n")]
    replies = [record["response"]["choices"][0]["message"]["content"] for record in records]

    assert sum(parsed(text)["bold"] for text in replies) == 396
    assert sum(symbols(text).count("bold") for text in replies) == 474

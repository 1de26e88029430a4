from __future__ import annotations

import gzip
import json
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.facets.cleaning import REASONS, Cleaned, clean

if TYPE_CHECKING:
    from pathlib import Path

REASONING, WHITE_SPACE, TOKENS = (("reasoning",), ("leading white space",), ("special tokens",))
BLOCKS = [
    ("<think>", "</think>"),
    ("<THINK>", "</Think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reason>", "</reason>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("<antThinking>", "</antThinking>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|channel>thought\n", "<channel|>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("<|channel|>commentary to=functions.f <|constrain|>json<|message|>", "<|channel|>final<|message|>"),
    (
        '<details type="reasoning" done="true" duration="3">\n<summary>Thought for 3 seconds</summary>',
        "</details>",
    ),
    ("analysis", "assistantfinal"),
]

# What a hostile, or merely broken, reply is made of.
PIECES = [
    *(tag for block in BLOCKS for tag in block),
    *(
        "<|im_end|>",
        "<|im_start|>assistant",
        "<|eot_id|>",
        "<｜end▁of▁sentence｜>",
        "<|x|>",
        "<turn|>",
        "<|end|>",
    ),
    *(
        "</s>",
        "<s>",
        "<eos>",
        "[/INST]",
        "[INST]",
        "<start_of_turn>model",
        "<|start_header_id|>",
        "<|message|>",
    ),
    *(
        "<|en",
        "d|>",
        "<",
        ">",
        "<|",
        "|>",
        "</th",
        "ink>",
        "<details",
        ' type="reasoning">',
        "assistant",
        "final",
    ),
    *(
        "`",
        "``",
        "```",
        "```py",
        "~~~",
        "\n",
        "\n\n",
        " ",
        "  ",
        "\t",
        "\r\n",
        "\u200b",
        "\ufeff",
        '"',
        "a",
        "word",
    ),
]
broken = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


@pytest.mark.parametrize(("opening", "closing"), BLOCKS)
def test_a_reasoning_block_goes_whoever_writes_it(opening: str, closing: str) -> None:
    """What stands between the tags is no part of the reply, nor is the white space around them."""
    assert Cleaned("The answer.", REASONING) == clean(f"{opening}The\n\nhm `x` </p> {closing}\n\nThe answer.")


@pytest.mark.parametrize(("opening", "closing"), BLOCKS[:-1])
def test_a_block_without_an_end_leaves_nothing(opening: str, closing: str) -> None:
    """The reply was cut while the model was thinking, so nothing in it is the reply."""
    assert Cleaned("", REASONING) == clean(f"{opening}\nFirst I should think of\n\na plan")


def test_blocks_in_a_row_go_together() -> None:
    """Also behind white space, and of several kinds."""
    text = "<think>a</think>\n<think></think> ◁think▷b◁/think▷ Yes <think>."

    assert Cleaned("Yes <think>.", REASONING) == clean(text)
    assert Cleaned("Yes", ("reasoning", "leading white space")) == clean("\n<think>a</think>\nYes")
    assert Cleaned("Yes", ("reasoning", "special tokens")) == clean(
        "<|im_start|>assistant\n<think>a</think>\nYes"
    )


@pytest.mark.parametrize(
    "text",
    [
        "I will make those cuts.\n</think>\n\nThere is a silence.",
        "I will make those cuts.</think>\n\nThere is a silence.",
        "</think>\n\nThere is a silence.",
        "Make it `x`.\n\n```py\ny\n```\n  </thinking>  \nThere is a silence.",
        "…□□◁/think▷There is a silence.",
        "We need to write.<|end|><|start|>assistant<|channel|>final<|message|>There is a silence.",
        "It is a\n[/THINK]There is a silence.",
        "a\n</think>\nb\n</think>\nThere is a silence.",
    ],
)
def test_a_closing_tag_alone_ends_reasoning_that_the_prompt_began(text: str) -> None:
    """Some chat templates put the opening tag into the prompt, so the reply has the closing one only."""
    assert Cleaned("There is a silence.", REASONING) == clean(text)


def test_a_tag_in_quotes_does_not_end_the_block_that_speaks_of_it() -> None:
    """A model that thinks about its own tags is not cut at the first mention."""
    text = "<think>I end with `</think>` or '</think>', he said \"no\"</think>Yes"

    assert Cleaned("Yes", REASONING) == clean(text)


@pytest.mark.parametrize(
    "text",
    [
        "Models wrap their reasoning in <think> and </think>\nand parsers remove it.",
        "The closing tag is </think> in most templates.",
        "Use `</think>`\nto end it, or ``</think>``",
        "Like so:\n```\n</think>\n```\nand no other way.",
        "Like so:\n~~~xml\nhm\n</thinking>\n<|im_end|>\n~~~\nand no other way.",
        'Some XML:\n<reason code="3">\n  late\n</reason>\nas asked.',
        "The token `<|im_end|>` ends a turn; ``<|im_start|>`` begins one.",
        "```python\nstop = '<|im_end|>'\n```",
        "<p>Some</p> HTML: <s>no</s> yes",
        "<s>no</s> yes",
        "yes <s>no</s>",
        "<s>a</s> and <s>b</s>",
        "F# has <|> and <||>; the mean speed is <|v|>.",
        "mask = u[mask]; [CLS] and [SEP] are BERT's.",
        "analysis of the results: fine",
        "if a < b and b > c: x = [1]",
        "It ends in a fence with white space ```\n \n",
        "<details>\n<summary>More</summary>\nText\n</details>",
        "Ein Satz, 一句话, ひとつの文, 한 문장, जीवन",
        "",
    ],
)
def test_prose_code_and_html_stay(text: str) -> None:
    """A reply that speaks of tags and tokens keeps them."""
    assert Cleaned(text, ()) == clean(text)


@pytest.mark.parametrize("space", [" ", "\n\n", "\t", "\u3000", "\ufeff", "\u200b\n", "\r\n"])
def test_white_space_goes_at_the_start_only(space: str) -> None:
    """Some servers send a space or a line break first; how a reply ends is its own."""
    assert Cleaned(f"A{space}b {space}", WHITE_SPACE) == clean(f"{space}A{space}b {space}")
    assert Cleaned("", WHITE_SPACE) == clean(space)


@pytest.mark.parametrize(
    "text",
    [
        "Yes.<|im_end|>",
        "Yes.\n<|im_end|>\n",
        "<|im_start|>assistant\nYes.<|im_end|>\n<|endoftext|>",
        "<|start_header_id|>assistant<|end_header_id|>\n\nYes.<|eot_id|>",
        "<|assistant|>\nYes.<|end|>",
        "<s>Yes.</s>",
        "<s> Yes.",
        "Yes.</s></s>",
        "<bos><start_of_turn>model\nYes.<end_of_turn><eos>",
        "[/INST] Yes. [INST]",
        "<｜Assistant｜>Yes.<｜end▁of▁sentence｜>",
        "<|channel|>final<|message|>Yes.<|return|>",
        "<|turn>model\nYes.<turn|>",
        "<|CHATBOT_TOKEN|>Yes.<|END_OF_TURN_TOKEN|>",
        "Yes.<unk><pad><pad>",
        "Yes.</think><|im_end|>",
    ],
)
def test_control_tokens_go_at_both_ends(text: str) -> None:
    """With the role that follows an opening one, and the white space around them."""
    assert Cleaned("Yes.", TOKENS) == clean(text)


def test_a_token_within_leaves_a_line_break() -> None:
    """A turn ends there; words do not grow together, and the text of what follows stays."""
    assert Cleaned("One.\nTwo.", TOKENS) == clean("One.<|im_end|>Two.")
    assert Cleaned("One.\n\nTwo.", TOKENS) == clean("One. <|im_end|>\n<|im_start|>user\nTwo.")
    assert Cleaned("`a <|user|> b` c\nd", TOKENS) == clean("`a <|user|> b` c <|user|> d")


def test_tokens_without_pipes_stay_within() -> None:
    """There they may be HTML, or what the reply is about."""
    assert Cleaned("a <eos> b </s> c [INST] d", TOKENS) == clean("a <eos> b </s> c [INST] d</s>")


def test_a_token_at_the_end_goes_even_from_an_open_fence() -> None:
    """A reply that is cut within code ends in its token all the same; the code's white space is not the reply's."""
    assert Cleaned("```py\nx = 1", TOKENS) == clean("```py\nx = 1\n<|im_end|>")


@given(broken)
@settings(max_examples=500, deadline=None)
def test_cleaning_is_idempotent_and_only_removes(text: str) -> None:
    """What is clean stays as it is; reasons are given where something changed, in their order, and only there."""
    cleaned = clean(text)
    rest = iter(text)

    assert Cleaned(cleaned.text, ()) == clean(cleaned.text)
    assert bool(cleaned.removed) == (cleaned.text != text)
    assert [reason for reason in REASONS if reason in cleaned.removed] == list(cleaned.removed)
    # a line break may be new; all else stands in the reply, in this order
    assert all(character in rest for character in cleaned.text if character != "\n")


@given(st.text())
def test_text_without_tags_loses_its_leading_white_space_alone(text: str) -> None:
    """Whatever characters it is made of, surrogates and controls included."""
    assert clean(text).text == text.lstrip(" \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\xa0") or not text[:1].isalnum()


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "<",
            "<think>",
            " ",
            "</think>",
            "a</think>",
            "a\n</think>\n",
            "<|end|>",
            "a<|end|>",
            "<s>",
            "`◁/think▷",
        ),
        *(
            "<s>a</s>\n</think>",
            "`a",
            "<think>`</think>`",
            "analysis a\n</think>\n",
            "\n ",
            "<|",
            "</think> ",
        ),
        *(
            "a <|abc|> ",
            "<|channel|>analysis",
            '<details type="reasoning">',
            "analysis assistantfinal",
            "[INST]",
        ),
    ],
)
def test_time_is_linear(piece: str) -> None:
    """Nothing takes more than some tenths of a second; quadratic work would take minutes."""
    text = piece * (400_000 // len(piece))
    begun = time.process_time()
    clean(text)

    assert time.process_time() - begun < 5


def test_what_real_files_leak(shared: Path) -> None:
    """Figures of three files of other tools: reasoning, of which some was cut; end tokens; a leading space."""
    formats = shared / "data" / "formats"
    counts: dict[str, Counter[str]] = {}
    for name in (
        "mt_bench_ja_shisa/model_answer/Qwen__Qwen3-235B-A22B.jsonl",
        "mt_bench/model_answer_judged/phi-3.jsonl",
        "mt_bench/model_answer/vicuna-7b-v1.5.jsonl",
    ):
        counts[name] = Counter()
        for line in (formats / name).read_text().splitlines():
            for turn in json.loads(line)["choices"][0]["turns"]:
                cleaned = clean(turn)
                counts[name].update(cleaned.removed)
                counts[name]["nothing left"] += not cleaned.text
    first, second, third = counts.values()

    assert first == {"reasoning": 160, "nothing left": 32}
    assert second == {"special tokens": 44, "nothing left": 0}
    assert third == {"nothing left": 0}


def test_real_replies_are_left_alone_but_for_white_space(shared: Path) -> None:
    """Of 1,610 replies full of HTML, code and Markdown none loses a character of its text."""
    for name in ("gpt-4o-2024-05-13", "Starling-LM-7B-beta-ExPO"):
        data = (shared / "data" / "alpaca_eval" / f"{name}.json.gz").read_bytes()
        texts = [row["output"] for row in json.loads(gzip.decompress(data))]

        assert [text.lstrip() for text in texts] == [clean(text).text for text in texts]

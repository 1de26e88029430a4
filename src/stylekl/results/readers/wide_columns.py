"""Which columns of a table with a column for each model are the models: told by their names and by what stands in them.

Nothing is taken on one weak sign, because a column of notes that is read as a model gives figures that mean nothing:

- a column that is usual for another role, or whose name holds a word that is usual beside replies (id, language,
  reference, score, notes …), is never a model, nor is one of numbers, dates or addresses;
- a table with a winner, a verdict or a preference in it is one of votes or judgments;
- of the rest, two or more are models where they share a word for a reply (`a_response`, `output (b)`), where their
  names are names of models (vendor/name, a size, a version, a family), or where sentences stand in all of them.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from stylekl.results.readers.columns import is_usual, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_BESIDE_REPLIES = """
    id ids uid uuid idx index key hash no nr num number row line category categories topic topics type kind
    class group cluster tag tags label labels subject domain area task dataset split source sources url link
    file filename path language lang locale country difficulty level tier priority reference references expected
    ideal gold golden truth target ground correct solution answerkey rationale explanation reasoning thought
    thoughts thinking justification rating ratings score scores grade points rank ranking accuracy metric
    metrics eval evaluation evaluator annotator annotation annotations rater reviewer review feedback comment
    comments note notes remark remarks description summary title heading name author user username owner date
    day month year time timestamp created updated duration latency ms seconds tokens token cost price length
    words chars characters count total mean average std status state error errors flag flags reason version seed
    temperature sample epoch iteration trial run batch condition period context passage document article
    background hint hints example examples system instruction instructions prompt prompts question questions
    query input inputs turn turns message messages conversation metadata meta extra info information option
    options choice choices distractor keyword keywords criteria criterion rubric checklist constraint
    constraints persona role style tone audience format email session worker participant age gender unnamed
    probe
"""
_OF_VOTES = """
    winner winners verdict verdicts preference preferred vote votes judgment judgement judgments chosen rejected judge
"""
_BESIDE = frozenset(_BESIDE_REPLIES.split())
_JUDGED = frozenset(_OF_VOTES.split())
_WORDS = "response|responses|reply|output|answer|completion|generation|generated|text|content|result"
_SPACE = r"[\s_\-.:]*"
_AFFIXES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<word>{_WORDS}){_SPACE}[(\[](?P<stem>.+)[)\]]",
        rf"(?P<word>{_WORDS})[\s_\-.:]+(?P<stem>.+)",
        rf"(?P<stem>.+?)[\s_\-.:]+(?P<word>{_WORDS})",
    )
)
_AGAIN = re.compile(
    r"(?P<name>.+) \((?P<turn>\d+)\)"
)  # as a table's reader numbers a header that comes again
_WEAK = ("answer", "text")  # words of quizzes and of corpora too
_FAMILY = re.compile(
    r"(?:chat)?gpt|o[134]|claude|gemini|gemma|llama|mi[sx]tral|ministral|qwen|qwq|deepseek|kimi|grok|phi|glm|command-?r"
    r"|falcon|yi|olmo|smollm|nemotron|vicuna|alpaca|bard|copilot|starling|zephyr|minimax|ernie|hunyuan|jamba|granite"
    r"|stablelm|internlm|baichuan|(?:text-)?davinci|opus|sonnet|haiku",
    re.IGNORECASE,
)
_VENDOR = re.compile(r"[\w.-]+/[\w.:@+-]+")
_NUMBERED = re.compile(r"models?[\s_-]*(?:[a-z]|\d{1,2})", re.IGNORECASE)
_SIZE = re.compile(r"(?:^|[^a-z0-9])\d+(?:\.\d+)?x?\d*[bm](?:$|[^a-z])", re.IGNORECASE)
_VERSION = re.compile(
    r"[a-z][-_ ]?v?\d+\.\d+|-(?:instruct|chat|base|sft|dpo|rlhf|preview|turbo)(?:$|[-_. ])", re.IGNORECASE
)
_NUMBER = re.compile(r"[\s$€£+-]*[\d.,:/%\s-]*\d[\d.,:/%\sTZ+-]*(?:[eE][+-]?\d+)?\s*")
_ADDRESS = re.compile(r"\s*(?:https?://|www\.|[\w.+-]+@)\S+\s*")
_WIDE = re.compile(r"[\u2e80-\U0003ffff]")  # scripts that put no spaces between words
_LONGEST = 200  # characters of the name of a model
_SENTENCE = 5  # words
_SENTENCE_WIDE = 12  # characters


class Found(NamedTuple):
    """The columns of models with the name of each, and those that are left beside the replies."""

    models: dict[str, str]
    others: list[str]


def find_models(
    rows: Sequence[Mapping[str, Any]], used: Mapping[str, str], *, named_at_least: int = 0
) -> Found | None:
    """Return which columns of the first rows are models, null where that cannot be told.

    `used` are the columns of other roles, `named_at_least` how many headers have to be names of models where no word
    for a reply is shared; with two only such count.
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    if any(_JUDGED & set(_tokens(name)) for name in names):
        return None
    free = [name for name in names if name not in used.values() and _may_be(name, rows)]
    shared = _shared_affix(free, rows)
    if len(shared) < 2:
        named = {name for name in free if is_model_name(name)}
        prose = {name for name in free if named_at_least < 2 and _holds_sentences(name, rows)}
        taken = [name for name in free if name in named or name in prose]
        if len(taken) < 2 or len(named) < named_at_least or (not named and len(prose) < len(free)):
            return None
        shared = {name: name for name in taken}
    return Found(shared, [name for name in names if name not in shared and name not in used.values()])


def names_of(columns: Sequence[str]) -> dict[str, str]:
    """Return the names of models that columns tell: without the word for a reply that all of them share."""
    for pattern in _AFFIXES:
        matches = {name: pattern.fullmatch(_once(name)) for name in columns}
        words = {match["word"].lower() if match else None for match in matches.values()}
        if len(words) == 1 and None not in words:
            stems = {name: _stem(match["stem"], name) for name, match in matches.items() if match}
            if len(set(stems.values())) == len(stems):
                return stems
    return {name: name for name in columns}


def repeated(columns: Sequence[str]) -> list[str]:
    """Return the headers that stand over several columns."""
    found = (_AGAIN.fullmatch(name) for name in columns)
    return list(dict.fromkeys(each["name"] for each in found if each and each["name"] in columns))


def is_model_name(name: str) -> bool:
    """Whether a header is, by itself, the name of a model."""
    name = _once(name.strip())
    family = _FAMILY.match(name)
    return (
        (family is not None and not name[family.end() : family.end() + 1].isalpha())
        or _VENDOR.fullmatch(name) is not None
        or _NUMBERED.fullmatch(name) is not None
        or _SIZE.search(name) is not None
        or _VERSION.search(name) is not None
    )


def _once(name: str) -> str:
    again = _AGAIN.fullmatch(name)
    # "output (2)" is a header that came again only where the name before it is no word for a reply
    return again["name"] if again and not re.fullmatch(_WORDS, again["name"], re.IGNORECASE) else name


def _stem(stem: str, name: str) -> str:
    stem = stem.strip(" _-.:")
    if stem.isdigit() or not stem:
        return name
    again = _AGAIN.fullmatch(name) if _once(name) != name else None
    stem = stem.upper() if len(stem) == 1 else stem
    return f"{stem} ({again['turn']})" if again else stem


def _tokens(name: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return [token.rstrip("0123456789") for token in re.split(r"[\W_]+", spaced.lower())]


def _may_be(name: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a column can be a model: by its name, and by cells that are not mostly numbers or addresses."""
    if not plain(name) or len(name) > _LONGEST or is_usual(name):
        return False
    if not _VENDOR.fullmatch(name) and _BESIDE & set(_tokens(_once(name))):
        return False
    cells = [row[name] for row in rows if row.get(name) not in (None, "")]
    return not cells or 2 * sum(map(_is_measured, cells)) <= len(cells)


def _is_measured(cell: Any) -> bool:
    """Whether a cell is a number, a date or an address."""
    if isinstance(cell, str):
        return bool(_NUMBER.fullmatch(cell[:60]) or _ADDRESS.fullmatch(cell[:500]))
    return isinstance(cell, bool | int | float)


def _shared_affix(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the columns that share a word for a reply, with their names without it; the largest such group."""
    best: list[str] = []
    for pattern in _AFFIXES:
        matches = [(name, pattern.fullmatch(_once(name))) for name in names]
        words = Counter(match["word"].lower() for _, match in matches if match)
        for word, _ in words.most_common(1):
            group = [name for name, match in matches if match and match["word"].lower() == word]
            short = all(len(match["stem"]) == 1 for _, match in matches if match)
            doubtful = word in _WEAK and short and not all(_holds_sentences(name, rows) for name in group)
            if len(group) > max(1, len(best)) and not doubtful:
                best = group
    return names_of(best) if best else {}


def _holds_sentences(name: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether half of the filled cells of a column are sentences: a title or a label is shorter."""
    cells = [text for row in rows if isinstance(text := row.get(name), str) and text.strip()]
    long = sum(
        len(cell.split(None, _SENTENCE)) >= _SENTENCE
        or (len(cell) >= _SENTENCE_WIDE and _WIDE.search(cell) is not None)
        for cell in cells
    )
    return bool(cells) and 2 * long >= len(cells)

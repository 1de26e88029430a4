"""Which of two words a reply chooses, or why none.

The word that stands first decides; an explanation may follow. What comes before it is taken off: reasoning, code
fences, emphasis, quotes, `return`, "Answer:". A word counts whole: "censorship" is not "censor", "uncensored" neither.
"""

from __future__ import annotations

import ast
import json
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from stylekl.facets.cleaning import clean
from stylekl.measure.choices import BOTH, CHOSE_A, CHOSE_B, EMPTY, NO_CHOICE, REFUSED

if TYPE_CHECKING:
    from collections.abc import Iterable

_ZERO_WIDTH = re.compile("[\xad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_QUOTES = "\"'“”„‟‘’‚‛«»‹›「」『』《》〈〉`´"
_EMPHASIS = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)|~~")
_FENCE = re.compile(r"\s*(?:```|~~~)[ \t]*[\w+-]*[ \t]*\n(.*?)(?:\n\s*(?:```|~~~)|\Z)", re.DOTALL)
_RETURNED = re.compile(r"(?<!\w)return[ \t]+(.+)")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*[ \t]*=[ \t]*(?=[\"'\[(])")
_CODE = re.compile(r"\s*(?:def|from|import|class|async def)\s")
_LEADING = re.compile(r"[\W_]*")
_NOT = "!¬≠"  # before a word these turn it round
_KEYS = ("choice", "answer", "pick", "selection", "selected", "preference", "value", "result", "word")
# What may stand before the word without being a choice of its own.
_LEAD = re.compile(
    r"(?:(?:my|the|final)\s+)*(?:answer|choice|pick|response|output|result)\s*(?:is\s*:?|[:=]|would be)\s*"
    r"|i(?:'d| would| will|'ll)?\s+(?:choose|pick|prefer|select|go with|say|go for)\s*:?\s+"
    r"|(?:ma réponse|mon choix|réponse|choix)\s*(?:est|:)\s*:?\s*|je\s+(?:choisis|préfère|prends)\s*:?\s+"
    r"|(?:meine antwort|meine wahl|antwort|wahl)\s*(?:ist|:)\s*:?\s*|ich\s+(?:wähle|nehme)\s*:?\s+"
    r"|(?:mi respuesta|mi elección|respuesta|elección)\s*(?:es|:)\s*:?\s*|(?:yo )?(?:elijo|prefiero)\s*:?\s+"
    r"|(?:我的?)?(?:选择|会选择?|选|答案是?|回答)(?:是)?\s*[:：]?\s*",
)
_ARTICLE = re.compile(
    r"(?:the|an?|le|la|les|l['’]|une?|der|die|das|ein|eine|el|los|las|un|una)\s*(?<=[\s'’])"
)
# A following question mark doubts the word, an operator of a form repeats the question.
_AFTER = re.compile(r"[\s*_`\"'“”‘’«»「」]*")
_JOIN = re.compile(
    r"[\s*_`\"'“”‘’«»「」]*(?:(?:<\|>|\|\||[|/\\^→⇒⟶><=&+~,，、;:-]|->|=>)+|(?<!\w)"
    r"(?:or|vs\.?|versus|and|ou|et|oder|und|o|y)(?!\w)"
    r"|或者?|还是|和|与|か|や|と|または)[\s*_`\"'“”‘’«»「」]*"
)
_AND = re.compile(r"[\s\W]*(?:and|&|\+|et|und|y|和|与|と|,|，|、)", re.IGNORECASE)
_BOTH = re.compile(
    r"(?:(?:both|les deux|(?:alle )?beides?|ambos|ambas|los dos|las dos)(?!\w)"
    r"|两者(?!都不)|两个都(?!不)|二者(?!都不)|都选|两个(?!都不)"
    r"|両方|どちらも(?!.{0,12}(?:ない|ません)))"
)
_REFUSED = re.compile(
    r"(?:neither|none of|none(?!\w)|no preference|i (?:do not|don['’]t|cannot|can['’]t|can not|won['’]t|will not|am not"
    r"|am unable|would rather not|must decline|decline|refuse)|i['’]m (?:sorry|not|unable)|i am sorry|i apologi[sz]e"
    r"|i have no (?:preference|opinion)|i['’]d rather not|sorry(?!\w)|as an ai|as a (?:large )?language model"
    r"|ni l['’]un(?:e)? ni|aucun|je (?:ne|n['’]|suis désolé|refuse)|désolé|en tant qu['’]"
    r"|weder|keine?[sn]?(?!\w)|ich (?:kann|möchte|will|werde) (?:\w+ )?(?:nicht|keine)|es tut mir leid|als ki"
    r"|ningun|ni (?:uno|una|lo uno)|no (?:puedo|tengo|prefiero|elijo)|lo siento|como (?:una? "
    r")?(?:ia|inteligencia|modelo)"
    r"|都不|两者都不|我(?:不|无法|没有|拒绝)|抱歉|对不起|很抱歉|作为(?:一个|一名)?(?:ai|人工智能|语言模型)"
    r"|どちらも.{0,12}(?:ない|ません)|どちらでも(?:ない|ありません)|申し訳|すみません|選べません|選択できません)"
)
# Ends of a Chinese or Japanese word, which no space shows.
_PARTICLES = ("です", "だ", "である", "を", "が", "の方", "のほう", "吧", "啊", "呢", "因为", "，")


@dataclass(frozen=True, slots=True)
class Pair:
    """The forms of both words, folded, the longest first: (form, CHOSE_A or CHOSE_B)."""

    forms: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, a: Iterable[str], b: Iterable[str]) -> Pair:
        """Return the pair of the forms of a and of b, in any languages; what both have counts for neither."""
        one, other = ({folded(each) for each in words} for words in (a, b))
        forms = [(form, CHOSE_A) for form in one - other] + [(form, CHOSE_B) for form in other - one]
        return cls(tuple(sorted((f for f in forms if f[0]), key=lambda form: (-len(form[0]), form[0]))))


def folded(text: str) -> str:
    """Return text in NFKC, case-folded, without characters of no width, white space collapsed."""
    return " ".join(_ZERO_WIDTH.sub("", unicodedata.normalize("NFKC", text)).casefold().split())


def classify(text: str, pair: Pair, slots: tuple[str, str] | None = None, *, swapped: bool = False) -> int:
    """Return CHOSE_A, CHOSE_B, NO_CHOICE, BOTH, REFUSED or EMPTY.

    `slots` are the letters that the envelope offers for the first and the second word, None where it offers none;
    `swapped` says that b stands first. A word that is doubted ("Censor? No.") or that repeats the question ("freedom or
    censor?") chooses nothing.
    """
    body = _ZERO_WIDTH.sub("", unicodedata.normalize("NFKC", clean(text).text)).strip()
    if not body:
        return EMPTY
    words = pair if slots is None else _with_slots(pair, slots, swapped)
    inner = _FENCE.match(body)
    body = inner[1].strip() if inner else body
    if body[:1] in "{[":
        return _of_json(body, words)
    if _CODE.match(body) or _RETURNED.match(body):
        return _of_code(body, words)
    return _of_prose(_ASSIGNED.sub("", body, count=1) if _ASSIGNED.match(body) else body, words)


@lru_cache(maxsize=4096)
def _with_slots(pair: Pair, slots: tuple[str, str], swapped: bool) -> Pair:
    first, second = (CHOSE_B, CHOSE_A) if swapped else (CHOSE_A, CHOSE_B)
    known = {form for form, _ in pair.forms}
    own = [(folded(slot), side) for slot, side in zip(slots, (first, second), strict=True)]
    forms = [*pair.forms, *(form for form in own if form[0] not in known)]
    return Pair(tuple(sorted(forms, key=lambda form: (-len(form[0]), form[0]))))


def _of_json(body: str, pair: Pair) -> int:
    """Return the choice of a JSON value or a Python literal; one that does not parse, or is cut, chooses nothing."""
    try:
        value: Any = json.JSONDecoder().raw_decode(body)[0]
    except (ValueError, RecursionError):
        try:
            value = ast.literal_eval(body) if len(body) < 2000 else None
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            return NO_CHOICE
    return _of_value(value, pair)


def _of_value(value: Any, pair: Pair) -> int:
    if isinstance(value, dict):
        named = {str(key).casefold(): each for key, each in value.items()}
        chosen = [named[key] for key in _KEYS if key in named] or (
            list(value.values()) if len(value) == 1 else []
        )
        return _of_value(chosen[0], pair) if chosen else NO_CHOICE
    if isinstance(value, list | tuple | set):
        found = {_of_value(each, pair) for each in value if isinstance(each, str)}
        if {CHOSE_A, CHOSE_B} <= found:
            return BOTH
        return found.pop() if len(found) == 1 and len(value) == 1 else NO_CHOICE
    if value is None:
        return NO_CHOICE
    return _of_prose(value, pair) if isinstance(value, str) and value.strip() else NO_CHOICE


def _of_code(body: str, pair: Pair) -> int:
    """Return the choice of the first literal that the code returns."""
    returned = _RETURNED.search(body)
    if returned is None:
        return NO_CHOICE
    value = returned[1].split("#")[0].strip()
    return _of_json(value, pair) if value[:1] in "{[(" else _of_prose(value, pair)


def _of_prose(body: str, pair: Pair) -> int:
    text = " ".join(_EMPHASIS.sub("", body).casefold().split())
    start = _LEADING.match(text).end()  # type: ignore[union-attr]
    if start == len(text) or any(sign in text[:start] for sign in _NOT):
        return NO_CHOICE
    text = text[start:]
    found = _first(text, pair)
    if found is None and (lead := _LEAD.match(text)) is not None:
        text = re.sub(r"^[\W_]+", "", text[lead.end() :])
        found = _first(text, pair)
    if found is None and (article := _ARTICLE.match(text)) is not None:
        alone = _first(text[article.end() :], pair)
        if alone is not None and not re.search(r"\w", text[article.end() + alone[0] :]):
            text, found = text[article.end() :], alone
    if found is not None:
        return _decided(text, *found, pair)
    if _BOTH.match(text):
        return BOTH
    return REFUSED if _REFUSED.match(text) else NO_CHOICE


def _first(text: str, pair: Pair) -> tuple[int, int] | None:
    """Return where the word at the start of `text` ends, and which it is."""
    for form, side in pair.forms:
        if text.startswith(form) and _ends(text, len(form)):
            return len(form), side
    return None


def _ends(text: str, end: int) -> bool:
    """Return whether a word ends at `end`: not within another, a compound or a genitive."""
    rest = text[end:]
    if not rest:
        return True
    last, following = text[end - 1], rest[0]
    if following in "-'’" and len(rest) > 1:
        return not rest[1].isalnum()
    if not (following.isalnum() or following == "_" or unicodedata.combining(following)):
        return True
    if _wide(last):
        return rest.startswith(_PARTICLES)
    return _wide(following)  # a word in another script, as in "freedomです"


def _wide(character: str) -> bool:
    """Return whether a character is of a script that puts no spaces between words."""
    return (
        "\u2e80" <= character <= "\u9fff"
        or "\uf900" <= character <= "\ufaff"
        or "\u0e00" <= character <= "\u0eff"
    )


def _decided(text: str, end: int, side: int, pair: Pair) -> int:
    """Return the side, unless what follows doubts it or names the other word as part of one phrase."""
    rest = text[end:]
    after = rest[_AFTER.match(rest).end() :]  # type: ignore[union-attr]
    if after.startswith("?"):
        return NO_CHOICE
    joined = _JOIN.match(rest)
    other = None if joined is None else _first(rest[joined.end() :], pair)
    if joined is None or other is None or other[1] == side:
        plain = re.sub(r"^[\W_]+", "", rest)
        beside = _first(plain, pair)
        alone = beside is not None and beside[1] != side and not re.search(r"\w", plain[beside[0] :])
        return BOTH if alone else side
    return BOTH if _AND.match(rest) else NO_CHOICE

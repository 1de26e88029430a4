"""Which language a text is in, where its script or its function words tell.

Not a classifier of everything: a few lines of evidence, and null where they do not suffice. Scripts that one language
has for itself name it; others are named as scripts. Latin text is told by words that carry grammar and that few other
languages share.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import Any

LOOKED_AT = 600  # characters at the beginning, without code: more changes the answer in few texts
LEAST_LETTERS = 12  # fewer are a name or an abbreviation
MOST_OF_IT = 0.5  # share of the letters that one script other than Latin needs
KANA = 0.05  # share of kana among the letters that makes Han characters Japanese
LEAST_WORDS = 2  # different function words found
LEAST_SHARE = 0.12  # of all words; running text has 30 to 50 %, of these short lists about half
AHEAD = 1.3  # times as many as those of the next language: Portuguese and Spanish share many

_WORDS = {
    "English": "the a of and to in is that for it with as was on are this you your from or an can i do what how be by "
    "not at have who why when where which there their they we he she his her me my did does will would about than "
    "into these between through any some all more",
    "German": "der die das und ist nicht ein eine zu den mit von für auf im sich auch dem des es ich sie wie oder",
    "French": "le la les des et est une un du que pour dans en pas qui sur avec au ce vous nous sont par plus ou il",
    "Spanish": "el la los las de y que en es un una para con por del no se su lo como más al o este son pero",
    "Italian": "il la di che è e un una per non con del della le sono gli dei nel si da in più come anche questo",
    "Portuguese": "o a os as de e que em é um uma para com não do da por se no na mais como ao são dos das",
    "Dutch": "de het een en van is dat niet op te zijn voor met die aan er om ook je als maar naar bij worden",
    "Polish": "i w na z się nie jest to do że jak o po co dla są oraz przez lub od ale może tak by które za",
    "Czech": "a je v na se že to z do jako pro o by není jsou nebo který podle ale také při mezi když",
    "Swedish": "och i att det som en är på för av med den till inte har om ett kan du de var jag man eller från",
    "Danish": "og i at det er en til på af for med den ikke som har de et kan du jeg om der eller fra vi",
    "Finnish": "ja on ei että se ovat oli kun tai mutta myös hän olla voi joka ole sen kuin jos niin ovat tämä",
    "Hungarian": "a az és hogy nem egy is van ez meg volt de ha vagy csak el mint ki kell lehet azt még",
    "Turkish": "ve bir bu için ile da de olarak olan çok daha gibi ne var en kadar ama veya değil her sonra",
    "Vietnamese": "và là của có không được cho một các với những trong này người để khi đã tôi bạn như về",
    "Indonesian": "yang dan di untuk dengan dari ini itu pada adalah tidak dalam akan atau ke anda oleh juga saya",
    "Romanian": "și de la în a cu pe nu este un o care pentru din se mai sunt să ca sau ce dar prin",
}
_SCRIPTS = {
    "Han": "Chinese",
    "Hangul": "Korean",
    "Cyrillic": "Cyrillic script",
    "Arabic": "Arabic script",
    "Hebrew": "Hebrew script",
    "Greek": "Greek",
    "Devanagari": "Devanagari script",
    "Bengali": "Bengali script",
    "Tamil": "Tamil",
    "Telugu": "Telugu",
    "Thai": "Thai",
    "Georgian": "Georgian",
    "Armenian": "Armenian",
}
_CODE = re.compile(r"^(`{3,}|~{3,}).*?(?:^\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
# no part of a code or an id: what touches a digit is none
_WORD = re.compile(r"(?<![\w'’])[^\W\d_]+(?:['’][^\W\d_]+)*(?!\w)")


@cache
def _owners() -> dict[str, tuple[str, ...]]:
    """Return which languages list each function word."""
    owners: dict[str, list[str]] = {}
    for language, words in _WORDS.items():
        for word in dict.fromkeys(words.split()):
            owners.setdefault(word, []).append(language)
    return {word: tuple(languages) for word, languages in owners.items()}


@cache
def _letters() -> Any:
    import regex

    named = "|".join(rf"(?P<{name}>\p{{Script={name}}}+)" for name in _SCRIPTS)
    return regex.compile(
        rf"(?P<Kana>[\p{{Script=Hiragana}}\p{{Script=Katakana}}]+)|{named}|(?P<Other>\p{{L}}+)"
    )


def language_of(text: str) -> str | None:
    """Return the English name of the language of a text, or of its script; null where it cannot be told.

    Told are English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Czech, Swedish, Danish, Finnish,
    Hungarian, Turkish, Vietnamese, Indonesian and Romanian by their function words, Chinese, Japanese, Korean, Greek,
    Thai, Tamil, Telugu, Georgian and Armenian by their script; Cyrillic, Arabic, Hebrew, Devanagari and Bengali are
    scripts of several languages and named so. Lists, code, names and a few words give null.
    """
    head = text[: 4 * LOOKED_AT]
    if "```" in head or "~~~" in head:
        head = _CODE.sub(" ", head)
    head = head[:LOOKED_AT]
    if not head.isascii() and (script := _script(head)) is not None:
        return script
    return _by_words(head)


def _script(text: str) -> str | None:
    found: Counter[str] = Counter()
    for match in _letters().finditer(text):
        found[match.lastgroup or "Other"] += len(match[0])
    letters = sum(found.values())
    if letters < LEAST_LETTERS // 3:  # a character of Han or hangul says as much as three letters
        return None
    east = found["Han"] + found["Kana"]
    if east > MOST_OF_IT * letters:
        return "Japanese" if found["Kana"] > KANA * letters else "Chinese"
    name, most = max(found.items(), key=lambda item: item[1])
    return _SCRIPTS.get(name) if most > MOST_OF_IT * letters else None


def _by_words(text: str) -> str | None:
    if " " not in text.strip():  # an id or a path: its letters are no words
        return None
    words = _WORD.findall(text.lower())
    if sum(map(len, words)) < LEAST_LETTERS:
        return None
    owners = _owners()
    found: Counter[str] = Counter()
    distinct: Counter[str] = Counter()
    for word, times in Counter(words).items():
        for language in owners.get(word, ()):
            found[language] += times
            distinct[language] += 1
    (first, most), *rest = [*found.most_common(2), ("", 0)][:2]
    second = rest[0][1] if rest else 0
    if distinct[first] < LEAST_WORDS or most < LEAST_SHARE * len(words) or most < AHEAD * second:
        return None
    return first

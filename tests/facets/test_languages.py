"""The language of a text: told by script or function words, or not told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.facets.languages import language_of

TEXTS = {
    "English": "The weather in the north is cold, and it is not as bad as you may think.",
    "German": "Das Wetter ist im Norden kalt, und es ist nicht so schlecht, wie man denkt.",
    "French": "Le temps dans le nord est froid, et il n'est pas aussi mauvais que vous pensez.",
    "Spanish": "El tiempo en el norte es frío, y no es tan malo como se piensa en los libros.",
    "Italian": "Il tempo nel nord è freddo, e non è così male come si pensa di solito con la pioggia.",
    "Portuguese": "O tempo no norte é frio, e não é tão mau como se pensa, com uma brisa do mar.",
    "Dutch": "Het weer in het noorden is koud, en het is niet zo slecht als je denkt.",
    "Polish": "Pogoda na północy jest zimna i nie jest tak zła, jak się myśli w domu.",
    "Finnish": "Sää on pohjoisessa kylmä, mutta se ei ole niin huono kuin moni luulee, ja se muuttuu.",
    "Chinese": "北方的天气很冷，但是没有你想的那么糟糕。",
    "Japanese": "北の天気は寒いですが、思うほど悪くありません。",
    "Korean": "북쪽의 날씨는 춥지만 생각만큼 나쁘지 않습니다.",
    "Cyrillic script": "Погода на севере холодная, но не такая плохая, как думают.",
    "Arabic script": "الطقس في الشمال بارد لكنه ليس سيئا كما تظن.",
    "Thai": "อากาศทางเหนือหนาว แต่ไม่แย่อย่างที่คิด",
}


@pytest.mark.parametrize(("language", "text"), TEXTS.items(), ids=list(TEXTS))
def test_running_text_tells_its_language(language: str, text: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "42",
        "Yes.",
        "x = a + b",
        "p0e4ad93b1",
        "🙂🙂🙂",
        "def f(x):\n    return x",
        "Anna, Otto, Bob, Eve",
    ],
)
def test_what_says_too_little_is_not_told(text: str) -> None:
    """Better no answer than a guess: names, numbers, code and ids are in no language."""
    assert language_of(text) is None


def test_code_is_not_looked_at() -> None:
    code = "```python\n# the value of a is in the list and it is not to be changed\n```\n"

    assert language_of(code + TEXTS["German"]) == "German"


def test_the_letters_of_a_possessive_are_no_words() -> None:
    """The s of "John's" is a word in Czech, but not in an English sentence."""
    assert language_of("Analyze John's, Mary's and Peter's wars, Anna's media's role") is None


@given(st.text())
def test_any_text_has_an_answer(text: str) -> None:
    found = language_of(text)

    assert found is None or found.strip()


@given(st.sampled_from(sorted(TEXTS)), st.integers(1, 30))
def test_saying_it_again_changes_nothing(language: str, times: int) -> None:
    assert language_of("\n".join([TEXTS[language]] * times)) == language


def test_what_touches_digits_is_no_word() -> None:
    assert language_of("question 3e2a0d7e5a4f1e9a2d8o6a of run a1e3o5") is None

"""Battles as arenas publish them: two models and a winner in one row, in JSON or in a table.

The columns are model_a and model_b (or left and right) and winner, or winner_model_a, winner_model_b and winner_tie
with a 1 in one of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.results.readers.voting import Voting, turns

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "battles"
describe = "battles (model_a, model_b or left, right, and winner)"
SIDES = (("model_a", "model_b"), ("left", "right"))
ONE_HOT = ("winner_model_a", "winner_model_b", "winner_tie")
WINNERS = {
    "model_a": "left",
    "model_b": "right",
    "left": "left",
    "right": "right",
    "tie": "both_good",
    "tie (bothbad)": "both_weak",
    "both_bad": "both_weak",
}
PEOPLE = (
    "session",
    "session_id",
    "evaluation_session_id",
    "worker",
    "worker_id",
    "judge",
    "judge_id",
    "judge_hash",
    "annotator",
    "user",
    "user_id",
)
_PROMPTS = ("prompt", "question", "instruction")
_IDS = ("prompt_id", "question_id")
_TIMES = ("cast", "tstamp", "timestamp")
_TOPICS = ("topic", "category")
_TALKS = ("conversation_a", "conversation_b")
_REPLIES = ("response_a", "response_b")


def recognise(document: Document) -> bool:
    """Whether the first record names two models and a winner."""
    first = document.first
    return isinstance(first, dict) and any(
        {a, b} <= first.keys() and ("winner" in first or set(ONE_HOT) <= first.keys()) for a, b in SIDES
    )


def read(document: Document) -> Results:
    """Return the votes, and the replies where the rows hold them.

    The winner may be a label of WINNERS, in any case, or the name of either model. A tie is a draw of two good replies,
    tie (bothbad) and both_bad one of two weak ones; the label stays in the vote. The first present of PEOPLE says whose
    votes belong together; its values are hashed. All other columns stay in the vote's `extra`. Raises RecordError for
    any other label, and for a field that is missing or no text.
    """
    voting = Voting(document)
    for number, row in document.objects():
        a, b = next(sides for sides in SIDES if set(sides) <= row.keys() or sides is SIDES[-1])
        names = voting.text(number, row, a).strip(), voting.text(number, row, b).strip()
        pick, label = _pick(voting, number, row, names)
        prompt, texts = _texts(voting, row)
        key = next((key for key in PEOPLE if row.get(key) not in (None, "")), None)
        voting.vote(
            number,
            names,
            pick,
            prompt=prompt,
            texts=texts,
            session=None if key is None else voting.person(row[key]),
            cast=_time(row),
            label=label,
            language=row.get("language"),
            extra=_extra(voting, row, key) or None,
        )
    return voting.done()


def _extra(voting: Voting, row: dict[str, Any], person: str | None) -> dict[str, Any]:
    """Return the columns that the vote has no field for, people's ids hashed, and what is in a talk beside text."""
    used = {*SIDES[0], *SIDES[1], *ONE_HOT, *_TALKS, *_REPLIES, *_PROMPTS, *_IDS, *_TIMES, *_TOPICS}
    used |= {"winner", "language", person or "winner"}
    if isinstance(talk := row.get("full_conversation"), list) and len(talk) < 2:
        used.add("full_conversation")  # what the two conversations are, once more
    extra = {key: value for key, value in row.items() if key not in used and value is not None}
    extra |= {key: voting.person(extra[key]) for key in PEOPLE if key in extra}
    for key in _TALKS:
        messages = row.get(key)
        silent = _silent(messages) if isinstance(messages, list) else []
        extra |= {f"{key}_parts": silent} if silent else {}
    return extra


def _silent(messages: list[Any]) -> list[Any]:
    """Return the parts of messages that are no text, such as images."""
    contents = [each.get("content") for each in messages if isinstance(each, dict)]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    return [part for part in parts if isinstance(part, dict) and not isinstance(part.get("text"), str)]


def _pick(voting: Voting, number: int, row: dict[str, Any], names: tuple[str, str]) -> tuple[str, str]:
    if "winner" not in row and set(ONE_HOT) <= row.keys():
        return _one_hot(voting, number, row)
    given = row.get("winner")
    label = given.strip() if isinstance(given, str) else given
    if isinstance(label, str):
        if label.lower() in WINNERS:
            return WINNERS[label.lower()], label
        if label in names and names[0] != names[1]:
            return ("left", "right")[names.index(label)], label
    raise voting.unknown(number, "winner", given, (*WINNERS, "the name of either model"))


def _one_hot(voting: Voting, number: int, row: dict[str, Any]) -> tuple[str, str]:
    flags = {"0": 0, "1": 1, "0.0": 0, "1.0": 1, "false": 0, "true": 1}
    found = []
    for key in ONE_HOT:
        value = flags.get(str(row[key]).strip().lower())
        if value is None:
            raise voting.unknown(number, key, row[key], ("0", "1"))
        found.append(value)
    if sum(found) != 1:
        listed = ", ".join(map(str, found))
        raise voting.document.fault(number, f"fields {', '.join(ONE_HOT)}: expected one 1, found {listed}")
    place = found.index(1)
    return ("left", "right", "both_good")[place], ("model_a", "model_b", "tie")[place]


def _texts(voting: Voting, row: dict[str, Any]) -> tuple[str | None, tuple[str | None, str | None] | None]:
    """Return the id of the prompt, and the two texts; nulls where the row holds none.

    The turns of a conversation count as one prompt and one reply, unless one of them is asked for.
    """
    wanted = next((str(row[key]) for key in _IDS if isinstance(row.get(key), str | int)), None)
    topic = next((found for key in _TOPICS if isinstance(found := row.get(key), str) and found), None)
    turn = voting.document.reading.turn
    text = next((said for key in _PROMPTS if (said := turns(row.get(key), None, turn)) is not None), None)
    if text is not None and set(_REPLIES) <= row.keys():
        a, b = (turns(row[key], None, turn) for key in _REPLIES)
        return voting.prompt(text, wanted, topic).id, (a, b)
    if set(_TALKS) <= row.keys():
        asked = turns(row[_TALKS[0]], "user", turn)
        if asked is not None:
            a, b = (turns(row[key], "assistant", turn) for key in _TALKS)
            return voting.prompt(asked, wanted, topic).id, (a, b)
    return (wanted if text is None else voting.prompt(text, wanted, topic).id), None


def _time(row: dict[str, Any]) -> Any:
    """Return when the vote was cast, as the row has it; a number in a table is one again."""
    value = next((row[key] for key in _TIMES if row.get(key) not in (None, "")), None)
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value

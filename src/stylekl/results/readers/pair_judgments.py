"""MT-bench's pair judgments: two games a row, the second with the replies swapped, as FastChat writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.results.readers.judge_prompts import question_in
from stylekl.results.readers.recording import kept
from stylekl.results.readers.voting import Voting

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "pair_judgments"
describe = "pair judgments (model_1, model_2, g1_winner, g2_winner)"
_PICKS = {"model_1": "left", "model_2": "right", "tie": "both_good"}
_ERROR = "error"
_NEED = {"model_1", "model_2", "g1_winner", "g2_winner"}
_USED = (*_NEED, "question", "question_id", "answer_1", "answer_2", "turn", "tstamp", "judge_model")


def recognise(document: Document) -> bool:
    """Whether the first record names two models and the winners of two games."""
    first = document.first
    return isinstance(first, dict) and first.keys() >= _NEED


def read(document: Document) -> Results:
    """Return a vote for each row: for a model where it won both games, else a draw, as FastChat counts.

    A judge that follows the position thus prefers nobody. Both verdicts stay in the vote, and what the judge was given
    and wrote in its `extra`. A row in which a game has no verdict ("error") is no vote; such rows are counted in a
    warning and kept in the file's fields. The prompt is the row's question, or the one in the text that the judge was
    given; replies are returned where the rows hold them (answer_1, answer_2). Raises RecordError for any other winner,
    and for a field that is missing or no text.
    """
    voting = Voting(document)
    failed: list[dict[str, Any]] = []
    for number, row in document.objects():
        games = [_game(voting, number, row, key) for key in ("g1_winner", "g2_winner")]
        sides = voting.text(number, row, "model_1"), voting.text(number, row, "model_2")
        prompt, texts = _texts(voting, number, row)
        if _ERROR in games:
            voting.lost("the judge gave no verdict")
            voting.shown(number, sides, prompt, texts)
            failed.append(kept(row, "question", "answer_1", "answer_2"))
            continue
        judge = _judge(row)
        used = _USED if row.get("judge") != judge else (*_USED, "judge")
        voting.vote(
            number,
            sides,
            _PICKS[games[0]] if games[0] == games[1] else "both_good",
            prompt=prompt,
            texts=texts,
            g1_winner=games[0],
            g2_winner=games[1],
            turn=row.get("turn"),
            judge=judge,
            cast=row.get("tstamp"),
            extra=kept(row, *used) or None,
        )
    if failed:
        voting.results.unknown[f"pair judgments {document.stem}"] = failed
    return voting.done()


def _game(voting: Voting, number: int, row: dict[str, Any], key: str) -> str:
    winner = row.get(key)
    if not isinstance(winner, str) or (winner != _ERROR and winner not in _PICKS):
        raise voting.unknown(number, key, winner, (*_PICKS, _ERROR))
    return str(winner)


def _texts(
    voting: Voting, number: int, row: dict[str, Any]
) -> tuple[str | None, tuple[str | None, str | None] | None]:
    asked = row.get("question") or question_in(row.get("g1_user_prompt"))
    question = row.get("question_id")
    wanted = None if question is None else str(question)
    if not isinstance(asked, str):
        return wanted, None
    prompt = voting.prompt(asked, wanted).id
    if not {"answer_1", "answer_2"} <= row.keys():
        return prompt, None
    return prompt, (voting.text(number, row, "answer_1"), voting.text(number, row, "answer_2"))


def _judge(row: dict[str, Any]) -> str | None:
    judge = row.get("judge", row.get("judge_model"))
    if isinstance(judge, list):
        return str(judge[0]) if judge else None
    return judge if isinstance(judge, str) else None

"""Arena-Hard's judgments, old and new: a model against a baseline in two games, the second with the replies swapped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.results.document import describe as describe_value
from stylekl.results.readers.content import content_text
from stylekl.results.readers.recording import first_text, kept
from stylekl.results.readers.voting import Voting

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "arena_judgments"
describe = "Arena-Hard judgments (question_id or uid, model, games with a score each)"
BASELINE = "baseline"  # the older rows do not name it
FIRST = ("A>>B", "A>B", "B<A", "B<<A")
TIED = ("A=B", "B=A")
SECOND = ("B>>A", "B>A", "A<B", "A<<B")
LABELS = (*FIRST, *TIED, *SECOND)
_SIDES = ({"A": "baseline", "B": "model"}, {"A": "model", "B": "baseline"})  # who was A and B in each game
_PICKS = {"model": "left", "baseline": "right", "tie": "both_good"}
_IDS = ("uid", "question_id")
_USED = (*_IDS, "model", "baseline", "judge", "tstamp", "games", "category")
_MARKS = (
    "<|User Prompt|>\n",
    "\n\n<|The Start of Assistant A's Answer|>\n",
    "\n<|The End of Assistant A's Answer|>\n\n<|The Start of Assistant B's Answer|>\n",
    "\n<|The End of Assistant B's Answer|>",
)


def recognise(document: Document) -> bool:
    """Whether the first record names a model and a question and holds games."""
    first = document.first
    if not isinstance(first, dict) or "model" not in first or not any(key in first for key in _IDS):
        return False
    games = first.get("games")
    return isinstance(games, list) and all(
        game is None or (isinstance(game, dict) and "score" in game) for game in games
    )


def read(document: Document) -> Results:
    """Return a vote for each row: for the side that won both games, else a draw, as for MT-bench's pair judgments.

    The baseline is A in the first game and B in the second; `games` says who won each, with the judge's label and
    words. A row in which a game has no score is no vote: it stays in the file's fields, and a warning counts such rows.
    Question and replies are returned where a game holds what the judge was shown. Raises RecordError for any other
    label.
    """
    voting = Voting(document)
    failed: list[dict[str, Any]] = []
    unnamed = False
    for number, row in document.objects():
        unnamed |= first_text(row, "baseline") is None
        games = _games(voting, number, row)
        sides = voting.text(number, row, "model"), first_text(row, "baseline") or BASELINE
        prompt, texts = _texts(voting, row)
        if games is None:
            failed.append(row)
            voting.lost("the judge gave no verdict")
            voting.shown(number, sides, prompt, texts)
            continue
        winners = {game["winner"] for game in games}
        voting.vote(
            number,
            sides,
            _PICKS[winners.pop()] if len(winners) == 1 else "both_good",
            prompt=prompt,
            texts=texts,
            games=games,
            judge=first_text(row, "judge"),
            cast=row.get("tstamp"),
            extra=kept(row, *_USED) or None,
        )
    results = voting.done()
    if unnamed:
        results.warnings.append(f'{document.path}: the baseline is not named; it is called "{BASELINE}"')
    if failed:
        results.unknown[f"arena-hard {document.stem}"] = failed
    return results


def _games(voting: Voting, number: int, row: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return who won each of the two games, null where one has no verdict."""
    given = row.get("games")
    if not isinstance(given, list) or len(given) != 2:
        seen = f"{len(given)}" if isinstance(given, list) else describe_value(given)
        raise voting.document.fault(number, f"field games: expected two, found {seen}")
    found: list[dict[str, Any]] = []
    for sides, game in zip(_SIDES, given, strict=True):
        score = game.get("score") if isinstance(game, dict) else None
        if score is None:
            return None
        label = score.strip() if isinstance(score, str) else score
        if label not in LABELS:
            raise voting.unknown(number, "score", score, LABELS)
        winner = "tie" if label in TIED else sides["A" if label in FIRST else "B"]
        found.append({"winner": winner} | kept(game, "user_prompt", "prompt"))
    return found


def _texts(voting: Voting, row: dict[str, Any]) -> tuple[str | None, tuple[str | None, str | None] | None]:
    """Return the id of the question and, where the first game shows them, the replies of model and baseline."""
    wanted = next((str(row[key]) for key in _IDS if isinstance(row.get(key), str | int)), None)
    game = row["games"][0]
    shown = game.get("user_prompt", game.get("prompt")) if isinstance(game, dict) else None
    if isinstance(shown, list) and shown:
        shown = content_text(shown[-1])
    pieces = _pieces(shown) if isinstance(shown, str) else None
    if pieces is None:
        return wanted, None
    question, baseline, model = pieces
    return voting.prompt(question, wanted, first_text(row, "category")).id, (model, baseline)


def _pieces(shown: str) -> list[str] | None:
    """Return the question and both replies of what a judge was shown; null where it has another form."""
    found = []
    rest = shown
    for mark in _MARKS:
        piece, here, rest = rest.partition(mark)
        if not here:
            return None
        found.append(piece)
    return found[1:]

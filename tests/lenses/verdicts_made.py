"""Results of one-word questions made in memory, for tests of the verdicts lens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.results import Condition, Model, Prompt, Reply, Results

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

CONDITIONS = (
    Condition(id="control"),
    Condition(id="asserted", system="A {subject} counts as a soup."),
    Condition(id="denied", system="A {subject} does not count as a soup."),
)
WORD = {"y": "Yes.", "n": "No.", "o": "Perhaps.", "l": "Yes, but it depends.", "": ""}
FAULTS = {"r": ("I will not answer.", ["refusal"]), "e": ("", ["empty"]), "x": ("", ["error"])}


def replies_of(model: str, question: str, condition: str, marks: str, **more: Any) -> Iterable[Reply]:
    """Yield a reply for each mark: y, n, o (another word), l (long), r (refused), e (empty), x (failed)."""
    for number, mark in enumerate(marks, 1):
        text, flags = FAULTS.get(mark) or (WORD[mark], [])
        period = more.get("period")
        unknown = {key: value for key, value in more.items() if key != "period"}
        yield Reply(
            model=model,
            prompt=question,
            condition=condition,
            period=period,
            sample=number,
            text=text,
            flags=flags,
            unknown=unknown,
        )


def make(
    table: Mapping[str, Mapping[str, Mapping[str, str]]],
    *,
    collection: Sequence[dict[str, Any]] = (),
    **more: Any,
) -> Results:
    """Return results from model -> question -> condition -> marks such as "yyn"; `more` goes into every reply."""
    questions = dict.fromkeys(question for of in table.values() for question in of)
    return Results(
        models=[Model(id=model) for model in table],
        prompts=[Prompt(id=q, text=f"Is {q} one? One word.", kind="one_word") for q in questions],
        conditions=list(CONDITIONS),
        replies=[
            reply
            for model, of in table.items()
            for question, conditions in of.items()
            for condition, marks in conditions.items()
            for reply in replies_of(model, question, condition, marks, **more)
        ],
        other={"collection": [dict(row) for row in collection]} if collection else {},
    )


def editions(tables: Mapping[str | None, Mapping[str, Mapping[str, Mapping[str, str]]]]) -> Results:
    """Return results of several editions, by period."""
    whole: Results | None = None
    for period, table in tables.items():
        part = make(table, period=period)
        if whole is None:
            whole = part
            continue
        known = {model.id for model in whole.models}
        whole.models += [model for model in part.models if model.id not in known]
        asked = {prompt.id for prompt in whole.prompts}
        whole.prompts += [prompt for prompt in part.prompts if prompt.id not in asked]
        whole.replies += part.replies
    assert whole is not None
    return whole

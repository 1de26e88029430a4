"""What the samples of one question to one model come to: verdicts, majority, compliance, medians, cost."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from stylekl.lenses.verdicts.classify import VERDICTS, Answer, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from stylekl.results.records import Reply

SAID = 3  # answers that a cell quotes
LONGEST = 40  # characters of one


@dataclass(frozen=True, slots=True)
class Sample:
    """A reply with its answer, null where the call failed. Numbers that were not recorded are null, never 0."""

    answer: Answer | None
    refused: bool
    empty: bool
    latency_ms: float | None
    first_content_ms: float | None
    input_tokens: float | None
    output_tokens: float | None
    total_tokens: float | None
    cost: float | None

    @property
    def tokens_per_second(self) -> float | None:
        """Output tokens over total latency."""
        if self.output_tokens is None or not self.latency_ms:
            return None
        return self.output_tokens / (self.latency_ms / 1000)


@dataclass(frozen=True, slots=True)
class Spread:
    """Median, least and greatest of the samples that have a number, and how many those are."""

    median: float
    min: float
    max: float
    n: int


@dataclass(frozen=True, slots=True)
class Cell:
    """One model, one question, one condition, one edition.

    `asked` counts the replies in the file; `failed` of them have no answer, and `samples` are the others. `refused` and
    `empty` ones are samples, and count in `other`. `majority` is the verdict that more samples have than any other, a
    tie for first place is other, and null means no samples. `followed` counts samples of exactly one word, whatever the
    word; `followed_rate` is null without samples. `cost` is an upper bound, the sum over the replies, null where a
    sample has none; `price_date` is when its prices were read. `said` are the most frequent one-word answers.
    """

    model: str
    question: str
    condition: str
    period: str | None
    asked: int
    samples: int
    yes: int
    no: int
    other: int
    refused: int
    empty: int
    failed: int
    majority: Verdict | None
    followed: int
    followed_rate: float | None
    latency_ms: Spread | None
    first_content_ms: Spread | None
    input_tokens: Spread | None
    output_tokens: Spread | None
    total_tokens: Spread | None
    tokens_per_second: Spread | None
    cost: float | None
    currency: str | None
    price_date: str | None
    said: dict[str, int]

    @property
    def counts(self) -> tuple[int, int, int]:
        """Samples of yes, no and other."""
        return self.yes, self.no, self.other


def sample_of(reply: Reply, answer: Answer) -> Sample:
    """Return a reply as a sample: without an answer where it is flagged "error", on no side where it is a refusal."""
    failed, refused = "error" in reply.flags, "refusal" in reply.flags
    if refused:
        answer = Answer("other", answer.one_word, answer.normalised)
    usage = reply.unknown.get("usage")
    tokens = usage if isinstance(usage, dict) else {}
    return Sample(
        answer=None if failed else answer,
        refused=refused and not failed,
        empty=not failed and not refused and not answer.normalised,
        latency_ms=_number(reply.unknown.get("latency_ms")),
        first_content_ms=_number(reply.unknown.get("first_content_ms")),
        input_tokens=_number(tokens.get("input")),
        output_tokens=_number(tokens.get("output")),
        total_tokens=_number(tokens.get("total")),
        cost=_number(reply.unknown.get("cost")),
    )


def majority(counts: Sequence[int]) -> Verdict | None:
    """Return the verdict with the most of (yes, no, other); other where two are first, null where all are 0."""
    most = max(counts)
    if not most:
        return None
    first = [verdict for verdict, count in zip(VERDICTS, counts, strict=True) if count == most]
    return first[0] if len(first) == 1 else "other"


def spread(values: Iterable[float | None]) -> Spread | None:
    """Return the spread of the numbers among `values`, null without any."""
    known = [value for value in values if value is not None]
    return Spread(median(known), min(known), max(known), len(known)) if known else None


def aggregate(
    place: tuple[str, str, str, str | None],
    samples: Sequence[Sample],
    price: dict[str, Any] | None,
    *,
    text: bool = True,
) -> Cell:
    """Return the cell of the samples; `place` is (model, question, condition, period)."""
    model, question, condition, period = place
    answered = [sample for sample in samples if sample.answer is not None]
    answers = [sample.answer for sample in answered if sample.answer is not None]
    verdicts = Counter(answer.verdict for answer in answers)
    counts = tuple(verdicts[verdict] for verdict in VERDICTS)
    followed = sum(answer.one_word for answer in answers)
    costs = [sample.cost for sample in samples if sample.cost is not None]
    priced = bool(answered) and all(sample.cost is not None for sample in answered)
    said = Counter(answer.normalised for answer in answers if answer.one_word)
    price = price or {}
    return Cell(
        model=model,
        question=question,
        condition=condition,
        period=period,
        asked=len(samples),
        samples=len(answered),
        yes=counts[0],
        no=counts[1],
        other=counts[2],
        refused=sum(sample.refused for sample in samples),
        empty=sum(sample.empty for sample in samples),
        failed=len(samples) - len(answered),
        majority=majority(counts),
        followed=followed,
        followed_rate=followed / len(answered) if answered else None,
        latency_ms=spread(sample.latency_ms for sample in answered),
        first_content_ms=spread(sample.first_content_ms for sample in answered),
        input_tokens=spread(sample.input_tokens for sample in answered),
        output_tokens=spread(sample.output_tokens for sample in answered),
        total_tokens=spread(sample.total_tokens for sample in answered),
        tokens_per_second=spread(sample.tokens_per_second for sample in answered),
        cost=round(sum(costs), 10) if priced else None,
        currency=_text(price.get("currency")),
        price_date=_text(price.get("read")),
        said={
            word[:LONGEST]: count
            for word, count in sorted(said.items(), key=lambda item: (-item[1], item[0]))[:SAID]
        }
        if text
        else {},
    )


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < float("inf") else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None

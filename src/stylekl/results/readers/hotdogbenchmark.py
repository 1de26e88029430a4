"""The run file of the Hot Dog Benchmark: one edition of one-word questions, under conditions, several samples each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.results.document import describe as describe_value
from stylekl.results.records import Condition, Model, Prompt, Reply

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stylekl.errors import RecordError
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "hotdogbenchmark"
describe = "a run of the Hot Dog Benchmark (editionKey or isoWeek, questions, results)"
CONTROL = "control"
_USED = ("questions", "conditions", "results", "isMock")  # fields of the run that become records
_ENTRY = ("modelId", "displayName", "provider", "reasoningEffort", "samples")
_USAGE = {
    "input": "inputTokens",
    "output": "outputTokens",
    "reasoning": "reasoningTokens",
    "cached": "cachedInputTokens",
    "total": "totalTokens",
}
_SAMPLE = ("text", "usage", "timing", "costEstimateUsd", "raw")


def recognise(document: Document) -> bool:
    """Whether the file is one object with questions, results and the week or edition of a run."""
    first = document.first
    return (
        document.kind == "object"
        and isinstance(first, dict)
        and "format" not in first
        and {"questions", "results"} <= first.keys()
        and not {"isoWeek", "editionKey"}.isdisjoint(first)
    )


def read(document: Document) -> Results:
    """Return the results: prompts of kind one_word, conditions, replies with their period, and one collection.

    A model with an effort is another model than the one without. A model without samples has one reply flagged
    "error" for each question that failed. Runs without conditions are control throughout. The period of a mock run ends
    in "-mock", so that it meets no real one. What the run says of a model's replies to a question beyond the samples,
    such as its aggregates, is kept in the collection under `results`. Raises RecordError where a field is missing or of
    the wrong kind; a null text is an empty reply.
    """
    return _Run(document).results


class _Run:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.results = document.results()
        run = document.first
        self.mock = run.get("isMock") is True
        edition = self._text(run, "editionKey" if run.get("editionKey") is not None else "isoWeek", "")
        self.period = f"{edition}-mock" if self.mock and not edition.endswith("mock") else edition
        self.models: dict[str, Model] = {}
        self.answered: set[str] = set()
        self.rest: list[dict[str, Any]] = []  # what is said of a question or of a model's replies to it
        self.results.prompts = [
            Prompt(
                id=self._text(row, "id", where),
                text=self._text(row, "text", where),
                kind="one_word",
                subject=row["subject"] if isinstance(row.get("subject"), str) else None,
                battery=name,
                unknown=_rest(row, "id", "text", "subject"),
            )
            for where, row in self._rows(run, "questions", "")
        ]
        self.prompts = {prompt.id for prompt in self.results.prompts}
        self.results.conditions = self._conditions(run)
        self.conditions = {condition.id for condition in self.results.conditions} or {CONTROL}
        for where, row in self._rows(run, "results", ""):
            self._question(row, where)
        self.results.models = list(self.models.values())
        for model in self.results.models:
            if model.id in self.answered:
                model.unknown.pop("unavailable", None)
        self.results.other["collection"] = [self._collection(run)]

    def _fault(self, where: str, reason: str) -> RecordError:
        error = self.document.fault(1, f"field {where}: {reason}")
        error.message = f"{self.document.path}: field {where}: {reason}"
        return error

    def _rows(self, row: dict[str, Any], key: str, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
        value = row.get(key)
        if not isinstance(value, list):
            raise self._fault(f"{where}{key}", f"expected an array, found {describe_value(value)}")
        for number, item in enumerate(value):
            if not isinstance(item, dict):
                place = f"{where}{key}[{number}]"
                raise self._fault(place, f"expected an object, found {describe_value(item)}")
            yield f"{where}{key}[{number}].", item

    def _text(self, row: dict[str, Any], key: str, where: str) -> str:
        value = row.get(key)
        if not isinstance(value, str):
            found = describe_value(value) if key in row else "nothing"
            raise self._fault(f"{where}{key}", f"expected text, found {found}")
        return value

    def _conditions(self, run: dict[str, Any]) -> list[Condition]:
        if run.get("conditions") is None:
            return []
        own = ("id", "systemPrompt", "promptPrefix", "promptSuffix")
        return [
            Condition(
                id=self._text(row, "id", where),
                system=_text_or_none(row.get("systemPrompt")),
                prefix=_text_or_none(row.get("promptPrefix")),
                suffix=_text_or_none(row.get("promptSuffix")),
                unknown={key: value for key, value in row.items() if key not in own and value is not None},
            )
            for where, row in self._rows(run, "conditions", "")
        ]

    def _question(self, row: dict[str, Any], where: str) -> None:
        prompt = self._text(row, "questionId", where)
        if prompt not in self.prompts:
            raise self._fault(f"{where}questionId", f'the run has no question "{prompt}"')
        condition = CONTROL if row.get("conditionId") is None else self._text(row, "conditionId", where)
        if condition not in self.conditions:
            raise self._fault(f"{where}conditionId", f'the run has no condition "{condition}"')
        asked = {"prompt": prompt, "condition": condition}
        if rest := _rest(row, "questionId", "conditionId", "models"):
            self.rest.append(asked | {"question": rest})
        for place, entry in self._rows(row, "models", where):
            model = self._model(entry, place)
            samples = list(self._rows(entry, "samples", place))
            if rest := _rest(entry, *_ENTRY):
                self.rest.append(asked | {"model": model.id} | rest)
            for number, (at, sample) in enumerate(samples, 1):
                self._add(self._reply(sample, at, model.id, number), prompt, condition)
            if samples:
                self.answered.add(model.id)
            else:
                why = _why(entry)
                model.unknown.setdefault("unavailable", {"why": why})
                failed = Reply(model=model.id, prompt=prompt, text="", flags=["error"], extra={"error": why})
                self._add(failed, prompt, condition)

    def _add(self, reply: Reply, prompt: str, condition: str) -> None:
        reply.prompt = prompt
        reply.condition = condition if self.results.conditions else None
        reply.period = self.period
        reply.sample = reply.sample or 1
        self.results.replies.append(reply)
        self.results.places.append((f"{self.document.path}: sample", len(self.results.replies)))

    def _model(self, entry: dict[str, Any], where: str) -> Model:
        base, effort = self._text(entry, "modelId", where), _text_or_none(entry.get("reasoningEffort"))
        own = base if effort is None else f"{base} ({effort})"
        if own not in self.models:
            label = _text_or_none(entry.get("displayName"))
            self.models[own] = Model(
                id=own,
                name=label if label is None or effort is None else f"{label} ({effort})",
                provider=_text_or_none(entry.get("provider")),
                requested=base,
                node=None if effort is None else {"base": base, "effort": effort},
                price={"currency": "USD"},
            )
        return self.models[own]

    def _reply(self, sample: dict[str, Any], where: str, model: str, number: int) -> Reply:
        null = "text" in sample and sample["text"] is None
        text = "" if null else self._text(sample, "text", where)
        timing, usage = (_object(sample.get(key)) for key in ("timing", "usage"))
        more = {
            "latency_ms": timing.get("totalMs"),
            "first_content_ms": timing.get("ttfbMs"),
            "usage": _usage(usage, sample.get("raw")) if usage else None,
            "cost": sample.get("costEstimateUsd"),
        }
        return Reply(
            model=model,
            prompt="",
            text=text,
            sample=number,
            flags=[] if text.strip() else ["empty"],
            collected=_text_or_none(timing.get("startedAt")),
            extra={key: value for key, value in sample.items() if key not in _SAMPLE}
            | ({} if usage else _named("raw", _object(sample.get("raw"))))
            | _named("timing", _rest(timing, "totalMs", "ttfbMs", "startedAt"))
            | _named("usage", _rest(usage, *_USAGE.values())),
            unknown={key: value for key, value in more.items() if value is not None},
        )

    def _collection(self, run: dict[str, Any]) -> dict[str, Any]:
        row = {
            "battery": name,
            "period": self.period,
            "mock": self.mock,
            "prompts": [prompt.id for prompt in self.results.prompts],
            "conditions": [condition.id for condition in self.results.conditions] or [CONTROL],
            "models": list(self.models),
            "started": run.get("startedAt"),
            "ended": run.get("finishedAt"),
        }
        return {
            **{key: value for key, value in row.items() if value is not None},
            "run": _rest(run, *_USED),
            **({"results": self.rest} if self.rest else {}),
        }


def _usage(usage: dict[str, Any], raw: Any) -> dict[str, Any]:
    """Return the counts as a collection records them; whether output holds the reasoning is told by the total."""
    found: dict[str, Any] = {ours: usage.get(theirs) for ours, theirs in _USAGE.items()}
    known = {key: value if _whole(value) else None for key, value in found.items()}
    put, out, thought, total = (known[key] for key in ("input", "output", "reasoning", "total"))
    included = None
    if put is not None and out is not None and thought and total is not None:
        included = True if total == put + out else False if total == put + out + thought else None
    return known | {"reasoning_included": included, "raw": raw}


def _why(entry: dict[str, Any]) -> str:
    error = entry.get("error")
    if isinstance(error, dict):
        error = error.get("message") or error.get("type")
    return error if isinstance(error, str) and error else str(entry.get("status") or "no samples")


def _rest(row: dict[str, Any], *used: str) -> dict[str, Any]:
    """Return the fields of a row that were not used and say something."""
    return {key: value for key, value in row.items() if key not in used and value is not None}


def _named(key: str, rest: dict[str, Any]) -> dict[str, Any]:
    return {key: rest} if rest else {}


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None

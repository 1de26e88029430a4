"""Replies of one file as they come, with what was asked and what came back: the work that its readers share."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from stylekl.results.readers.building import Building
from stylekl.results.records import Condition, Reply

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.readers.completion import Said
    from stylekl.results.readers.conversation import Asked
    from stylekl.results.records import Model, Results

CONTROL = "control"
ALIASES = 64  # names that a file may give one model: each reply has its own anyway


class Recording(Building):
    """Collects replies and the system prompts they were given under, which are conditions."""

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._systems: dict[str | None, str] = {}

    def asked(self, given: Model, requested: Any = None, provider: Any = None) -> Model:
        """Fill in the name that was requested and the provider where they are texts and not known yet."""
        if isinstance(requested, str) and given.requested is None:
            given.requested = requested
        if len(given.aliases) < ALIASES:
            given.also(requested if isinstance(requested, str) else None)
        if isinstance(provider, str) and given.provider is None:
            given.provider = provider
        return given

    def record(
        self,
        number: int,
        model: Model,
        asked: Asked,
        said: Said,
        *,
        wanted: Any = None,
        topic: Any = None,
        extra: dict[str, Any] | None = None,
        sample: int | None = None,
        period: str | None = None,
        collected: str | None = None,
    ) -> Reply:
        """Add a reply from row `number`; `wanted` is the id that the file gives its prompt."""
        name = str(wanted) if isinstance(wanted, str | int) and not isinstance(wanted, bool) else None
        prompt = self.prompt(asked.prompt, name or None, topic if isinstance(topic, str) else None)
        if said.model is not None and model.returned is None:
            model.returned = said.model
        if len(model.aliases) < ALIASES:
            model.also(said.model)
        reply = Reply(
            model=model.id,
            prompt=prompt.id,
            text=said.text,
            period=period,
            sample=sample,
            condition=self._condition(asked.system or None),
            flags=list(said.flags),
            stop=said.stop,
            version=said.model,
            collected=collected,
            extra=dict(extra or {}),
            unknown={} if said.stop_raw is None else {"stop_raw": said.stop_raw},
        )
        self.add(number, reply)
        return reply

    def done(self) -> Results:
        """Return the results; system prompts are conditions of theirs, and the control is to have none."""
        systems = {system: name for system, name in self._systems.items() if system is not None}
        if systems:
            self.results.conditions = [Condition(id=CONTROL)]
            self.results.conditions += [Condition(id=name, system=system) for system, name in systems.items()]
        return self.results

    def _condition(self, system: str | None) -> str | None:
        """Return the condition of a system prompt, null for none: that is the control, where there is one."""
        if system is None:
            return None
        return self._systems.setdefault(system, _name(system))


def _name(system: str) -> str:
    return "system-" + hashlib.sha256(system.encode("utf-8", "replace")).hexdigest()[:8]


def kept(row: dict[str, Any], *used: str) -> dict[str, Any]:
    """Return the fields of a row that were not used."""
    return {key: value for key, value in row.items() if key not in used}


def first_text(row: dict[str, Any], *keys: str) -> str | None:
    """Return the first of the fields that is a text with something in it."""
    return next((value for key in keys if isinstance(value := row.get(key), str) and value), None)

"""Results built row by row from a form that has no tables of models and prompts of its own."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from stylekl.results.document import describe
from stylekl.results.records import Model, Prompt, Reply

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results


@lru_cache(maxsize=4096)  # the files of one benchmark share their prompts
def prompt_id(text: str) -> str:
    """Return an id made from the text alone, so that it is the same in every file and every order."""
    return "p" + hashlib.sha256(text.encode()).hexdigest()[:10]


class Building:
    """Collects replies; models and prompts appear as they are first named, prompts joined by text."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.results: Results = document.results()
        self._where = f"{document.path}: {document.unit}"
        self._models: dict[str, Model] = {}
        self._prompts: dict[str, Prompt] = {}
        self._ids: set[str] = set()

    def model(self, name: str) -> Model:
        """Return the model with the id `name`."""
        model = self._models.get(name)
        if model is None:
            model = self._models[name] = Model(id=name)
            self.results.models.append(model)
        return model

    def prompt(self, text: str, wanted: str | None = None, topic: str | None = None) -> Prompt:
        """Return the prompt with this text; a new one gets the id `wanted` unless another text has it."""
        prompt = self._prompts.get(text)
        if prompt is None:
            own = prompt_id(text)
            name = own if wanted is None else f"{wanted}~{own}" if wanted in self._ids else wanted
            self._ids.add(name)
            prompt = self._prompts[text] = Prompt(id=name, text=text, topic=topic)
            self.results.prompts.append(prompt)
        return prompt

    def add(self, number: int, reply: Reply) -> None:
        """Add a reply read from row `number`."""
        self.results.replies.append(reply)
        self.results.places.append((self._where, number))

    def text(self, number: int, row: dict[str, Any], key: str) -> str:
        """Return the text in field `key` of a row; raises RecordError where it is missing or no text."""
        value = row.get(key)
        if not isinstance(value, str):
            found = describe(value) if key in row else "nothing"
            raise self.document.fault(number, f"field {key}: expected text, found {found}")
        return value

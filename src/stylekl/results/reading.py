"""What a user says of files that leave a choice: their form, the turn of a conversation, the names of models."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stylekl.results.names import Named

Turn = Literal["first", "last", "all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How files are read, and what their models are called.

    `format` is the name of the one reader to use, null for the first that recognises a file. `turn` is which turn of a
    conversation is the prompt and its reply; null leaves it to the reader: all turns where people voted on a whole
    conversation, the first elsewhere. `columns` says which column of a table holds a part of a reply:
    {"model": "llm", "prompt": "question", "reply": "text"}. `skip_bad` says that a file of a folder that cannot be
    read is left out with a warning. `rename` has the new id of models by any of their names, `names` what is said of
    models beside; both count once all files are joined (`names.rename_models`, `names.name_models`).
    """

    format: str | None = None
    turn: Turn | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    skip_bad: bool = False
    rename: Mapping[str, str] = field(default_factory=dict)
    names: tuple[Named, ...] = ()


AS_FOUND = Reading()  # nothing said

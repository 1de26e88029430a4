"""What a user says of files that leave a choice: their form, the turn of a conversation, the columns of a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Turn = Literal["first", "last", "all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How files are read.

    `format` is the name of the one reader to use, null for the first that recognises a file. `turn` is which turn of a
    conversation is the prompt and its reply. `columns` says which column of a table holds a part of a reply:
    {"model": "llm", "prompt": "question", "reply": "text"}. `skip_bad` says that a file of a folder that cannot be
    read is left out with a warning.
    """

    format: str | None = None
    turn: Turn = "first"
    columns: Mapping[str, str] = field(default_factory=dict)
    skip_bad: bool = False


AS_FOUND = Reading()  # nothing said

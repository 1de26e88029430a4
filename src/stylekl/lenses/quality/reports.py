"""What is said of a file's quality: frozen, and with a place to look at for each finding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from stylekl.results.check import CheckReport
    from stylekl.results.check_files import FileRead

Severity = Literal["trouble", "note"]


@dataclass(frozen=True, slots=True)
class QualityFinding:
    """One thing that is odd: what, how grave, for whom, how often, and where to see one.

    `models` are ids: two where two models share something, none where the file as a whole is meant. `replies` of `of`
    have it, on `prompts` prompts; null where that is no question. `text` is the sentence without the names of the
    models. `listed` are ids of prompts, a few. `place` is where one stands, null without a reply.
    """

    kind: str
    severity: Severity
    models: tuple[str, ...]
    text: str
    replies: int | None = None
    of: int | None = None
    prompts: int | None = None
    listed: tuple[str, ...] = ()
    place: str | None = None


@dataclass(frozen=True, slots=True)
class ModelContents:
    """What a model brought: `samples` are the fewest and the most replies to one of its prompts.

    `characters` is the median length of its replies; null without a reply, as `samples` then is.
    """

    id: str
    replies: int
    prompts: int
    samples: tuple[int, int] | None
    characters: float | None


@dataclass(frozen=True, slots=True)
class Languages:
    """Shares of the languages that prompts and replies are in, and how many of each were looked at.

    "unknown" is the share that could not be told. Replies weigh alike, whichever model wrote them.
    """

    prompts: dict[str, float]
    replies: dict[str, float]
    prompts_looked_at: int
    replies_looked_at: int


@dataclass(frozen=True, slots=True)
class QualityReport:
    """A whole check: what a collection brought, what was found in the files, and what is odd in it.

    `evidence` counts the records of other kinds: votes, judgments, choices and the like. `conditions` counts the
    replies given under each condition. Findings come with trouble first.
    """

    params: dict[str, Any]
    warnings: list[str]
    collection: CheckReport
    files: tuple[FileRead, ...]
    contents: tuple[ModelContents, ...]
    conditions: dict[str, int]
    evidence: dict[str, int]
    languages: Languages
    findings: tuple[QualityFinding, ...]

    @property
    def trouble(self) -> int:
        """How many findings count as trouble."""
        return sum(finding.severity == "trouble" for finding in self.findings)

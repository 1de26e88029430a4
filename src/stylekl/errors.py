"""Every error a user can meet, in one tree.

    StyleklError                 exit 2   something the user can put right
    ├── InputError               exit 2   a file that cannot be read as results
    │   ├── EmptyFileError                  nothing in it
    │   ├── SyntaxFault                     not JSON, with line and column
    │   ├── EncodingFault                   not UTF-8, with line and byte
    │   ├── RecordError                     JSON, but a record is not what it should be
    │   ├── UnknownFormatError              no reader knows it
    │   ├── NoRepliesError                  its form is known, and files of it hold no reply
    │   └── ConflictError                   one identity, two different texts
    ├── UnknownModelError        exit 2   a name that no model, or more than one, answers to
    ├── UnknownChoiceError       exit 2   a topic, prompt, condition or symbol set that is not there
    ├── UsageError               exit 2   options that do not go together
    ├── ProviderError            exit 2   a provider answered with an error, or with what is no answer
    ├── KeyMissingError          exit 2   the environment variable of a key is not set
    ├── WorkerError              exit 3   a process that counted texts died or failed
    ├── SplitError               exit 3   a part of a file that no process counted, or that came back twice
    └── InternalError            exit 3   a file of the package itself is damaged

Each carries `message` (what and where) and `hint` (what to do), printed as two lines without a traceback; of very long
ones the middle is left out.
"""

from __future__ import annotations

from stylekl.text import shortened

_LONGEST_BODY = 2_000  # characters


class StyleklError(Exception):
    """An error to print as `error: message` and `hint: hint`; `exit_code` ends the process."""

    exit_code = 2

    def __init__(self, message: str, hint: str = "") -> None:
        self.message = shortened(message)
        self.hint = shortened(hint)
        super().__init__(self.message)


class InputError(StyleklError):
    """A file that cannot be read as results. The message starts with the file and the place in it."""


class EmptyFileError(InputError):
    """A file without content."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path}: the file is empty", "check the download or the export that made it")


class SyntaxFault(InputError):
    """Text that is not JSON at a stated line and column."""

    def __init__(self, path: str, line: int, column: int, reason: str) -> None:
        super().__init__(
            f"{path}: line {line}, column {column}: not JSON: {reason}",
            "a results file is JSON or JSON Lines, plain or gzipped; see docs/results-file.md",
        )


class EncodingFault(InputError):
    """Bytes that are no UTF-8."""

    def __init__(self, path: str, line: int, byte: int) -> None:
        super().__init__(
            f"{path}: line {line}, byte {byte}: not UTF-8",
            "where it is Latin-1 or Windows-1252, `iconv -f WINDOWS-1252 -t UTF-8` converts it",
        )


class RecordError(InputError):
    """A record whose field is missing or of the wrong type."""

    def __init__(self, path: str, place: str, reason: str) -> None:
        super().__init__(f"{path}: {place}: {reason}", "the fields of a record are in docs/results-file.md")


class UnknownFormatError(InputError):
    """Content that no reader recognises."""

    def __init__(self, path: str, seen: str, known: str) -> None:
        super().__init__(f"{path}: not a form that stylekl reads: {seen}", f"it reads {known}")


class NoRepliesError(InputError):
    """A file whose form is known and that, by its nature, holds no reply: a folder is read without it."""


class ConflictError(InputError):
    """The same explicit identity with two different texts."""

    def __init__(self, identity: str, first: str, second: str) -> None:
        super().__init__(
            f"{identity} has two different texts: {first} and {second}",
            "leave `sample` out to count both as samples, or remove one",
        )


class UnknownModelError(StyleklError):
    """A name that no model answers to, or more than one."""

    def __init__(self, name: str, candidates: list[str], *, ambiguous: bool = False) -> None:
        what = "fits more than one model" if ambiguous else "is no model of this file"
        listed = ", ".join(candidates[:8]) + (" …" if len(candidates) > 8 else "")
        hint = f"one of: {listed}" if ambiguous else f"nearest: {listed}"
        super().__init__(f'"{name}" {what}', hint if candidates else "`stylekl matrix FILE` lists the models")


class UnknownChoiceError(StyleklError):
    """A topic, prompt, condition or other name that the file (or whatever `where` says) does not hold."""

    def __init__(self, kind: str, name: str, known: list[str], where: str = "in this file") -> None:
        shown = ", ".join(known[:12]) + (" …" if len(known) > 12 else "")
        super().__init__(f'no {kind} "{name}" {where}', f"it has: {shown}" if known else f"it has no {kind}")


class UsageError(StyleklError):
    """Options or arguments that do not go together."""


class ProviderError(StyleklError):
    """A provider answered with an error, or with something that is no answer.

    `status` is the HTTP status, or the one that the error object names. `retryable` says whether the same
    request may succeed later. `body` is what came, cut to 2,000 characters. `refusal` holds the provider's own
    words where the error says that it will not answer this prompt, and `field` the name of a parameter that it
    does not accept. Whoever raises it masks keys first (`gather.keys.mask`).
    """

    def __init__(
        self,
        message: str,
        hint: str = "",
        *,
        status: int | None = None,
        retryable: bool = False,
        body: str = "",
        refusal: str | None = None,
        field: str | None = None,
    ) -> None:
        super().__init__(message, hint)
        self.status = status
        self.retryable = retryable
        self.body = body[:_LONGEST_BODY]
        self.refusal = refusal
        self.field = field


class KeyMissingError(StyleklError):
    """The environment variable that should hold a writer's key is not set."""

    def __init__(self, variable: str, writer: str) -> None:
        super().__init__(
            f"no key for {writer}: the environment variable {variable} is not set",
            f"export {variable}=…, or put it into a .env file of mode 600",
        )


class WorkerError(StyleklError):
    """A process that counted texts died, or failed; `rows` are the numbers of those that it had, `how` its end."""

    exit_code = 3

    def __init__(self, rows: range, how: str, names: tuple[str, str] | None = None) -> None:
        first, last = names or (f"text {rows[0] + 1}", f"text {rows[-1] + 1}")
        super().__init__(
            f"{first} and those up to {last}: the process that counted them {how}"
            if len(rows) > 1
            else f"{first}: the process that counted it {how}",
            "where memory ran out, --jobs 1 needs less; otherwise one of these texts may be the cause",
        )
        self.rows = rows
        self.how = how


class SplitError(StyleklError):
    """A part of a file that no process could count, that did not come back, or that came back twice."""

    exit_code = 3


class InternalError(StyleklError):
    """A part of the installed package is missing or damaged."""

    exit_code = 3

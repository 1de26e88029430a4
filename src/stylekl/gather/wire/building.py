"""What all requests share: the address, the headers, the turns, and no nulls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from stylekl.gather.wire.quirks import quirk

if TYPE_CHECKING:
    from stylekl.gather.ask import Ask, Writer


def endpoint(base_url: str, version: str, path: str) -> str:
    """Return the address of `path` below `base_url`. Where that has no path of its own, `version` comes first.

    A query in `base_url` is kept.
    """
    base = urlsplit(base_url)
    root = base.path.rstrip("/") or f"/{version}"
    path, _, query = path.partition("?")
    queries = "&".join(part for part in (base.query, query) if part)
    return base._replace(path=f"{root}/{path}", query=queries, fragment="").geturl()


def headers(writer: Writer, **credentials: str | None) -> dict[str, str]:
    """Return the headers of a request: ours, those of the writer's quirks, and last the credentials."""
    own = {"content-type": "application/json", "accept": "text/event-stream, application/json"}
    extra = {str(name).lower(): str(value) for name, value in (quirk(writer, "headers") or {}).items()}
    return own | extra | {name.replace("_", "-"): value for name, value in credentials.items() if value}


def turns(ask: Ask) -> list[tuple[str, str]]:
    """Return the turns in order, each ("user" or "assistant", text): the examples, then what is asked."""
    exchanges = [turn for user, reply in ask.examples for turn in (("user", user), ("assistant", reply))]
    return [*exchanges, ("user", ask.user)]


def sent(**fields: Any) -> dict[str, Any]:
    """Return the fields that are to be sent: a field that is None is left out, never sent as null."""
    return {name: value for name, value in fields.items() if value is not None}

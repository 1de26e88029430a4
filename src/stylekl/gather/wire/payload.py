"""Reading an object that a provider sent, whatever shape it turns out to have.

Nothing here trusts a shape: what is not of the expected type reads as absent, so an odd payload ends as an answer
without a stop reason, which is no reply, and never as a TypeError.
"""

from __future__ import annotations

import json
from typing import Any

from stylekl.errors import ProviderError
from stylekl.gather.keys import mask


def parse(data: str) -> dict[str, Any]:
    """Return the JSON object in `data`: one event of a stream, or a body.

    Raises ProviderError (retryable) where it is not JSON or not an object.
    """
    try:
        value = json.loads(data, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise _damaged("not JSON", data) from None
    return checked(value)


def checked(value: object) -> dict[str, Any]:
    """Return `value`, a parsed body, where it is an object. Raises ProviderError (retryable) where it is none."""
    if not isinstance(value, dict):
        raise _damaged("no object", json.dumps(value))
    return value


def _refuse(constant: str) -> None:
    raise ValueError(constant)  # NaN and Infinity are not JSON, and could not be written back


def _damaged(what: str, data: str) -> ProviderError:
    return ProviderError(f"what the provider sent is {what}", retryable=True, body=mask(data))


def mapping(value: object) -> dict[str, Any]:
    """Return `value` where it is an object, and an empty one otherwise."""
    return value if isinstance(value, dict) else {}


def mappings(value: object) -> list[dict[str, Any]]:
    """Return the objects of the list `value`, none where it is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def word(value: object) -> str | None:
    """Return `value` where it is text with something in it, and None otherwise."""
    return value if isinstance(value, str) and value else None


def joined(parts: list[str]) -> str:
    """Return the parts as one text. A surrogate pair that was cut in two becomes its character again."""
    text = "".join(parts)
    if text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")

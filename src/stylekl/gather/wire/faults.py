"""Errors as providers report them: by HTTP status, inside a body that came with 200, or inside a stream."""

from __future__ import annotations

import json
import re
from typing import Any

from stylekl.errors import ProviderError
from stylekl.gather.keys import mask
from stylekl.gather.wire.payload import mapping, word

_LONGEST = 300
_RETRYABLE = frozenset({408, 409, 429})  # and all from 500, Anthropic's 529 among them
_FINAL = frozenset(
    {
        "authentication_error",
        "billing_error",
        "context_length_exceeded",
        "failed_precondition",
        "insufficient_quota",
        "invalid_api_key",
        "invalid_argument",
        "invalid_request_error",
        "model_not_found",
        "not_found",
        "not_found_error",
        "permission_denied",
        "permission_error",
        "unauthenticated",
    }
)
_NO_CREDIT = frozenset({"insufficient_quota", "billing_error"})  # 429, but no waiting helps
_REFUSALS = frozenset(
    {
        "bio_policy",
        "content_filter",
        "content_policy_violation",
        "invalid_prompt",
        "misalignment_policy_violation",
    }
)
_FIELDS = re.compile(
    r"(?<!\w)(temperature|reasoning_effort|effort|thinking_?level|stream_options|max_(?:completion_|output_)?tokens)(?!\w)",
    re.IGNORECASE,
)
_HINTS = {
    401: "the key is not accepted: check the environment variable that `key` names",
    402: "the account has no credit left",
    403: "the key may not use this model",
    404: "check `requested` and `base_url` of the writer",
}


def fault(status: int, body: str) -> ProviderError:
    """Return the error that an HTTP response with an error status stands for, whatever its body."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, list) and value:
        value = value[0]  # Gemini wraps the error of a stream in a list
    error = _error_of(mapping(value), "error")
    if error is None:
        error = {"message": "" if body.lstrip().startswith("<") else body}  # a page of HTML says nothing
    return described(error, status=status, body=body)


def inside(payload: dict[str, Any], name: str | None = None) -> ProviderError | None:
    """Return the error that a body with status 200, or an event called `name`, reports; None where it does not."""
    error = _error_of(payload, name)
    return None if error is None else described(error)


def _error_of(payload: dict[str, Any], name: str | None) -> dict[str, Any] | None:
    error = payload.get("error")
    if isinstance(error, dict) and error:
        return error
    if isinstance(error, str) and error:
        return {"message": error, "code": payload.get("code")}
    if payload and "error" in (name, payload.get("type"), payload.get("object")):
        return payload
    return None


def described(error: dict[str, Any], *, status: int | None = None, body: str | None = None) -> ProviderError:
    """Return the error that a provider's error object describes.

    Without an HTTP status, the object's own code is one where it looks like one. Retryable are 408, 409, 429 and
    all from 500; without any status, all but what is known to be final. An account without credit is final too.
    """
    given = {str(error[field]) for field in ("code", "type", "status") if error.get(field)} - {"error"}
    names = {name.lower() for name in given}
    status = status or _status(error.get("code"))
    words = _words(error)
    refusal = _refusal(error, status, names, words)
    field = word(error.get("param")) or (_field(words) if status in (None, 400, 422) else None)
    retryable = status in _RETRYABLE or status >= 500 if status else not names & _FINAL
    kind = ", ".join(sorted(given - {str(status)}))
    message = f"the provider answered with {status or 'an error'}" + (f" ({kind})" if kind else "")
    return ProviderError(
        mask(f"{message}: {words}" if words else message),
        "" if refusal else _hint(status, names, words, field),
        status=status,
        retryable=retryable and refusal is None and not names & _NO_CREDIT,
        body=mask(json.dumps(error) if body is None else body),
        refusal=refusal,
        field=field and mask(field),
    )


def _status(code: object) -> int | None:
    number = int(code) if isinstance(code, str) and code.isdecimal() and len(code) == 3 else code
    return number if isinstance(number, int) and 400 <= number < 600 else None


def _words(error: dict[str, Any]) -> str:
    said = error.get("message") or error.get("detail") or ""
    upstream = word(mapping(error.get("metadata")).get("raw"))  # OpenRouter: what the provider behind it said
    text = said if isinstance(said, str) else json.dumps(said)
    text = mask(" ".join(f"{text} {upstream or ''}".split()))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _refusal(error: dict[str, Any], status: int | None, names: set[str], words: str) -> str | None:
    reasons = mapping(error.get("metadata")).get("reasons")  # OpenRouter's moderation
    if isinstance(reasons, list) and reasons:
        return mask(", ".join(str(reason) for reason in reasons))
    # xAI uses one code for "not allowed to you" and "not allowed to anyone"; only its sentence tells them apart.
    if names & _REFUSALS or (status == 403 and "violates usage guidelines" in words.lower()):
        return words or ", ".join(sorted(names & _REFUSALS))
    return None


def _field(words: str) -> str | None:
    found = _FIELDS.search(words)
    return found.group(1) if found else None


def _hint(status: int | None, names: set[str], words: str, field: str | None) -> str:
    if names & _NO_CREDIT:
        return _HINTS[402]
    if field == "max_tokens" and "max_completion_tokens" in words:
        return "set the quirk `max_tokens_field: max_completion_tokens` of the writer"
    if field == "stream_options":
        return "set the quirk `stream_usage: false` of the writer"
    return _HINTS.get(status or 0, "")

"""Why an answer ended: the providers' words in ours."""

from __future__ import annotations

_WORDS = {
    "stop": "stop end_turn stop_sequence completed complete eos eos_token",
    "length": "length max_tokens max_output_tokens model_length model_context_window_exceeded continuation",
    "refusal": "refusal",
    "filter": (
        "content_filter safety blocklist prohibited_content spii jailbreak model_armor escalation"
        " pup_limited_disabled image_safety image_prohibited_content recitation image_recitation language"
    ),
    "tool": (
        "tool_calls function_call tool_use malformed_function_call unexpected_tool_call too_many_tool_calls"
    ),
}
_OURS = {theirs: ours for ours, words in _WORDS.items() for theirs in words.split()}
_NO_REFUSAL = frozenset(
    {"recitation", "image_recitation", "language"}
)  # cut for another reason than the request
_NONE = frozenset({"", "null", "finish_reason_unspecified"})


def ours(raw: str | None) -> str | None:
    """Return "stop", "length", "refusal", "filter" or "tool"; "other" for any other word, None for none.

    Only "stop" is an answer that the model ended itself.
    """
    if raw is None or raw.lower() in _NONE:
        return None
    return _OURS.get(raw.lower(), "other")


def settled(raw: str | None, native: str | None) -> str | None:
    """Return our word where a router gives its own and the upstream provider's.

    The native word decides where the router's says "stop", or where it is a refusal: an answer that was cut or
    refused upstream must not pass for a complete one.
    """
    stop = ours(raw or native)
    theirs = _OURS.get((native or "").lower())
    return theirs if theirs and (stop == "stop" or theirs == "refusal") else stop


def declines(raw: str | None) -> bool:
    """Whether the provider's word says that it will not answer this request."""
    return ours(raw) in ("refusal", "filter") and (raw or "").lower() not in _NO_REFUSAL

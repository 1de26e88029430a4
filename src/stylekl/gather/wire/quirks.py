"""Where providers of one wire format differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stylekl.gather.ask import Writer

QUIRKS = {
    "max_tokens_field": "name of the field for the output cap (openai-chat): max_tokens or max_completion_tokens",
    "stream_usage": "false where stream_options is rejected (openai-chat); such providers send usage unasked",
    "reasoning_included": "whether output tokens hold the reasoning, where the provider's sum cannot tell",
    "headers": "headers to send as well; never a key",
}

# What a provider is known to want; an entry's own quirks come first.
_KNOWN: dict[str, dict[str, Any]] = {
    "openai": {"max_tokens_field": "max_completion_tokens", "reasoning_included": True},
    "mistral": {"stream_usage": False},
    "xai": {"reasoning_included": False},
}


def quirk(writer: Writer | None, name: str, default: Any = None) -> Any:
    """Return the quirk `name` of `writer`: its own, else what its provider is known for, else `default`."""
    if writer is None:
        return default
    if name in writer.quirks:
        return writer.quirks[name]
    return _KNOWN.get(writer.provider.lower(), {}).get(name, default)

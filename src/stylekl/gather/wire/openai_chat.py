"""OpenAI chat completions, and whoever speaks it.

OpenRouter, xAI, DeepSeek, Mistral, Together, Groq, vLLM, llama.cpp, Ollama through `base_url`; what each does
differently is in `quirks`. Text is `content` alone: `reasoning_content`, `reasoning` and parts of type
"thinking" are reasoning. A server that writes its reasoning into `content` ("<think>…") cannot be told from one
whose answer it is.
"""

from __future__ import annotations

from typing import Any

from stylekl.gather.ask import Answer, Ask, Request, Writer
from stylekl.gather.wire import building
from stylekl.gather.wire.draft import Draft
from stylekl.gather.wire.payload import mapping, mappings, word
from stylekl.gather.wire.quirks import quirk
from stylekl.gather.wire.usage import normal


def request(writer: Writer, ask: Ask, key: str | None) -> Request:
    """Return the streamed request of `ask` to `writer`."""
    system = [("system", ask.system)] if ask.system is not None else []
    cap = {quirk(writer, "max_tokens_field", "max_tokens"): ask.max_output_tokens}
    return Request(
        url=building.endpoint(writer.base_url, "v1", "chat/completions"),
        headers=building.headers(writer, authorization=f"Bearer {key}" if key else None),
        body=building.sent(
            model=writer.requested,
            messages=[{"role": role, "content": text} for role, text in [*system, *building.turns(ask)]],
            stream=True,
            stream_options={"include_usage": True} if quirk(writer, "stream_usage", True) else None,
            temperature=ask.temperature,
            reasoning_effort=ask.effort,
            **cap,
        ),
    )


class Stream(Draft):
    """An answer that comes as chat completion chunks."""

    def take(self, body: dict[str, Any]) -> None:
        """Read one chunk, or a whole chat completion. The last chunk may hold usage and no choice."""
        self.name(_version(body), body.get("id"))
        for choice in mappings(body.get("choices"))[:1]:
            self._choice(choice)
        usage = mapping(body.get("usage"))
        if usage:
            self.usage = normal(
                usage,
                prompt=usage.get("prompt_tokens"),
                output=usage.get("completion_tokens"),
                reasoning=mapping(usage.get("completion_tokens_details")).get("reasoning_tokens"),
                cached=mapping(usage.get("prompt_tokens_details")).get(
                    "cached_tokens",
                    usage.get("prompt_cache_hit_tokens"),  # DeepSeek
                ),
                total=usage.get("total_tokens"),
                documented=quirk(self.writer, "reasoning_included"),
            )

    def _choice(self, choice: dict[str, Any]) -> None:
        said = mapping(choice.get("delta")) or mapping(choice.get("message"))
        content = said.get("content")
        self.add(content)
        for part in mappings(content):  # Mistral: parts, some of them thinking
            if part.get("type") == "text":
                self.add(part.get("text"))
        self.refuse(said.get("refusal"))
        reason = word(choice.get("finish_reason"))
        error = mapping(choice.get("error"))
        if error or reason == "error":
            raise self.fail(error or {"message": "the answer broke off"})
        self.ended(reason, native=word(choice.get("native_finish_reason")))


def _version(body: dict[str, Any]) -> str | None:
    """Return the model, and in brackets the host behind a router that names one: another host is another version."""
    model, host = word(body.get("model")), word(body.get("provider"))
    return f"{model} ({host})" if model and host else model


def whole(body: dict[str, Any], writer: Writer | None = None) -> Answer:
    """Return the answer in a body that was not streamed. Raises ProviderError where it reports an error."""
    return Stream(writer).whole(body)

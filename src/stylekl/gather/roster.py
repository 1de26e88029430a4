"""The models file: who is asked, where, and how. It never holds a key, only the name of the variable that does."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from stylekl.errors import InputError
from stylekl.gather.ask import Price, Writer
from stylekl.gather.keys import VARIABLE, looks_like_key
from stylekl.gather.wire import WIRES
from stylekl.gather.wire.quirks import QUIRKS
from stylekl.gather.yaml_file import near, quoted, read_yaml
from stylekl.results import records

if TYPE_CHECKING:
    from stylekl.gather.yaml_file import Entry

FIELDS = (
    *("id", "name", "provider", "requested", "wire", "base_url", "key", "family", "price", "quirks"),
    *("system", "examples", "temperature", "effort"),
)
PRICE_FIELDS = ("input", "output", "currency", "read")
MOST = 1000  # writers of a file
_ID = re.compile(r"\w(?:[\w.@:/+-]{0,98}[\w+])?")
_IDS = "1 to 100 letters, digits and . _ - @ : / + between them"
_TEXTS = (".system", ".user", ".assistant")  # fields of free text, which may hold random runs
_CREDENTIALS = {"authorization", "x-api-key", "x-goog-api-key", "api-key", "proxy-authorization", "cookie"}
_IN_QUERY = {"key", "api_key", "apikey", "api-key", "token", "access_token", "sig", "signature"}
_LOOPBACK = re.compile(r"localhost|127(\.\d+){3}|::1|\[::1\]")
_MEANT = {"model": "requested", "url": "base_url", "endpoint": "base_url", "api_key": "key", "key_env": "key"}
_WORDS = {"google": "gemini", "ollama": "local", "vllm": "local", "llama.cpp": "local", "lmstudio": "local"}


@dataclass(frozen=True, slots=True)
class Preset:
    """What is known of a provider: its wire format, its address and the usual variable of its key.

    `gather.wire.quirks` knows where it differs from others of the same format.
    """

    wire: str
    base_url: str | None
    key: str | None


PROVIDERS = {
    "openai": Preset("openai-chat", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    "anthropic": Preset("anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
    "gemini": Preset("gemini", "https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY"),
    "openrouter": Preset("openai-chat", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "xai": Preset("openai-chat", "https://api.x.ai/v1", "XAI_API_KEY"),
    "deepseek": Preset("openai-chat", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    "mistral": Preset("openai-chat", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "together": Preset("openai-chat", "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    "groq": Preset("openai-chat", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "local": Preset("openai-chat", None, None),
}


@dataclass(frozen=True, slots=True)
class Roster:
    """The writers of a models file in its order, where it was read, and what is allowed and rarely meant."""

    writers: tuple[Writer, ...]
    source: records.Source
    warnings: tuple[str, ...] = ()


def load_roster(path: str) -> Roster:
    """Return the writers of a models file.

    Raises InputError with file, line and field for whatever is not as docs/battery.md says, and, before anything else
    and without quoting it, for a value that looks like a key.
    """
    root, source = read_yaml(path, kind="a models file")
    _check_no_key(root)
    fields = root.fields(("models",), ("models",))
    entries = fields["models"].items()
    if not 1 <= len(entries) <= MOST:
        raise fields["models"].error(f"expected 1 to {MOST:,} models, found {len(entries):,}")
    writers = tuple(_writer(entry) for entry in entries)
    for what in ("id", "name"):
        seen: dict[str, int] = {}
        for entry, writer in zip(entries, writers, strict=True):
            value = getattr(writer, what)
            if value.casefold() in seen:
                line = seen[value.casefold()]
                raise entry.error(
                    f"has the {what} of the model on line {line}, {quoted(value)}",
                    "a model asked in two ways is two writers, each with an id and a name of its own",
                )
            seen[value.casefold()] = entry.line
    return Roster(writers, source, tuple(_warnings(writers)))


def as_model(writer: Writer) -> records.Model:
    """Return a writer as the results file records it, with whatever makes it another writer of the same model."""
    own: dict[str, Any] = {
        "wire": writer.wire,
        "base_url": writer.base_url,
        "quirks": dict(writer.quirks),
        "system": writer.system,
        "examples": [{"user": user, "assistant": reply} for user, reply in writer.examples],
        "temperature": writer.temperature,
        "effort": writer.effort,
    }
    price = writer.price
    return records.Model(
        id=writer.id,
        name=writer.name,
        provider=writer.provider,
        family=writer.family,
        requested=writer.requested,
        price=None
        if price is None
        else {"input": price.input, "output": price.output, "currency": price.currency, "read": price.read},
        unknown={name: value for name, value in own.items() if value not in (None, [], {})},
    )


def _writer(entry: Entry) -> Writer:
    fields = entry.fields(FIELDS, ("id", "provider", "requested"), _MEANT)
    provider = fields["provider"].text(100)
    preset = PROVIDERS.get(provider)
    if preset is None:
        preset = _unknown_provider(fields["provider"], provider, fields)
    wire = fields["wire"].choice(tuple(WIRES)) if "wire" in fields else preset.wire
    if "base_url" in fields:
        base_url = _address(fields["base_url"])
    elif preset.base_url:
        base_url = preset.base_url
    else:
        hint = "such as http://127.0.0.1:8080/v1, where the server listens"
        raise entry.error('the field "base_url" is missing', hint)
    writer_id = fields["id"].name(_ID, _IDS)
    return Writer(
        id=writer_id,
        name=fields["name"].text(100) if "name" in fields else writer_id,
        provider=provider,
        wire=wire,
        requested=fields["requested"].text(300),
        base_url=base_url,
        key=_variable(fields["key"]) if "key" in fields else preset.key,
        family=fields["family"].text(100) if "family" in fields else None,
        price=_price(fields["price"]) if "price" in fields else None,
        quirks=_quirks(fields["quirks"]) if "quirks" in fields else {},
        system=fields["system"].prose(100_000) if "system" in fields else None,
        examples=_examples(fields["examples"]) if "examples" in fields else (),
        temperature=fields["temperature"].decimal(0, 2) if "temperature" in fields else None,
        effort=fields["effort"].text(40) if "effort" in fields else None,
    )


def _unknown_provider(entry: Entry, provider: str, fields: dict[str, Entry]) -> Preset:
    """Return what the entry itself says of a provider that is none of ours."""
    if missing := [name for name in ("wire", "base_url") if name not in fields]:
        meant = _WORDS.get(provider.casefold())
        known = f'"{meant}" with its base_url' if meant else near(provider, list(PROVIDERS))
        listed = f"known: {', '.join(PROVIDERS)}"
        raise entry.error(
            f"{quoted(provider)} is no provider that stylekl knows, and {' and '.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} missing",
            f"{known} {listed}" if known.endswith("?") else f"write {known}" if known else listed,
        )
    return Preset("", None, None)


def _address(entry: Entry) -> str:
    value = entry.text(2000)
    try:
        parts = urlsplit(value)
        sound = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1) > 0
    except ValueError:
        sound = False
    if not sound or re.search(r"\s", value):
        raise entry.error(f"expected an address, found {quoted(value)}", "such as https://api.example.com/v1")
    if parts.username or parts.password:
        raise entry.error("holds a user name or password", "credentials are sent in a header: `key`")
    if any(name.casefold() in _IN_QUERY for name, _ in parse_qsl(parts.query, keep_blank_values=True)):
        raise entry.error("holds a key in its query", "keys are sent in a header: `key` names the variable")
    return value


def _variable(entry: Entry) -> str:
    value = entry.text()
    if not VARIABLE.fullmatch(value):  # what stands here may be a key: it is not quoted
        raise entry.error(
            "expected the name of an environment variable",
            "such as OPENAI_API_KEY; the key itself is in the environment or in .env",
        )
    return value


def _price(entry: Entry) -> Price:
    fields = entry.fields(PRICE_FIELDS, PRICE_FIELDS)
    return Price(
        input=fields["input"].decimal(0, 1_000_000),
        output=fields["output"].decimal(0, 1_000_000),
        currency=fields["currency"].name(re.compile(r"[A-Z]{3}"), "a currency such as USD"),
        read=fields["read"].day(),
    )


def _quirks(entry: Entry) -> dict[str, Any]:
    fields = entry.fields(tuple(QUIRKS))
    found: dict[str, Any] = {}
    for name, each in fields.items():
        if name == "max_tokens_field":
            found[name] = each.choice(("max_tokens", "max_completion_tokens"))
        elif name == "headers":
            found[name] = _headers(each)
        else:
            found[name] = each.flag()
    return found


def _headers(entry: Entry) -> dict[str, str]:
    found = {}
    for name, each in entry.members():
        if name.casefold() in _CREDENTIALS:
            raise each.error(
                "a header for a key", "leave it out: `key` names the variable that holds the key"
            )
        if not re.fullmatch(r"[A-Za-z0-9-]{1,100}", name):
            raise each.error("expected the name of a header")
        found[name] = each.name(re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?"), "one line of ASCII")
    return found


def _examples(entry: Entry) -> tuple[tuple[str, str], ...]:
    exchanges = []
    for each in entry.items():
        fields = each.fields(("user", "assistant"), ("user", "assistant"))
        exchanges.append((fields["user"].prose(100_000), fields["assistant"].prose(100_000)))
    if not exchanges:
        raise entry.error("expected at least one exchange, found an empty list", "leave the field out")
    return tuple(exchanges)


def _check_no_key(root: Entry) -> None:
    """Raise InputError for what looks like a key; random runs are allowed in free text and addresses alone."""
    for entry, text in root.scalars():
        free = entry.field.endswith((*_TEXTS, ".base_url"))
        if looks_like_key(text, random=not free):
            field = entry.field if not looks_like_key(entry.field) else "a field"
            raise InputError(
                f"{root.path}: line {entry.line}: {field}: holds what looks like a key",
                "keys stand in the environment or in .env: `key` names the variable; replace a key that was shared",
            )


def _warnings(writers: tuple[Writer, ...]) -> list[str]:
    found = []
    for writer in writers:
        parts = urlsplit(writer.base_url)
        if writer.key and parts.scheme == "http" and not _LOOPBACK.fullmatch(parts.hostname or ""):
            found.append(f"{writer.id}: the key travels unencrypted to {parts.hostname}: http, not https")
    if unpriced := [writer.id for writer in writers if writer.price is None and writer.provider != "local"]:
        found.append(f"no price, so no estimate of the cost: {', '.join(unpriced)}")
    return found

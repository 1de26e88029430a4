"""The models file: presets, other servers, writers of their own, and no key in it."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from stylekl.errors import InputError
from stylekl.gather.ask import Price
from stylekl.gather.roster import PROVIDERS, Roster, as_model, load_roster
from stylekl.gather.wire import WIRES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KEY = "sk-pl4nted-0123456789-abcdefghij"
RANDOM = "Zx9kQp3LmN7vTr2WsYb5Hc8D"


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str], Roster]:
    """Return a function that reads a models file from its text."""

    def load(text: str) -> Roster:
        path = tmp_path / "m.yaml"
        path.write_text(text, encoding="utf-8")
        return load_roster(str(path))

    return load


def entry(extra: str = "", provider: str = "openai") -> str:
    return f"models:\n  - {{id: a, provider: {provider}, requested: m1{extra and ', '}{extra}}}\n"


@pytest.mark.parametrize("provider", [name for name in PROVIDERS if name != "local"])
def test_a_known_provider_needs_an_id_and_nothing_else(provider: str, read: Callable[[str], Roster]) -> None:
    """Wire format, address and variable are filled in; the format is one we have and the address is encrypted."""
    (writer,) = read(entry(provider=provider)).writers

    assert (writer.id, writer.name, writer.requested, writer.provider) == ("a", "a", "m1", provider)
    assert writer.wire in WIRES
    assert writer.base_url.startswith("https://")
    assert writer.key == f"{provider.upper()}_API_KEY"
    assert (writer.price, writer.system, writer.examples, writer.temperature, writer.effort) == (
        *(None, None, ()),
        *(None, None),
    )


def test_a_local_server_needs_its_address_and_no_key(read: Callable[[str], Roster]) -> None:
    (writer,) = read(entry('base_url: "http://127.0.0.1:8080"', "local")).writers

    assert (writer.wire, writer.base_url, writer.key) == ("openai-chat", "http://127.0.0.1:8080", None)
    with pytest.raises(InputError, match='the field "base_url" is missing') as caught:
        read(entry(provider="local"))
    assert "127.0.0.1" in caught.value.hint


def test_what_an_entry_says_comes_before_the_preset(read: Callable[[str], Roster]) -> None:
    extra = 'wire: openai-responses, base_url: "https://proxy.example/v1", key: PROXY_KEY'
    (writer,) = read(entry(extra)).writers

    assert (writer.wire, writer.base_url, writer.key) == (
        "openai-responses",
        "https://proxy.example/v1",
        "PROXY_KEY",
    )


def test_an_unknown_provider_says_how_and_where(read: Callable[[str], Roster]) -> None:
    (writer,) = read(entry('wire: gemini, base_url: "https://x.example"', "acme")).writers

    assert (writer.wire, writer.key) == ("gemini", None)
    for provider, extra, message, hint in (
        ("opnai", "", "wire and base_url are missing", 'did you mean "openai"?'),
        ("ollama", "", "wire and base_url are missing", 'write "local" with its base_url'),
        ("google", "", "wire and base_url are missing", "gemini"),
        ("acme", "wire: gemini", "and base_url is missing", "known: openai"),
    ):
        with pytest.raises(InputError) as caught:
            read(entry(extra, provider))
        assert message in caught.value.message
        assert hint in caught.value.hint


def test_every_field_is_read(read: Callable[[str], Roster]) -> None:
    (writer,) = read(
        """\
models:
  - id: smollm2@2026-01-05
    name: SmolLM2, told to be brief
    provider: local
    base_url: http://127.0.0.1:8080/v1
    requested: SmolLM2-135M-Instruct
    family: SmolLM2
    price: {input: 0.5, output: 1, currency: EUR, read: 2026-01-05}
    quirks:
      max_tokens_field: max_completion_tokens
      stream_usage: false
      reasoning_included: true
      headers: {X-Title: a study, HTTP-Referer: https://example.com}
    system: Be brief.
    examples:
      - {user: What is rain?, assistant: Water.}
      - {user: And snow?, assistant: Cold water.}
    temperature: 0
    effort: low
""".replace("What is rain?", '"What is rain?"').replace("And snow?", '"And snow?"')
    ).writers

    assert writer.name == "SmolLM2, told to be brief"
    assert writer.price == Price(0.5, 1.0, "EUR", "2026-01-05")
    assert writer.quirks == {
        "max_tokens_field": "max_completion_tokens",
        "stream_usage": False,
        "reasoning_included": True,
        "headers": {"X-Title": "a study", "HTTP-Referer": "https://example.com"},
    }
    assert writer.examples == (("What is rain?", "Water."), ("And snow?", "Cold water."))
    assert (writer.system, writer.temperature, writer.effort, writer.family) == (
        "Be brief.",
        0.0,
        "low",
        "SmolLM2",
    )


def test_the_results_file_records_what_makes_another_writer(read: Callable[[str], Roster]) -> None:
    """System prompt, examples and protocol, beside what was requested and where; nothing that was not given."""
    plain, told = read(
        "models:\n"
        "  - {id: a, provider: openai, requested: m1, price: {input: 1, output: 2, currency: USD, read: 2026-01-05}}\n"
        "  - {id: b, provider: openai, requested: m1, system: Be brief., temperature: 0,"
        " examples: [{user: a, assistant: b}]}\n"
    ).writers

    assert as_model(plain).unknown == {"wire": "openai-chat", "base_url": "https://api.openai.com/v1"}
    assert as_model(plain).price == {"input": 1.0, "output": 2.0, "currency": "USD", "read": "2026-01-05"}
    assert as_model(told).unknown | as_model(plain).unknown == as_model(told).unknown
    assert as_model(told).unknown["system"] == "Be brief."
    assert as_model(told).unknown["temperature"] == 0.0
    assert as_model(told).unknown["examples"] == [{"user": "a", "assistant": "b"}]
    assert (as_model(told).requested, as_model(told).returned) == ("m1", None)


FAULTS = {
    "a list": ("- {id: a}\n", "line 1: expected fields, found a list", "models"),
    "no models": ("models: []\n", "expected 1 to 1,000 models, found 0", ""),
    "nothing": ("models:\n", 'the field "models" is missing', ""),
    "another word": (entry().replace("requested", "model"), "models[1].model: no such field", '"requested"'),
    "misspelt": (entry("famly: x"), "models[1].famly: no such field", '"family"'),
    "missing": ("models:\n  - {id: a, provider: openai}\n", 'the field "requested" is missing', ""),
    "same id": (
        entry() + "  - {id: A, provider: openai, requested: m}\n",
        "models[2]: has the id",
        "of its own",
    ),
    "same name": (
        entry() + "  - {id: b, name: A, provider: openai, requested: m}\n",
        "has the name",
        "of its own",
    ),
    "id": (entry().replace("id: a", "id: a model"), "models[1].id: expected 1 to 100 letters", ""),
    "wire": (entry("wire: openai"), "expected one of openai-chat", '"openai-chat"'),
    "address": (entry("base_url: api.openai.com"), "base_url: expected an address", "https://"),
    "port": (entry('base_url: "http://x:99999"'), "expected an address", ""),
    "bracket": (entry('base_url: "http://[::1"'), "expected an address", ""),
    "file": (entry('base_url: "file:///etc/passwd"'), "expected an address", ""),
    "space": (entry('base_url: "https://a b"'), "expected an address", ""),
    "password": (entry('base_url: "https://u:p4ss@x.example"'), "holds a user name or password", "`key`"),
    "query": (entry('base_url: "https://x.example/v1?key=abc"'), "holds a key in its query", "`key`"),
    "variable": (entry("key: some key"), "expected the name of an environment variable", "OPENAI_API_KEY"),
    "price": (entry("price: {input: 1, output: 2}"), 'the field "currency" is missing', "read"),
    "comma": (entry("price: {input: 1,5, output: 2, currency: USD, read: 2026-01-05}"), "no such field", ""),
    "dollar": (
        entry('price: {input: "$1", output: 2, currency: USD, read: 2026-01-05}'),
        'the text "$1"',
        "",
    ),
    "negative": (entry("price: {input: -1, output: 2, currency: USD, read: 2026-01-05}"), 'found "-1"', ""),
    "infinite": (
        entry("price: {input: .inf, output: 2, currency: USD, read: 2026-01-05}"),
        'found ".inf"',
        "",
    ),
    "currency": (entry("price: {input: 1, output: 2, currency: usd, read: 2026-01-05}"), "such as USD", ""),
    "read": (entry("price: {input: 1, output: 2, currency: USD, read: 5.1.2026}"), "2026-01-05, found", ""),
    "quirk": (entry("quirks: {stream_usge: false}"), "quirks.stream_usge: no such field", '"stream_usage"'),
    "quirk value": (entry("quirks: {stream_usage: no}"), 'expected true or false, found "no"', ""),
    "cap field": (entry("quirks: {max_tokens_field: tokens}"), "expected one of max_tokens", ""),
    "header": (entry("quirks: {headers: {X-Api-Key: abc}}"), "X-Api-Key: a header for a key", "`key`"),
    "header name": (entry("quirks: {headers: {a b: c}}"), "expected the name of a header", ""),
    "header value": (entry('quirks: {headers: {X-A: "a\\nb"}}'), "expected one line of ASCII", ""),
    "header twice": (entry("quirks: {headers: {X-A: a, X-A: b}}"), "stands twice", ""),
    "temperature": (entry("temperature: 3"), "temperature: expected a number from 0 to 2", ""),
    "examples": (entry("examples: [{role: user, content: x}]"), "examples[1].role: no such field", "user"),
    "no examples": (entry("examples: []"), "expected at least one exchange", ""),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_with_file_line_and_field(name: str, read: Callable[[str], Roster]) -> None:
    text, message, hint = FAULTS[name]
    with pytest.raises(InputError) as caught:
        read(text)

    assert message in caught.value.message
    assert hint in caught.value.hint
    assert "m.yaml: " in caught.value.message
    assert "p4ss" not in caught.value.message


@pytest.mark.parametrize("key", [KEY, RANDOM, "0123456789abcdef" * 4])
@pytest.mark.parametrize(
    "text",
    [
        entry("key: PLANTED"),
        entry("name: PLANTED"),
        entry("family: {PLANTED: x}"),
        entry("effort: PLANTED"),
        entry("PLANTED: x"),
        entry("quirks: {headers: {X-A: PLANTED}}"),
        entry().replace("id: a", "id: PLANTED"),
        entry(provider="PLANTED"),
        entry() + "PLANTED: x\n",
        entry("requested: PLANTED"),
        "PLANTED\n",
        "- PLANTED\n",
        "? [PLANTED]\n: x\n",
    ],
)
def test_a_key_in_the_file_is_refused_unseen(text: str, key: str, read: Callable[[str], Roster]) -> None:
    """Whatever field it stands in and whatever else is wrong with the file."""
    with pytest.raises(InputError) as caught:
        read(text.replace("PLANTED", key))

    assert "holds what looks like a key" in caught.value.message
    assert key not in caught.value.message + caught.value.hint
    assert "environment" in caught.value.hint


def test_a_key_without_any_shape_is_not_shown_either(read: Callable[[str], Roster]) -> None:
    """What stands under `key` and is no variable's name may be one."""
    with pytest.raises(InputError) as caught:
        read(entry("key: 8f14e45f-ceea-467f"))

    assert "8f14e45f" not in caught.value.message + caught.value.hint


def test_text_and_addresses_may_hold_random_runs_and_no_prefixed_key(read: Callable[[str], Roster]) -> None:
    """A system prompt may quote a hash, an address the id of an account."""
    address = f"https://gateway.example/v1/{'0123456789abcdef' * 2}/openai"
    (writer,) = read(entry(f'system: "Quote {RANDOM}.", base_url: "{address}"')).writers

    assert writer.base_url == address
    with pytest.raises(InputError, match="system: holds what looks like a key"):
        read(entry(f'system: "Use {KEY}."'))


def test_what_is_rarely_meant_is_a_warning(read: Callable[[str], Roster]) -> None:
    """A key over an unencrypted connection, except on one's own machine; no price where there is a bill."""
    open_line = read(entry('base_url: "http://10.0.0.5:8000"')).warnings
    at_home = read(entry('base_url: "http://localhost:8000", key: A_KEY', "local")).warnings

    assert "a: the key travels unencrypted to 10.0.0.5" in open_line[0]
    assert "no price" in open_line[1]
    assert at_home == ()


def test_every_commented_entry_of_the_template_is_sound(read: Callable[[str], Roster]) -> None:
    """What one gets by taking the `#` off the examples that `stylekl init` writes."""
    text = (files("stylekl") / "gather" / "templates" / "models.yaml").read_text(encoding="utf-8")
    uncommented = re.sub(r"^  # (- id:|  +[-\w]+:|  +- )", r"  \1", text, flags=re.MULTILINE)
    roster = read(uncommented)

    assert [writer.id for writer in roster.writers] == [
        "plain",
        "brief",
        "model-a",
        "model-b",
        "model-b-t0",
        "model-c",
    ]
    assert len(read(text).writers) == 2

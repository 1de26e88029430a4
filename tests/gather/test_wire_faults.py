"""Errors of providers: which may be repeated, which are refusals, and that no key is in them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.errors import KeyMissingError, ProviderError, StyleklError
from stylekl.gather.keys import key_of
from stylekl.gather.wire import WIRES, faults
from tests.gather.wires import FIXTURES, writer

if TYPE_CHECKING:
    from pathlib import Path

ERRORS = sorted((FIXTURES / "errors").glob("*.txt"))


def expected(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.with_suffix(".expected.json").read_text("utf-8"))
    return found


def error_of(name: str) -> ProviderError:
    path = FIXTURES / "errors" / f"{name}.txt"
    return faults.fault(expected(path)["status"], path.read_text("utf-8"))


@pytest.mark.parametrize("path", ERRORS, ids=lambda path: path.stem)
def test_a_response_with_an_error_status_becomes_its_error(path: Path) -> None:
    error = error_of(path.stem)
    fields = dict(expected(path)["error"])
    said = fields.pop("says")

    assert fields == {name: getattr(error, name) for name in fields}, expected(path)["why"]
    assert said in error.message
    assert "<html" not in error.message


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 524, 529])
def test_what_may_pass_is_retryable(status: int) -> None:
    error = faults.fault(status, "")
    assert (status, True) == (error.status, error.retryable)


@pytest.mark.parametrize("status", [300, 400, 401, 402, 403, 404, 405, 413, 415, 422, 451])
def test_what_stays_is_not_retryable(status: int) -> None:
    assert not faults.fault(status, "").retryable


@pytest.mark.parametrize(
    "body", ["[" * 100_000, "\x00\ud800", "NaN", "[]", "[1]", "{}", '{"error": {"message": 5}}']
)
def test_no_body_of_an_error_is_too_odd(body: str) -> None:
    error = faults.fault(500, body)
    assert (error.status, error.retryable, error.refusal) == (500, True, None)


def test_a_parameter_is_looked_for_only_where_the_request_is_at_fault() -> None:
    body = json.dumps({"error": {"message": "temperature is too high in the server room"}})
    assert faults.fault(400, body).field == "temperature"
    assert faults.fault(503, body).field is None
    assert faults.fault(400, json.dumps({"error": {"message": "The temperatures outside."}})).field is None


def test_hints_say_what_helps() -> None:
    assert "max_tokens_field" in error_of("openai-max-tokens").hint
    assert "stream_usage" in error_of("mistral-extra").hint
    assert "credit" in error_of("openai-quota").hint
    assert "credit" in error_of("openrouter-credit").hint
    assert "key" in error_of("anthropic-key").hint
    assert "may not" in error_of("xai-refused-key").hint
    assert error_of("xai-refused-prompt").hint == ""


@pytest.mark.parametrize("code", [100, 200, 399, 600, -1, 4.5, True, "abc", "5000", "²²²", None, [], {}])
def test_a_code_that_is_no_status_is_none(code: object) -> None:
    error = faults.inside({"error": {"message": "No.", "code": code}})
    assert error is not None
    assert (error.status, error.retryable) == (None, True)


@pytest.mark.parametrize("payload", [{}, {"error": None}, {"error": {}}, {"error": ""}, {"choices": []}])
def test_no_error_is_none(payload: dict[str, object]) -> None:
    assert faults.inside(payload) is None


SECRET = "planted-Zq81+/xyz-0123456789"  # of no known shape: found because it is in use


def used_key() -> str:
    key = key_of(writer(), {}, {"EXAMPLE_KEY": SECRET})
    assert key is not None
    return key.reveal()


@pytest.mark.parametrize("status", [400, 401, 403, 429, 500])
@pytest.mark.parametrize(
    "body",
    [
        '{{"error": {{"message": "Bad key {0}.", "param": "{0}", "code": "{0}", "type": "{0}"}}}}',
        '{{"error": {{"message": "x", "metadata": {{"raw": "{0}", "reasons": ["{0}"]}}}}}}',
        '{{"code": "{0}", "error": "Content violates usage guidelines {0}"}}',
        "plain {0} text",
        "{0}" * 300,
    ],
)
def test_no_key_is_in_an_error(status: int, body: str) -> None:
    key = used_key()
    error = faults.fault(status, body.format(key))

    for shown in (error.message, error.body, error.hint, error.refusal or "", error.field or "", repr(error)):
        assert SECRET not in shown
        assert SECRET[:12] not in shown


@pytest.mark.parametrize("wire", WIRES)
def test_no_key_is_in_the_error_of_a_damaged_event(wire: str) -> None:
    key = used_key()
    for data in (f'{{"broken": "{key}"', f'["{key}"]'):
        with pytest.raises(ProviderError) as caught:
            WIRES[wire].Stream().event(None, data)
        assert SECRET not in caught.value.body + str(caught.value)
        assert caught.value.__cause__ is None


@given(status=st.integers(300, 599), body=st.text(max_size=4000))
def test_any_body_of_an_error_makes_a_short_error(status: int, body: str) -> None:
    error = faults.fault(status, body)
    assert len(error.message) < 600
    assert len(error.body) <= 2000


def test_the_errors_are_errors_of_the_user_s_making_or_waiting() -> None:
    missing = KeyMissingError("EXAMPLE_KEY", "smollm2-plain")
    assert "EXAMPLE_KEY" in missing.message
    assert {2} == {error.exit_code for error in (missing, ProviderError("x"))}
    assert isinstance(missing, StyleklError)

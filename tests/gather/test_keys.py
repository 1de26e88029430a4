"""Keys: from the environment or a private file, and never in any text."""

from __future__ import annotations

import copy
import json
import os
import pickle
import random
import string
import traceback
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.errors import InputError, KeyMissingError
from stylekl.gather import keys as module
from stylekl.gather.ask import Writer
from stylekl.gather.keys import HIDDEN, Secret, hide, key_of, looks_like_key, mask, read_keys

if TYPE_CHECKING:
    from pathlib import Path

KEY = "pl4nted-K3y-that-must-never-show"
WRITER = Writer("w", "W", "openai", "openai-chat", "m", "https://api.example.com", "SOME_KEY")
UNIX = pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what is hidden here out of the other tests."""
    monkeypatch.setattr(module, "_known", set())


def write(path: Path, text: str | bytes, mode: int = 0o600) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    path.chmod(mode)
    return path


def test_a_secret_shows_nowhere() -> None:
    """Not by any of Python's ways to a text, not within other things, not in a copy."""
    secret = Secret(KEY)
    shown = [
        repr(secret),
        str(secret),
        f"{secret} {secret!r} {secret:>40}",
        "{}".format(secret),  # noqa: UP032 - this way too
        repr([{"k": secret}]),
    ]

    assert all(KEY not in text for text in shown)
    assert all(HIDDEN in text for text in shown)
    assert not hasattr(secret, "__dict__")
    for act in (pickle.dumps, copy.copy, copy.deepcopy, json.dumps):
        with pytest.raises(TypeError):
            act(secret)  # type: ignore[operator]
    assert secret.reveal() == KEY
    assert {secret: 1}[Secret(KEY)] == 1


def test_mask_takes_known_keys_out_in_every_form() -> None:
    """As it is, quoted for an address, and as Python would print it."""
    value = "pl4nted/K3y+with=signs\\and'more"
    hide(Secret(value))
    text = f"raw {value} url {quote(value, safe='')} repr {value!r} end"

    assert mask(text).count(HIDDEN) == 3
    assert "pl4nted" not in mask(text)
    assert mask(mask(text)) == mask(text)


def test_mask_hides_a_short_key_where_it_stands_alone() -> None:
    """A key of a letter or two would take every word apart."""
    hide(Secret("xq7"))

    assert mask("key xq7, not xq7a") == f"key {HIDDEN}, not xq7a"


def test_mask_hides_what_looks_like_a_key_of_somebody_else() -> None:
    text = "Incorrect API key provided: sk-proj-AbCdEf0123456789AbCdEf. Bearer abcdefghijkl0123456789"

    assert mask(text) == f"Incorrect API key provided: {HIDDEN}. {HIDDEN}"


def test_mask_leaves_other_text_alone() -> None:
    text = "A task-force-of-2026 read eyJ and sk-8 in https://example.com/v1?x=1, model qwen3-235b-a22b-instruct-2507."

    assert mask(text) == text


@settings(max_examples=100, deadline=None)
@given(
    key=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=60), around=st.text()
)
def test_no_key_survives_the_mask(key: str, around: str) -> None:
    hide(Secret(key))

    assert key not in mask(f"{around}{key}{around}")
    assert key not in mask(f"{around}{key}{key} {key}")


def test_a_traceback_of_code_that_holds_a_secret_is_clean() -> None:
    try:
        raise ValueError(f"bad key {Secret(KEY)}")
    except ValueError:
        text = traceback.format_exc()

    assert KEY not in text.replace(f'"{KEY}"', "")


# Shaped like keys of providers; none is one.
@pytest.mark.parametrize(
    "text",
    [
        "sk-abcdefghijklmnop1234567890ABCDEF",
        "sk-proj-Ab1-Cd2_Ef3-Gh4_Ij5",
        "sk-ant-api03-Ab1-Cd2_Ef3-Gh4_Ij5",
        "AIzaSyA1234567890abcdefghijklmnopqrstuvw",
        "xai-" + "aB3" * 26,
        "gsk_" + "aB3d" * 13,
        "hf_" + "aBcDeFgHiJ" * 3 + "kLmN",
        "AKIAIOSFODNN7EXAMPLE",
        "Bearer abcdefgh0123456789",
        "0123456789abcdef0123456789abcdef",
        "key Zx9kQp3LmN7vTr2WsYb5Hc8D",
    ],
)
def test_what_looks_like_a_key(text: str) -> None:
    assert looks_like_key(text)
    assert looks_like_key(f"use {text}, please")


@pytest.mark.parametrize(
    "text",
    [
        "SmolLM2-135M-Instruct",
        "accounts/someone/models/Qwen3-235B-A22B-Instruct-2507-FP8",
        "meta-llama/Llama-3.3-70B-Instruct-Turbo",
        "xai-grok-4-20-multi-agent-reasoning-t0",
        "sk-learn-and-friends-of-the-forest",
        "ft:model-mini-2024-07-18:an-organisation::9aBcDeFg",
        "OPENAI_API_KEY_FOR_PRODUCTION_2026",
        "https://gateway.example.com/v1/team-42/openai",
        "Donaudampfschifffahrtsgesellschaftskapitaen",
        "A hash of 12 characters: 0123456789ab",
    ],
)
def test_what_does_not_look_like_a_key(text: str) -> None:
    assert not looks_like_key(text)


def test_most_random_keys_are_recognised() -> None:
    """Of 32 letters and digits without a prefix: at least 95 in 100, and no name of words and numbers."""
    draw = random.Random(1)
    keys = ["".join(draw.choices(string.ascii_letters + string.digits, k=32)) for _ in range(400)]

    assert sum(map(looks_like_key, keys)) >= 380


def test_a_file_of_keys_is_read_as_a_shell_would(tmp_path: Path) -> None:
    """Quotes, comments, export, spaces, Windows' line ends; nothing is expanded; an empty value is no key."""
    path = write(
        tmp_path / ".env",
        b"\xef\xbb\xbf# keys\r\nA=plain\r\n  export B = spaced  \r\nC='single # $HOME \\n'\r\n"
        b'D="double \\"x\\" \\\\ $A" # why\r\nE=value#kept # gone\r\nF=\r\nG=""\r\nH=a=b==\r\n\r\nI=# none\r\n',
    )

    assert {name: secret.reveal() for name, secret in read_keys(path).items()} == {
        "A": "plain",
        "B": "spaced",
        "C": "single # $HOME \\n",
        "D": 'double "x" \\ $A',
        "E": "value#kept",
        "H": "a=b==",
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"A=1\n{KEY}\n", "line 2: expected NAME=VALUE"),
        (f'A="{KEY}\n', "line 1: a quote is not closed"),
        (f"A='{KEY}' {KEY}\n", "line 1: a quote is not closed, or text follows it"),
        (f"1A={KEY}\n", "line 1: expected NAME=VALUE"),
        (f"A={KEY}\nB=2\nexport A=3\n", "line 3: A stands twice, first on line 1"),
        (f"A={KEY}\n".encode("utf-16"), "not UTF-8"),
        (b"A=1\n" * 30_000, "more than 100,000 bytes"),
    ],
)
def test_a_bad_line_is_named_and_not_shown(text: str | bytes, words: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_keys(write(tmp_path / "keys", text))

    assert words in caught.value.message
    assert KEY not in caught.value.message + caught.value.hint


@UNIX
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660, 0o700 | 0o010, 0o602])
def test_a_file_that_others_may_touch_is_refused(mode: int, tmp_path: Path) -> None:
    """With the command that mends it; nothing of it was read."""
    path = write(tmp_path / "keys", f"A={KEY}\n", mode)
    with pytest.raises(InputError) as caught:
        read_keys(path)

    assert f"(mode {mode:03o})" in caught.value.message
    assert caught.value.hint == f"chmod 600 {path}"


@UNIX
@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_a_file_of_its_owner_alone_is_read(mode: int, tmp_path: Path) -> None:
    assert read_keys(write(tmp_path / "keys", "A=1\n", mode))["A"].reveal() == "1"


@UNIX
def test_a_link_does_not_hide_the_mode(tmp_path: Path) -> None:
    target = write(tmp_path / "open", "A=1\n", 0o644)
    link = tmp_path / "link"
    link.symlink_to(target)
    with pytest.raises(InputError, match="others may read it"):
        read_keys(link)


@UNIX
def test_a_pipe_is_read_as_a_file(tmp_path: Path) -> None:
    """So `--env <(a password manager)` leaves no file behind."""
    ours, theirs = os.pipe()
    os.write(theirs, b"A=piped\n")
    os.close(theirs)
    if not os.path.exists(f"/dev/fd/{ours}"):
        pytest.skip("no /dev/fd on this system")
    assert read_keys(f"/dev/fd/{ours}")["A"].reveal() == "piped"
    os.close(ours)


def test_a_missing_file_is_an_error_only_where_it_was_named(tmp_path: Path) -> None:
    assert read_keys(tmp_path / ".env", needed=False) == {}
    with pytest.raises(InputError, match="no such file"):
        read_keys(tmp_path / ".env")
    with pytest.raises(InputError, match=r"directory|permission|denied"):
        read_keys(tmp_path)


def test_the_environment_counts_before_the_file() -> None:
    """A value of white space is none; white space around a key is not part of it."""
    keys = {"SOME_KEY": Secret("from-the-file")}

    for value, expected in (
        (" from-outside \r\n", "from-outside"),
        ("", "from-the-file"),
        ("  ", "from-the-file"),
    ):
        found = key_of(WRITER, keys, {"SOME_KEY": value})
        assert found is not None
        assert found.reveal() == expected


def test_a_writer_without_a_key_needs_none() -> None:
    from dataclasses import replace

    assert key_of(replace(WRITER, key=None), {}, {}) is None


def test_a_key_in_use_is_masked_and_the_rest_of_the_file_is_not(tmp_path: Path) -> None:
    """Such a file may hold more than keys: `PORT=8080` must not take 8080 out of every address."""
    found = read_keys(write(tmp_path / ".env", f"SOME_KEY={KEY}\nPORT=8080\n"))
    key_of(WRITER, found, {})

    assert mask(f"{KEY} at http://127.0.0.1:8080") == f"{HIDDEN} at http://127.0.0.1:8080"


def test_a_missing_key_names_writer_and_variable() -> None:
    with pytest.raises(KeyMissingError) as caught:
        key_of(WRITER, {}, {})

    assert "w" in caught.value.message
    assert "SOME_KEY" in caught.value.message


@pytest.mark.parametrize(
    "value", ["two words", "new\nline-in-the-middle", "“quoted-by-an-editor”", "bell\x07-in-it-here"]
)
def test_a_key_that_no_header_can_carry_is_refused_unseen(value: str) -> None:
    with pytest.raises(InputError) as caught:
        key_of(WRITER, {}, {"SOME_KEY": value})

    assert "SOME_KEY" in caught.value.message
    assert value not in caught.value.message + caught.value.hint

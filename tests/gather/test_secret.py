"""A planted key occurs nowhere, whatever goes wrong: not in output, journal, results, errors or tracebacks."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.run import run

from .fake import Asked, Provider, Reply, chunk, provider, said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KEY = "planted/Key+with-q9Z.no=prefix"
WIRES = ("openai-chat", "openai-responses", "anthropic", "gemini")


@pytest.fixture
def server() -> Iterator[Provider]:
    with provider() as found:
        yield found


def echo(asked: Asked) -> str:
    """Return everything that the request held, the key among it."""
    return json.dumps({"headers": asked.headers, "path": asked.path, "authorization": f"Bearer {KEY}"})


FAULTS: dict[str, Callable[[Asked], Reply]] = {
    "401": lambda _: Reply(json.dumps({"error": {"message": f"wrong key {KEY}"}}), 401),
    "400": lambda asked: Reply(
        json.dumps({"error": {"message": echo(asked), "type": KEY, "param": KEY}}), 400
    ),
    "403 refusal": lambda _: Reply(
        json.dumps({"error": {"message": KEY, "code": 403, "metadata": {"reasons": [KEY]}}}), 403
    ),
    "500 text": lambda asked: Reply(echo(asked), 500, kind="text/plain"),
    "429": lambda asked: Reply(echo(asked), 429, {"retry-after": "9999"}),
    "200 error": lambda asked: Reply(
        json.dumps({"error": {"message": echo(asked), "code": 400}}), kind="application/json"
    ),
    "stream error": lambda _: Reply(
        f"data: {json.dumps({'type': 'error', 'error': {'message': KEY, 'code': 400, 'type': KEY}})}\n\n"
    ),
    "not JSON": lambda _: Reply(f"data: {KEY}\n\n"),
    "redirect": lambda _: Reply("", 307, {"location": f"http://127.0.0.1:9/?key={KEY}"}),
    "redirect host": lambda _: Reply("", 308, {"location": f"http://{KEY}@127.0.0.1:9/"}),
    "drop": lambda _: Reply(chunk(delta={"content": KEY}), drop=True),
    "nothing": lambda _: Reply(nothing=True),
    "echoed reply": lambda _: Reply(said(f"Your key is {KEY}.")),
    "echoed header": lambda _: Reply(said("Fine."), headers={"x-request-id": KEY}),
    "bad header": lambda _: Reply(said("Fine."), headers={f"x bad {KEY}": KEY}),
}


def test_a_planted_key_occurs_nowhere(server: Provider, tmp_path: Path) -> None:
    """Each wire format meets every fault, one a prompt; the process runs with --debug and retries at once."""
    server.answer = lambda asked: next(
        answer(asked) for name, answer in FAULTS.items() if f"<{name}>" in json.dumps(asked.body)
    )
    models = "\n".join(
        f"  - {{id: {wire}, provider: fake, wire: {wire}, base_url: '{server.url}', requested: m, key: PLANTED}}"
        for wire in WIRES
    )
    (tmp_path / "models.yaml").write_text(f"models:\n{models}\n")
    prompts = "\n".join(f"  - {{id: p{n}, text: 'Make <{name}> happen'}}" for n, name in enumerate(FAULTS))
    (tmp_path / "battery.yaml").write_text(f"id: b\nversion: 1\nprompts:\n{prompts}\n")
    env = tmp_path / ".env"
    env.write_text(f"PLANTED={KEY}\n")
    env.chmod(0o600)

    done = run(
        *("-c", IMPATIENT, "collect", "battery.yaml", "--models", "models.yaml", "-o", "r.json", "--debug"),
        program=(sys.executable,),
        cwd=tmp_path,
    )

    assert {name for name in FAULTS for asked in server.asked if f"<{name}>" in str(asked.body)} == set(
        FAULTS
    )
    assert any(KEY in " ".join(asked.headers.values()) for asked in server.asked)
    assert not any(KEY in asked.path for asked in server.asked)
    places = {"stdout": done.out, "stderr": done.err}
    places |= {
        path.name: path.read_text()
        for path in Path(tmp_path).iterdir()
        if path.name not in (".env", "models.yaml", "battery.yaml")
    }
    assert set(places) >= {"r.json", "r.json.journal"}
    for name, text in places.items():
        assert KEY not in text, name
        assert json.dumps(KEY)[1:-1] not in text, name


@pytest.mark.parametrize(
    ("line", "mode"),
    [(f"PLANTED={KEY} and more", 0o600), (f"PLANTED='{KEY}", 0o600), (f"PLANTED={KEY}", 0o644), (KEY, 0o600)],
    ids=["space", "open quote", "readable by others", "no name"],
)
def test_an_error_about_the_file_of_keys_does_not_quote_it(line: str, mode: int, tmp_path: Path) -> None:
    models = "models:\n  - {id: one, provider: openai, requested: m, key: PLANTED}\n"
    (tmp_path / "models.yaml").write_text(models)
    (tmp_path / "battery.yaml").write_text("id: b\nversion: 1\nprompts:\n  - {id: p1, text: Name a river.}\n")
    (tmp_path / ".env").write_text(line + "\n")
    (tmp_path / ".env").chmod(mode)

    done = run("collect", "battery.yaml", "--models", "models.yaml", "-o", "r.json", "--debug", cwd=tmp_path)

    assert done.code == 2
    assert "Traceback" in done.err
    assert KEY not in done.out + done.err
    assert not (tmp_path / "r.json.journal").exists()


IMPATIENT = """
import sys
from stylekl.gather import transport
patience = transport.Patience
transport.Patience = lambda: patience(retries=1, base=0.001, longest=0.002, waiting=1, first=3, total=5)
from stylekl.cli import main
main(sys.argv[1:])
"""

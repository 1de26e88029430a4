"""A provider that answers as a test says, over real sockets, and a collection against it."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from stylekl.gather.ask import Price, Writer
from stylekl.gather.battery import Battery, Condition, Prompt
from stylekl.gather.collect import Collector, Ended, Options
from stylekl.gather.journal import Journal, journal_of
from stylekl.gather.plan import Plan
from stylekl.gather.session import Wish, begin, finish
from stylekl.gather.transport import Patience, Transport
from stylekl.results import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from stylekl.gather.keys import Secret
    from stylekl.results import Results

QUICK = Patience(connect=2, first=2, silence=2, total=5, retries=3, base=0.001, longest=0.002, waiting=1.0)
DONE = "data: [DONE]\n\n"


def chunk(**choice: Any) -> str:
    """Return one event of a chat completion."""
    body = {"id": "chatcmpl-1", "model": "small-1", "choices": [{"index": 0} | choice]}
    return f"data: {json.dumps(body)}\n\n"


def usage(prompt: int = 7, output: int = 3, **more: Any) -> str:
    """Return the last event, which holds the usage and no choice."""
    counts = {"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output} | more
    return f"data: {json.dumps({'id': 'chatcmpl-1', 'model': 'small-1', 'choices': [], 'usage': counts})}\n\n"


def said(text: str, stop: str | None = "stop", **more: Any) -> str:
    """Return the events of a whole answer."""
    events = chunk(delta={"role": "assistant", "content": None}) + chunk(delta={"content": text})
    return events + (chunk(delta={}, finish_reason=stop) if stop else "") + usage(**more) + DONE


@dataclass
class Reply:
    """What the provider does with one request: a status, headers and a body; then it may drop the connection.

    `parts` are sent one by one; a number among them is a silence of so many seconds, ended early when the server is.
    """

    body: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = "text/event-stream"
    parts: tuple[str | float, ...] = ()
    chunked: bool = True
    drop: bool = False
    nothing: bool = False


@dataclass
class Asked:
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    connection: int


class Provider:
    """Listens at `url` and answers by `answer`, or by the queue `replies` while it lasts."""

    def __init__(self) -> None:
        self.replies: deque[Reply] = deque()
        self.answer: Callable[[Asked], Reply] = lambda _: Reply(said("A reply of five words."))
        self.asked: list[Asked] = []
        self.connections = 0
        self._over = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=200)
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        self._over.set()
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(5)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection, self.connections), daemon=True).start()

    def _serve(self, connection: socket.socket, number: int) -> None:
        with connection, connection.makefile("rb") as stream:
            while line := stream.readline().decode():
                path = line.split()[1]
                headers = {}
                while (header := stream.readline().decode().strip()) != "":
                    name, _, value = header.partition(":")
                    headers[name.lower()] = value.strip()
                size = int(headers.get("content-length", 0))
                data = stream.read(size)
                if len(data) < size:
                    return  # whoever asked is gone
                body = json.loads(data or b"{}")
                asked = Asked(path, headers, body, number)
                self.asked.append(asked)
                reply = self.replies.popleft() if self.replies else self.answer(asked)
                try:
                    if not self._send(connection, reply) or headers.get("connection") == "close":
                        return
                except OSError:
                    return

    def _send(self, connection: socket.socket, reply: Reply) -> bool:
        if reply.nothing:
            return False
        head = [f"HTTP/1.1 {reply.status} X", f"content-type: {reply.kind}"]
        head += [f"{name}: {value}" for name, value in reply.headers.items()]
        head += ["transfer-encoding: chunked"] if reply.chunked else ["connection: close"]
        connection.sendall(("\r\n".join(head) + "\r\n\r\n").encode())
        for part in reply.parts or (reply.body,):
            if isinstance(part, float):
                self._over.wait(part)
            elif part:
                data = part.encode()
                connection.sendall(b"%x\r\n%b\r\n" % (len(data), data) if reply.chunked else data)
        if reply.drop:
            return False
        if reply.chunked:
            connection.sendall(b"0\r\n\r\n")
        return reply.chunked


@contextmanager
def provider() -> Iterator[Provider]:
    """Run a provider for the length of a block."""
    found = Provider()
    try:
        yield found
    finally:
        found.close()


def battery(prompts: int = 3, **more: Any) -> Battery:
    """Return a small battery."""
    return (
        Battery(
            id="small",
            version=1,
            kind="open",
            prompts=tuple(Prompt(f"p{n}", f"What is number {n}?") for n in range(1, prompts + 1)),
            conditions=(Condition("control"),),
            samples=1,
            cap=2000,
        )
        if not more
        else replace(battery(prompts), **more)
    )


def writer(url: str, name: str = "one", **more: Any) -> Writer:
    """Return a writer behind a provider."""
    price = Price(input=1.0, output=2.0, currency="USD", read="2026-01-05")
    fields = {"provider": "local", "wire": "openai-chat", "requested": "small", "base_url": url, "key": None}
    return Writer(id=name, name=name.title(), price=price, **(fields | more))


def collect(
    folder: Path,
    *writers: Writer,
    what: Battery | None = None,
    keys: Mapping[str, Secret] | None = None,
    options: Options | None = None,
    sender: Any = None,
    patience: Patience = QUICK,
    redo: tuple[str, ...] = (),
    why: str | None = None,
    started: Callable[[Collector], None] | None = None,
    **more: Any,
) -> tuple[Results, Ended]:
    """Collect into `results.json` in a folder, as the command does; return what the file holds, and how it ended."""
    plan = Plan(what or battery(), writers, **more)
    output = str(folder / "results.json")
    wish = Wish("battery.yaml", "models.yaml", output, redo=redo, why=why)

    async def run(collector: Collector) -> Ended:
        if started is not None:
            started(collector)
        if isinstance(collector.sender, Transport):
            async with collector.sender:
                return await collector.run()
        return await collector.run()

    held = dict(keys or {})
    with Journal(journal_of(output), held.values()) as journal:
        ledger = begin(plan, journal, wish, "0")
        sending = sender or Transport(patience, seed=plan.seed)
        collector = Collector(plan, journal, ledger, sending, held, options or Options(), None)
        ended = asyncio.run(run(collector))
        finish(output, ended.stopped)
    return load(output), ended

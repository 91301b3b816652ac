"""A chat endpoint for tests: answers as told, with every fault that a real one can have.

::

    with StubServer([status(503), says("yes")]) as server:
        settings = ChatSettings("stub", server.base_url)
        ...
    assert server.calls[0].body["messages"] == ...

``python -m tests.stub_server TEXT SECONDS`` serves one answer with a latency, in a process of its
own: it prints its address and ends when its input does.

The replies of a list are given one after the other, the last one for ever; a function makes each
reply from the request's body.
"""

import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, TypeAlias

Body: TypeAlias = dict[str, Any]

PATH = "/v1/chat/completions"


@dataclass(frozen=True)
class Reply:
    """One response.

    Attributes:
        status: HTTP status.
        body: what is sent, byte for byte.
        headers: beside those of every response.
        delay: seconds before anything is sent.
        cut: bytes after which the connection is cut; None sends all.
        drip: seconds between single bytes of the body.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: int | None = None
    drip: float = 0.0

    def after(self, seconds: float) -> "Reply":
        """Return the same reply, later."""
        return replace(self, delay=seconds)


@dataclass(frozen=True)
class Call:
    """A request that arrived, and when its reply was sent (seconds of ``time.monotonic``)."""

    body: Body
    headers: Mapping[str, str]
    path: str
    begun: float
    ended: float


Script: TypeAlias = Sequence[Reply] | Callable[[Body], Reply]


def says(
    text: str | None,
    *,
    finish_reason: str = "stop",
    refusal: str | None = None,
    tokens: tuple[int, int] | None = (10, 5),
) -> Reply:
    """Return a chat completion with this text."""
    message = {"role": "assistant", "content": text, "refusal": refusal}
    body: Body = {
        "id": "stub-1",
        "object": "chat.completion",
        "created": 0,
        "model": "stub-served",
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
    }
    if tokens is not None:
        prompt, completion = tokens
        body["usage"] = {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        }
    return in_json(body)


def in_json(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """Return any JSON as a response."""
    return Reply(status, json.dumps(body).encode(), headers or {})


def status(
    code: int, *, retry_after: str | float | None = None, message: str = "told so", kind: str = ""
) -> Reply:
    """Return an error in the form that OpenAI-compatible servers use."""
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return in_json({"error": {"message": message, "code": kind or None}}, code, headers)


def cut(after_bytes: int = 0) -> Reply:
    """Return a completion of which only so many bytes, headers included, arrive."""
    return replace(says("never seen as a whole"), cut=after_bytes)


NOT_JSON = Reply(body=b"<html>Bad gateway</html>")
HTML = replace(NOT_JSON, headers={"Content-Type": "text/html"})
NO_CHOICES = in_json({"id": "x", "object": "chat.completion", "choices": []})
NULL_CHOICES = in_json({"id": "x", "object": "chat.completion", "choices": None})
NO_OBJECT = in_json(["yes"])
LISTED_CONTENT = in_json({"choices": [{"message": {"content": [{"type": "text"}]}}]})

BAD_COMPLETIONS = {
    "not JSON": NOT_JSON,
    "HTML": HTML,
    "no choices": NO_CHOICES,
    "null choices": NULL_CHOICES,
    "no object": NO_OBJECT,
    "content in a list": LISTED_CONTENT,
    "empty body": Reply(),
}
"""Responses with status 200 that are no chat completion."""

BAD_TEXTS = {
    "empty": says(""),
    "null": says(None),
    "refusal": says(None, refusal="I cannot help with that."),
    "filtered": says("", finish_reason="content_filter"),
    "truncated": says('{"facts": 3, "supp', finish_reason="length"),
    "prose": says("There are three facts."),
    "wrong type": says('{"facts": "three"}'),
    "negative": says('{"facts": -1}'),
    "list": says("[3]"),
}
"""Answers that arrive well and are no good."""


def strange(name: str) -> Reply:
    """Return a good completion but for one value that no server should send.

    ``half`` has half a character in every text; the others are named by what is strange.
    """
    body: Body = json.loads(says('{"facts": 3}').body)
    if name == "half":
        body["choices"][0]["message"]["content"] = "cut \ud83d"
        body["choices"][0]["finish_reason"] = body["model"] = "\udc00"
    elif name == "finish_reason":
        body["choices"][0]["finish_reason"] = ["stop"]
    elif name == "model":
        body["model"] = {"name": "stub"}
    else:
        body["usage"] = {"prompt_tokens": -(10**30), "completion_tokens": 10**30}
    return in_json(body)


STRANGE = ("half", "finish_reason", "model", "usage")


def refuses_response_format(script: Callable[[Body], Reply]) -> Callable[[Body], Reply]:
    """Return a script that refuses structured output and else does the same."""

    def refuse(body: Body) -> Reply:
        if "response_format" in body:
            return status(400, message="response_format is not supported")
        return script(body)

    return refuse


class StubServer:
    """A server on a free port of this machine, used in a ``with`` statement.

    Attributes:
        calls: the requests so far, in the order in which their replies were ready.
        at_once: most requests that were open at the same time.
    """

    def __init__(self, script: Script, *, latency: float = 0.0) -> None:
        self.calls: list[Call] = []
        self.at_once = 0
        self._open = 0
        self._script = script
        self._latency = latency
        self._given = 0
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.stub = self
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def base_url(self) -> str:
        """The address for an OpenAI-compatible client."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def texts(self) -> list[str]:
        """The last message of each call."""
        return [call.body["messages"][-1]["content"] for call in self.calls]

    def __enter__(self) -> "StubServer":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def reply(self, body: Body, headers: Mapping[str, str], path: str) -> Reply:
        """Return the reply to a request, after its delay."""
        begun = time.monotonic()
        with self._lock:
            self._open += 1
            self.at_once = max(self.at_once, self._open)
            made = self._next(body) if path == PATH else status(404, message="no such page")
        time.sleep(self._latency + made.delay)
        with self._lock:
            self._open -= 1
            self.calls.append(Call(body, headers, path, begun, time.monotonic()))
        return made

    def _next(self, body: Body) -> Reply:
        if callable(self._script):
            return self._script(body)
        made = self._script[min(self._given, len(self._script) - 1)]
        self._given += 1
        return made


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    stub: StubServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that hang up are what is tested."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        body = json.loads(self.rfile.read(length))
        self._send(
            self.server.stub.reply(body, {k.lower(): v for k, v in self.headers.items()}, self.path)
        )

    def _send(self, reply: Reply) -> None:
        headers = {
            "Content-Type": "application/json",
            "Content-Length": str(len(reply.body)),
            **reply.headers,
        }
        head = f"HTTP/1.1 {reply.status} Stub\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        raw = head.encode() + b"\r\n"
        if reply.drip:
            self.wfile.write(raw)
            for byte in reply.body:
                self.wfile.write(bytes([byte]))
                time.sleep(reply.drip)
            return
        whole = raw + reply.body
        if reply.cut is None:
            self.wfile.write(whole)
            return
        self.wfile.write(whole[: reply.cut])
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""


def main(text: str, latency: str) -> None:
    """Serve one answer until standard input ends."""
    with StubServer([says(text)], latency=float(latency)) as server:
        print(server.base_url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])

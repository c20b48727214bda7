"""A scripted MCP server over streamable HTTP, in a thread of the test."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from mcp_peers.answers import Server

Json = dict[str, Any]


class ScriptedHttp(ThreadingHTTPServer):
    """Answers by a behaviour that a test may change while it runs."""

    daemon_threads = True

    def __init__(self, behaviour: str, elsewhere: str = "") -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.behaviour = behaviour
        self.elsewhere = elsewhere
        self.requests: list[tuple[str, dict[str, str]]] = []
        """Each request's method (HTTP's, or the protocol's) and headers."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing when a client hangs up."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/mcp"

    @property
    def methods(self) -> list[str]:
        return [method for method, _ in self.requests]


@contextmanager
def scripted_http(behaviour: str, elsewhere: str = "") -> Generator[ScriptedHttp]:
    """Run a server with that behaviour, and end it."""
    server = ScriptedHttp(behaviour, elsewhere)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ScriptedHttp  # pyright: ignore[reportIncompatibleVariableOverride]  # no other makes it

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", "0"))
        request: Json = json.loads(self.rfile.read(length))
        method = request.get("method", "")
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append((method, headers))
        if "id" not in request:
            self.reply(202, b"")
            return
        act = getattr(self, f"when_{self.server.behaviour}", None)
        if act is None or not act(method, request):
            self.honest(method, request)

    def do_GET(self) -> None:
        self.server.requests.append(("GET", dict(self.headers.items())))
        self.reply(405, b"")

    def do_DELETE(self) -> None:
        self.server.requests.append(("DELETE", dict(self.headers.items())))
        self.reply(200, b"")

    def honest(self, method: str, request: Json) -> None:
        result = Server(self.server.behaviour).result(method, request.get("params", {}))
        if result is None:
            error = {"code": -32601, "message": "Method not found"}
            self.reply_json({"jsonrpc": "2.0", "id": request["id"], "error": error})
            return
        session = {"mcp-session-id": "s1"} if method == "initialize" else {}
        self.reply_json({"jsonrpc": "2.0", "id": request["id"], "result": result}, **session)

    def reply_json(self, message: Json, **headers: str) -> None:
        kind = {"content-type": "application/json"}
        self.reply(200, json.dumps(message).encode(), **kind, **headers)

    def reply(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    # Each of these acts before the honest answer; True keeps that back.

    def when_unauthorized(self, method: str, request: Json) -> bool:
        self.reply(401, b'{"error": "invalid_token"}', **{"www-authenticate": "Bearer"})
        return True

    def when_unauthorized_later(self, method: str, request: Json) -> bool:
        return method == "tools/call" and self.when_unauthorized(method, request)

    def when_redirects(self, method: str, request: Json) -> bool:
        self.reply(307, b"", location=self.server.elsewhere)
        return True

    def when_redirects_later(self, method: str, request: Json) -> bool:
        return method == "tools/call" and self.when_redirects(method, request)

    def when_packed(self, method: str, request: Json) -> bool:
        if method == "tools/call":
            body = gzip.compress(b"\0" * 50_000_000, 1)
            kinds = {"content-type": "application/json", "content-encoding": "gzip"}
            self.reply(200, body, **kinds)
        return method == "tools/call"

    def when_huge_result(self, method: str, request: Json) -> bool:
        if method == "tools/call":
            body = b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"'
            self.reply(200, body + b"x" * 50_000_000, **{"content-type": "application/json"})
        return method == "tools/call"

    def when_huge_event(self, method: str, request: Json) -> bool:
        if method == "tools/call":
            body = b"event: message\ndata: " + b"x" * 50_000_000
            self.reply(200, body, **{"content-type": "text/event-stream"})
        return method == "tools/call"

    def when_no_answer_in_stream(self, method: str, request: Json) -> bool:
        if method == "tools/call":
            self.reply(200, b": nothing\n\n", **{"content-type": "text/event-stream"})
        return method == "tools/call"

    def when_a_page(self, method: str, request: Json) -> bool:
        if method == "tools/call":
            self.reply(200, b"<html>Welcome!</html>", **{"content-type": "text/html"})
        return method == "tools/call"

    def when_broken(self, method: str, request: Json) -> bool:
        if method == "tools/call":
            self.reply(500, b"Traceback ...", **{"content-type": "text/plain"})
        return method == "tools/call"

    def when_hangs_up(self, method: str, request: Json) -> bool:
        if method == "tools/call":
            self.close_connection = True
            self.connection.close()
        return method == "tools/call"

    def when_silent(self, method: str, request: Json) -> bool:
        if method == "tools/call":
            time.sleep(3)
        return method == "tools/call"

    def when_forgets_once(self, method: str, request: Json) -> bool:
        if method == "tools/call" and self.server.methods.count("tools/call") == 1:
            self.reply(404, b"")
            return True
        return False

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""

"""A server on loopback that answers as it is told and keeps what it was asked."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request that reached the server; header names are in small letters."""

    target: str
    headers: dict[str, str]
    body: bytes


class AnsweringServer:
    """Gives every request the same answer while its `with` block lasts."""

    def __init__(
        self, body: bytes = b"", *, status: int = 200, content_type: str = "application/json"
    ) -> None:
        self.requests: list[Request] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                size = int(self.headers.get("content-length", 0))
                headers = {key.lower(): value for key, value in self.headers.items()}
                request = Request(target=self.path, headers=headers, body=self.rfile.read(size))
                server.requests.append(request)
                server.take(request)
                self.send_response(status)
                self.send_header("content-type", content_type)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_GET

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"

    def take(self, request: Request) -> None:
        """Do what is to be done before a request is answered; here nothing."""

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

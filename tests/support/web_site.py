"""A web site on loopback whose pages a test writes, and a note of each request."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast


class Site(ThreadingHTTPServer):
    """A server on loopback whose pages are written by the test."""

    daemon_threads = True

    def __init__(self) -> None:
        """Listen on a free port."""
        super().__init__(("127.0.0.1", 0), Page)
        self.pages: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.seen: list[tuple[str, dict[str, str]]] = []
        self.release = threading.Event()

    def page(self, path: str, body: bytes = b"", status: int = 200, **headers: str) -> None:
        """Write a page; `_` in a header's name stands for `-`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.pages[path] = status, named, body


class Page(BaseHTTPRequestHandler):
    """Answers with what the test wrote for the path."""

    def do_GET(self) -> None:
        """Note the request and answer it; `/slow` hangs until the test is over."""
        site = cast("Site", self.server)
        site.seen.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
        status, headers, body = site.pages[self.path]
        self.send_response(status)
        for name, value in {"content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        if self.path == "/slow":
            site.release.wait(20)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

"""A real collector on loopback: rotel, which prints the spans that it takes."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Self

_SECONDS = 20.0


class RealCollector:
    """Runs while its `with` block lasts; what it prints goes to a file."""

    def __init__(self, log: Path) -> None:
        spec = find_spec("rotel")
        assert spec is not None
        assert spec.origin is not None
        self._program = Path(spec.origin).with_name("rotel-agent")
        self._log = log
        self._port = _unused_port()
        self.endpoint = f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> Self:
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [
                    *(str(self._program), "start", "--exporter=blackhole", "--debug-log=traces"),
                    "--debug-log-verbosity=detailed",
                    f"--otlp-http-endpoint=127.0.0.1:{self._port}",
                    f"--otlp-grpc-endpoint=127.0.0.1:{_unused_port()}",
                ],
                stdout=log,
                stderr=log,
            )
        self._until(self._listens)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(_SECONDS)

    def said(self, text: str) -> str:
        """Return all that it printed, as soon as that has `text` in it."""
        self._until(lambda: text in self._log.read_text("utf-8", "replace"))
        return self._log.read_text("utf-8", "replace")

    def _until(self, holds: Callable[[], bool]) -> None:
        end = time.monotonic() + _SECONDS
        while not holds():
            assert time.monotonic() < end, "the collector did not get there in time"
            time.sleep(0.02)

    def _listens(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self._port), timeout=1).close()
        except OSError:
            return False
        return True


def _unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

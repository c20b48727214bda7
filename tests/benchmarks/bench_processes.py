"""The processes of the benchmarks: the provider, and the workers that are measured."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Self

HERE = Path(__file__).parent


class Process:
    """A script beside this file in a process of its own, spoken to line by line."""

    def __init__(self, script: str, *arguments: str) -> None:
        """Start it."""
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / script), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._name = " ".join((script, *arguments))

    def send(self, line: str) -> None:
        """Write a line to its input."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def read(self) -> str:
        """Return the next line of its output.

        Raises:
            RuntimeError: it ended instead.
        """
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._name!r} ended without an answer. Read its error above.")
        return line

    def __enter__(self) -> Self:
        """Return the process."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close its input, which ends it, and wait."""
        self._process.communicate()


class Provider(Process):
    """The provider's process."""

    def __init__(self) -> None:
        """Start it and learn where it listens."""
        super().__init__("bench_server.py")
        self._url = f"http://127.0.0.1:{int(self.read())}"

    def base_url(self, *, think_ms: int = 0) -> str:
        """Return what a client takes as its base URL, for a provider that thinks for so long."""
        return f"{self._url}/{think_ms}/v1"

    def count(self) -> int:
        """Return how many requests it has answered."""
        with urllib.request.urlopen(f"{self._url}/count") as answer:
            return int(answer.read())


class Collector(Process):
    """The process that traces are sent to."""

    def __init__(self) -> None:
        """Start it and learn where it listens."""
        super().__init__("bench_collector.py")
        self.url = f"http://127.0.0.1:{int(self.read())}"


class Worker(Process):
    """A contender's process."""

    def __init__(
        self, contender: str, transport: str, base_url: str, otlp_endpoint: str | None = None
    ) -> None:
        """Start it; it does nothing until it is given a job."""
        hidden = ["--httpx"] if transport == "httpx" else []
        traced = [] if otlp_endpoint is None else ["--otlp", otlp_endpoint]
        super().__init__("bench_worker.py", contender, base_url, *hidden, *traced)

    def round(self, job: str) -> dict[str, float]:
        """Do one round of a job and return what it measured."""
        self.send(job)
        figures: dict[str, float] = json.loads(self.read())
        return figures

"""What every test stands on: both async backends, and no network beyond loopback."""

from __future__ import annotations

import gc
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# How long an example takes says more of the machine than of the code.
settings.register_profile("podium", deadline=None)
settings.load_profile("podium")


def pytest_collection_finish() -> None:
    """Keep what is loaded by now from the garbage collector.

    Looking through thousands of tests and all libraries takes as long as what some tests measure.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """Run async tests on asyncio and on trio."""
    return str(request.param)


@pytest.fixture(autouse=True, scope="session")
def loopback_only() -> Iterator[None]:
    """Refuse connections to other machines, and hide keys that would invite them."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            host = str(address[0])
            assert host in ("127.0.0.1", "::1", "localhost"), f"A test may not reach {host!r}."
        connect(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded)
        patch.delenv("OPENAI_API_KEY", raising=False)
        yield


@pytest.fixture
def run_python(tmp_path: Path) -> Callable[..., str]:
    """Return a function that runs `python *arguments` in a fresh process and returns its output.

    The process starts in an empty folder, with no keys and without the coverage of this one.
    """
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("COVERAGE_", "OPENAI_", "OTEL_", "PYTEST_"))
    }

    def run(*arguments: str, **variables: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**environment, "PYTHONIOENCODING": "utf-8", **variables},
            timeout=100,
        )
        assert done.returncode == 0, f"{arguments[0]} failed:\n{done.stdout}\n{done.stderr}"
        return done.stdout

    return run

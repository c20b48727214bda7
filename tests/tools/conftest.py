"""What tests of the tools part share."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from web_site import Site


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.release.set()
        server.shutdown()
        thread.join()

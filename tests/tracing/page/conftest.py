"""Pages to look at, and a browser to look with: Chromium without a window or a network."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from page_traces import recorded_team
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from podium.tracing import Trace
from podium.tracing.page import render_page

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")  # gone before async tests run: its loop would be in their way
def browser() -> Iterator[Browser]:
    """A browser with a profile of its own; the tests skip where none is installed."""
    chromium = shutil.which("chromium")
    if chromium is None:
        if os.environ.get("PODIUM_REQUIRE_BROWSER") == "1":
            pytest.fail("PODIUM_REQUIRE_BROWSER=1, and there is no chromium on the PATH")
        pytest.skip("chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def team(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """The trace of a real run: a coordinator and three specialists, one of whose tools fails."""
    return recorded_team(tmp_path_factory.mktemp("trace") / "trace.jsonl")


OpenPage = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[OpenPage]:
    """Return a function that opens a trace's page from a file.

    Afterwards nothing may have been complained about, and nothing asked for but the file.
    """
    complaints: list[str] = []
    requests: list[str] = []
    contexts = [browser.new_context(locale="en-US", timezone_id="UTC")]

    def listen(message: ConsoleMessage) -> None:
        complaints.append(f"{message.type}: {message.text}")

    def open_page(trace: Trace, *, width: int = 1440, dark: bool = False) -> Page:
        file = tmp_path / "page.html"
        file.write_text(render_page(trace))
        page = contexts[0].new_page()
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.on("console", listen)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(file.as_uri())
        page.locator("html[data-ready]").wait_for()
        return page

    yield open_page
    contexts[0].close()
    assert complaints == []
    assert set(requests) == {(tmp_path / "page.html").as_uri()}

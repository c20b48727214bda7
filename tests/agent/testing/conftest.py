"""A client of the fake server that is no part of podium: Python's own `http.client`."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest

from podium.agent.testing import FakeOpenAIServer


@dataclass(frozen=True)
class Heard:
    """An answer of the server."""

    status: int
    headers: dict[str, str]
    body: str

    @property
    def json(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self.body)
        return data

    @property
    def message(self) -> dict[str, Any]:
        message: dict[str, Any] = self.json["choices"][0]["message"]
        return message

    @property
    def finish_reason(self) -> str:
        return str(self.json["choices"][0]["finish_reason"])

    @property
    def events(self) -> list[dict[str, Any]]:
        lines = self.body.splitlines()
        return [json.loads(line[6:]) for line in lines if line.startswith("data: {")]

    @property
    def deltas(self) -> list[dict[str, Any]]:
        return [choice["delta"] for event in self.events for choice in event["choices"]]


Ask = Callable[..., Heard]


def request(server: FakeOpenAIServer, method: str, path: str, body: str | None = None) -> Heard:
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=10)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        headers = {name.lower(): value for name, value in response.getheaders()}
        return Heard(response.status, headers, response.read().decode("utf-8", "surrogatepass"))
    finally:
        connection.close()


@pytest.fixture
def ask() -> Ask:
    """Return a function that asks the server one question: `ask(server, "hi", stream=True)`."""

    def asking(server: FakeOpenAIServer, text: str = "hi", **body: Any) -> Heard:
        question = {"model": "m", "messages": [{"role": "user", "content": text}], **body}
        return request(server, "POST", "/v1/chat/completions", json.dumps(question))

    return asking


@pytest.fixture
def send() -> Ask:
    """Return a function that sends any request: `send(server, "GET", "/v1/models")`."""
    return request

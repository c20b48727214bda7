"""FakeOpenAIServer: a real HTTP server on loopback that answers as a script says.

It speaks `POST /v1/chat/completions` and `POST /v1/responses`, plain and streamed, and
`GET /v1/models`; the same turns answer either API:

>>> from podium.agent import Agent
>>> from podium.agent.models import OpenAIChatGenerator
>>> from podium.agent.testing import FakeOpenAIServer, Fault
>>> busy = Fault(429, headers={"retry-after": "0"})
>>> with FakeOpenAIServer([busy, "It is 5."]) as server:
...     model = OpenAIChatGenerator(api_key="any", api_base_url=server.base_url)
...     result = Agent(chat_generator=model).run("What is 2 + 3?")
>>> result.text
'It is 5.'
>>> len(server.requests), server.requests[0].messages[-1]["content"]
(2, 'What is 2 + 3?')

Several agents on one server get a script each, chosen by a `route`:

>>> server = FakeOpenAIServer(route=lambda request: request.model)
>>> server.script(["Paris."], key="geographer")
>>> server.script(["1789."], key="historian")

Run as a program it answers by the model's name, for load tests and for trying things out; the
names are listed by `--help`:

    python -m podium.agent.testing.fake_openai --port 8123 --think-ms 20
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import socket
import threading
import time
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Literal, Self, cast

from podium.agent.testing._answers import answer, error_body
from podium.agent.testing._http import Connection, HttpRequest, Playback, whole
from podium.agent.testing._metering import Meter
from podium.agent.testing._requests import RecordedRequest
from podium.agent.testing._responses_request import read_items
from podium.agent.testing._script import Script, ScriptError, describe_turns, listed
from podium.agent.testing._turns import AnyTurn, as_turn
from podium.tracing import Usage

Route = Callable[[RecordedRequest], str]
"""Says which script answers a request."""
Responder = Callable[[RecordedRequest], AnyTurn]
"""Answers a request by itself; must not block, since it runs in the server's thread."""
_BACKLOG = 2048
_STOP_SECONDS = 5.0


class FakeOpenAIServer:
    """A model provider for tests, in a thread of this process; use it as a context manager.

    It fails at the end of the `with` block when a request came that the script has no turn for
    (the client got HTTP 500 and the reason), and when turns are left over.
    """

    def __init__(
        self,
        turns: Iterable[AnyTurn] = (),
        *,
        route: Route | None = None,
        responder: Responder | None = None,
        repeat_last: bool = False,
        strict: bool = True,
        keep_requests: bool = True,
        port: int = 0,
    ) -> None:
        """Write the script; the server starts when the context is entered.

        Args:
            turns: what requests are answered with, in order.
            route: names the script for a request, as given to `script(key=)`; None: there is one.
            responder: answers all requests, instead of a script.
            repeat_last: the last of `turns` answers all further requests too.
            strict: turns left over are an error at the end.
            keep_requests: fill `requests`; a load test has no use for them.
            port: the port to listen on; 0 takes a free one.

        Raises:
            TypeError: one of the turns is none.
        """
        self.requests: list[RecordedRequest] = []
        """The requests so far, of both APIs, in the order they came."""
        self.usage_total = Usage()
        """What a provider would bill for the answers so far."""
        self._scripts: dict[str, Script[AnyTurn]] = {}
        self._route = route
        self._responder = responder
        self._strict = strict
        self._keep_requests = keep_requests
        self._port = port
        self._count = 0
        self._unexpected: list[str] = []
        self._meter = Meter()
        self._connections: set[Connection] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._stopping: asyncio.Event | None = None
        self.script(turns, repeat_last=repeat_last)

    @property
    def url(self) -> str:
        """The server's root, such as `http://127.0.0.1:8123`."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def base_url(self) -> str:
        """What a client takes as its base URL."""
        return f"{self.url}/v1"

    def script(self, turns: Iterable[AnyTurn], *, key: str = "", repeat_last: bool = False) -> None:
        """Add turns to the script named `key`; may be called while the server runs.

        Raises:
            TypeError: one of the turns is none.
        """
        known = self._scripts.setdefault(key, Script(()))
        for turn in listed(turns, "FakeOpenAIServer"):
            as_turn(turn)  # refuses what is no turn
            known.turns.append(turn)
        known.repeat_last = repeat_last

    def __enter__(self) -> Self:
        """Start listening and return the server."""
        listening = socket.create_server(("127.0.0.1", self._port), backlog=_BACKLOG)
        self._port = listening.getsockname()[1]
        started = threading.Event()
        self._thread = threading.Thread(
            target=asyncio.run,
            args=[self._serve(listening, started)],
            name="fake-openai",
            daemon=True,
        )
        self._thread.start()
        started.wait(_STOP_SECONDS)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop, then check the script, unless an error is on its way already."""
        assert self._loop is not None and self._stopping is not None and self._thread is not None
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(_STOP_SECONDS)
        if error is None:
            self.check()

    async def __aenter__(self) -> Self:
        """Start listening and return the server."""
        return self.__enter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop, then check the script, unless an error is on its way already."""
        self.__exit__(kind, error, traceback)

    def check(self) -> None:
        """Check that each request had a turn and, if strict, each turn a request.

        Raises:
            ScriptError: one had not; the error names it.
        """
        if self._unexpected:
            many = len(self._unexpected)
            raise ScriptError(
                f"FakeOpenAIServer got {many} {'request' if many == 1 else 'requests'} it had no "
                "answer for. "
                f"The first: {self._unexpected[0]}"
            )
        for key, script in self._scripts.items():
            if self._strict and script.unused:
                named = f" {key!r}" if key else ""
                counted = "1 request" if self._count == 1 else f"{self._count} requests"
                raise ScriptError(
                    f"FakeOpenAIServer has turns left in its script{named} after {counted}: "
                    f"{describe_turns(script.unused)}. "
                    "Remove them, or find out why the model was not asked."
                )

    async def _serve(self, listening: socket.socket, started: threading.Event) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        server = await self._loop.create_server(
            lambda: Connection(self._answer, self._connections), sock=listening, backlog=_BACKLOG
        )
        started.set()
        await self._stopping.wait()
        server.close()
        for connection in list(self._connections):
            connection.close()
        await server.wait_closed()

    def _answer(self, http: HttpRequest) -> Playback:
        match http.method, http.path:
            case "POST", path if path.endswith("/chat/completions"):  # Azure has others before it
                return self._complete(http, "chat")
            case "POST", path if path.endswith("/responses"):
                return self._complete(http, "responses")
            case "GET", "/v1/models":
                return _models(sorted(key for key in self._scripts if key) or ["fake-model"])
            case _:
                asked = f"{http.method} {http.path}"
                use = "Use POST /v1/chat/completions, POST /v1/responses or GET /v1/models."
                return _error(404, f"There is no {asked} here. {use}")

    def _complete(self, http: HttpRequest, api: Literal["chat", "responses"]) -> Playback:
        try:
            body = _read_body(http.body, api)
        except ValueError as error:
            return _error(400, str(error))
        request = RecordedRequest(
            self._count, body, http.body, http.headers, time.monotonic(), api, http.path, http.query
        )
        self._count += 1
        if self._keep_requests:
            self.requests.append(request)
        try:
            answered = answer(as_turn(self._choose(request)), request, self._meter)
        except Exception as error:  # a script's mistake must reach the test, not kill the server
            self._unexpected.append(f"{type(error).__name__}: {error}")
            return _error(500, self._unexpected[-1])
        if answered.usage is not None:
            self.usage_total += Usage.of_call(answered.usage)
        return dataclasses.replace(answered.playback, on_disconnect=request.note_disconnect)

    def _choose(self, request: RecordedRequest) -> AnyTurn:
        if self._responder is not None:
            return self._responder(request)
        key = self._route(request) if self._route is not None else ""
        script = self._scripts.get(key)
        turn = script.take() if script is not None else None
        if turn is None:
            named = f" {key!r}" if key else ""
            raise ScriptError(
                f"Request {request.number + 1} has no turn: the script{named} has "
                f"{script.size if script else '0 turns'}. It asks model {request.model!r}, and "
                f"its first user message is {request.first_user_text[:60]!r}. Add a turn for it."
            )
        return turn


def _read_body(raw: bytes, api: Literal["chat", "responses"]) -> dict[str, Any]:
    body = json.loads(raw)
    if not isinstance(body, dict):
        raise ValueError(f"The body is a JSON {type(body).__name__}. Send an object.")
    known = cast("dict[str, Any]", body)
    if api == "responses":
        read_items(known)
        return known
    messages: object = known.get("messages")
    if not isinstance(messages, list) or not all(
        isinstance(message, dict) for message in cast("list[object]", messages)
    ):
        raise ValueError("The body has no list of messages. Send 'messages': [{'role': ...}, ...].")
    return known


def _error(status: int, message: str) -> Playback:
    # The header tells OpenAI's clients that asking again is of no use.
    return whole(
        status, json.dumps(error_body(message)).encode(), headers={"x-should-retry": "false"}
    )


def _models(names: list[str]) -> Playback:
    data = [{"id": name, "object": "model", "created": 0, "owned_by": "podium"} for name in names]
    return whole(200, json.dumps({"object": "list", "data": data}).encode())


if __name__ == "__main__":
    from podium.agent.testing._canned import main  # the program imports this module in turn

    main()

"""What generators over OpenAI's APIs share: settings, clients, and how a call is made."""

from __future__ import annotations

import importlib
import os
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, ClassVar, Never, Self
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from podium.agent._tries import before_sending
from podium.agent.messages import ChatMessage
from podium.agent.models._estimate import estimate_prompt_tokens
from podium.agent.models._openai.api import ModelCall
from podium.agent.models._openai.parameters import (
    check_generation_kwargs,
    response_format,
)
from podium.agent.models._openai.retries import ask_with_retries
from podium.agent.models._protocol import StreamingCallback
from podium.agent.models._rate_limit import RateLimit
from podium.agent.secrets import Secret, as_secret
from podium.tools import Tool
from podium.tools.errors import nearest

if TYPE_CHECKING:
    from podium.agent.models._openai.client import ClientSettings

DEFAULT_API_KEY = Secret.from_env_var("OPENAI_API_KEY")
DEFAULT_TIMEOUT_SECONDS = 30.0
DEFAULT_MAX_RETRIES = 5


class OpenAIGenerator(ABC):
    """A chat generator over one of OpenAI's APIs; it keeps nothing of a call."""

    supports_structured_output = True
    """Whether `response_format` may hold a JSON schema."""
    provider_name = "openai"
    """What spans call the API; a compatible server speaks the same one."""
    output_cap_is_hard = True
    """No reply goes beyond its limit, reasoning included."""
    max_output_tokens: int | None = None
    """Not known: it depends on the model."""

    _parameters: ClassVar[tuple[str, ...]] = (
        "api_key",
        "model",
        "api_base_url",
        "organization",
        "generation_kwargs",
        "streaming_callback",
        "timeout",
        "max_retries",
        "tools",
        "tools_strict",
        "http_client_kwargs",
        "max_concurrency",
        "rate_limit",
    )
    """The names of the constructor's parameters."""

    def __init__(
        self,
        *,
        api_key: Secret | str = DEFAULT_API_KEY,
        model: str = "gpt-5-mini",
        api_base_url: str | None = None,
        organization: str | None = None,
        generation_kwargs: Mapping[str, Any] | None = None,
        streaming_callback: StreamingCallback | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        tools: Iterable[Tool] | None = None,
        tools_strict: bool = False,
        http_client_kwargs: Mapping[str, Any] | None = None,
        max_concurrency: int = 64,
        rate_limit: RateLimit | None = None,
        **unknown: Never,
    ) -> None:
        """Keep the settings; nothing is opened or read before the first call.

        `timeout` is in seconds, for connecting and for each wait for more of an answer; None takes
        it from `OPENAI_TIMEOUT`, or 30. `max_retries` counts tries after the first; None takes it
        from `OPENAI_MAX_RETRIES`, or 5. `api_base_url` may end in a query, as in
        `?api-version=preview`, which goes with every call. `generation_kwargs` are parameters of
        the API, beside `extra_headers`, `extra_query` and `extra_body`. `tools_strict` makes the
        provider hold to the tools' schemas where they allow it. `http_client_kwargs` are arguments
        for an `httpx2.AsyncClient` of its own. Of calls to the same endpoint with the same
        `max_concurrency` as many are under way at once on one event loop, the others wait in line;
        so do those for which `rate_limit` has no room within the minute.

        Raises:
            ValueError: `max_concurrency` is below 1, `api_base_url` is no plain http(s) URL, or
                `generation_kwargs` sets what podium sets.
            TypeError: `api_key` is no secret and no text, or a parameter is unknown.
        """
        self._refuse_unknown(unknown)
        _check_concurrency(type(self).__name__, max_concurrency)
        _check_url(api_base_url)
        self._check_kwargs(generation_kwargs or {})
        self.api_key = as_secret(api_key)
        self.model = model
        self.api_base_url = api_base_url
        self.organization = organization
        self.generation_kwargs = dict(generation_kwargs or {})
        self.streaming_callback = streaming_callback
        self.timeout = timeout
        self.max_retries = max_retries
        self.tools = None if tools is None else list(tools)
        self.tools_strict = tools_strict
        self.http_client_kwargs = http_client_kwargs
        self.max_concurrency = max_concurrency
        self.rate_limit = rate_limit
        self._encoded_tools: WeakKeyDictionary[Tool, tuple[object, bytes]] = WeakKeyDictionary()

    @property
    def server_address(self) -> str:
        """The host that is called, as spans name it."""
        return urlsplit(self._base_url).hostname or self._base_url

    async def run_async(
        self,
        messages: Sequence[ChatMessage] | str,
        *,
        tools: Iterable[Tool] | None = None,
        generation_kwargs: Mapping[str, Any] | None = None,
        streaming_callback: StreamingCallback | None = None,
    ) -> dict[str, list[ChatMessage]]:
        """Return `{"replies": [...]}`, one for each choice; the first one carries the usage.

        What is given here goes before what the generator was made with; `generation_kwargs` are
        merged by key. Without messages nothing is called and there are no replies.

        Raises:
            ModelError: the provider could not be reached, refused, failed, or broke off.
            ValueError: there is no API key, or `generation_kwargs` sets what podium sets.
        """
        if not messages:
            return {"replies": []}
        if isinstance(messages, str):
            messages = [ChatMessage.from_user(messages)]
        request = messages
        offered = list((self.tools if tools is None else tools) or ())

        async def ask(
            kwargs: Mapping[str, Any] | None, callback: StreamingCallback | None
        ) -> list[ChatMessage]:
            merged = {**self.generation_kwargs, **(kwargs or {})}
            call = self._call(request, offered, merged, stream=callback is not None)
            size = 0 if self.rate_limit is None else estimate_prompt_tokens(request, offered)
            return self._finished(request, merged, await self._send(call, callback, size))

        replies = await ask_with_retries(
            self,
            ask,
            generation_kwargs,
            streaming_callback or self.streaming_callback,
            max_retries=self._max_retries,
        )
        return {"replies": replies}

    @abstractmethod
    def with_output_cap(
        self, generation_kwargs: Mapping[str, Any] | None, max_tokens: int
    ) -> Mapping[str, Any]:
        """Return the parameters with an output limit of `max_tokens`; a lower limit stays."""

    @abstractmethod
    def output_limit(self, generation_kwargs: Mapping[str, Any] | None) -> int | None:
        """Return how many tokens a call may write; None for no limit."""

    def warm_up(self) -> None:
        """Load the openai package and look for the key now, in place of at the first call.

        Raises:
            ValueError: there is no API key.
        """
        importlib.import_module("podium.agent.models._openai.call")
        self.api_key.resolve_value()

    async def close_async(self) -> None:
        """Close the connections that are its own; those shared with others end with the loop."""
        from podium.agent.models._openai.client import clients_here  # loads the openai package

        await (await clients_here()).close_for(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the generator as plain data.

        Raises:
            ValueError: it holds what data cannot hold: a token, tools, or a streaming callback.
        """
        for name in ("streaming_callback", "tools"):
            if getattr(self, name) is not None:
                raise ValueError(
                    f"{type(self).__name__}.{name} cannot be written to data, since data never "
                    f"names code. Give {name} to the agent or to its run instead."
                )
        kwargs = dict(self.generation_kwargs)
        if isinstance(kwargs.get("response_format"), type):
            kwargs["response_format"] = response_format(kwargs["response_format"])
        own = None if self.http_client_kwargs is None else dict(self.http_client_kwargs)
        parameters = {name: getattr(self, name) for name in self._parameters}
        parameters |= {
            "api_key": self.api_key.to_dict(),
            "generation_kwargs": kwargs,
            "http_client_kwargs": own,
            "rate_limit": None if self.rate_limit is None else self.rate_limit.to_dict(),
        }
        return {"type": self._type_name(), "init_parameters": parameters}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the generator that `to_dict` described.

        Raises:
            ValueError: a parameter is unknown, or holds what cannot come from data.
        """
        parameters = dict(data.get("init_parameters") or {})
        for name, value in parameters.items():
            if name not in cls._parameters:
                raise ValueError(
                    f"{cls.__name__} has no parameter {name!r}.{nearest(name, cls._parameters)} "
                    "Correct the data."
                )
            if name in {"streaming_callback", "tools"} and value is not None:
                raise ValueError(
                    f"{cls.__name__}.{name} cannot be read from data, since data never names "
                    f"code. Give {name} to the agent or to its run instead."
                )
        if "api_key" in parameters:  # never as text: a key does not belong in a file
            parameters["api_key"] = Secret.from_dict(parameters["api_key"])
        if parameters.get("rate_limit") is not None:
            parameters["rate_limit"] = RateLimit(**parameters["rate_limit"])
        return cls(**parameters)

    def _refuse_unknown(self, names: Iterable[str]) -> None:
        """Refuse parameters that there are not, in the name of the class that was called."""
        for name in names:
            raise TypeError(
                f"{type(self).__name__} has no parameter {name!r}.{nearest(name, self._parameters)}"
                " Correct the name, or put what the API takes into generation_kwargs."
            )

    def __repr__(self) -> str:
        """Return the model and where it is."""
        place = f", api_base_url={self.server_address!r}" if self.api_base_url else ""
        return f"{type(self).__name__}(model={self.model!r}{place})"

    @property
    def _base_url(self) -> str:
        return self.api_base_url or os.environ.get("OPENAI_BASE_URL") or "https://api.openai.com/v1"

    @property
    def _max_retries(self) -> int:
        if self.max_retries is not None:
            return self.max_retries
        return int(_number("OPENAI_MAX_RETRIES", DEFAULT_MAX_RETRIES))

    @classmethod
    def _type_name(cls) -> str:
        return f"podium.agent.models.{cls.__name__}"

    @abstractmethod
    def _call(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[Tool],
        kwargs: Mapping[str, Any],
        *,
        stream: bool,
    ) -> ModelCall:
        """Return the call as it goes over the wire."""

    @abstractmethod
    def _encode_tool(self, tool: Tool) -> bytes:
        """Return a tool's definition."""

    def _check_kwargs(self, kwargs: Mapping[str, Any]) -> None:
        """Refuse parameters that cannot be sent."""
        check_generation_kwargs(kwargs)

    def _finished(
        self, messages: Sequence[ChatMessage], kwargs: Mapping[str, Any], replies: list[ChatMessage]
    ) -> list[ChatMessage]:
        """Return the replies with what a later call will want to know."""
        return replies

    async def _send(
        self, call: ModelCall, callback: StreamingCallback | None, prompt_tokens: int
    ) -> list[ChatMessage]:
        # The openai package takes most of a second to load: programs without a call do without it.
        from podium.agent.models._openai.call import fetch_replies, stream_replies
        from podium.agent.models._openai.client import clients_here

        async with AsyncExitStack() as stack:
            with before_sending():
                clients = await clients_here()
                gate = clients.gate(self.api_base_url, self.max_concurrency)
                await stack.enter_async_context(gate)
                client = await clients.client_for(self, self._settings)

            def send() -> Awaitable[list[ChatMessage]]:
                if callback is None:
                    return fetch_replies(client, call)
                return stream_replies(client, call, callback)

            if self.rate_limit is None:
                return await send()
            # Within the gate, or what had its turn would wait there and be sent in a later minute.
            return await self.rate_limit.keep(prompt_tokens, send)

    def _encoded(self, tool: Tool) -> bytes:
        state = (tool.name, tool.description, id(tool.parameters))
        kept = self._encoded_tools.get(tool)
        if kept is None or kept[0] != state:
            kept = self._encoded_tools[tool] = (state, self._encode_tool(tool))
        return kept[1]

    def _settings(self) -> ClientSettings:
        from podium.agent.models._openai.client import ClientSettings  # loaded already by the call

        return ClientSettings(
            api_key=self.api_key,
            base_url=self.api_base_url,
            organization=self.organization,
            timeout_seconds=self.timeout
            if self.timeout is not None
            else _number("OPENAI_TIMEOUT", DEFAULT_TIMEOUT_SECONDS),
            http_client_kwargs=self.http_client_kwargs,
        )


def _check_concurrency(name: str, max_concurrency: int) -> None:
    if max_concurrency < 1:
        raise ValueError(
            f"{name} got max_concurrency={max_concurrency}, so no call could ever be made. "
            "Give at least 1."
        )


def _check_url(url: str | None) -> None:
    if url is None:
        return
    parts = urlsplit(url)
    if "@" in parts.netloc:
        raise ValueError(
            f"api_base_url at host {parts.hostname!r} holds a user or a password, which would end "
            "up in logs. Pass api_key= alone, or http_client_kwargs={'auth': (user, password)}."
        )
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(
            f"api_base_url={url!r} is no URL of a server. Write it as 'http://localhost:8000/v1'."
        )


def _number(variable: str, default: float) -> float:
    given = os.environ.get(variable)
    if not given:
        return default
    try:
        return float(given)
    except ValueError as error:
        raise ValueError(
            f"The environment variable {variable!r} is {given!r}, which is no number. "
            "Set it to a number, or pass the value to the generator."
        ) from error

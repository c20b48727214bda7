"""OpenAIResponsesChatGenerator: models behind the responses API, with images in tool results."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from podium.agent.messages import ChatMessage
from podium.agent.models._openai.api import Api, ModelCall
from podium.agent.models._openai.generator import OpenAIGenerator
from podium.agent.models._responses.answer import read_response
from podium.agent.models._responses.chain import is_chained, link, linked
from podium.agent.models._responses.parameters import (
    check_response_kwargs,
    output_cap,
    output_limit,
    request_parameters,
)
from podium.agent.models._responses.stream import StreamedResponse
from podium.agent.models._responses.wire import encode_request, encode_tool
from podium.tools import Tool


class OpenAIResponsesChatGenerator(OpenAIGenerator):
    """Asks a model through the responses API.

    It takes what OpenAIChatGenerator takes, and brings what that API cannot: images and files in
    tool results, and reasoning that goes back to the model with the calls it led to. Parameters may
    have their names of either API; of those that are this one's alone, two say how a conversation
    goes on:

    - `store=False`: the provider keeps nothing, and reasoning travels encrypted.
    - `previous_response_id="auto"`: what the provider has kept is not sent again. It goes on from
      the last reply, as long as the history up to that is unchanged.

    >>> OpenAIResponsesChatGenerator(generation_kwargs={"reasoning_effort": "low", "store": False})
    OpenAIResponsesChatGenerator(model='gpt-5-mini')
    """

    def output_limit(self, generation_kwargs: Mapping[str, Any] | None) -> int | None:
        """Return how many tokens a call may write, reasoning included; None for no limit."""
        return output_limit({**self.generation_kwargs, **(generation_kwargs or {})})

    def with_output_cap(
        self, generation_kwargs: Mapping[str, Any] | None, max_tokens: int
    ) -> Mapping[str, Any]:
        """Return the parameters with an output limit of `max_tokens`; a lower limit stays.

        OpenAI itself refuses limits below 16.
        """
        given = dict(generation_kwargs or {})
        return {**given, **output_cap({**self.generation_kwargs, **given}, max_tokens)}

    @property
    def _server(self) -> str:
        """Who can read the reasoning it sent: a host and its port."""
        return urlsplit(self._base_url).netloc

    def _check_kwargs(self, kwargs: Mapping[str, Any]) -> None:
        check_response_kwargs(kwargs)

    def _call(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[Tool],
        kwargs: Mapping[str, Any],
        *,
        stream: bool,
    ) -> ModelCall:
        server, sent = self._server, messages
        if is_chained(kwargs):
            previous, sent = link(messages, server=server)
            kwargs = {**kwargs, "previous_response_id": previous}
        parameters, options = request_parameters(self.model, kwargs, stream=stream)
        encoded = [self._encoded(tool) for tool in tools]
        return ModelCall(
            api=_api(server),
            model=parameters["model"],
            body=encode_request(parameters, encoded, sent, server=server),
            options=options,
            tool_names=frozenset(tool.name for tool in tools) if stream else frozenset(),
        )

    def _finished(
        self, messages: Sequence[ChatMessage], kwargs: Mapping[str, Any], replies: list[ChatMessage]
    ) -> list[ChatMessage]:
        if not is_chained(kwargs):
            return replies
        return [linked(messages, reply, server=self._server) for reply in replies]

    def _encode_tool(self, tool: Tool) -> bytes:
        return encode_tool(tool, strict=self.tools_strict)


@functools.lru_cache(maxsize=64)
def _api(server: str) -> Api:
    return Api(
        path="/responses",
        read_answer=functools.partial(read_response, server=server),
        open_stream=functools.partial(StreamedResponse, server=server),
    )

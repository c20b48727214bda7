"""OpenAIChatGenerator: any model behind a chat completions API, OpenAI's or a compatible one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podium.agent.messages import ChatMessage
from podium.agent.models._openai.answer import read_answer
from podium.agent.models._openai.api import Api, ModelCall
from podium.agent.models._openai.generator import OpenAIGenerator
from podium.agent.models._openai.parameters import output_cap, output_limit, request_parameters
from podium.agent.models._openai.stream import StreamedReplies
from podium.agent.models._openai.wire import encode_request, encode_tool
from podium.tools import Tool

_API = Api(path="/chat/completions", read_answer=read_answer, open_stream=StreamedReplies)


class OpenAIChatGenerator(OpenAIGenerator):
    """Asks a model through the chat completions API.

    One generator serves any number of runs at once, on any number of event loops; it keeps nothing
    of a call. Generators on one loop share their connections.

    >>> OpenAIChatGenerator(model="gpt-5-mini", generation_kwargs={"temperature": 0.2})
    OpenAIChatGenerator(model='gpt-5-mini')
    """

    def with_output_cap(
        self, generation_kwargs: Mapping[str, Any] | None, max_tokens: int
    ) -> Mapping[str, Any]:
        """Return the parameters with an output limit of `max_tokens`, for all choices together.

        It goes under the name that is in use already; a lower limit stays. Where none is, OpenAI
        and Azure get `max_completion_tokens`, and other servers `max_tokens`, which all know.
        """
        given = dict(generation_kwargs or {})
        host = f".{self.server_address}"
        is_openai = host.endswith((".openai.com", ".openai.azure.com"))
        key = "max_completion_tokens" if is_openai else "max_tokens"
        return {**given, **output_cap({**self.generation_kwargs, **given}, max_tokens, key)}

    def output_limit(self, generation_kwargs: Mapping[str, Any] | None) -> int | None:
        """Return how many tokens a call may write, for all choices together; None for no limit."""
        return output_limit({**self.generation_kwargs, **(generation_kwargs or {})})

    def _call(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[Tool],
        kwargs: Mapping[str, Any],
        *,
        stream: bool,
    ) -> ModelCall:
        parameters, options = request_parameters(self.model, kwargs, stream=stream)
        return ModelCall(
            api=_API,
            model=parameters["model"],
            body=encode_request(parameters, [self._encoded(tool) for tool in tools], messages),
            options=options,
            tool_names=frozenset(tool.name for tool in tools) if stream else frozenset(),
        )

    def _encode_tool(self, tool: Tool) -> bytes:
        return encode_tool(tool, strict=self.tools_strict)

"""A model call as traces and metrics see it, whoever makes it: the loop, a tool or a hook."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from podium.agent._content_shapes import (
    input_messages,
    output_messages,
    system_instructions,
    tool_definitions,
)
from podium.agent._request_facts import request_facts
from podium.tracing import attributes as names
from podium.tracing._content_event import emit_content, wants_content
from podium.tracing._metrics import measure_call
from podium.tracing._open_span import NO_SPAN, OpenSpan
from podium.tracing._spans import chat_facts, chat_span, set_chat_result

if TYPE_CHECKING:
    from podium.agent._context import RunContext
    from podium.agent._effects import ModelRequest
    from podium.agent.messages import ChatMessage
    from podium.agent.models import StreamingCallback
    from podium.agent.streaming import StreamingChunk
    from podium.tracing import Usage


def model_name(generator: object) -> str:
    """Return what a generator calls its model, or its own kind."""
    return str(getattr(generator, "model", type(generator).__name__))


class ChatRecord:
    """One call from its start to its end; nothing is looked at while nobody watches."""

    __slots__ = (
        "_clock",
        "_content",
        "_facts",
        "_first_chunk",
        "_request",
        "_started",
        "is_watched",
        "span",
    )

    def __init__(self, context: RunContext, request: ModelRequest, step: int | None) -> None:
        """Start the span: below the agent's in a step, else below what is current."""
        self._clock, self._request = context.tree.effects.monotonic, request
        self._first_chunk: float | None = None
        self._facts: Mapping[str, object] = {}
        self._content: dict[str, object] = {}
        self.span: OpenSpan = NO_SPAN
        """The call's span."""
        self.is_watched = context.tree.is_watched
        """Whether anybody sees it."""
        if self.is_watched:
            self._facts = _facts(context, request, step)
            self.span = chat_span(self._facts, None if step is None else context.span.context)
            if self.span.recording and wants_content():
                self._write_content(
                    {
                        names.SYSTEM_INSTRUCTIONS: system_instructions(request.messages),
                        names.INPUT_MESSAGES: input_messages(request.messages),
                        names.TOOL_DEFINITIONS: tool_definitions(request.tools),
                    }
                )
        self._started = self._clock()

    @property
    def streaming_callback(self) -> StreamingCallback | None:
        """What the generator calls with chunks: as the request has it, and the first one timed."""
        callback = self._request.streaming_callback
        if callback is None or not self.is_watched:
            return callback

        def listen(chunk: StreamingChunk) -> Awaitable[None] | None:
            if self._first_chunk is None:
                self._first_chunk = self._clock() - self._started
            return callback(chunk)

        return listen

    def answered(self, usage: Usage, replies: Sequence[ChatMessage]) -> None:
        """Write what came of the call."""
        if not self.is_watched:
            return
        meta: Mapping[str, Any] = replies[0].meta if replies else {}
        set_chat_result(
            self.span,
            usage,
            response_model=meta.get("model"),
            finish_reasons=[str(one.meta.get("finish_reason")) for one in replies],
            response_id=meta.get("id"),
            first_chunk_seconds=self._first_chunk,
        )
        if self.span.recording and wants_content():
            self._write_content({names.OUTPUT_MESSAGES: output_messages(replies)})
            emit_content(self.span, self._facts, self._content)
        measure_call(
            {**self._facts, names.RESPONSE_MODEL: meta.get("model")},
            seconds=self._clock() - self._started,
            usage=usage,
            first_chunk_seconds=self._first_chunk,
        )

    def failed(self, error: BaseException) -> None:
        """Write that nothing came of it."""
        if self.is_watched:
            self.span.fail(error)
            emit_content(self.span, self._facts, self._content)
            measure_call(self._facts, seconds=self._clock() - self._started, error=error)

    def _write_content(self, content: Mapping[str, object]) -> None:
        self._content |= {key: value for key, value in content.items() if value}
        for key, value in content.items():
            if value:
                self.span.set_content(key, value)


def record_call_made_elsewhere(context: RunContext, model: str, usage: Usage) -> None:
    """Write a call that podium did not make as a span without length, so that its tokens show."""
    if context.tree.is_watched:
        span = chat_span(
            chat_facts(
                model=model,
                provider="custom",
                agent_name=context.name,
                step=None,
                path=context.path,
            ),
            None,
        )
        set_chat_result(span, usage)
        span.end()


def _server_port(generator: object) -> int | None:
    try:
        url = urlsplit(str(getattr(generator, "api_base_url", None) or ""))
        return url.port or {"http": 80, "https": 443}.get(url.scheme)
    except ValueError:  # it is no address, or its port no number; the call will say so
        return None


def _facts(context: RunContext, request: ModelRequest, step: int | None) -> Mapping[str, object]:
    generator = request.generator
    return {
        **chat_facts(
            model=model_name(generator),
            provider=str(getattr(generator, "provider_name", "custom")),
            agent_name=context.name,
            step=step,
            path=context.path,
            stream=request.streaming_callback is not None,
            server_address=getattr(generator, "server_address", None),
            server_port=_server_port(generator),
        ),
        **request_facts(generator, request.generation_kwargs),
    }

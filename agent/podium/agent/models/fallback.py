"""FallbackChatGenerator: when one provider fails, the next one is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any, cast

from podium.agent._effects import LIVE, ModelRequest
from podium.agent._lifecycle import call_on_part
from podium.agent._out_of_budget import OutOfBudgetError
from podium.agent._tries import next_try
from podium.agent.errors import ModelError
from podium.agent.messages import ChatMessage
from podium.agent.models._listener import Listener
from podium.agent.models._openai.retries import NO_CREDIT
from podium.agent.models._output_caps import output_caps
from podium.agent.models._protocol import ChatGenerator, StreamingCallback
from podium.tools import Tool, printable

_BUSY = frozenset({408, 409, 429})
META_KEY = "fallback"
"""Where a reply's meta says who was asked before: `{"index", "failed": [{"model", "error"}]}`."""


On = type[Exception] | tuple[type[Exception], ...] | Callable[[Exception], bool]
"""After which errors to go on: their kinds, or a function that decides."""


def is_curable_elsewhere(error: Exception) -> bool:
    """Return whether another provider may well answer what this one did not.

    So it is where the provider was not reached, took too long, broke off, made no sense, is
    overloaded (408, 409, 429, 5xx) or wants to be paid. A refused request (400, 413, 422) and a
    wrong key or model (401, 403, 404) are mistakes to be seen and mended: not those.
    """
    if isinstance(error, ModelError):
        return error.is_retryable or error.status is None or error.code in NO_CREDIT
    status = getattr(error, "status_code", None)  # what the clients of most providers call it
    if isinstance(status, int):
        return status in _BUSY or status >= 500
    return isinstance(error, OSError)  # connections and time-outs of a generator of one's own


class FallbackChatGenerator:
    """Asks chat generators in order until one answers.

    Within a run each try takes room of its own in the budget, at its model's price, and one that
    may have cost something is charged in full and counted as a request. Once a chunk was handed
    out there is no falling back: the reader would get two beginnings.

    >>> from podium.agent.testing import ScriptedChatGenerator
    >>> down, up = ScriptedChatGenerator([ConnectionError("down")]), ScriptedChatGenerator(["Hi."])
    >>> from podium.agent import Agent
    >>> result = Agent(chat_generator=FallbackChatGenerator([down, up])).run("Hello")
    >>> result.text, result["last_message"].meta["fallback"]["failed"][0]["error"]
    ('Hi.', 'ConnectionError: down')
    """

    def __init__(
        self,
        chat_generators: Iterable[ChatGenerator],
        *,
        on: On = is_curable_elsewhere,
    ) -> None:
        """Keep the generators, the preferred one first.

        `on` says after which errors the next one is asked: kinds of exceptions, or a function that
        decides for each; `on=Exception` goes on after any.

        Raises:
            ValueError: there are no generators.
            TypeError: one of them is none, they are not in a list, or `on` is neither kinds of
                exceptions nor a function.
        """
        if not isinstance(cast("object", chat_generators), Iterable):
            raise TypeError(
                f"FallbackChatGenerator got {chat_generators!r:.80}, not a list. "
                "Put the chat generators in a list, the preferred one first."
            )
        self.chat_generators: tuple[ChatGenerator, ...] = tuple(chat_generators)
        if not self.chat_generators:
            raise ValueError(
                f"FallbackChatGenerator got chat_generators={chat_generators!r:.80}, so nobody "
                "can be asked. Give at least one chat generator in a list, the preferred one first."
            )
        for one in self.chat_generators:
            if not any(callable(getattr(one, name, None)) for name in ("run_async", "run")):
                raise TypeError(
                    f"FallbackChatGenerator got {one!r:.80}, which is no chat generator: it has "
                    "neither run_async nor run. Pass one such as OpenAIChatGenerator(model=...)."
                )
        self.on = on
        self._is_curable = _condition(on)

    @property
    def model(self) -> str:
        """The model of the preferred generator."""
        return _model_of(self.chat_generators[0])

    @property
    def provider_name(self) -> str:
        """The provider of the preferred generator."""
        return str(getattr(self.chat_generators[0], "provider_name", "custom"))

    @property
    def server_address(self) -> str | None:
        """The host of the preferred generator."""
        return getattr(self.chat_generators[0], "server_address", None)

    @property
    def supports_structured_output(self) -> bool:
        """Whether all of them take a JSON schema as `response_format`."""
        return all(
            getattr(one, "supports_structured_output", False) for one in self.chat_generators
        )

    @property
    def output_cap_is_hard(self) -> bool:
        """Whether no reply of the preferred generator goes beyond its cap."""
        return output_caps(self.chat_generators[0]).is_hard

    @property
    def max_output_tokens(self) -> int | None:
        """The most tokens that a reply of the preferred generator has; None when nobody knows."""
        return output_caps(self.chat_generators[0]).maximum

    def with_output_cap(
        self, generation_kwargs: Mapping[str, Any] | None, max_tokens: int
    ) -> Mapping[str, Any] | None:
        """Return the parameters with an output limit, as the preferred generator wants it."""
        return output_caps(self.chat_generators[0]).capped(generation_kwargs, max_tokens)

    def output_limit(self, generation_kwargs: Mapping[str, Any] | None) -> int | None:
        """Return how many tokens a reply of the preferred generator may have; None for no limit."""
        return output_caps(self.chat_generators[0]).limit(generation_kwargs)

    async def run_async(
        self,
        messages: Sequence[ChatMessage] | str,
        *,
        tools: Iterable[Tool] | None = None,
        generation_kwargs: Mapping[str, Any] | None = None,
        streaming_callback: StreamingCallback | None = None,
    ) -> dict[str, list[ChatMessage]]:
        """Return the replies of the first that answers; their meta says who failed before.

        Raises:
            ModelError: none of them answered; it names each with its reason.
        """
        listener = None if streaming_callback is None else Listener(streaming_callback)
        request = ModelRequest(
            generator=self.chat_generators[0],
            messages=[ChatMessage.from_user(messages)] if isinstance(messages, str) else messages,
            tools=list(tools or ()),
            generation_kwargs=generation_kwargs,
            streaming_callback=listener,
        )
        failed: list[Exception] = []
        for generator in self.chat_generators:
            kwargs = generation_kwargs
            if failed:
                kwargs = await next_try(failed[-1], generator, generation_kwargs)
            tried = replace(request, generator=generator, generation_kwargs=kwargs)
            try:
                return {"replies": self._with_meta(await LIVE.call_model(tried), failed)}
            except OutOfBudgetError:  # the run's ending, whatever `on` says
                raise
            except Exception as error:
                if (listener is not None and listener.was_called) or not self._is_curable(error):
                    self._tell_what_was_before(error, failed)
                    raise
                failed.append(error)
        raise self._all_failed(failed) from failed[-1]

    def warm_up(self) -> None:
        """Get the preferred generator ready; the others get ready when they are needed."""
        warm_up = getattr(self.chat_generators[0], "warm_up", None)
        if callable(warm_up):
            warm_up()

    async def close_async(self) -> None:
        """Close all generators, also if closing one fails; the first error comes out then."""
        async with AsyncExitStack() as stack:  # runs them last in, first out, whatever fails
            for one in reversed(self.chat_generators):
                stack.push_async_callback(call_on_part, one, "close")

    def __repr__(self) -> str:
        """Return the generators in order."""
        return f"FallbackChatGenerator({list(self.chat_generators)!r})"

    def _with_meta(
        self, replies: Sequence[ChatMessage], failed: Sequence[Exception]
    ) -> list[ChatMessage]:
        listed = [
            {"model": _model_of(generator), "error": _in_words(error)}
            for generator, error in zip(self.chat_generators, failed, strict=False)
        ]
        facts: dict[str, Any] = {META_KEY: {"index": len(failed), "failed": listed}}
        answered = _model_of(self.chat_generators[len(failed)])
        return [replace(one, meta={"model": answered, **one.meta, **facts}) for one in replies]

    def _tell_what_was_before(self, error: Exception, failed: Sequence[Exception]) -> None:
        for place, earlier in enumerate(failed, 1):
            error.add_note(f"Before it, generator {place} failed: {_in_words(earlier)}")

    def _all_failed(self, failed: Sequence[Exception]) -> ModelError:
        told = "; ".join(
            f"({place}) {_model_of(generator)}: {_in_words(error)}"
            for place, (generator, error) in enumerate(
                zip(self.chat_generators, failed, strict=True), 1
            )
        )
        known = [error for error in failed if isinstance(error, ModelError)]
        return ModelError(
            f"None of the {len(failed)} generators of FallbackChatGenerator answered. {told} "
            "Try again later, or add a generator of another provider.",
            status=known[-1].status if known else None,
            code=known[-1].code if known else None,
            is_retryable=any(error.is_retryable for error in known),
            was_refused=len(known) == len(failed) and all(error.was_refused for error in known),
        )


def _condition(on: On) -> Callable[[Exception], bool]:
    kinds = cast("tuple[type[Exception], ...]", on if isinstance(on, tuple) else (on,))
    if kinds and all(isinstance(one, type) and issubclass(one, BaseException) for one in kinds):
        return lambda error: isinstance(error, kinds)
    if isinstance(on, tuple | type) or not callable(on):
        raise TypeError(
            f"FallbackChatGenerator got on={on!r:.80}, which does not say after which errors to go "
            "on. Give a kind of exception, a tuple of kinds, or a function that takes the error."
        )
    return on


def _model_of(generator: object) -> str:
    return str(getattr(generator, "model", type(generator).__name__))


def _in_words(error: Exception) -> str:
    return f"{type(error).__name__}: {printable(' '.join(str(error).split()), limit=300)}"

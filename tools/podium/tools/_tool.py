"""Tool: a function the model may call, with the schema of its arguments and the rules around it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, cast

from podium.tools._arguments import copy_json
from podium.tools._calls import ToolCall
from podium.tools._context import CallContext
from podium.tools._definition import (
    check_functions,
    check_inputs,
    check_limits,
    check_texts,
    json_parameters,
)
from podium.tools._draining import drain, drain_async
from podium.tools._outputs import Outputs
from podium.tools._problems import Parameters, refusal, unknown
from podium.tools._signature import EMPTY, read_signature
from podium.tools._state import MergeHandler, State
from podium.tools._text import error_text
from podium.tools._threads import run_in_thread
from podium.tools.content import ContentPart
from podium.tools.errors import ToolArgumentsError, ToolInvocationError


class Tool:
    """Something an agent can do.

    Usually made by `@tool`; made directly where the schema is written by hand. Safe to share
    between agents and runs: it keeps nothing of a call.
    """

    target_name: str | None = None
    """The agent this tool delegates to, where it does."""
    return_direct: bool = False
    """Whether a result of this tool ends the run of the agent that called it."""

    def __init__(
        self,
        name: str,
        description: str,
        parameters: Mapping[str, Any] | Parameters,
        function: Callable[..., Any] | None = None,
        *,
        async_function: Callable[..., Any] | None = None,
        inputs_from_state: Mapping[str, str] | None = None,
        outputs_to_state: Mapping[str, Mapping[str, Any]] | None = None,
        outputs_to_string: Mapping[str, Any] | None = None,
        timeout_seconds: float | None = None,
        max_calls: int | None = None,
    ) -> None:
        """Check everything that would otherwise fail in the middle of a run.

        `parameters` is the JSON schema of an object, and is copied. `function` and `async_function`
        take the same parameters; those typed State or CallContext are filled by podium.
        `inputs_from_state` maps state keys to parameters, `outputs_to_state` state keys to pieces
        of the result, `outputs_to_string` says what of the result the model reads. Parameters that
        the model does not fill are hidden from it.

        Raises:
            ToolDefinitionError: the name, a function, the schema, a limit or a mapping cannot work.
            TypeError: an entry of a mapping has the wrong type.
        """
        check_texts(name, description)
        check_functions(name, function, async_function)
        check_limits(name, timeout_seconds, max_calls)
        self.name = name
        self.description = description
        self.function = function
        self.async_function = async_function
        self.inputs_from_state = dict(inputs_from_state or {})
        self.outputs_to_state = outputs_to_state
        self.outputs_to_string = outputs_to_string
        self.timeout_seconds = timeout_seconds
        self.max_calls = max_calls
        self._parameters: Parameters
        if isinstance(parameters, Mapping) or not hasattr(parameters, "signature"):
            body = cast("Callable[..., Any]", async_function or function)
            signature = read_signature(body, name, strict=False)
            self._parameters = json_parameters(name, parameters, signature, self.inputs_from_state)
        else:
            self._parameters = parameters
        signature = self._parameters.signature
        check_inputs(name, self.inputs_from_state, signature)
        self._filled = signature.filled
        self._hidden = frozenset(self.inputs_from_state.values()) | signature.filled.keys()
        self._outputs = Outputs(name, outputs_to_string, outputs_to_state)
        needed = {one.name for one in signature.parameters.values() if one.default is EMPTY}
        self._needed = [item for item in self.inputs_from_state.items() if item[1] in needed]

    @property
    def origin(self) -> str:
        """Where it comes from, for messages about tools that get into each other's way."""
        return "this program"

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the arguments, as the model sees it."""
        return self._parameters.schema

    @property
    def reads(self) -> frozenset[str]:
        """State keys its arguments come from."""
        return frozenset(self.inputs_from_state)

    @property
    def writes(self) -> frozenset[str]:
        """State keys its result goes to."""
        return self._outputs.keys

    @property
    def takes_state(self) -> bool:
        """Whether it gets the whole state, and so may read and write every key."""
        return "state" in self._filled.values()

    def prepare(self, call: ToolCall, state: State) -> dict[str, Any]:
        """Return the arguments for the function: the model's, checked, and those from `state`.

        The function may change what it gets: arguments are copies, and so are values from the
        state where they can be copied.

        Raises:
            ToolArgumentsError: the call does not fit; the text tells the model how to mend it.
        """
        values: dict[str, Any] = {}
        if call.problem is not None:
            problems = [call.problem]
        elif self._hidden.isdisjoint(call.arguments):
            values, problems = self._parameters.check(copy_json(call.arguments))
        else:
            problems = [unknown(name for name in call.arguments if name in self._hidden)]
        if problems:
            raise refusal(self.name, problems, self._parameters.described)
        for key, parameter in self.inputs_from_state.items():
            if state.has(key):
                values[parameter] = state.get(key)
        for key, parameter in self._needed:
            if parameter not in values:
                raise ToolArgumentsError(
                    f"Tool {self.name!r} was not run: it needs {key!r} from the run's state, and "
                    "nothing has set that yet. Use what sets it first, or go on without this tool.",
                    tool_name=self.name,
                )
        return values

    async def call(self, arguments: dict[str, Any], context: CallContext) -> Any:
        """Run the function with prepared arguments and return what it returns.

        A plain function runs in a worker thread. A generator is read to the end, up to 1,000 items,
        and becomes a list. Raises whatever the function raises.
        """
        return await self._run_async({**arguments, **self._fillings(context)})

    def result_content(self, value: Any) -> str | tuple[ContentPart, ...]:
        """Return what the model reads of a result, by `outputs_to_string`. Never raises."""
        return self._outputs.content(value)

    def partial_content(self, error: BaseException) -> str | None:
        """Return what a call had found when `error` cut it short; None for nothing."""
        return None

    def state_updates(self, value: Any) -> list[tuple[str, Any, MergeHandler | None]]:
        """Return what a result puts into the state, by `outputs_to_state`: key, value, handler."""
        return self._outputs.updates(value)

    def invoke(self, /, **arguments: Any) -> Any:
        """Check `arguments`, run the function outside any agent, and return what it returns.

        Parameters that a run would fill, such as a State, may be given too.

        Raises:
            ToolArgumentsError: the arguments do not fit.
            ToolInvocationError: the function raised (see `__cause__`), or is async.
        """
        if self.function is None:
            raise ToolInvocationError(
                f"Tool {self.name!r} is async, so invoke() cannot run it. Await invoke_async().",
                tool_name=self.name,
            )
        ready = self._ready(arguments)
        try:
            return _run(self.function, ready)
        except Exception as error:
            raise self._failed(error) from error

    async def invoke_async(self, /, **arguments: Any) -> Any:
        """Do as `invoke`, for a function of either kind.

        Raises:
            ToolArgumentsError: the arguments do not fit.
            ToolInvocationError: the function raised; see `__cause__`.
        """
        ready = self._ready(arguments)
        try:
            return await self._run_async(ready)
        except Exception as error:
            raise self._failed(error) from error

    def warm_up(self) -> None:
        """Get ready for the first call; nothing to do for a function."""

    async def warm_up_async(self) -> None:
        """Get ready for the first call; nothing to do for a function."""

    def close(self) -> None:
        """Let go of what the tool holds; nothing to do for a function."""

    async def close_async(self) -> None:
        """Let go of what the tool holds; nothing to do for a function."""

    def __repr__(self) -> str:
        """Show the name and what the tool takes."""
        return f"<{type(self).__name__} {self.name}({', '.join(self.parameters['properties'])})>"

    def _fillings(self, context: CallContext) -> dict[str, Any]:
        """Return what podium puts into the parameters that are its own."""
        return {
            parameter: context if filling == "context" else getattr(context, filling)
            for parameter, filling in self._filled.items()
        }

    async def _run_async(self, arguments: dict[str, Any]) -> Any:
        if self.async_function is not None:
            value = self.async_function(**arguments)
        else:
            body = cast("Callable[..., Any]", self.function)
            (value,) = await run_in_thread(_run_boxed, body, arguments)
        while inspect.isawaitable(value):  # a function may return what it forgot to await
            value = await value
        return drain(await drain_async(value))

    def _ready(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return all arguments of a call outside an agent, those that a run fills included."""
        rest = dict(arguments)
        given = {name: rest.pop(name) for name in self._filled if name in rest}
        held = {
            key: rest.pop(parameter)
            for key, parameter in self.inputs_from_state.items()
            if parameter in rest
        }
        state = State({key: {"type": object} for key in held}, held)
        call = ToolCall(self.name, rest)
        prepared = self.prepare(call, state)
        return {**prepared, **self._fillings(CallContext(call=call, state=state)), **given}

    def _failed(self, error: Exception) -> ToolInvocationError:
        return ToolInvocationError(
            f"Tool {self.name!r} failed: {error_text(error)}", tool_name=self.name
        )


def _run(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    return drain(function(**arguments))


def _run_boxed(function: Callable[..., Any], arguments: dict[str, Any]) -> tuple[Any]:
    # in a box, because trio refuses threads that return something to await
    return (_run(function, arguments),)

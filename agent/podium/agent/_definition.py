"""What an agent's definition must satisfy, checked once when it is made."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from podium.agent._run_state import RESERVED_KEYS, RUN_KEYS
from podium.agent.hooks._points import check_hooks
from podium.agent.messages import ChatMessage
from podium.tools import Tool, Toolset
from podium.tools._state import check_state_schema
from podium.tools._toolset import flatten_tools
from podium.tools.errors import nearest

if TYPE_CHECKING:
    from podium.agent._agent import Agent

RUN_PARAMETERS = frozenset(
    {"messages", "streaming_callback", "generation_kwargs", "tools", "hook_context", "budget"}
)
"""Parameters of `run`, which no input may be called."""

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def check_definition(agent: Agent) -> None:
    """Refuse a definition that no run could use.

    Raises:
        ValueError: a name, limit, key, template or hook point that cannot be.
        TypeError: a generator, tool or hook of the wrong kind.
    """
    check_agent_name(agent.name)
    _check_generator(agent.chat_generator)
    _check_limits(agent)
    check_tools(agent.chat_generator, agent.toolbox())
    _check_schema(agent)
    _check_exits(agent.name, agent.exit_conditions)
    check_hooks(agent.hooks or {})
    check_budget(agent.name, agent.budget)
    check_streaming_callback(agent.name, agent.streaming_callback)


def _check_exits(name: str, conditions: object) -> None:
    """Refuse text in the place of a list: it would be read as a name for each letter."""
    if isinstance(conditions, str):
        raise TypeError(
            f"Agent {name!r} got exit_conditions={conditions!r}, which is text and not a list. "
            f"Write it as exit_conditions=[{conditions!r}]."
        )


def check_budget(name: str, budget: object) -> None:
    """Refuse what is no budget."""
    if budget is None:
        return
    from podium.agent.budget import Budget  # loads with the first budget

    if not isinstance(budget, Budget):
        raise TypeError(
            f"Agent {name!r} got budget={budget!r:.80}, which is no Budget. "
            "Pass one such as Budget(total_tokens=20_000)."
        )


def check_streaming_callback(name: str, callback: object) -> None:
    """Refuse what cannot be called with a chunk."""
    if callback is not None and not callable(callback):
        raise TypeError(
            f"Agent {name!r} got streaming_callback={callback!r:.80}, which cannot be called. "
            "Pass a function that takes one StreamingChunk."
        )


def check_agent_name(name: object) -> None:
    """Refuse a name that could not stand in a path or be a tool's name."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(
            f"An agent cannot be named {name!r}. Use 1 to 64 letters, digits, '_' or '-'."
        )


def check_tools(generator: object, tools: Sequence[Tool | Toolset] | Toolset | None) -> None:
    """Refuse tools that are none, share a name, or that the generator cannot take."""
    if tools is None:
        return
    if isinstance(tools, list | tuple):  # a toolset may have to connect before it knows its tools
        flatten_tools([tool for tool in tools if not isinstance(tool, Toolset)])
    elif not isinstance(tools, Toolset):
        flatten_tools(tools)  # says what is wrong with it
    if (isinstance(tools, Toolset) or len(tools)) and not _takes(generator, "tools"):
        raise TypeError(
            f"{type(generator).__name__} takes no tools: its run has no parameter 'tools'. "
            "Use another chat generator, or leave the tools out."
        )


def _check_generator(generator: object) -> None:
    if not any(callable(getattr(generator, name, None)) for name in ("run_async", "run")):
        raise TypeError(
            f"chat_generator={generator!r} is not a chat generator: it has neither run_async "
            "nor run. Pass one such as OpenAIChatGenerator(model=...)."
        )


def _takes(generator: object, parameter: str) -> bool:
    run = getattr(generator, "run_async", None) or getattr(generator, "run", None)
    parameters = inspect.signature(run).parameters.values() if run is not None else ()
    return any(one.name == parameter or one.kind is one.VAR_KEYWORD for one in parameters)


def _check_limits(agent: Agent) -> None:
    for name, least in (("tool_concurrency_limit", 1), ("max_agent_steps", 0)):
        value = getattr(agent, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ValueError(
                f"Agent {agent.name!r} got {name}={value!r}. "
                f"Give a whole number of at least {least}."
            )


def _check_schema(agent: Agent) -> None:
    schema = agent.state_schema or {}
    reserved = sorted(RESERVED_KEYS.intersection(schema))
    if reserved:
        raise ValueError(
            f"Agent {agent.name!r} declares the state keys {', '.join(reserved)}, which "
            f"belong to the run. Choose others than {', '.join(sorted(RESERVED_KEYS))}."
        )
    check_state_schema(schema)
    if "messages" in schema and schema["messages"]["type"] != list[ChatMessage]:
        raise ValueError(
            f"State key 'messages' has type {schema['messages']['type']!r}. "
            "Declare it as list[ChatMessage], or leave it out."
        )


def check_variables(name: str, variables: Collection[str], schema: Mapping[str, Any]) -> None:
    """Refuse prompt variables that `run` could not tell from its own parameters or the state."""
    taken = {*schema, *RUN_KEYS, *RUN_PARAMETERS}
    clash = sorted(taken.intersection(variables))
    if clash:
        raise ValueError(
            f"Agent {name!r} uses {', '.join(clash)} as prompt variables, but state keys or "
            "parameters of run have these names. Rename the variables in the prompt."
        )


def check_inputs(agent: Agent, inputs: Mapping[str, object]) -> None:
    """Refuse keyword inputs that are neither a prompt variable nor a state key.

    Raises:
        TypeError: naming the input and the nearest one there is.
    """
    known = {*agent.variables, *(agent.state_schema or {})} - {"messages"}
    for name in inputs:
        if name not in known:
            raise TypeError(
                f"Agent {agent.name!r} takes no input {name!r}.{nearest(name, known)} "
                "Use it in a prompt or declare it in state_schema, or leave it out."
            )

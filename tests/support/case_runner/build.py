"""From a case's input to agents: its tools, its hooks, and the script of its provider."""

from __future__ import annotations

import functools
import inspect
import itertools
import sys
import threading
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from podium.agent import Agent, Budget, ChatMessage, State, hook
from podium.agent.models import OpenAIChatGenerator
from podium.agent.testing import FakeOpenAIServer, RecordedRequest, turn_from_dict
from podium.orchestration import AgentTool
from podium.tools import Tool, create_tool_from_function, merge_lists, replace_values

Executed = list[tuple[str, dict[str, Any]]]

ROOT = "root"
"""The agent of a case that has only one."""

_numbers = itertools.count()
_HANDLERS = {"append": merge_lists, "replace": replace_values}
_TYPES: dict[str, Any] = {"object": object, "str": str, "int": int, "list[str]": list[str]}


def source_module(source: str) -> dict[str, Any]:
    """Run a case's source as a module of its own and return its names."""
    module = types.ModuleType(f"case_source_{next(_numbers)}")
    sys.modules[module.__name__] = module  # dataclasses and annotations look their module up
    # The future imports of this file are none of the case's.
    exec(compile(source, "<case>", "exec", dont_inherit=True), module.__dict__)
    return module.__dict__


def tools_of(data: Mapping[str, Any], names: Sequence[str], executed: Executed) -> list[Tool]:
    """Return the named functions of a case as tools that note each time their body runs."""
    module = source_module(data.get("tools_src", ""))
    agent = data.get("agent", {})
    return [
        create_tool_from_function(
            _noting(_injected(module[name], data.get("inject", {}).get(name, {})), executed),
            inputs_from_state={
                key: parameter for parameter, key in agent.get("reads", {}).get(name, {}).items()
            },
            outputs_to_state={
                key: {"handler": _HANDLERS[how]}
                for key, how in agent.get("writes", {}).get(name, {}).items()
            },
            timeout_seconds=agent.get("tool_timeout"),
        )
        for name in names
    ]


def _injected(function: Callable[..., Any], bound: Mapping[str, str]) -> Callable[..., Any]:
    for parameter, what in bound.items():
        assert what == "run_state", f"the case binds {what!r}, which only a test by hand can"
        function.__annotations__[parameter] = State
    return function


def _noting(function: Callable[..., Any], executed: Executed) -> Callable[..., Any]:
    signature = inspect.signature(function)

    def note(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        plain = {k: v for k, v in bound.arguments.items() if not isinstance(v, State)}
        executed.append((function.__name__, plain))

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def noting_async(*args: Any, **kwargs: Any) -> Any:
            note(args, kwargs)
            return await function(*args, **kwargs)

        return noting_async

    @functools.wraps(function)
    def noting(*args: Any, **kwargs: Any) -> Any:
        note(args, kwargs)
        return function(*args, **kwargs)

    return noting


def hooks_of(data: Mapping[str, Any], log: list[str]) -> dict[Any, list[Any]]:
    """Return a case's hooks; each call is noted by its point."""
    if "hooks_src" not in data:
        return {}
    current: list[State] = []

    def rewrite_last_result(text: str) -> None:
        messages = current[-1].data["messages"]
        last = messages[-1].tool_call_results[0]
        current[-1].set(
            "messages",
            [*messages[:-1], ChatMessage.from_tool(text, last.origin, last.error)],
            handler_override=replace_values,
        )

    module = source_module(data["hooks_src"])
    module["rewrite_last_result"] = rewrite_last_result

    def as_hook(point: str, name: str) -> Any:
        @hook
        def call(state: State) -> None:
            log.append(point)
            current.append(state)
            module[name](state)

        return call

    return {
        point: [as_hook(point, name) for name in names] for point, names in data["hooks"].items()
    }


def generator_for(server: FakeOpenAIServer, model: str, data: Mapping[str, Any]) -> Any:
    """Return a generator that asks the fake provider as `model`."""
    return OpenAIChatGenerator(
        api_key="sk-case",
        model=model,
        api_base_url=server.base_url,
        max_retries=data.get("agent", {}).get("retries", 0),
        timeout=10,
    )


def budget_of(data: Mapping[str, Any]) -> Budget | None:
    """Return a case's limits for the whole tree."""
    return Budget(**data["budget"]) if "budget" in data else None


def settings_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the agent's settings that a case asks for."""
    agent = data.get("agent", {})
    settings: dict[str, Any] = {"budget": budget_of(data)}
    for key, ours in (
        ("max_steps", "max_agent_steps"),
        ("tool_concurrency", "tool_concurrency_limit"),
    ):
        if key in agent:
            settings[ours] = agent[key]
    if "exit_on" in agent:
        settings["exit_conditions"] = ["text", *agent["exit_on"]]
    if "state_schema" in agent:
        settings["state_schema"] = {
            key: {"type": _TYPES[kind]} for key, kind in agent["state_schema"].items()
        }
    for key in ("system_prompt", "user_prompt"):
        if key in data:
            settings[key] = data[key]
    if "required" in data:
        settings["required_variables"] = data["required"]
    return settings


def initial_state(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of state keys; "@expression" is evaluated."""
    return {
        key: eval(value[1:], {"threading": threading})
        if isinstance(value, str) and value.startswith("@")
        else value
        for key, value in data.get("initial_state", {}).items()
    }


def is_stream(data: Mapping[str, Any]) -> bool:
    """Return whether the case itself is one streamed answer, and not a script of turns."""
    return "sse" in data or "reads_b64" in data


def single_agent(
    data: Mapping[str, Any], server: FakeOpenAIServer, executed: Executed, log: list[str]
) -> Agent:
    """Return the agent of a case that has one, and give the provider its turns."""
    turns = data.get("turns", [{"message": {"role": "assistant", "content": "done"}}])
    if is_stream(data):
        done = {"message": {"role": "assistant", "content": "done"}, "finish_reason": "stop"}
        server.script([turn_from_dict(data), turn_from_dict(done)], key=ROOT, repeat_last=True)
    else:
        server.script(
            map(turn_from_dict, turns), key=ROOT, repeat_last=data.get("repeat_last_turn", False)
        )
    return Agent(
        chat_generator=generator_for(server, ROOT, data),
        name=ROOT,
        tools=tools_of(data, data.get("tools", []), executed),
        hooks=hooks_of(data, log),
        **settings_of(data),
    )


def nested_agent(data: Mapping[str, Any], server: FakeOpenAIServer, executed: Executed) -> Agent:
    """Return the outermost of a case's agents, and give the provider the turns of all."""

    def build(name: str) -> Agent:
        spec = data["agents"][name]
        server.script(
            map(turn_from_dict, spec.get("turns", [])),
            key=name,
            repeat_last=spec.get("repeat_last_turn", False),
        )
        for task, turns in spec.get("turns_by_task", {}).items():
            server.script(map(turn_from_dict, turns), key=f"{name}/{task}")
        return Agent(
            chat_generator=generator_for(server, name, data),
            name=name,
            description=f"Knows about {name}.",
            tools=[
                *tools_of(data, spec["tools"], executed),
                *(AgentTool(build(below)) for below in spec["subagents"]),
            ],
            max_agent_steps=spec.get("max_steps", 100),
            budget=budget_of(data) if name == data["root"] else None,
        )

    return build(data["root"])


def route(data: Mapping[str, Any]) -> Callable[[RecordedRequest], str]:
    """Return what picks the script for a request: the agent's, or that of its task."""

    def choose(request: RecordedRequest) -> str:
        spec = data.get("agents", {}).get(request.model, {})
        if request.first_user_text in spec.get("turns_by_task", {}):
            return f"{request.model}/{request.first_user_text}"
        return request.model

    return choose

"""What type checkers see of agents, results, messages and hooks. Checked, never run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, assert_type

from pydantic import BaseModel

from podium.agent import (
    Agent,
    AgentResult,
    ChatMessage,
    ChatRole,
    ReasoningContent,
    Secret,
    State,
    Stop,
    StreamingChunk,
    hook,
    print_streaming_chunk,
)
from podium.agent.hooks import FunctionHook, HookPoint, RepeatedCallHook
from podium.agent.models import ChatGenerator, LexicalChatGenerator, OpenAIChatGenerator
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import Tool, ToolCall, ToolCallResult, Toolset, tool
from podium.tracing import Usage, UsageTree


class Ticket(BaseModel):
    number: int


class Parrot:
    """A chat generator of one's own: nothing to inherit from."""

    def run(
        self, messages: Sequence[ChatMessage], tools: Sequence[Tool] | None = None
    ) -> Mapping[str, Any]:
        return {"replies": [ChatMessage.from_assistant(messages[-1].text)]}


class AsyncParrot:
    async def run_async(
        self, messages: Sequence[ChatMessage], **options: Any
    ) -> dict[str, list[ChatMessage]]:
        return {"replies": [ChatMessage.from_assistant(messages[-1].text)]}


class Audit:
    """A hook of one's own."""

    def run(self, state: State) -> None:
        print(state.data["step_count"])


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@hook
def note(state: State) -> None:
    state.set("noted", True)


@hook
async def note_later(state: State) -> None:
    state.set("noted", True)


assert_type(note, FunctionHook)
assert_type(note_later, FunctionHook)

generators: list[ChatGenerator] = [
    Parrot(),
    AsyncParrot(),
    ScriptedChatGenerator(["Hello", calls(call("add", a=1, b=2)), ValueError("down")]),
    LexicalChatGenerator(),
    OpenAIChatGenerator(api_key=Secret.from_env_var("KEY"), model="gpt-5-mini"),
    OpenAIChatGenerator(api_key="a plain string is a secret too"),
]
points: dict[HookPoint, list[object]] = {"before_tool": [RepeatedCallHook(max_repeats=2)]}

agent = Agent(
    chat_generator=Parrot(),
    name="parrot",
    tools=[add, Toolset([add])],
    hooks={"before_run": [note, Audit()], "after_run": [note_later]},
    state_schema={"noted": {"type": bool}},
    streaming_callback=print_streaming_chunk,
    output_type=Ticket,
)

Agent(Parrot())  # type: ignore[call-arg]  # arguments go by name
Agent(name="parrot")  # type: ignore[call-arg]  # an agent needs a model
Agent(chat_generator=Parrot(), hooks={"before": [note]})  # type: ignore[dict-item]  # no such point
agent.name = "other"  # type: ignore[misc]  # a definition does not change; clone it
hook(add)  # type: ignore[arg-type]  # a tool is no hook


async def what_an_agent_gives() -> None:
    assert_type(agent.run("Hi"), AgentResult)
    assert_type(agent.run([ChatMessage.from_user("Hi")], tone="brief"), AgentResult)
    assert_type(await agent.run_async("Hi", tools=["add"], hook_context={"user": 7}), AgentResult)
    assert_type(agent.clone(name="other"), Agent)
    assert_type(agent.toolbox(), Sequence[Tool | Toolset] | Toolset)
    agent.run(42)  # type: ignore[arg-type]  # text or messages


def what_a_result_holds(result: AgentResult) -> None:
    assert_type(result.text, str)
    assert_type(result.output, Any)
    assert_type(result.messages, list[ChatMessage])
    assert_type(result.new_messages, list[ChatMessage])
    assert_type(result.exit_reason, str)
    assert_type(result.stop, Stop)
    assert_type(result.stop.limit, int | float | Decimal | None)
    assert_type(result.stop.explain(), str)
    assert_type(result.usage, Usage)
    assert_type(result.usage.total_tokens, int)
    assert_type(result.usage_tree, UsageTree)
    assert_type(result.usage_tree.find("parrot"), UsageTree | None)
    assert_type(result.cost, Decimal | None)
    assert_type(result.trace_id, str | None)
    assert_type(result["step_count"], Any)


def what_a_message_holds(message: ChatMessage) -> None:
    assert_type(message.role, ChatRole)
    assert_type(message.text, str | None)
    assert_type(message.tool_calls, list[ToolCall])
    assert_type(message.tool_call_result, ToolCallResult | None)
    assert_type(message.reasoning, ReasoningContent | None)
    assert_type(message.to_dict(), dict[str, Any])
    assert_type(ChatMessage.from_dict({}), ChatMessage)
    assert_type(ChatMessage.from_tool("3", ToolCall("add", {"a": 1, "b": 2})), ChatMessage)
    message.role = ChatRole.USER  # type: ignore[misc]  # messages are values


def what_a_callback_gets(chunk: StreamingChunk) -> None:
    assert_type(chunk.content, str)
    assert_type(chunk.finish_reason, str | None)
    assert_type(chunk.reasoning, ReasoningContent | None)


async def async_callback(chunk: StreamingChunk) -> None:
    print(chunk.content)


agent.run("Hi", async_callback)

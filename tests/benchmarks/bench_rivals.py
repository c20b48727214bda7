"""The same limit in other frameworks: what is spent of 2,000 tokens by specialists in parallel.

Each asks the same truthful provider, with the strictest means that the framework has for a limit
over agents as tools. Those that are not installed are left out.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from podium.agent import Agent, Budget
from podium.agent.models import OpenAIChatGenerator
from podium.agent.testing import FakeOpenAIServer, RecordedRequest, Reply
from podium.orchestration import AgentTool, Coordinator
from podium.tools import ToolCall

LIMIT = 2_000
SIZES = (1, 2, 8, 32, 128, 256)
SENTENCE = "The report names the cause, the cost and what is to be done about it next. "
THINK_SECONDS = 0.02
Contender = Callable[[str, int], Awaitable[object]]
"""Asks so many specialists at once, at this address, within the limit."""


def answer(request: RecordedRequest) -> Reply:
    """Ask as many specialists as the task says, once; write some sentences else."""
    said = request.messages[-1]["content"]
    text = said if isinstance(said, str) else "".join(part.get("text", "") for part in said)
    if not (request.tools and text.isdecimal()):
        return Reply(SENTENCE * 10, delay_seconds=THINK_SECONDS)
    asks = [
        ToolCall("worker", {"task": f"Find part {n} of the answer."}, f"c{n}")
        for n in range(int(text))
    ]
    return Reply(tool_calls=asks)


async def podium(url: str, count: int) -> object:
    """A budget over the tree."""
    model = OpenAIChatGenerator(api_key="any", model="m", api_base_url=url)
    worker = Agent(chat_generator=model, name="worker", description="Finds a part.")
    team = Coordinator(
        chat_generator=model,
        specialists=[AgentTool(worker, max_calls=count)],
        tool_concurrency_limit=count,
    )
    return await team.run_async(str(count), budget=Budget(total_tokens=LIMIT))


async def pydantic_ai(url: str, count: int) -> object:
    """One usage object and its limit, handed down."""
    lib: Any = importlib.import_module("pydantic_ai")
    models: Any = importlib.import_module("pydantic_ai.models.openai")
    providers: Any = importlib.import_module("pydantic_ai.providers.openai")
    provider = providers.OpenAIProvider(base_url=url, api_key="any")
    model = models.OpenAIChatModel("m", provider=provider)
    limits = lib.UsageLimits(total_tokens_limit=LIMIT, request_limit=None)
    worker = lib.Agent(model)
    lead = lib.Agent(model)

    async def ask(context: Any, task: str) -> str:
        """Find a part."""
        done = await worker.run(task, usage=context.usage, usage_limits=limits)
        return str(done.output)

    ask.__annotations__["context"] = lib.RunContext[None]
    lead.tool(name="worker")(ask)
    return await lead.run(str(count), usage_limits=limits)


async def haystack(url: str, count: int) -> object:
    """A budget hook on each agent, with all of the limit."""
    agents: Any = importlib.import_module("haystack.components.agents")
    chat: Any = importlib.import_module("haystack.components.generators.chat")
    tools: Any = importlib.import_module("haystack.tools")
    hooks: Any = importlib.import_module("haystack.hooks.budget.hooks")
    utils: Any = importlib.import_module("haystack.utils")
    data: Any = importlib.import_module("haystack.dataclasses")
    key = utils.Secret.from_token("any")

    def agent(**settings: Any) -> Any:
        model = chat.OpenAIChatGenerator(api_key=key, model="m", api_base_url=url)
        guard = {"before_llm": [hooks.TokenBudgetHook(max_total_tokens=LIMIT)]}
        return agents.Agent(chat_generator=model, hooks=guard, **settings)

    below = agent()

    def worker(task: str) -> str:
        """Find a part."""
        done = below.run(messages=[data.ChatMessage.from_user(task)])
        return str(done["last_message"].text)

    asked = tools.create_tool_from_function(worker, description="Finds a part.")
    lead = agent(tools=[asked], tool_concurrency_limit=count)
    return await lead.run_async(messages=[data.ChatMessage.from_user(str(count))])


CONTENDERS: Mapping[str, tuple[str, Contender]] = {
    "podium": ("podium.agent", podium),
    "pydantic-ai": ("pydantic_ai", pydantic_ai),
    "haystack": ("haystack", haystack),
}


async def spent(contender: Contender, count: int) -> float:
    """Return what the provider counted, as a part of the limit."""
    with FakeOpenAIServer(responder=answer, keep_requests=False) as server:
        try:
            await contender(server.base_url, count)
        except Exception as error:  # some say by an exception that the limit is spent
            if "limit" not in str(error):
                raise
        return server.usage_total.total_tokens / LIMIT


async def measure() -> dict[str, float]:
    """Return for each framework that is installed what it spent at most."""
    return {
        f"{name} {count}": await spent(contender, count)
        for name, (module, contender) in CONTENDERS.items()
        if importlib.util.find_spec(module)
        for count in SIZES
    }


if __name__ == "__main__":
    os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")
    print(json.dumps(asyncio.run(measure())))

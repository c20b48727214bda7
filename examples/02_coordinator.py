"""A coordinator and two specialists: parallel tasks, one answer, and who used how much.

Runs offline with scripted models, so the figures are the same each time. `--live` asks OpenAI.

Prints:
    The tower (1889) is older than the bridge (1932).
    coordinator            400 own, 800 in all
    coordinator/towers     200 own, 200 in all
    coordinator/bridges    200 own, 200 in all
"""

import sys

from podium.agent import Agent, ChatMessage
from podium.agent.models import ChatGenerator, OpenAIChatGenerator
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.orchestration import Coordinator


def model(*turns: str | ChatMessage) -> ChatGenerator:
    """Return a model that says these turns, or a real one."""
    if "--live" in sys.argv:
        return OpenAIChatGenerator()
    usage = {"prompt_tokens": 150, "completion_tokens": 50, "total_tokens": 200}
    return ScriptedChatGenerator(list(turns), usage=usage)


towers = Agent(
    chat_generator=model("It was built in 1889."),
    name="towers",
    description="Knows when towers were built.",
)
bridges = Agent(
    chat_generator=model("It opened in 1932."),
    name="bridges",
    description="Knows when bridges were opened.",
)
plan = calls(call("towers", task="When was it built?"), call("bridges", task="When did it open?"))
coordinator = Coordinator(
    chat_generator=model(plan, "The tower (1889) is older than the bridge (1932)."),
    specialists=[towers, bridges],
)

result = coordinator.run("Which is older, the tower or the bridge?")

print(result.text)
for node in result.usage_tree.walk():
    own, total = node.own.total_tokens, node.total.total_tokens
    print(f"{node.path:22} {own:>3} own, {total} in all")

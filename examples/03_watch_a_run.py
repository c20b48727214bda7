"""Watching a team at work: the events of all agents come in one stream, each with its path.

Runs offline with scripted models.

Prints:
    coordinator        asks facts
    coordinator/facts  begins: When was it built?
    coordinator/facts  says: In 1889.
    coordinator/facts  done (text)
    coordinator        says: It was built in 1889.
"""

import anyio

from podium.agent import Agent, AgentFinished, AgentStarted, TextDelta, ToolCallStarted
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.orchestration import Coordinator

facts = Agent(
    chat_generator=ScriptedChatGenerator(["In 1889."]), name="facts", description="Knows facts."
)
coordinator = Coordinator(
    chat_generator=ScriptedChatGenerator(
        [calls(call("facts", task="When was it built?")), "It was built in 1889."]
    ),
    specialists=[facts],
)


async def main() -> None:
    """Print one line for each thing that happens; pieces of text are joined first."""
    said: dict[str, str] = {}
    async with coordinator.stream("When was the tower built?") as run:
        async for event in run:
            if isinstance(event, TextDelta):
                said[event.path] = said.get(event.path, "") + event.text
            elif isinstance(event, ToolCallStarted):
                print(f"{event.path:18} asks {event.call.tool_name}")
            elif isinstance(event, AgentStarted):
                print(f"{event.path:18} begins: {event.task}")
            elif isinstance(event, AgentFinished):
                print(f"{event.path:18} says: {said[event.path]}")
                print(f"{event.path:18} done ({event.exit_reason})")
    print(f"{'coordinator':18} says: {run.result.text}")


anyio.run(main)

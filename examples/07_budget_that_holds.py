"""A budget that holds: eight specialists at once, and never more than 2,000 tokens.

Room is reserved before each model call, and its output is capped to that room. What the limit
stops ends with what it has; the answer is written from a reserve. Offline, with scripted models.

Prints:
    Spent 1,768 of 2,000 tokens.
    Of the first chapters there is much to say; the others were not read.
    The token budget was spent.
    'coordinator' had used 1,599 of 2,000 total_tokens, and 400 were held or kept for the answer.
    The rest was too little for another call.
    'coordinator' completed 1 step.
    The answer was written from what had been found, without further tools.
    The readers used [215, 215, 215, 215, 215, 150, 0, 0] tokens.
    The sixth ended: token_budget_exceeded
"""

from collections.abc import Sequence

from podium.agent import Agent, Budget, ChatMessage
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.orchestration import Coordinator
from podium.tools import Tool

LIMIT = 2_000


def report(messages: Sequence[ChatMessage], tools: Sequence[Tool] | None) -> str:
    """Write as much as a specialist likes to: some 200 tokens, unless the budget cuts it."""
    return f"{messages[-1].text}: " + "there is much to say about it, and more. " * 18


specialist = Agent(
    chat_generator=ScriptedChatGenerator([report] * 8),
    name="reader",
    description="Reads one chapter and reports on it.",
)
coordinator = Coordinator(
    chat_generator=ScriptedChatGenerator(
        [
            calls(*(call("reader", task=f"Chapter {number}") for number in range(1, 9))),
            "Of the first chapters there is much to say; the others were not read.",
        ]
    ),
    specialists=[specialist],
    tool_concurrency_limit=8,
    budget=Budget(total_tokens=LIMIT, reserve_for_answer=400, min_output_tokens=128),
)

result = coordinator.run("What do the eight chapters say?")

print(f"Spent {result.usage.total_tokens:,} of {LIMIT:,} tokens.")
print(result.text)
print(result.stop.explain().replace(". ", ".\n"))
readers = result.usage_tree.children
print("The readers used", [reader.own.total_tokens for reader in readers], "tokens.")
print("The sixth ended:", readers[5].exit_reason)

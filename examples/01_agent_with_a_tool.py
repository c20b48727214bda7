"""One agent with one tool: the model calls it, reads the result, and answers.

Runs offline with the lexical stand-in. `--live` asks OpenAI (set OPENAI_API_KEY), or the server
that OPENAI_BASE_URL names.

Prints:
    Madrid has 3.3 million inhabitants.
    text after 2 steps, tool calls: {'population': 1}
"""

import sys

from podium.agent import Agent
from podium.agent.models import LexicalChatGenerator, OpenAIChatGenerator
from podium.tools import tool

MILLIONS = {"Madrid": 3.3, "Oslo": 0.7}


@tool
def population(city: str) -> str:
    """Return the population of a city.

    Args:
        city: The city's name.
    """
    name = next((known for known in MILLIONS if known in city), None)
    return f"{name} has {MILLIONS[name]} million inhabitants." if name else "Unknown city."


model = OpenAIChatGenerator() if "--live" in sys.argv else LexicalChatGenerator()
agent = Agent(chat_generator=model, tools=[population])

result = agent.run("What is the population of Madrid?")

print(result.text)
print(f"{result['exit_reason']} after {result['step_count']} steps,", end=" ")
print("tool calls:", result["tool_call_counts"])

"""A trace without a server: spans go to a file, one line of OTLP JSON after another.

Runs offline with a scripted model.

Prints:
    invoke_agent facts     160 tokens in all
      chat scripted
      execute_tool look_up
      chat scripted
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from podium.agent import Agent
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import tool
from podium.tracing import setup_tracing


@tool
def look_up(word: str) -> str:
    """Look a word up."""
    return f"{word} is a word."


usage = {"prompt_tokens": 60, "completion_tokens": 20, "total_tokens": 80}
model = ScriptedChatGenerator([calls(call("look_up", word="ox")), "An ox."], usage=usage)
agent = Agent(chat_generator=model, name="facts", tools=[look_up])

with TemporaryDirectory() as folder:
    file = Path(folder) / "trace.jsonl"
    with setup_tracing(file=file):
        agent.run("What is an ox?")
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]

spans: list[dict[str, Any]] = [
    span
    for line in lines
    for resource in line["resourceSpans"]
    for scope in resource["scopeSpans"]
    for span in scope["spans"]
]
root = next(span for span in spans if not span.get("parentSpanId"))
totals = {one["key"]: one["value"] for one in root["attributes"]}
print(f"{root['name']:22} {totals['podium.usage.total.total_tokens']['intValue']} tokens in all")
for span in sorted(spans, key=lambda span: int(span["startTimeUnixNano"]))[1:]:
    print(f"  {span['name']}")

"""An answer of a declared type: a wrong one is sent back with the reason, and asked for again.

Runs offline with a scripted model that makes one mistake.

Prints:
    Ticket(number=7, severity='high')
    the model was told: severity: Input should be 'low' or 'high'
"""

from typing import Literal

from pydantic import BaseModel

from podium.agent import Agent
from podium.agent.testing import ScriptedChatGenerator


class Ticket(BaseModel):
    """What the agent must return."""

    number: int
    severity: Literal["low", "high"]


model = ScriptedChatGenerator(
    ['{"number": 7, "severity": "urgent"}', '{"number": 7, "severity": "high"}']
)
agent = Agent(chat_generator=model, output_type=Ticket)

result = agent.run("Ticket 7: the server is on fire.")

print(repr(result.output))
told = str(result.messages[-2].text)
print("the model was told:", told[told.index("severity:") : told.index("'high'") + 6])

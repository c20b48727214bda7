"""An object with a typed `run` as a tool: what the model may fill, reads, and what the state keeps.

Runs offline with a scripted model.

Prints:
    the tool: address_book, filled by the model: name, surname, job_title
    The model reads: {"saved": "Ada Lovelace", "entries": 1}
    The state keeps: [{'name': 'Ada Lovelace', 'job_title': 'mathematician', 'tenant': 't-1'}]
"""

from typing import Annotated, Any

from podium.agent import Agent
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import ComponentTool


class AddressBook:
    """Keep people in an address book."""

    def __init__(self) -> None:
        self.entries: list[dict[str, str]] = []

    def run(
        self,
        name: Annotated[str, "First name of the person"],
        surname: Annotated[str, "Last name of the person"],
        tenant: str,
        job_title: Annotated[str | None, "Job title or role of the person"] = None,
    ) -> dict[str, Any]:
        """Add a person."""
        full, job = f"{name} {surname}", job_title or "unknown"
        self.entries.append({"name": full, "job_title": job, "tenant": tenant})
        return {"saved": full, "count": len(self.entries), "added": self.entries[-1:]}


keep = ComponentTool(
    AddressBook(),
    inputs_from_state={"tenant": "tenant"},
    outputs_to_state={"people": {"source": "added"}},
    outputs_to_string={"saved": {"source": "saved"}, "entries": {"source": "count"}},
)
ada = call("address_book", name="Ada", surname="Lovelace", job_title="mathematician")
agent = Agent(
    chat_generator=ScriptedChatGenerator([calls(ada), "Ada is in the book."]),
    tools=[keep],
    state_schema={"tenant": {"type": str}, "people": {"type": list[dict[str, str]]}},
)

result = agent.run("Ada Lovelace was a mathematician.", tenant="t-1")

print(f"the tool: {keep.name}, filled by the model: {', '.join(keep.parameters['properties'])}")
print("The model reads:", result.messages[2].tool_call_results[0].text)
print("The state keeps:", result["people"])

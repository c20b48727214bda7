r"""Many agents: a coordinator that delegates to specialists, nested to any depth.

from podium.agent import Agent
from podium.orchestration import Coordinator

team = Coordinator(chat_generator=model, specialists=[researcher, checker])
result = team.run("What does the with statement guarantee?")
print(result.text, result.usage_tree, sep="\n")
"""

from podium.orchestration.agent_tool import AgentTool, SupportsRun
from podium.orchestration.coordinator import Coordinator
from podium.orchestration.errors import SpecialistError

__all__ = ["AgentTool", "Coordinator", "SpecialistError", "SupportsRun"]

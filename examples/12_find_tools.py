"""Two hundred tools, of which the model sees those it has searched for; and tools picked by name.

Runs offline with a scripted model.

Prints:
    Oslo has 22 degrees.
    offered in step 1: search_tools
    offered in step 2: search_tools, get_weather
    offered to a run that picks by name: get_weather, convert_7
"""

from podium.agent import Agent
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import SearchableToolset, Tool, tool


@tool
def get_weather(city: str) -> str:
    """Tell the weather of a city."""
    return f"{city} has 22 degrees."


def converter(number: int) -> Tool:
    @tool(name=f"convert_{number}", description=f"Convert a value from unit {number} to the next.")
    def convert(value: float) -> float:
        return value * 1.5

    return convert


catalog = SearchableToolset([get_weather, *(converter(number) for number in range(200))], top_k=1)
model = ScriptedChatGenerator(
    [
        calls(call("search_tools", query="weather in a city")),
        calls(call("get_weather", city="Oslo")),
        "Oslo has 22 degrees.",
        "Hello.",
    ]
)
agent = Agent(chat_generator=model, tools=[catalog])

print(agent.run("How is the weather in Oslo?").text)
for step, request in enumerate(model.requests[:2], start=1):
    print(f"offered in step {step}:", ", ".join(one.name for one in request.tools))

agent.run("Hello?", tools=["get_weather", "convert_7"])
names = [one.name for one in model.requests[-1].tools]
print("offered to a run that picks by name:", ", ".join(names))

"""State that tools share, and a hook that looks at it: the model never sees the customer's id.

Runs offline with a scripted model.

Prints:
    before the model: 0 orders known
    before the model: 2 orders known
    You have two orders: tea and milk.
    orders kept in the result: ['tea', 'milk']
    the model may fill: ['limit']
"""

from podium.agent import Agent, State, hook
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import tool

ORDERS = {"c-100": ["tea", "milk"], "c-200": ["secret"]}


@tool(inputs_from_state={"customer": "customer"}, outputs_to_state={"orders": {}})
def list_orders(customer: str, limit: int = 10) -> list[str]:
    """List the orders of the customer who is signed in."""
    return ORDERS[customer][:limit]


@hook
def report(state: State) -> None:
    """Say what the run knows before each model call."""
    print(f"before the model: {len(state.get('orders') or [])} orders known")


agent = Agent(
    chat_generator=ScriptedChatGenerator(
        [calls(call("list_orders")), "You have two orders: tea and milk."]
    ),
    tools=[list_orders],
    state_schema={"customer": {"type": str}, "orders": {"type": list[str]}},
    hooks={"before_llm": [report]},
)

result = agent.run("What did I order?", customer="c-100")

print(result.text)
print("orders kept in the result:", result["orders"])
print("the model may fill:", list(list_orders.parameters["properties"]))

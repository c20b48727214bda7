"""A calculator whose result goes into the run's state, and what a run tells about itself.

Runs offline with a scripted model.

Prints:
    7 * (4 + 2) is 42.
    calc_result: 42
    step_count: 2, tool_call_counts: {'calculator': 1}, exit_reason: text
    a wrong expression is answered, not raised: Only numbers, + * and ( ) are calculated.
"""

import ast
import operator
from collections.abc import Callable
from typing import Annotated

from podium.agent import Agent, ChatMessage
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import tool

SIGNS: dict[type, Callable[[float, float], float]] = {ast.Add: operator.add, ast.Mult: operator.mul}


@tool(outputs_to_state={"calc_result": {"source": "result"}})
def calculator(
    expression: Annotated[str, "Math expression to evaluate, such as '7 * (4 + 2)'"],
) -> dict[str, float]:
    """Evaluate basic math expressions."""
    return {"result": evaluate(ast.parse(expression, mode="eval").body)}


def evaluate(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in SIGNS:
        return SIGNS[type(node.op)](evaluate(node.left), evaluate(node.right))
    raise ValueError("Only numbers, + * and ( ) are calculated.")


model = ScriptedChatGenerator(
    [calls(call("calculator", expression="7 * (4 + 2)")), "7 * (4 + 2) is 42."]
)
agent = Agent(
    chat_generator=model, tools=[calculator], state_schema={"calc_result": {"type": float}}
)

result = agent.run([ChatMessage.from_user("What is 7 * (4 + 2)?")])

print(result.text)
print(f"calc_result: {result['calc_result']:g}")
print(
    f"step_count: {result['step_count']}, tool_call_counts: {result['tool_call_counts']}, ", end=""
)
print(f"exit_reason: {result['exit_reason']}")

model = ScriptedChatGenerator([calls(call("calculator", expression="open('x')")), "I cannot."])
told = agent.clone(chat_generator=model).run("Open x.").messages[2].tool_call_results[0]
print("a wrong expression is answered, not raised:", told.text.partition("ValueError: ")[2])

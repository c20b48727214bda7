"""Hooks that go on after an output limit, and answer when the steps run out; a clone with others.

Runs offline with a scripted model.

Prints:
    A shorter answer.
    text
    Sorry, I ran out of steps before finishing.
    max_agent_steps
"""

from dataclasses import replace

from podium.agent import Agent, ChatMessage, State, hook
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import tool

CUT = replace(ChatMessage.from_assistant("A very long ans"), meta={"finish_reason": "length"})


@hook
def recover_from_output_limit(state: State) -> None:
    """Ask once for a shorter answer when the model was cut off."""
    prompt = "Continue with a shorter answer."
    was_asked = any(message.text == prompt for message in state.get("messages", []))
    if state.get("exit_reason") == "length" and not was_asked:
        state.set("messages", [ChatMessage.from_user(prompt)])
        state.set("continue_run", True)


@hook
def fallback_on_max_steps(state: State) -> None:
    """Say something when the steps have run out."""
    if state.get("exit_reason") == "max_agent_steps":
        text = "Sorry, I ran out of steps before finishing."
        state.set("messages", [ChatMessage.from_assistant(text)])


@tool
def think() -> str:
    """Think."""
    return "hm"


agent = Agent(
    chat_generator=ScriptedChatGenerator([CUT, "A shorter answer."]),
    tools=[think],
    hooks={"on_exit": [recover_from_output_limit], "after_run": [fallback_on_max_steps]},
)
hasty = agent.clone(
    chat_generator=ScriptedChatGenerator([calls(call("think"))] * 2), max_agent_steps=2
)

for one in (agent, hasty):
    result = one.run("Explain everything.")
    print(result["last_message"].text)
    print(result["exit_reason"])

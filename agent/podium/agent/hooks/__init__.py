"""Code that looks into a run, and steers it, at six points.

from podium.agent import State, hook

@hook
def stop_on_request(state: State) -> None:
    if state.data["hook_context"].get("stop"):
        state.set("stop_run", "asked_to_stop")
"""

from podium.agent.hooks._function import FunctionHook, hook
from podium.agent.hooks._offload import (
    AlwaysOffload,
    NeverOffload,
    OffloadOverChars,
    ToolResultOffloadHook,
)
from podium.agent.hooks._points import HOOK_POINTS, Hook, HookPoint
from podium.agent.hooks._repeated_call import RepeatedCallHook
from podium.agent.hooks._result_store import FileSystemToolResultStore, ToolResultStore
from podium.agent.hooks._token_budget import TokenBudgetHook

__all__ = [
    "HOOK_POINTS",
    "AlwaysOffload",
    "FileSystemToolResultStore",
    "FunctionHook",
    "Hook",
    "HookPoint",
    "NeverOffload",
    "OffloadOverChars",
    "RepeatedCallHook",
    "TokenBudgetHook",
    "ToolResultOffloadHook",
    "ToolResultStore",
    "hook",
]

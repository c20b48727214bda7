"""How a run ended, in words: one paragraph with the numbers there are."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from podium.agent import Stop


@pytest.mark.parametrize(
    ("facts", "paragraph"),
    [
        ({"reason": "text", "step": 1}, "The model answered. 'team' completed 1 step."),
        (
            {"reason": "finish", "step": 2, "is_tool_exit": True},
            "The tool 'finish' ended the run. 'team' completed 2 steps.",
        ),
        (
            {"reason": "max_agent_steps", "step": 2, "limit": 2, "spent": 2},
            "The step limit was reached before the model answered. 'team' had used 2 of 2. "
            "'team' completed 2 steps.",
        ),
        (
            {"reason": "max_agent_steps", "step": 1, "limit": 1, "spent": 1, "overdraft": 3},
            "The step limit was reached before the model answered. 'team' had used 1 of 1. "
            "That is 3 over the limit. 'team' completed 1 step.",
        ),
        (
            {"reason": "token_budget_exceeded", "what": "total_tokens"}
            | {"step": 0, "limit": 90, "spent": 0, "held": 9},
            "The token budget was spent. 'team' had used 0 of 90 total_tokens, and 9 were held or "
            "kept for the answer. Not even one call had room in it: set a higher limit. "
            "'team' completed 0 steps.",
        ),
        (
            {"reason": "token_budget_exceeded", "what": "total_tokens"}
            | {"step": 4, "limit": 5000, "spent": 3086},
            "The token budget was spent. 'team' had used 3,086 of 5,000 total_tokens. The rest was "
            "too little for another call. 'team' completed 4 steps.",
        ),
        (
            {"reason": "cost_budget_exceeded", "what": "cost_usd", "step": 1}
            | {"limit": Decimal("0.5"), "spent": Decimal("0.4"), "held": Decimal("0.1")},
            "The cost budget was spent. 'team' had used 0.4 of 0.5 cost_usd, and 0.1 were held or "
            "kept for the answer. 'team' completed 1 step.",
        ),
        (
            {"reason": "cancelled", "step": 0, "unfinished": ("look", "add")},
            "The run was cancelled. 'team' completed 0 steps. Not done: look, add.",
        ),
        (
            {"reason": "repeated_call", "step": 4, "answered_after_stop": True},
            "The model kept making the same tool call. 'team' completed 4 steps. "
            "The answer was written from what had been found, without further tools.",
        ),
        (
            {"reason": "closed_today", "step": 0},
            "The run was stopped: closed_today. 'team' completed 0 steps.",
        ),
    ],
)
def test_an_ending_is_explained(facts: dict[str, Any], paragraph: str) -> None:
    assert Stop(by="team", **facts).explain() == paragraph


@pytest.mark.parametrize(
    ("facts", "is_natural"),
    [
        ({"reason": "text"}, True),
        ({"reason": "finish", "is_tool_exit": True}, True),
        ({"reason": "finish"}, False),
        ({"reason": "length"}, False),
        ({"reason": "refusal"}, False),
    ],
)
def test_only_an_answer_and_an_exit_tool_end_a_run_naturally(
    facts: dict[str, Any], is_natural: bool
) -> None:
    assert Stop(by="team", step=1, **facts).is_natural is is_natural

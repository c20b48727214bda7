"""Errors of working together; the root of all is in podium.tools.errors.

PodiumError
├── ToolError
│   └── SpecialistError     (here) a specialist raised; its caller's model is told
└── AgentError              (podium.agent.errors)
"""

from __future__ import annotations

from podium.tools.errors import ToolError


class SpecialistError(ToolError):
    """A specialist's run raised; the text is for the caller's model, `__cause__` is the error."""

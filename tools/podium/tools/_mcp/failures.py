"""What went wrong with a server, in words: by name, without its secrets, with what to do."""

from __future__ import annotations

from mcp import MCPError as ProtocolError
from mcp_types import REQUEST_TIMEOUT
from pydantic import ValidationError

from podium.tools._mcp.servers import ServerInfo, text_of
from podium.tools._text import error_text
from podium.tools.errors import MCPConnectionError, MCPError, MCPInvocationError
from podium.tracing._text import printable

_SAID_CHARS = 2_000
_SHORTEST_SECRET = 4  # what is shorter stands in any text


class Failures:
    """The words for failures of one server."""

    def __init__(self, server: ServerInfo) -> None:
        """Keep the server they are about."""
        self._server = server
        self._label = server.label

    def of_opening(self, problem: BaseException | None) -> MCPConnectionError:
        """Return the error for a session that could not be opened."""
        if isinstance(problem, MCPConnectionError):
            return problem
        if isinstance(problem, ProtocolError):
            said = problem.message
        else:
            said = "the connection was closed" if problem is None else error_text(problem)
        notes = getattr(problem, "__notes__", ())
        logged = f" Its log ends with: {self.quoted(notes[0])}." if notes else ""
        return MCPConnectionError(
            f"MCP server {self._label!r} cannot be used: {self.quoted(said)}.{logged} "
            "Check how it is started or reached, and its credentials."
        )

    def of_time(self, seconds: float) -> MCPConnectionError:
        """Return the error for a session that was not open in time."""
        return MCPConnectionError(
            f"MCP server {self._label!r} was not ready within {seconds:g} seconds. "
            "Look at its log, or raise connection_timeout."
        )

    def of_call(self, error: Exception, name: str, seconds: float) -> MCPError:
        """Return the error for a call that got no result; `seconds` is how long it could take."""
        if isinstance(error, ValidationError):
            rule = error.errors(include_url=False, include_input=False)[0]["msg"]
            said = f"what it answered is no result ({rule:.80})"
        elif not isinstance(error, ProtocolError):
            said = error_text(error)
        elif error.code == REQUEST_TIMEOUT:
            return MCPInvocationError(
                f"MCP server {self._label!r} did not answer {name!r:.80} within its timeout of "
                f"{seconds:g} seconds. Ask for less, or go on without it.",
                tool_name=name,
            )
        else:
            said = error.message
        return MCPInvocationError(
            f"MCP server {self._label!r} gave no result for {name!r:.80}: {self.quoted(said)}. "
            "Change the call, or go on without it.",
            tool_name=name,
        )

    def of_loss(self, name: str) -> MCPConnectionError:
        """Return the error for a call in whose midst the connection was lost."""
        return MCPConnectionError(
            f"The connection to MCP server {self._label!r} was lost while it worked on "
            f"{name!r:.80}, which it may have done or not. Call it again if that does no harm.",
            tool_name=name,
        )

    def of_tool(self, name: str, said: str) -> MCPInvocationError:
        """Return the error for a tool that failed, in the server's words."""
        return MCPInvocationError(
            f"Tool {name!r:.80} of MCP server {self._label!r} failed: "
            f"{said or 'it does not say why.'}",
            tool_name=name,
        )

    def of_change(self, name: str, what: str) -> MCPError:
        """Return the error for a call of a tool that is not what it was."""
        return MCPError(
            f"Tool {name!r:.80} of MCP server {self._label!r} is not what it was first listed as "
            f"({what}), so it was not called. Look at what changed, then call accept_changes() of "
            "its toolset.",
            tool_name=name,
        )

    def of_question(self, name: str) -> MCPError:
        """Return the error for a server that asks back."""
        return MCPInvocationError(
            f"MCP server {self._label!r} asks for input before it answers {name!r:.80}, which it "
            "does not get. Call it with all it needs.",
            tool_name=name,
        )

    def quoted(self, text: str) -> str:
        """Return what a server said, safe to show and without the secrets it was given."""
        for value in self._server.secrets.values():
            try:
                secret = text_of(value)
            except ValueError:  # it is not set, so it was not given
                continue
            if len(secret) >= _SHORTEST_SECRET:
                text = text.replace(secret, "***")
        return printable(text.strip().rstrip("."), limit=_SAID_CHARS)

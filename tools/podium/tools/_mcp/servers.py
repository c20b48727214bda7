"""Which MCP server, and how to reach it."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, Protocol, TypeGuard
from urllib.parse import urlsplit

from podium.tools._shapes import is_mapping

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class SecretValue(Protocol):
    """A secret that is read when it is needed, such as a `podium.agent.Secret`."""

    def resolve_value(self) -> str | None:
        """Return the secret's value; None where there is none."""
        ...


SecretText = str | SecretValue
"""Text that may be a secret."""


@dataclass(frozen=True, slots=True, repr=False)
class StdioServerInfo:
    """An MCP server that podium starts as a process of its own and talks to over its pipes."""

    command: str
    """The program; found on the PATH, or a path."""
    args: Sequence[str] = ()
    """Its arguments."""
    _: KW_ONLY
    env: Mapping[str, SecretText] | None = None
    """Environment variables for it, besides the few that programs need (PATH, HOME, USER...)."""
    cwd: str | Path | None = None
    """The folder it starts in; None for the present one."""
    name: str = ""
    """What errors and logs call it; by default the program's name."""
    max_retries: int = 3
    """Further tries when it cannot be started again after it died."""
    base_delay: float = 1.0
    """Seconds before the first of these tries; each further one waits twice as long."""
    max_delay: float = 30.0
    """The longest wait between two tries, in seconds."""

    def __post_init__(self) -> None:
        """Refuse what could not be started.

        Raises:
            TypeError: a part of the wrong type, such as one text for all arguments.
            ValueError: an empty command, or a limit that cannot be.
        """
        parts: object = self.args
        if not isinstance(self.command, str) or not self.command.strip():
            raise ValueError(
                f"An MCP server cannot be started by the command {self.command!r:.60}. "
                "Name a program, as in StdioServerInfo('npx', ['-y', 'package'])."
            )
        if not _is_texts(parts):
            raise TypeError(
                f"MCP server {self.label!r}: args is a {type(parts).__name__}, not a list of "
                "texts. Split the command line into a list, one argument each."
            )
        _check_secrets(self.label, "env", self.env)
        _check_patience(self.label, self.max_retries, self.base_delay, self.max_delay)

    @property
    def label(self) -> str:
        """What errors and logs call the server."""
        return self.name or os.path.basename(self.command)

    @property
    def secrets(self) -> Mapping[str, SecretText]:
        """What may be secret, by name."""
        return self.env or {}

    def __repr__(self) -> str:
        """Show the program, and neither its arguments nor its environment."""
        return f"<StdioServerInfo {self.label!r}: {self.command}>"


@dataclass(frozen=True, slots=True, repr=False)
class _HttpServerInfo:
    """What the two kinds of servers at an address have in common."""

    url: str
    """Where the server is, such as `https://example.org/mcp`."""
    _: KW_ONLY
    token: SecretText | None = None
    """Sent as `Authorization: Bearer ...`, to the origin of `url` and nowhere else."""
    headers: Mapping[str, SecretText] | None = None
    """Headers for every request, bound to the origin too; they win over `token`."""
    name: str = ""
    """What errors and logs call it; by default the host."""
    max_retries: int = 3
    """Further tries when it cannot be reached again after the connection was lost."""
    base_delay: float = 1.0
    """Seconds before the first of these tries; each further one waits twice as long."""
    max_delay: float = 30.0
    """The longest wait between two tries, in seconds."""

    def __post_init__(self) -> None:
        """Refuse an address or headers that no request could use.

        Raises:
            TypeError: a token or header of the wrong type.
            ValueError: an address that is not http or https, or has a password in it; a header
                that cannot be sent; a limit that cannot be.
        """
        parts = urlsplit(self.url) if isinstance(self.url, str) else None
        if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
            scheme = parts.scheme if parts is not None else type(self.url).__name__
            raise ValueError(
                f"An MCP server cannot be reached at an address of the kind {scheme!r:.40}. "
                "Give one that starts with http:// or https:// and names a host."
            )
        if parts.username or parts.password:
            raise ValueError(
                f"MCP server {self.label!r}: url has a user name or password in it, which logs "
                "would show. Pass it as token= or in headers=."
            )
        token = {} if self.token is None else {"token": self.token}
        _check_secrets(self.label, "token", token)
        _check_secrets(self.label, "headers", self.headers)
        for name in self.headers or ():
            if not _HEADER_NAME.fullmatch(name):
                raise ValueError(
                    f"MCP server {self.label!r}: {name!r:.60} cannot be the name of a header. "
                    "Use letters, digits and '-'."
                )
        _check_patience(self.label, self.max_retries, self.base_delay, self.max_delay)

    @property
    def label(self) -> str:
        """What errors and logs call the server."""
        return self.name or urlsplit(self.url).netloc.rpartition("@")[2]

    @property
    def secrets(self) -> Mapping[str, SecretText]:
        """What may be secret, by the header it is sent in."""
        bearer = {} if self.token is None else {"token": self.token}
        return {**bearer, **(self.headers or {})}

    def resolved_headers(self) -> dict[str, str]:
        """Return the headers as they are sent now; secrets are read anew each time."""
        found = {name: text_of(value) for name, value in (self.headers or {}).items()}
        named = {name.lower() for name in found}
        if self.token is not None and "authorization" not in named:
            found["Authorization"] = f"Bearer {text_of(self.token)}"
        for name, value in found.items():
            if not (value.isascii() and value.isprintable()):
                raise ValueError(
                    f"MCP server {self.label!r}: the value of {name!r} cannot be sent in a header. "
                    "Remove line breaks and everything that is not ASCII."
                )
        return found

    def __repr__(self) -> str:
        """Show where the server is, without its query, which may hold a key."""
        parts = urlsplit(self.url)
        where = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        return f"<{type(self).__name__} {self.label!r}: {where}>"


@dataclass(frozen=True, slots=True, repr=False)
class StreamableHttpServerInfo(_HttpServerInfo):
    """An MCP server at an address, spoken to over streamable HTTP."""


@dataclass(frozen=True, slots=True, repr=False)
class SSEServerInfo(_HttpServerInfo):
    """An MCP server at an address, spoken to over HTTP with server-sent events, the older way."""


ServerInfo = StdioServerInfo | StreamableHttpServerInfo | SSEServerInfo
"""A server of any kind."""


def text_of(value: SecretText) -> str:
    """Return the text of a value that may be a secret; a secret without one is empty."""
    return value if isinstance(value, str) else value.resolve_value() or ""


def _is_texts(value: object) -> TypeGuard[Sequence[str]]:
    return isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)  # pyright: ignore[reportUnknownVariableType]  # what it holds is what is asked


def _check_secrets(label: str, place: str, values: object) -> None:
    """Refuse values that are neither text nor secrets, and text that would start a new line."""
    given: Mapping[str, Any] = values if is_mapping(values) else {}
    if values is not None and not is_mapping(values):
        raise TypeError(
            f"MCP server {label!r}: {place} is a {type(values).__name__}, not a dict. "
            "Write it as {'NAME': value}."
        )
    for name, value in given.items():
        if not isinstance(value, str) and not hasattr(value, "resolve_value"):
            raise TypeError(
                f"MCP server {label!r}: {place} holds a {type(value).__name__} for {name!r:.60}. "
                "Pass a str or a Secret."
            )
        if isinstance(value, str) and re.search(r"[\r\n\0]", value):
            raise ValueError(
                f"MCP server {label!r}: the value of {name!r:.60} in {place} has a line break or "
                "a NUL in it. Remove it."
            )


def _check_patience(label: str, max_retries: object, *delays: object) -> None:
    counts = isinstance(max_retries, int) and max_retries >= 0
    if counts and all(isinstance(one, int | float) and 0 <= one < math.inf for one in delays):
        return
    raise ValueError(
        f"MCP server {label!r}: it cannot be tried again {max_retries!r} times with delays of "
        f"{delays!r} seconds. Give numbers from 0 upwards."
    )

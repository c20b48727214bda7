"""What a server says its tools are: cleaned, bounded, named for the wire, and pinned by a hash."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.tools._shapes import is_array, is_object
from podium.tools._usable_schema import object_schema
from podium.tools.errors import ToolDefinitionError
from podium.tracing._text import printable, without_unprintable

logger = logging.getLogger(__name__)

MAX_DESCRIPTION_CHARS = 4_000
"""What a model reads of a tool's description, and of each description in its schema a quarter."""
_MAX_NAME = 64
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """One tool of a server."""

    name: str
    """The server's name for it."""
    description: str
    """What it does, in the server's words: material, whatever it says."""
    schema: Mapping[str, Any]
    """The JSON schema of its arguments, usable as it is."""
    output_schema: Mapping[str, Any] | None
    """The JSON schema of what it returns, where the server gives one that can be used."""
    digest: str
    """SHA-256 of all that the server says of it."""


def defined(
    name: str, description: str, schema: Mapping[str, Any], output: Mapping[str, Any] | None
) -> Definition:
    """Return the definition of a tool from what the server says.

    Raises:
        ToolDefinitionError: the schema cannot be used.
    """
    said = json.dumps([name, description, schema, output], sort_keys=True, ensure_ascii=True)
    return Definition(
        name=name,
        description=_readable(description, MAX_DESCRIPTION_CHARS),
        schema=_with_readable_descriptions(object_schema(schema, printable(name, limit=80))),
        output_schema=None if output is None else _usable_output(output, name),
        digest=hashlib.sha256(said.encode()).hexdigest(),
    )


def wire_names(names: Sequence[str], prefix: str = "") -> dict[str, str]:
    """Return by the server's name the name that a model can use: 1 to 64 of `a-zA-Z0-9_-`.

    Names that differ stay different.
    """
    fitting = {name: _fitting(prefix + name) for name in names}
    counts: dict[str, int] = {}
    for fitted in fitting.values():
        counts[fitted] = counts.get(fitted, 0) + 1
    return {
        name: fitted if counts[fitted] == 1 or fitted == prefix + name else _marked(fitted, name)
        for name, fitted in fitting.items()
    }


def changes(old: Iterable[Definition], new: Iterable[Definition]) -> dict[str, str]:
    """Return what became of tools that were defined before: their names, each with what changed."""
    found = {one.name: one for one in new}
    told: dict[str, str] = {}
    for one in old:
        now = found.get(one.name)
        if now is None:
            told[one.name] = "it is gone"
        elif now.digest != one.digest:
            told[one.name] = _difference(one, now)
    return told


def _difference(old: Definition, new: Definition) -> str:
    if old.description != new.description:
        return "its description changed"
    if old.schema != new.schema:
        return "its parameters changed"
    return "its definition changed"


def _fitting(name: str) -> str:
    fitted = _NOT_IN_NAMES.sub("_", name)
    return fitted if len(fitted) <= _MAX_NAME else _marked(fitted, name)


def _marked(fitted: str, name: str) -> str:
    """Return the name with a mark of what it stands for, so that no other one is equal."""
    mark = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{fitted[: _MAX_NAME - 9]}_{mark}"


def _usable_output(schema: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    try:
        return object_schema(schema, printable(name, limit=80))
    except ToolDefinitionError as error:
        logger.warning("What an MCP tool returns will not be checked: %s", error)
        return None


def _readable(text: str, limit: int) -> str:
    text = without_unprintable(text[: 2 * limit]).strip()
    return text if len(text) <= limit else f"{text[:limit]}… [cut here]"


def _with_readable_descriptions(schema: Any) -> Any:
    if is_object(schema):
        return {
            key: _readable(value, MAX_DESCRIPTION_CHARS // 4)
            if key in ("description", "title") and isinstance(value, str)
            else _with_readable_descriptions(value)
            for key, value in schema.items()
        }
    if is_array(schema):
        return [_with_readable_descriptions(one) for one in schema]
    return schema

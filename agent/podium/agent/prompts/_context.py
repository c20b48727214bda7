"""What one rendering holds: its meter, the messages and the content parts it has met."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

from jinja2 import Environment
from jinja2.runtime import Context

from podium.agent.prompts._limits import PromptError
from podium.agent.prompts._meter import Meter
from podium.tools import ContentPart


class PartMark:
    """Stands for a content part until the message is rendered; it can only be printed."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        """Keep the text that marks the part's place."""
        self.text = text


class Parts:
    """The content parts of one rendering, and the marks that hold their places in its text.

    A mark holds a random token made for this rendering, so no value can contain one.
    """

    __slots__ = ("_parts", "_token")

    def __init__(self) -> None:
        """Start without parts; the token is made with the first one."""
        self._parts: dict[str, ContentPart] = {}
        self._token = ""

    def mark(self, part: ContentPart) -> PartMark:
        """Take a part in and return the mark for its place."""
        self._token = self._token or secrets.token_hex(16)
        mark = f"<{self._token}:{len(self._parts)}>"
        self._parts[mark] = part
        return PartMark(mark)

    def split(self, text: str) -> list[str | ContentPart]:
        """Return the rendered text as content: texts, and the parts whose marks stand in it.

        Raises:
            PromptError: a mark was changed after it was printed.
        """
        if not self._parts:
            return [text]
        pieces = re.split(f"(<{self._token}:[0-9]+>)", text)
        content = [self._parts.get(piece, piece) for piece in pieces]
        if any(isinstance(piece, str) and self._token in piece.lower() for piece in content):
            raise PromptError(
                f"One of {len(self._parts)} content parts was changed after it was put in place. "
                "Print {{ value | templatize_part }} as it is, without further filters."
            )
        return content


class PromptContext(Context):
    """The variables of one rendering, with what belongs to that rendering only."""

    def __init__(
        self,
        environment: Environment,
        parent: dict[str, Any],
        name: str | None,
        blocks: dict[str, Callable[[Context], Iterator[str]]],
        globals: MutableMapping[str, Any] | None = None,
    ) -> None:
        """Start a rendering."""
        super().__init__(environment, parent, name, blocks, globals)
        self.meter = Meter()
        self.parts = Parts()
        self.messages: list[tuple[object, object, str]] = []
        """Role, name and text of each message block, in the order they were rendered."""

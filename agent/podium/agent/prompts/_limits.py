"""How much a prompt template may be and do, and the counters that hold it to that."""

from __future__ import annotations

from podium.tools import PodiumError

MAX_SOURCE_CHARS = 256 * 1024
"""Length of a template."""
MAX_TOKENS = 5_000
"""Tokens of a template: names, operators, tags. Plain text between two tags is one token."""
MAX_DEPTH = 40
"""How deep expressions, tags and data nest, and how deep macros call each other."""
MAX_STEPS = 100_000
"""Work of one rendering: turns of loops and operations."""
MAX_TEXT_CHARS = 4 * 1024 * 1024
"""Length of one text: a value, what an operation makes of it, the rendered message."""
MAX_WORK_CHARS = 8 * MAX_TEXT_CHARS
"""Characters read and made in one rendering, all texts together."""
MAX_RANGE = 100_000
"""Numbers in one range()."""
ITEM_CHARS = 32
"""What going through one item of a list or dict counts for, in characters of work."""
CONTAINER_ITEMS = 12
"""What a list or dict counts for besides its items, in items."""
MAX_INTEGER_BITS = 4096
"""Size of a whole number made by an operation; about 1,200 digits."""


class PromptError(PodiumError, ValueError):
    """A prompt template that cannot be read, or cannot be rendered with the values given."""


class Allowance:
    """What may still be done: steps and characters, counted down."""

    __slots__ = ("_chars", "_steps")

    def __init__(self) -> None:
        """Start with all of it."""
        self._steps = MAX_STEPS
        self._chars = MAX_WORK_CHARS

    def step(self, count: int = 1) -> None:
        """Take `count` steps.

        Raises:
            PromptError: fewer are left.
        """
        self._steps -= count
        if self._steps < 0:
            raise PromptError(
                f"It takes more than {MAX_STEPS:,} steps (turns of loops, operations). "
                "Loop over fewer items, or prepare the text in Python and pass it as one value."
            )

    def read(self, chars: int) -> None:
        """Take `chars` characters of work.

        Raises:
            PromptError: fewer are left.
        """
        self._chars -= chars
        if self._chars < 0:
            raise PromptError(
                f"It goes through more than {MAX_WORK_CHARS:,} characters of text and items. "
                "Pass shorter values, or prepare the text in Python and pass it as one value."
            )

    def items(self, count: int) -> None:
        """Take the work of going through a container of `count` items.

        Raises:
            PromptError: less is left.
        """
        self.read((CONTAINER_ITEMS + count) * ITEM_CHARS)

    def text(self, chars: int) -> None:
        """Take the work of one text of `chars` characters; call it before the text is made.

        Raises:
            PromptError: the text is longer than one text may be, or too little is left.
        """
        if chars > MAX_TEXT_CHARS:
            raise PromptError(
                f"It holds or makes a text of {chars:,} characters, and {MAX_TEXT_CHARS:,} is the "
                "most. Shorten the text before you pass it."
            )
        self.read(chars)

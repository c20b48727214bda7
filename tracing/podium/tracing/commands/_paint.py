"""Colors for lines that are written past rich, and the marks an output can show."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

_MARK = "x"


class Paint:
    """Puts a style's codes around text; none where the output is no terminal or wants no color."""

    def __init__(self, console: Console) -> None:
        """Ask the console once for the codes of each style."""
        self._console = console
        self._codes: dict[str, tuple[str, str]] = {}
        self.is_ascii = console.options.ascii_only
        """Whether the output can show no lines and blocks."""

    def __call__(self, text: str, style: str) -> str:
        """Return the text in this style."""
        if not (text and style):
            return text
        if style not in self._codes:
            with self._console.capture() as captured:
                self._console.print(Text(_MARK, style=style), end="")
            before, _, after = captured.get().partition(_MARK)
            self._codes[style] = before, after
        before, after = self._codes[style]
        return f"{before}{text}{after}"

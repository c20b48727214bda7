"""PromptTemplate: one prompt, compiled once and rendered for each run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

from jinja2 import Template

from podium.agent.messages import ChatMessage
from podium.agent.prompts._compile import CompiledPrompt, compile_prompt
from podium.agent.prompts._context import PromptContext
from podium.agent.prompts._limits import MAX_TEXT_CHARS, Allowance, PromptError
from podium.agent.prompts._message import build_message
from podium.agent.prompts._sandbox import Missing
from podium.agent.prompts._values import plain
from podium.tools import printable


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """A prompt with variables, compiled once; render it as often as you like, in any thread.

    Plain text is the whole message; `{% message role="user" name="Ann" %}...{% endmessage %}`
    marks it where names are wanted or other tags stand around it. The filter `templatize_part`
    puts an image, a file or a text into the message as a part of its own:
    `{{ photo | templatize_part }}`.

    >>> PromptTemplate("Hello {{ name }}.", role="user").render({"name": "Ann"}).text
    'Hello Ann.'
    """

    source: str
    """The template's text."""
    role: Literal["system", "user"] = field(kw_only=True)
    """The role of the message it renders."""
    _compiled: CompiledPrompt = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Compile the template.

        Raises:
            PromptError: it is no valid template, or holds a message block that does not fit.
        """
        object.__setattr__(self, "_compiled", compile_prompt(self.source, self.role))

    @property
    def variables(self) -> frozenset[str]:
        """The names of the values it takes."""
        return self._compiled.variables

    def render(
        self,
        values: Mapping[str, object],
        *,
        required: Literal["*"] | Sequence[str] | None = "*",
    ) -> ChatMessage:
        """Return the message, with `values` in their places.

        `required` names the variables that must be given: all (`"*"`), those in a list, or none.
        An optional one that is not given is empty. Values of other names are not looked at.

        Raises:
            PromptError: a required variable is not given, a name is not defined, the template does
                or makes more than it may, or no message or an empty one comes of it.
        """
        self._check_required(values, required)
        output, context = self._rendered(values)
        return build_message(output, context, self.role, self._compiled.has_block)

    def _check_required(
        self, values: Mapping[str, object], required: Literal["*"] | Sequence[str] | None
    ) -> None:
        named = {required} if isinstance(required, str) else set(required or ())
        wanted = self.variables if required == "*" else self.variables & named
        missing = sorted(name for name in wanted if name not in values)
        if missing:
            names = ", ".join(map(repr, missing))
            raise PromptError(
                f"The {self.role} prompt needs values that were not given: {printable(names)}. "
                "Pass them to run(), or leave them out of required_variables."
            )

    def _rendered(self, values: Mapping[str, object]) -> tuple[str, PromptContext]:
        template = self._compiled.template
        try:
            context = cast("PromptContext", template.new_context(self._given(values)))
            return _joined(template.root_render_func(context)), context
        except Exception as error:  # an expression can fail in any way that Python can
            line = _line(error, template)
            place = f" (line {line})" if line else ""
            raise PromptError(
                f"The {self.role} prompt cannot be rendered{place}: {_reason(error)}"
            ) from error

    def _given(self, values: Mapping[str, object]) -> dict[str, object]:
        allowance = Allowance()
        return {
            name: _plain(name, values[name], allowance) if name in values else Missing(name=name)
            for name in self.variables
        }


def _plain(name: str, value: object, allowance: Allowance) -> object:
    try:
        return plain(value, allowance)
    except PromptError as error:
        raise PromptError(f"the value of {name!r} cannot be used. {error}") from error


def _joined(pieces: Iterable[str]) -> str:
    """Return the pieces as one text, and stop as soon as they are too long."""
    kept: list[str] = []
    length = 0
    for piece in pieces:
        length += len(piece)
        if length > MAX_TEXT_CHARS:
            raise PromptError(
                f"The message grows over {MAX_TEXT_CHARS:,} characters. Pass shorter values, or "
                "loop over fewer items."
            )
        kept.append(piece)
    return "".join(kept)


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it nests too deep. Make its data, loops and macros flatter."
    reason = printable(str(error) or type(error).__name__, limit=260).rstrip(".")
    if isinstance(error, PromptError):
        return f"{reason}."
    return f"{reason}. Correct the template there, or give the value it needs."


def _line(error: Exception, template: Template) -> int | None:
    """Return the line of the template that failed, where the error came from one."""
    line = None
    frame = error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename == template.filename:
            line = template.get_corresponding_lineno(frame.tb_lineno)
        frame = frame.tb_next
    return line

"""Answers of a declared type: asked for, validated, and asked for again with the reason."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from podium.agent.errors import OutputError
from podium.agent.messages import ChatMessage

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError

    from podium.agent._agent import Agent
    from podium.agent._run_state import RunState

MAX_RETRIES = 2
"""How often an answer that does not fit is asked for again."""

MAX_CHARS = 4_000_000
"""A longer answer is not even read: no model writes a million tokens."""

_FENCE = re.compile(r"^\s*```[a-zA-Z]*\s*\n(.*?)\n?\s*```\s*$", re.DOTALL)


class OutputContract:
    """What an agent's answer must be: a type, its JSON schema, and its validator."""

    def __init__(self, output_type: Any) -> None:
        """Build the validator once.

        Raises:
            TypeError: pydantic cannot validate the type.
        """
        from pydantic import TypeAdapter  # heavy, and only needed for agents with an output type
        from pydantic.errors import PydanticUserError

        try:
            self.adapter: TypeAdapter[Any] = TypeAdapter(output_type)
            self.schema: dict[str, Any] = self.adapter.json_schema()
        except (PydanticUserError, SyntaxError, NameError) as error:  # the latter two: it is text
            why = str(error).partition("\n")[0].rstrip(".")  # pydantic goes on for a page
            raise TypeError(
                f"output_type={output_type!r:.80} cannot be validated: {why:.160}. "
                "Use a pydantic model, a dataclass, a TypedDict or a built-in type."
            ) from error
        self.name = getattr(output_type, "__name__", "output")

    def instruction_for(self, generator: object) -> str:
        """Return what tells a model how to answer; empty when the generator sees to that itself."""
        if getattr(generator, "supports_structured_output", False):
            return ""
        return (
            "Give your final answer as one JSON value that fits this JSON schema, and nothing else:"
            f"\n{json.dumps(self.schema, ensure_ascii=False)}"
        )

    def response_format(self) -> dict[str, Any]:
        """Return what asks a model with structured output to keep to the schema."""
        schema = {"name": re.sub(r"[^a-zA-Z0-9_-]", "_", self.name)[:64], "schema": self.schema}
        return {"type": "json_schema", "json_schema": schema}

    def validate(self, text: str) -> Any:
        """Return the typed answer; a code fence around it is taken off first.

        Raises:
            ValidationError: the text is not JSON, or does not fit.
        """
        fenced = _FENCE.match(text)
        return self.adapter.validate_json(fenced.group(1) if fenced else text)


def output_options(agent: Agent, kwargs: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return the model's parameters, with the output's schema where the model can keep to one."""
    contract = agent.contract
    if contract is None or not getattr(agent.chat_generator, "supports_structured_output", False):
        return kwargs
    return {"response_format": contract.response_format(), **(kwargs or {})}


def take_output(run: RunState, reply: ChatMessage) -> bool:
    """Validate the reply's text and keep the output; on a misfit say why to the model.

    Returns False when the model is asked again.

    Raises:
        OutputError: the answer did not fit for the third time.
    """
    contract = run.agent.contract
    if contract is None:
        return True
    from pydantic import ValidationError  # loaded by now, with the contract

    text = reply.text or ""
    try:
        if len(text) > MAX_CHARS:
            raise _TooLongError(text)
        run.output = contract.validate(text)
    except (ValidationError, _TooLongError) as error:
        run.output_attempts += 1
        reasons = str(error) if isinstance(error, _TooLongError) else _reasons(error)
        if run.output_attempts > MAX_RETRIES:
            raise OutputError(
                f"Agent {run.context.name!r} gave {run.output_attempts} answers, and none was a "
                f"valid {contract.name}: {reasons} The last one was: {text[:200]!r}. "
                "Say in the prompt what is expected, or loosen the type.",
                last_raw=text,
                attempts=run.output_attempts,
            ) from error
        run.add(
            ChatMessage.from_user(
                f"Your answer is not a valid {contract.name}: {reasons} "
                "Answer again with the corrected JSON only."
            )
        )
        return False
    return True


class _TooLongError(Exception):
    """An answer is not worth reading; the model is told, like of any other misfit."""

    def __init__(self, text: str) -> None:
        super().__init__(f"it has {len(text):,} characters, and at most {MAX_CHARS:,} are read.")


def _reasons(error: ValidationError) -> str:
    details = error.errors(include_url=False, include_context=False, include_input=False)
    told = [
        f"{'.'.join(str(place) for place in item['loc']) or 'answer'}: {item['msg']}"
        for item in details[:8]
    ]
    return "; ".join(told) + "."

"""What was read of a reply, and the message it becomes: the same for whole and streamed answers."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from podium.agent.messages import ChatMessage, ReasoningContent
from podium.agent.models._openai.json_text import encode
from podium.agent.models._openai.wire import UNNAMED_TOOL
from podium.tools import ToolCall, clean_json, clean_text
from podium.tools._arguments import parse_arguments

REASONING_FIELDS = ("reasoning_content", "reasoning")
"""Where providers put the model's thinking; it goes back under the name it came with."""

FINISH_REASONS = {
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "max_completion_tokens": "length",
    "model_length": "length",
    "tool_calls": "tool_calls",
    "tool_call": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "function_calls": "tool_calls",
    "content_filter": "content_filter",
    "content_filtered": "content_filter",
    "content-filter": "content_filter",
    "safety": "content_filter",
    "recitation": "content_filter",
    "blocklist": "content_filter",
    "prohibited_content": "content_filter",
    "spii": "content_filter",
    "sensitive": "content_filter",
    "guardrail_intervened": "content_filter",
    "refusal": "content_filter",
}
"""What podium calls the reasons for an end, by the provider's word in lower case; else stop."""

# Fields with a meaning of their own here, and fields that a request may not contain.
_KNOWN_FIELDS = frozenset(
    {"role", "content", "tool_calls", "function_call", "refusal", "index", "name"}
    | {"annotations", "audio", "parsed"}
)


@dataclass(slots=True)
class ReplyDraft:
    """What was read of one reply before it becomes a message."""

    index: int = 0
    """Which of the answer's choices it is."""
    text: str = ""
    reasoning: str = ""
    reasoning_field: str = ""
    """The provider's name for the reasoning; empty when it came within the content."""
    reasoning_extra: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the provider needs back with the reasoning."""
    refusal: str = ""
    calls: Sequence[ToolCall] = ()
    finish_reason: str | None = None
    """As the provider spelled it."""
    logprobs: object = None
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Fields that podium does not know, which the provider may want back."""

    def to_message(self, meta: Mapping[str, Any]) -> ChatMessage:
        """Return the message; `meta` is what all replies of the answer share."""
        calls = with_unique_ids(self.calls)
        reason = normal_finish_reason(self.finish_reason, has_calls=bool(calls))
        facts = {**meta, "index": self.index, "finish_reason": reason}
        if self.finish_reason and self.finish_reason != reason:
            facts["raw_finish_reason"] = self.finish_reason
        if self.refusal:
            facts["refusal"] = clean_text(self.refusal)
        if self.logprobs:
            facts["logprobs"] = self.logprobs
        if self.extra:
            facts["provider_fields"] = clean_json(dict(self.extra))
        reasoning = None
        if self.reasoning or self.reasoning_extra:
            origin = dict(self.reasoning_extra)
            if self.reasoning_field:
                origin["field"] = self.reasoning_field
            reasoning = ReasoningContent(clean_text(self.reasoning), origin)
        return ChatMessage.from_assistant(
            self.text or None, tool_calls=calls, meta=facts, reasoning=reasoning
        )


def normal_finish_reason(raw: str | None, *, has_calls: bool) -> str:
    """Return podium's word for the provider's: stop, length, tool_calls or content_filter.

    A word nobody knows is no failure: the reply says by itself what it is.
    """
    known = FINISH_REASONS.get(raw.lower(), "stop") if raw else "stop"
    return "tool_calls" if known == "stop" and has_calls else known


def with_unique_ids(calls: Iterable[ToolCall]) -> list[ToolCall]:
    """Return the calls with an id each: made up where there is none, or where it is taken."""
    taken: set[str] = set()
    unique: list[ToolCall] = []
    for call in calls:
        identity = call.id if call.id and call.id not in taken else f"call_{secrets.token_hex(8)}"
        taken.add(identity)
        if identity != call.id:
            call = ToolCall(call.tool_name, call.arguments, identity, call.problem, call.extra)
        unique.append(call)
    return unique


def make_call(
    name: str, arguments: object, identity: str = "", extra: Mapping[str, Any] | None = None
) -> ToolCall:
    """Return a tool call; arguments that cannot be read leave it with a `problem`."""
    read, problem = parse_arguments(arguments)
    kept = cast("dict[str, object]", clean_json(dict(extra))) if extra else None
    named = clean_text(name) or UNNAMED_TOOL
    return ToolCall(named, read, clean_text(identity) or None, problem, kept)


def read_calls(message: Mapping[str, Any]) -> list[ToolCall]:
    """Return the tool calls of a whole message, also the one of the older `function_call`."""
    asked = message.get("tool_calls")
    listed = as_list(asked) or [asked]  # a call by itself is a list of one
    calls = [_call(call) for call in map(as_mapping, listed) if call]
    legacy = message.get("function_call")
    if not calls and isinstance(legacy, Mapping):
        calls = [_call({"function": legacy})]
    return calls


def content_pieces(content: object) -> tuple[str, str, str]:
    """Return text, thinking and refusal of a message's content: null, text or a list of parts."""
    if content is None or isinstance(content, str):
        return content or "", "", ""
    if not isinstance(content, list):
        return encode(content).decode(), "", ""
    found = {"text": "", "thinking": "", "refusal": ""}
    for part in cast("list[object]", content):
        if isinstance(part, Mapping):
            fields = cast("Mapping[str, object]", part)
            kind = next((key for key in ("thinking", "refusal") if key in fields), "text")
            found[kind] += content_pieces(fields.get(kind))[0]
        else:
            found["text"] += as_text(part)
    return found["text"], found["thinking"], found["refusal"]


def is_unknown_field(key: str, value: object) -> bool:
    """Return whether this field of a message says something that podium has no word for."""
    if not value or key in _KNOWN_FIELDS:
        return False
    return key not in REASONING_FIELDS or not isinstance(value, str)


def as_text(value: object) -> str:
    """Return text as it is, nothing as empty text, and anything else as its `str`."""
    return value if isinstance(value, str) else "" if value is None else str(value)


def as_mapping(value: object) -> Mapping[str, Any]:
    """Return an object as it is, and anything else as an empty one."""
    # JSON makes dicts, and asking that is ten times faster than asking for any mapping.
    is_object = type(value) is dict or isinstance(value, Mapping)
    return cast("Mapping[str, Any]", value) if is_object else {}


def as_list(value: object) -> list[Any]:
    """Return a list as it is, and anything else as an empty one."""
    return value if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType]


def _call(call: Mapping[str, Any]) -> ToolCall:
    function, known = call.get("function"), {"id", "index", "type", "function"}
    if not isinstance(function, Mapping):  # some servers put the name beside the id
        function, known = call, known | {"name", "arguments"}
    facts = cast("Mapping[str, Any]", function)
    extra = {key: value for key, value in call.items() if key not in known}
    name, identity = as_text(facts.get("name")), as_text(call.get("id"))
    return make_call(name, facts.get("arguments"), identity, extra)

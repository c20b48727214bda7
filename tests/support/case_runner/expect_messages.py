"""Expectations about messages: results sent to the model, streams put together, valid histories."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from case_runner.run import Outcome
from case_runner.wire import history_faults, results_of, wire_messages
from podium.agent import ChatMessage

_CONTENT_TYPES: dict[str, type] = {
    "string": str,
    "str": str,
    "text": str,
    "list": list,
    "array": list,
}


def tool_messages(outcome: Outcome, wanted: Sequence[dict[str, Any]]) -> Iterator[str]:
    for batch in wanted:
        sent = outcome.requests_of(batch.get("agent"))
        number: int = batch["request"]
        if len(sent) <= number:
            yield f"there is no request {number}"
            continue
        results = results_of(sent[number]["messages"], batch.get("turn"))
        for rule in batch["messages"]:
            position: int = rule["call"]
            if position >= len(results):
                yield f"there is no result {position}"
            else:
                yield from _result_faults(outcome, results[position], rule)


def _result_faults(
    outcome: Outcome, result: Mapping[str, Any], rule: Mapping[str, Any]
) -> Iterator[str]:
    text = str(result["content"])
    low = text.lower()
    yield from (
        f"{w!r} is not in {text!r}" for w in rule.get("contains", []) if w.lower() not in low
    )
    yield from (f"{w!r} is in {text!r}" for w in rule.get("not_contains", []) if w.lower() in low)
    if "contains_any" in rule and not any(w.lower() in low for w in rule["contains_any"]):
        yield f"none of {rule['contains_any']} is in {text!r}"
    if "equals" in rule and text != rule["equals"]:
        yield f"it is {text!r}"
    if "json" in rule and json.loads(text) != rule["json"]:
        yield f"it is {text!r}"
    if rule.get("nonempty") and not text.strip():
        yield "it is empty"
    if len(text) > rule.get("max_chars", len(text)):
        yield f"it has {len(text)} characters"
    if "content_type" in rule and not isinstance(
        result["content"], _CONTENT_TYPES[rule["content_type"]]
    ):
        yield f"its content is a {type(result['content']).__name__}"
    if "is_error" in rule and _is_error(outcome, result) is not rule["is_error"]:
        yield f"it is marked error={not rule['is_error']}: {text!r}"


def _is_error(outcome: Outcome, result: Mapping[str, Any]) -> bool:
    marks = [
        answer.error
        for message in outcome.messages
        for answer in message.tool_call_results
        if answer.origin.id == result["tool_call_id"] and answer.text == result["content"]
    ]
    return any(marks)


def valid_history(outcome: Outcome, wanted: bool) -> Iterator[str]:
    for number, body in enumerate(outcome.requests_of(None)):
        yield from (f"request {number}: {fault}" for fault in history_faults(body["messages"]))
    yield from (f"result: {f}" for f in history_faults(wire_messages(outcome.messages)))


def _assistant(outcome: Outcome) -> ChatMessage | None:
    return next((one for one in outcome.messages if one.is_from("assistant")), None)


def message(outcome: Outcome, wanted: Mapping[str, Any]) -> Iterator[str]:
    message = _assistant(outcome)
    if message is None:
        yield "there is no assistant message"
        return
    if (message.text or "") != (wanted.get("content", message.text) or ""):
        yield f"content is {message.text!r}"
    calls = [{"name": c.tool_name, "arguments": dict(c.arguments)} for c in message.tool_calls]
    if "tool_calls" in wanted and calls != wanted["tool_calls"]:
        yield f"tool_calls are {calls}"
    if "refusal" in wanted and message.meta.get("refusal") != wanted["refusal"]:
        yield f"refusal is {message.meta.get('refusal')!r}"
    thought = message.reasoning.reasoning_text if message.reasoning else None
    if "reasoning" in wanted and thought != wanted["reasoning"]:
        yield f"reasoning is {thought!r}"


def _finish(outcome: Outcome) -> str:
    message = _assistant(outcome)
    return str(message.meta.get("finish_reason")) if message is not None else "none"


def finish(outcome: Outcome, wanted: str) -> Iterator[str]:
    if _finish(outcome) != wanted:
        yield f"it is {_finish(outcome)!r}"


def finish_not(outcome: Outcome, wanted: Sequence[str]) -> Iterator[str]:
    if _finish(outcome) in wanted:
        yield f"it is {_finish(outcome)!r}"


def ids(outcome: Outcome, wanted: str | list[str]) -> Iterator[str]:
    message = _assistant(outcome)
    ids = [call.id for call in message.tool_calls] if message is not None else []
    good = all(ids) and len(set(ids)) == len(ids) if wanted == "nonempty_unique" else ids == wanted
    if not good:
        yield f"they are {ids}"


def types(outcome: Outcome, wanted: list[str]) -> Iterator[str]:
    message = _assistant(outcome)
    sent: list[dict[str, Any]] = []
    if message is not None:
        sent = wire_messages([message])[0].get("tool_calls") or []
    found = [call["type"] for call in sent]
    if found != wanted:
        yield f"they are {found}"


def drives_tools(outcome: Outcome, wanted: bool) -> Iterator[str]:
    if bool(outcome.executed) is not wanted:
        yield f"executed: {outcome.executed}"


def incomplete(outcome: Outcome, wanted: bool) -> Iterator[str]:
    if (
        outcome.error is None
        and outcome.result is not None
        and outcome.result.exit_reason == "text"
    ):
        yield "it ended as a good answer"


def requests_utf8(outcome: Outcome, wanted: bool) -> Iterator[str]:
    for number, one in enumerate(outcome.requests):
        try:
            one.raw.decode("utf-8")
            json.dumps(one.body, ensure_ascii=False).encode("utf-8")
        except UnicodeError as error:
            yield f"request {number}: {error}"


def nowhere(outcome: Outcome, wanted: Sequence[str]) -> Iterator[str]:
    everything = json.dumps(outcome.requests_of(None), ensure_ascii=False) + str(outcome.result)
    everything += str(outcome.messages)
    yield from (f"{w!r} was found" for w in wanted if w in everything)


CHECKS: dict[str, Callable[[Outcome, Any], Iterator[str]]] = {
    "tool_messages": tool_messages,
    "valid_history": valid_history,
    "message": message,
    "finish": finish,
    "finish_not": finish_not,
    "ids": ids,
    "types": types,
    "drives_tools": drives_tools,
    "incomplete": incomplete,
    "requests_utf8": requests_utf8,
    "nowhere": nowhere,
}

"""Holding what came of a case against what it expects; each check returns what is wrong, or nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from podium.agent import Agent
from case_runner import expect_schema
from case_runner.build import ROOT
from case_runner.run import Outcome
from case_runner.wire import history_faults, results_of, wire_messages

Check = Callable[[Outcome, Any], Iterator[str]]

EXITS = {"max_steps": "max_agent_steps", "budget": "budget_exceeded"}


def faults(outcome: Outcome, expect: Mapping[str, Any]) -> list[str]:
    """Return everything in which the outcome is not what was expected; empty when all is well."""
    found: list[str] = []
    if "raises" not in expect and "any_of" not in expect and expect.get("ok", True):
        found.extend(_ok(outcome))
    for key, wanted in expect.items():
        if key == "any_of":
            tries = [faults(outcome, {**one, **_without_outcome(one)}) for one in wanted]
            if all(tries):
                found.append(f"none of any_of: {tries}")
        elif key in CHECKS:
            found.extend(f"{key}: {fault}" for fault in CHECKS[key](outcome, wanted))
        else:
            found.append(f"the runner does not know the key {key!r}")
    return found


def _without_outcome(one: Mapping[str, Any]) -> dict[str, Any]:
    """An alternative that says nothing of success asks for none."""
    return {} if "ok" in one or "raises" in one else {"ok": None}


def _ok(outcome: Outcome) -> Iterator[str]:
    if outcome.error is not None:
        yield f"raised {type(outcome.error).__name__}: {outcome.error}"


def _check_ok(outcome: Outcome, wanted: bool | None) -> Iterator[str]:
    if wanted:
        yield from _ok(outcome)


def _check_raises(outcome: Outcome, wanted: Mapping[str, Any]) -> Iterator[str]:
    error = outcome.error
    if error is None:
        yield "nothing was raised"
        return
    said = str(error).lower()
    for word in wanted.get("about", []):
        if word.lower() not in said:
            yield f"{word!r} is not in {said!r}"
    if "about_any" in wanted and not any(word.lower() in said for word in wanted["about_any"]):
        yield f"none of {wanted['about_any']} is in {said!r}"
    for word in wanted.get("not_about", []):
        if word.lower() in said:
            yield f"{word!r} is in {said!r}"
    names = [kind.__name__ for kind in type(error).__mro__]
    if "type" in wanted and wanted["type"] not in names:
        yield f"it is a {type(error).__name__}"
    if any(kind in names for kind in wanted.get("not_type", [])):
        yield f"it is a {type(error).__name__}"


def _check_when(outcome: Outcome, wanted: str) -> Iterator[str]:
    if outcome.phase not in wanted and "first run" not in wanted:
        yield f"it came in phase {outcome.phase}"


def _check_text(outcome: Outcome, wanted: str) -> Iterator[str]:
    if outcome.text != wanted:
        yield f"it is {outcome.text!r}"


def _check_text_contains(outcome: Outcome, wanted: Sequence[str]) -> Iterator[str]:
    yield from (f"{w!r} is not in {outcome.text!r}" for w in wanted if w not in outcome.text)


def _check_text_not_contains(outcome: Outcome, wanted: Sequence[str]) -> Iterator[str]:
    yield from (f"{w!r} is in {outcome.text!r}" for w in wanted if w in outcome.text)


def _check_text_not(outcome: Outcome, wanted: Sequence[str]) -> Iterator[str]:
    if outcome.text in wanted:
        yield f"it is {outcome.text!r}"


def _exit(outcome: Outcome) -> str:
    return outcome.result.exit_reason if outcome.result is not None else "raised"


def _check_exit(outcome: Outcome, wanted: str) -> Iterator[str]:
    yield from _check_exit_in(outcome, [wanted])


def _check_exit_in(outcome: Outcome, wanted: Sequence[str]) -> Iterator[str]:
    reason = _exit(outcome)
    names = [EXITS.get(name, name).removeprefix("tool:") for name in wanted]
    if not any(reason == name or (name in EXITS.values() and name in reason) for name in names):
        yield f"it is {reason!r}"


def _check_exit_not(outcome: Outcome, wanted: Sequence[str]) -> Iterator[str]:
    if _exit(outcome) in [EXITS.get(name, name) for name in wanted]:
        yield f"it is {_exit(outcome)!r}"


def _number(found: int, wanted: int | Mapping[str, int]) -> Iterator[str]:
    most = wanted if isinstance(wanted, int) else wanted["max"]
    least = wanted if isinstance(wanted, int) else 0
    if not least <= found <= most:
        yield f"there were {found}"


def _check_requests(outcome: Outcome, wanted: Any) -> Iterator[str]:
    yield from _number(len(outcome.requests), wanted)


def _check_requests_by_agent(outcome: Outcome, wanted: Mapping[str, Any]) -> Iterator[str]:
    for agent, number in wanted.items():
        yield from _number(len(outcome.requests_of(agent)), number)


def _check_executed(outcome: Outcome, wanted: Sequence[Any]) -> Iterator[str]:
    left = [[name, _plain(arguments)] for name, arguments in outcome.executed]
    for one in wanted:
        if one in left:
            left.remove(one)
        else:
            yield f"{one} is not in {outcome.executed}"
    if left:
        yield f"{left} ran too"


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(value, default=str))


def _check_executed_order(outcome: Outcome, wanted: bool) -> Iterator[str]:
    """The order itself is compared by `_check_order`, which sees both keys."""
    return iter(())


def _check_not_executed(outcome: Outcome, wanted: Sequence[str]) -> Iterator[str]:
    yield from (f"{name} ran" for name, _ in outcome.executed if name in wanted)


def _check_executed_count(outcome: Outcome, wanted: Any) -> Iterator[str]:
    yield from _number(len(outcome.executed), wanted)


def _check_never_executed_with(outcome: Outcome, wanted: Sequence[Any]) -> Iterator[str]:
    for rule in wanted:
        for name, arguments in outcome.executed:
            if name != rule["tool"] or rule["param"] not in arguments:
                continue
            value = arguments[rule["param"]]
            if "value" in rule and value == rule["value"] and type(value) is type(rule["value"]):
                yield f"{name} ran with {rule['param']}={value!r}"
            if "not_type" in rule and type(value).__name__ != rule["not_type"]:
                yield f"{name} ran with {rule['param']} of type {type(value).__name__}"


def _check_tool_messages(outcome: Outcome, wanted: Sequence[Any]) -> Iterator[str]:
    for batch in wanted:
        sent = outcome.requests_of(batch.get("agent", None))
        if len(sent) <= batch["request"]:
            yield f"there is no request {batch['request']}"
            continue
        results = results_of(sent[batch["request"]]["messages"], batch.get("turn"))
        for rule in batch["messages"]:
            if rule["call"] >= len(results):
                yield f"there is no result {rule['call']}"
            else:
                yield from _result_faults(outcome, results[rule["call"]], rule)


def _result_faults(
    outcome: Outcome, result: Mapping[str, Any], rule: Mapping[str, Any]
) -> Iterator[str]:
    text = str(result["content"])
    low = text.lower()
    yield from (f"{w!r} is not in {text!r}" for w in rule.get("contains", []) if w.lower() not in low)
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


def _check_valid_history(outcome: Outcome, wanted: bool) -> Iterator[str]:
    for number, body in enumerate(outcome.requests_of(None)):
        yield from (f"request {number}: {fault}" for fault in history_faults(body["messages"]))
    yield from (f"result: {f}" for f in history_faults(wire_messages(outcome.messages)))


def _check_usage(outcome: Outcome, wanted: Mapping[str, int]) -> Iterator[str]:
    assert outcome.result is not None
    usage = outcome.result.usage
    found = {"input": usage.input_tokens, "output": usage.output_tokens, "total": usage.total_tokens}
    if found != wanted:
        yield f"it is {found}"
    raw = outcome.result["token_usage"]
    if raw.get("total_tokens") != wanted["total"]:
        yield f"token_usage is {raw}"


def _check_usage_own(outcome: Outcome, wanted: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    assert outcome.result is not None
    for name, numbers in wanted.items():
        own = [n.own for n in outcome.result.usage_tree.walk() if n.name == name]
        total = sum(one.total_tokens for one in own)
        if total != numbers["total"]:
            yield f"{name} has {total}"


def _assistant(outcome: Outcome) -> Any:
    return next((one for one in outcome.messages if one.is_from("assistant")), None)


def _check_message(outcome: Outcome, wanted: Mapping[str, Any]) -> Iterator[str]:
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


def _check_finish(outcome: Outcome, wanted: str) -> Iterator[str]:
    if _finish(outcome) != wanted:
        yield f"it is {_finish(outcome)!r}"


def _check_finish_not(outcome: Outcome, wanted: Sequence[str]) -> Iterator[str]:
    if _finish(outcome) in wanted:
        yield f"it is {_finish(outcome)!r}"


def _check_ids(outcome: Outcome, wanted: str | list[str]) -> Iterator[str]:
    message = _assistant(outcome)
    ids = [call.id for call in message.tool_calls] if message is not None else []
    good = all(ids) and len(set(ids)) == len(ids) if wanted == "nonempty_unique" else ids == wanted
    if not good:
        yield f"they are {ids}"


def _check_drives_tools(outcome: Outcome, wanted: bool) -> Iterator[str]:
    if bool(outcome.executed) is not wanted:
        yield f"executed: {outcome.executed}"


def _check_incomplete(outcome: Outcome, wanted: bool) -> Iterator[str]:
    if outcome.error is None and _exit(outcome) == "text":
        yield "it ended as a good answer"


def _check_requests_utf8(outcome: Outcome, wanted: bool) -> Iterator[str]:
    for number, one in enumerate(outcome.requests):
        try:
            one.raw.decode("utf-8")
            json.dumps(one.body, ensure_ascii=False).encode("utf-8")
        except UnicodeError as error:
            yield f"request {number}: {error}"


def _check_nowhere(outcome: Outcome, wanted: Sequence[str]) -> Iterator[str]:
    everything = json.dumps(outcome.requests_of(None), ensure_ascii=False) + str(outcome.result)
    everything += str(outcome.messages)
    yield from (f"{w!r} was found" for w in wanted if w in everything)


def _check_wall_seconds(outcome: Outcome, wanted: Mapping[str, float]) -> Iterator[str]:
    if outcome.seconds > wanted["max"]:
        yield f"it took {outcome.seconds:.1f} s"


def _check_state(outcome: Outcome, wanted: Mapping[str, Any]) -> Iterator[str]:
    assert outcome.result is not None
    for key, value in wanted.items():
        if outcome.result.get(key) != value:
            yield f"{key} is {outcome.result.get(key)!r}"


def _check_hook_counts(outcome: Outcome, wanted: Mapping[str, int]) -> Iterator[str]:
    for point, number in wanted.items():
        if outcome.hook_log.count(point) != number:
            yield f"{point} was called {outcome.hook_log.count(point)} times"


def _check_hook_log(outcome: Outcome, wanted: Sequence[str]) -> Iterator[str]:
    if outcome.hook_log != wanted:
        yield f"it is {outcome.hook_log}"


def _check_system_equals(outcome: Outcome, wanted: str) -> Iterator[str]:
    yield from _role_equals(outcome, "system", wanted)


def _check_user_equals(outcome: Outcome, wanted: str) -> Iterator[str]:
    yield from _role_equals(outcome, "user", wanted)


def _role_equals(outcome: Outcome, role: str, wanted: str) -> Iterator[str]:
    sent = [m["content"] for m in outcome.requests_of(ROOT)[0]["messages"] if m["role"] == role]
    if sent != [wanted]:
        yield f"it is {sent}"


def template_faults(sources: Sequence[str], expect: Mapping[str, Any]) -> list[str]:
    """Hold each of several templates, as a system prompt, against the same expectation."""
    from podium.agent.testing import ScriptedChatGenerator

    import time

    found: list[str] = []
    for source in sources:
        outcome, started = Outcome(phase="run"), time.monotonic()
        try:
            agent = Agent(chat_generator=ScriptedChatGenerator(["done"]), system_prompt=source)
            outcome.result = agent.run("go")
        except Exception as error:
            outcome.error = error
        outcome.seconds = time.monotonic() - started
        found.extend(f"{source!r}: {fault}" for fault in faults(outcome, expect))
    return found


CHECKS: dict[str, Check] = {
    name.removeprefix("_check_"): check
    for name, check in list(globals().items())
    if name.startswith("_check_")
}
CHECKS |= {"requests_tree": _check_requests, "usage_tree": _check_usage}
CHECKS |= expect_schema.CHECKS

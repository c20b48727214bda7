"""Expectations about how a run went: its ending, its text, its requests, and what was executed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from case_runner.build import ROOT
from case_runner.run import Outcome

EXITS = {"max_steps": "max_agent_steps", "budget": "budget_exceeded"}


def ok(outcome: Outcome, wanted: bool | None) -> Iterator[str]:
    if wanted and outcome.error is not None:
        yield f"raised {type(outcome.error).__name__}: {outcome.error}"


def raises(outcome: Outcome, wanted: Mapping[str, Any]) -> Iterator[str]:
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


def when(outcome: Outcome, wanted: str) -> Iterator[str]:
    if outcome.phase not in wanted and "first run" not in wanted:
        yield f"it came in phase {outcome.phase}"


def text(outcome: Outcome, wanted: str) -> Iterator[str]:
    if outcome.text != wanted:
        yield f"it is {outcome.text!r}"


def text_contains(outcome: Outcome, wanted: Sequence[str]) -> Iterator[str]:
    yield from (f"{w!r} is not in {outcome.text!r}" for w in wanted if w not in outcome.text)


def text_not_contains(outcome: Outcome, wanted: Sequence[str]) -> Iterator[str]:
    yield from (f"{w!r} is in {outcome.text!r}" for w in wanted if w in outcome.text)


def text_not(outcome: Outcome, wanted: Sequence[str]) -> Iterator[str]:
    if outcome.text in wanted:
        yield f"it is {outcome.text!r}"


def _exit(outcome: Outcome) -> str:
    return outcome.result.exit_reason if outcome.result is not None else "raised"


def exit_reason(outcome: Outcome, wanted: str) -> Iterator[str]:
    yield from exit_in(outcome, [wanted])


def exit_in(outcome: Outcome, wanted: Sequence[str]) -> Iterator[str]:
    reason = _exit(outcome)
    names = [EXITS.get(name, name).removeprefix("tool:") for name in wanted]
    if not any(reason == name or (name in EXITS.values() and name in reason) for name in names):
        yield f"it is {reason!r}"


def exit_not(outcome: Outcome, wanted: Sequence[str]) -> Iterator[str]:
    if _exit(outcome) in [EXITS.get(name, name) for name in wanted]:
        yield f"it is {_exit(outcome)!r}"


def _number(found: int, wanted: int | Mapping[str, int]) -> Iterator[str]:
    most = wanted if isinstance(wanted, int) else wanted["max"]
    least = wanted if isinstance(wanted, int) else 0
    if not least <= found <= most:
        yield f"there were {found}"


def requests(outcome: Outcome, wanted: Any) -> Iterator[str]:
    yield from _number(len(outcome.requests), wanted)


def requests_by_agent(outcome: Outcome, wanted: Mapping[str, Any]) -> Iterator[str]:
    for agent, number in wanted.items():
        yield from _number(len(outcome.requests_of(agent)), number)


def executed(outcome: Outcome, wanted: Sequence[Any]) -> Iterator[str]:
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


def executed_in_order(outcome: Outcome, wanted: Sequence[Any]) -> Iterator[str]:
    found = [[name, _plain(arguments)] for name, arguments in outcome.executed]
    if found != wanted:
        yield f"it was {found}"


def not_executed(outcome: Outcome, wanted: Sequence[str]) -> Iterator[str]:
    yield from (f"{name} ran" for name, _ in outcome.executed if name in wanted)


def executed_count(outcome: Outcome, wanted: Any) -> Iterator[str]:
    yield from _number(len(outcome.executed), wanted)


def never_executed_with(outcome: Outcome, wanted: Sequence[Any]) -> Iterator[str]:
    for rule in wanted:
        for name, arguments in outcome.executed:
            if name != rule["tool"] or rule["param"] not in arguments:
                continue
            value = arguments[rule["param"]]
            if "value" in rule and value == rule["value"] and type(value) is type(rule["value"]):
                yield f"{name} ran with {rule['param']}={value!r}"
            if "not_type" in rule and type(value).__name__ != rule["not_type"]:
                yield f"{name} ran with {rule['param']} of type {type(value).__name__}"


def wall_seconds(outcome: Outcome, wanted: Mapping[str, float]) -> Iterator[str]:
    if outcome.seconds > wanted["max"]:
        yield f"it took {outcome.seconds:.1f} s"


def state(outcome: Outcome, wanted: Mapping[str, Any]) -> Iterator[str]:
    result: Mapping[str, Any] = outcome.result or {}
    for key, value in wanted.items():
        if result.get(key) != value:
            yield f"{key} is {result.get(key)!r}"


def hook_counts(outcome: Outcome, wanted: Mapping[str, int]) -> Iterator[str]:
    for point, number in wanted.items():
        if outcome.hook_log.count(point) != number:
            yield f"{point} was called {outcome.hook_log.count(point)} times"


def hook_log(outcome: Outcome, wanted: Sequence[str]) -> Iterator[str]:
    if outcome.hook_log != wanted:
        yield f"it is {outcome.hook_log}"


def system_equals(outcome: Outcome, wanted: str) -> Iterator[str]:
    yield from _role_equals(outcome, "system", wanted)


def user_equals(outcome: Outcome, wanted: str) -> Iterator[str]:
    yield from _role_equals(outcome, "user", wanted)


def _role_equals(outcome: Outcome, role: str, wanted: str) -> Iterator[str]:
    sent = [m["content"] for m in outcome.requests_of(ROOT)[0]["messages"] if m["role"] == role]
    if sent != [wanted]:
        yield f"it is {sent}"


def usage(outcome: Outcome, wanted: Mapping[str, int]) -> Iterator[str]:
    if outcome.result is None:
        yield "there is no result"
        return
    usage = outcome.result.usage
    found = {
        "input": usage.input_tokens,
        "output": usage.output_tokens,
        "total": usage.total_tokens,
    }
    if found != wanted:
        yield f"it is {found}"
    raw = outcome.result["token_usage"]
    if raw.get("total_tokens", 0) != wanted["total"]:
        yield f"token_usage is {raw}"


def usage_own(outcome: Outcome, wanted: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    if outcome.result is None:
        yield "there is no result"
        return
    for name, numbers in wanted.items():
        own = [n.own for n in outcome.result.usage_tree.walk() if n.name == name]
        total = sum(one.total_tokens for one in own)
        if total != numbers["total"]:
            yield f"{name} has {total}"


CHECKS: dict[str, Callable[[Outcome, Any], Iterator[str]]] = {
    "ok": ok,
    "raises": raises,
    "when": when,
    "text": text,
    "text_contains": text_contains,
    "text_not_contains": text_not_contains,
    "text_not": text_not,
    "exit": exit_reason,
    "exit_in": exit_in,
    "exit_not": exit_not,
    "requests": requests,
    "requests_by_agent": requests_by_agent,
    "executed": executed,
    "executed_in_order": executed_in_order,
    "not_executed": not_executed,
    "executed_count": executed_count,
    "never_executed_with": never_executed_with,
    "wall_seconds": wall_seconds,
    "state": state,
    "hook_counts": hook_counts,
    "hook_log": hook_log,
    "system_equals": system_equals,
    "user_equals": user_equals,
    "usage": usage,
    "usage_own": usage_own,
    "requests_tree": requests,
    "usage_tree": usage,
}

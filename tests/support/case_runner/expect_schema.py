"""Expectations about the parameter schema that is sent to the model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from case_runner.run import Outcome
from podium.tools._shapes import is_array, is_object

Schema = Mapping[str, Any]


def _root(outcome: Outcome, tool: str | None = None) -> Schema:
    if outcome.tool is not None:
        return outcome.tool.parameters
    requests = outcome.requests_of(None)
    if not requests:
        return {}  # nothing was built or sent, which other keys say
    sent = {one["function"]["name"]: one["function"] for one in requests[0]["tools"]}
    parameters: Schema = sent[tool or next(iter(sent))]["parameters"]
    return parameters


def _resolve(schema: Schema, root: Schema) -> Schema:
    while "$ref" in schema:
        target: Any = root
        for name in schema["$ref"].removeprefix("#/").split("/"):
            target = target[name]
        schema = target
    return schema


def _types(schema: Schema, root: Schema) -> set[str]:
    schema = _resolve(schema, root)
    found: set[str] = set()
    for choice in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())):
        found |= _types(choice, root)
    kind = schema.get("type")
    return found | set([kind] if isinstance(kind, str) else kind or [])


def _required(outcome: Outcome, wanted: Sequence[str]) -> Iterator[str]:
    found = sorted(_root(outcome).get("required", []))
    if found != sorted(wanted):
        yield f"it is {found}"


def _params(outcome: Outcome, wanted: Sequence[str]) -> Iterator[str]:
    found = sorted(_root(outcome).get("properties", {}))
    if found != sorted(wanted):
        yield f"they are {found}"


def _params_not(outcome: Outcome, wanted: Sequence[str]) -> Iterator[str]:
    found = _root(outcome).get("properties", {})
    yield from (f"{name} is one" for name in wanted if name in found)


def _param_types(outcome: Outcome, wanted: Mapping[str, Sequence[str]]) -> Iterator[str]:
    root = _root(outcome)
    for name, kinds in wanted.items():
        found = _types(root.get("properties", {}).get(name, {}), root)
        if found != set(kinds):
            yield f"{name} is {sorted(found)}"


def _param_enum(outcome: Outcome, wanted: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    root = _root(outcome)
    for name, values in wanted.items():
        found = _resolve(root.get("properties", {}).get(name, {}), root)
        choices = found.get("enum") or [
            value for one in found.get("allOf", []) for value in _resolve(one, root)["enum"]
        ]
        if list(choices) != list(values):
            yield f"{name} is {choices}"


def _description(outcome: Outcome, wanted: Sequence[str] | str) -> Iterator[str]:
    assert outcome.tool is not None
    words = [wanted] if isinstance(wanted, str) else wanted
    yield from (f"no {word!r} in it" for word in words if word not in outcome.tool.description)


def _param_description(outcome: Outcome, wanted: Mapping[str, str]) -> Iterator[str]:
    properties = _root(outcome).get("properties", {})
    for name, words in wanted.items():
        if words not in properties[name].get("description", ""):
            yield f"{name} says {properties[name].get('description')!r}"


def _hidden(outcome: Outcome, wanted: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for tool, names in wanted.items():
        found = json.dumps(_root(outcome, tool).get("properties", {}))
        yield from (f"{name} is shown" for name in names if f'"{name}"' in found)


def _refs(root: Any) -> Iterator[str]:
    waiting: list[object] = [root]
    while waiting:
        node = waiting.pop()
        if is_object(node):
            reference = node.get("$ref")
            if isinstance(reference, str):
                yield reference
            waiting.extend(node.values())
        elif is_array(node):
            waiting.extend(node)


def _refs_resolve(outcome: Outcome, wanted: bool) -> Iterator[str]:
    root = _root(outcome)
    for ref in _refs(root):
        try:
            _resolve({"$ref": ref}, root)
        except (KeyError, TypeError):
            yield f"{ref} does not resolve"


def _schema_is_json(outcome: Outcome, wanted: bool) -> Iterator[str]:
    try:
        json.dumps(_root(outcome), allow_nan=False)
    except (TypeError, ValueError) as error:
        yield str(error)


def _call(outcome: Outcome, wanted: Mapping[str, Any]) -> Iterator[str]:
    if wanted["returns_contains"] not in outcome.called:
        yield f"it gave {outcome.called!r}"


CHECKS: dict[str, Callable[[Outcome, Any], Iterator[str]]] = {
    "required": _required,
    "params": _params,
    "params_not": _params_not,
    "param_types": _param_types,
    "param_enum": _param_enum,
    "description_contains": _description,
    "param_description_contains": _param_description,
    "schema_hidden": _hidden,
    "refs_resolve": _refs_resolve,
    "schema_is_json": _schema_is_json,
    "call": _call,
}

"""Closing a schema: what strict form is, and which schemas have none."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from podium.agent.models._openai.strict_schema import closed_schema

STRING = {"type": "string"}


def test_objects_are_closed_all_the_way_down() -> None:
    inner = {"type": "object", "properties": {"b": STRING}, "required": ["b"]}
    schema = {
        "type": "object",
        "properties": {"a": inner, "list": {"type": "array", "items": inner}},
        "required": ["a", "list"],
    }

    closed = closed_schema(schema)

    closed_inner = {**inner, "additionalProperties": False}
    assert closed == {
        "type": "object",
        "properties": {"a": closed_inner, "list": {"type": "array", "items": closed_inner}},
        "required": ["a", "list"],
        "additionalProperties": False,
    }


def test_what_was_optional_is_required_and_may_be_null() -> None:
    schema = {
        "type": "object",
        "properties": {
            "must": STRING,
            "may": {"type": "string", "default": "x", "description": "A name."},
            "null": {"anyOf": [STRING, {"type": "null"}], "default": None},
            "either": {"type": ["string", "null"]},
        },
        "required": ["must"],
    }

    closed = closed_schema(schema)

    assert closed is not None
    assert closed["required"] == ["must", "may", "null", "either"]
    assert closed["properties"] == {
        "must": STRING,
        "may": {"anyOf": [{"type": "string", "description": "A name."}, {"type": "null"}]},
        "null": {"anyOf": [STRING, {"type": "null"}]},
        "either": {"type": ["string", "null"]},
    }


def test_what_was_optional_may_be_plainly_required_instead() -> None:
    schema = {"type": "object", "properties": {"may": {"type": "string", "default": "x"}}}

    closed = closed_schema(schema, optional="required")

    assert closed is not None
    assert closed["properties"] == {"may": STRING}
    assert closed["required"] == ["may"]


class Node(BaseModel):
    """A recursive model."""

    name: str
    children: list[Node] = []


class Tree(BaseModel):
    """A model that refers to another, with a description beside the reference."""

    root: Node
    """The top."""


def test_recursive_schemas_stay_recursive_with_an_object_at_the_root() -> None:
    closed = closed_schema(Node.model_json_schema(), optional="required")

    assert closed is not None
    assert closed["type"] == "object"
    assert closed["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}
    assert closed["$defs"]["Node"]["additionalProperties"] is False


def test_nothing_stands_beside_a_reference() -> None:
    schema = Tree.model_json_schema()
    schema["properties"]["root"] = {"$ref": "#/$defs/Node", "description": "The top."}

    closed = closed_schema(schema)

    assert closed is not None
    assert closed["properties"]["root"] == {
        "anyOf": [{"$ref": "#/$defs/Node"}],
        "description": "The top.",
    }


@pytest.mark.parametrize(
    "schema", [{}, {"type": "object"}, {"type": "object", "properties": {}}], ids=str
)
def test_no_parameters_is_strict(schema: dict[str, Any]) -> None:
    assert closed_schema(schema) == {
        "type": "object",
        "properties": {},
        "required": [],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    "value",
    [
        {},
        True,
        {"description": "Anything."},
        {"type": "object"},
        {"type": "object", "additionalProperties": True},
        {"type": "object", "additionalProperties": STRING},
        {"type": "object", "properties": {"a": STRING}, "additionalProperties": STRING},
        {"type": "array"},
        {"type": "array", "prefixItems": [STRING]},
        {"oneOf": [STRING]},
        {"anyOf": [STRING, {}]},
    ],
    ids=str,
)
def test_what_leaves_something_open_has_no_strict_form(value: object) -> None:
    assert closed_schema({"type": "object", "properties": {"a": value}}) is None


def test_a_free_form_root_has_no_strict_form() -> None:
    assert closed_schema({"type": "object", "additionalProperties": STRING}) is None


def test_the_schema_given_is_not_changed() -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"a": {"type": "string", "default": "x"}},
    }

    closed_schema(schema)

    assert schema == {"type": "object", "properties": {"a": {"type": "string", "default": "x"}}}

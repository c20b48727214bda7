"""What a server says of its tools and gives as results, taken apart without a server."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from mcp_types import CallToolResult

from podium.tools import ImageContent, TextContent, ToolDefinitionError
from podium.tools._mcp.definitions import changes, defined, wire_names
from podium.tools._mcp.results import MCPResult, result_of_call
from podium.tools._mcp.weight import MAX_ITEMS, MAX_MESSAGE_BYTES, Weight

EMPTY: dict[str, Any] = {"type": "object"}


def image(data: bytes) -> CallToolResult:
    encoded = base64.b64encode(data).decode()
    content = [{"type": "image", "mimeType": "image/any", "data": encoded}]
    return CallToolResult.model_validate({"content": content})


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + width.to_bytes(2, "little") + height.to_bytes(2, "little") + b"\0" * 20


def test_the_hash_of_a_definition_is_that_of_all_that_is_said() -> None:
    digests = {
        defined("a", "b", EMPTY, None).digest,
        defined("b", "b", EMPTY, None).digest,
        defined("a", "c", EMPTY, None).digest,
        defined("a", "b", {**EMPTY, "properties": {"q": {}}}, None).digest,
        defined("a", "b", EMPTY, EMPTY).digest,
    }

    assert len(digests) == 5
    assert defined("a", "b", EMPTY, None).digest in digests


def test_each_kind_of_change_is_told_and_new_tools_are_none() -> None:
    other = {**EMPTY, "properties": {"q": {"type": "string"}}}
    before = [
        defined(name, "b", EMPTY, None) for name in ("said", "takes", "gives", "gone", "same")
    ]
    after = [
        defined("said", "c", EMPTY, None),
        defined("takes", "b", other, None),
        defined("gives", "b", EMPTY, EMPTY),
        defined("same", "b", EMPTY, None),
        defined("new", "b", EMPTY, None),
    ]

    assert changes(before, after) == {
        "said": "its description changed",
        "takes": "its parameters changed",
        "gives": "its definition changed",
        "gone": "it is gone",
    }


def test_an_output_schema_that_cannot_be_used_is_left_out_with_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken = {"type": "object", "properties": {"v": {"$ref": "http://elsewhere/"}}}

    definition = defined("a", "b", EMPTY, broken)

    assert definition.output_schema is None
    assert "What an MCP tool returns will not be checked" in caplog.text


def test_an_input_schema_that_cannot_be_used_is_refused() -> None:
    with pytest.raises(ToolDefinitionError, match=r"'a'.*points outside"):
        defined("a", "b", {"properties": {"v": {"$ref": "http://elsewhere/"}}}, None)


def test_descriptions_within_a_schema_are_cleaned_and_cut_and_nothing_else_is() -> None:
    values = {
        "type": "string",
        "description": "\x1b[1mbold\u200b" + "x" * 5_000,
        "enum": ["\u200b"],
    }

    schema = defined("a", "", {**EMPTY, "properties": {"description": values}}, None).schema

    found = schema["properties"]["description"]
    assert found["description"].startswith("boldxxx")
    assert len(found["description"]) < 1_100
    assert found["enum"] == ["\u200b"]


def test_a_prefix_counts_for_the_length_of_a_name() -> None:
    names = wire_names(["x" * 60, "y"], "p_" * 4)

    assert [len(name) for name in names.values()] == [64, 9]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 40, "image/png"),
        (b"\xff\xd8\xff" + b"\0" * 40, "image/jpeg"),
        (gif(10, 10), "image/gif"),
    ],
)
def test_an_image_has_the_kind_that_it_is_and_not_the_one_it_is_said_to_be(
    data: bytes, kind: str
) -> None:
    (part,) = result_of_call(image(data), None).parts

    assert isinstance(part, ImageContent)
    assert part.mime_type == kind


@pytest.mark.parametrize("data", [gif(60_000, 60_000), b"\xff\xd8\xff" + b"\0" * 6_000_000])
def test_threat_55_an_image_too_large_to_look_at_is_named(data: bytes) -> None:
    (part,) = result_of_call(image(data), None).parts

    assert isinstance(part, TextContent)
    assert part.text.startswith("[image/any, ")


def test_an_image_that_is_no_base64_is_named() -> None:
    content = [{"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo=AAAA"}]

    (part,) = result_of_call(CallToolResult.model_validate({"content": content}), None).parts

    assert part == TextContent("[image/png, 12 bytes]")


@pytest.mark.parametrize(
    ("result", "data"),
    [
        (MCPResult("text"), "text"),
        (MCPResult('{"a": 1}'), {"a": 1}),
        (MCPResult("[1, 2]"), [1, 2]),
        (MCPResult("{not json"), "{not json"),
        (MCPResult("[" * 100_000), "[" * 100_000),
        (MCPResult("text", (), {"a": 2}), {"a": 2}),
    ],
)
def test_state_gets_structured_content_else_json_else_text(result: MCPResult, data: Any) -> None:
    assert result.data == data
    assert str(result) == result.text


def test_a_message_is_weighed_by_length_by_depth_and_by_items() -> None:
    told = [
        Weight().add(b"x" * (MAX_MESSAGE_BYTES + 1)),
        Weight().add(b"[" * 30_000),
        Weight().add(b"," * (MAX_ITEMS + 1)),
        Weight().add(b"x" * MAX_MESSAGE_BYTES),
    ]

    assert told == [
        "it is longer than 8,388,608 bytes",
        "it has more than 20,000 objects and arrays",
        "it has more than 200,000 items",
        None,
    ]

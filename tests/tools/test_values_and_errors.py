"""The small values of the part: content, calls, results, and errors that travel."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from podium.tools import (
    FileContent,
    ImageContent,
    TextContent,
    ToolArgumentsError,
    ToolCall,
    ToolCallResult,
)
from podium.tools._threads import in_tool_thread

IMAGE = ImageContent.from_bytes(b"123")


def test_text_content_is_cleaned() -> None:
    assert TextContent("cut \ud83c") == TextContent("cut \ufffd")


@pytest.mark.parametrize("make", [ImageContent, FileContent])
def test_what_is_not_base64_is_refused(make: Any) -> None:
    with pytest.raises(ValueError, match=r"is not base64.* or use from_bytes\(\)"):
        make("data:image/png;base64,xx")


@pytest.mark.parametrize("make", [ImageContent, FileContent])
@pytest.mark.parametrize("given", [None, b"AAAA", 5])
def test_what_is_no_text_is_refused_as_base64(make: Any, given: Any) -> None:
    with pytest.raises(TypeError, match=r"not base64 text. Pass the bytes themselves to from_b"):
        make(given)


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ("found", "found"),
        ((TextContent("see"), IMAGE), "see\n[image/png]"),
    ],
)
def test_a_result_reads_as_text(result: Any, text: str) -> None:
    assert ToolCallResult(result, ToolCall("look")).text == text


def test_tool_errors_survive_pickling() -> None:
    error = pickle.loads(pickle.dumps(ToolArgumentsError("no", tool_name="look")))

    assert (type(error), str(error), error.tool_name) == (ToolArgumentsError, "no", "look")


def test_a_thread_that_podium_did_not_start_is_none_of_its_own() -> None:
    assert not in_tool_thread()

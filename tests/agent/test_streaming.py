"""What a streaming callback gets, and how it is printed."""

from __future__ import annotations

import pytest

from podium.agent import (
    Agent,
    ReasoningContent,
    StreamingChunk,
    ToolCallDelta,
    print_streaming_chunk,
)
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import ToolCall, ToolCallResult, tool

CALL = ToolCall("add", {"a": 1}, "c1")


@tool
def add(a: int) -> int:
    """Add one."""
    return a + 1


@pytest.mark.parametrize(
    ("chunks", "printed"),
    [
        (
            [
                StreamingChunk("Hel", start=True),
                StreamingChunk("lo"),
                StreamingChunk(finish_reason="stop"),
            ],
            "\n[ASSISTANT]\nHello\n",
        ),
        (
            [
                StreamingChunk(reasoning=ReasoningContent("Let me "), start=True),
                StreamingChunk(reasoning=ReasoningContent("see.")),
            ],
            "[REASONING]\nLet me see.",
        ),
        (
            [
                StreamingChunk(tool_calls=(ToolCallDelta(0, "add", id="c1"),), start=True),
                StreamingChunk(tool_calls=(ToolCallDelta(0, arguments='{"a"'),)),
                StreamingChunk(tool_calls=(ToolCallDelta(0, arguments=": 1}"),)),
            ],
            '\n[TOOL CALL]\nadd {"a": 1}',
        ),
        ([StreamingChunk(tool_call_result=ToolCallResult("2", CALL))], "\n[TOOL RESULT]\n2\n"),
        ([StreamingChunk("red \x1b[31m")], "red \\x1b[31m"),
        ([StreamingChunk()], ""),
    ],
    ids=["text", "reasoning", "a tool call", "a result", "control characters", "nothing"],
)
def test_chunks_are_printed_as_they_come(
    chunks: list[StreamingChunk], printed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for chunk in chunks:
        print_streaming_chunk(chunk)

    assert capsys.readouterr().out == printed


def test_a_run_is_printed_with_its_calls_and_results(capsys: pytest.CaptureFixture[str]) -> None:
    model = ScriptedChatGenerator([calls(call("add", a=1)), "It is 2."])

    Agent(chat_generator=model, tools=[add]).run("1 + 1?", print_streaming_chunk)

    printed = capsys.readouterr().out
    assert printed.index("[TOOL CALL]\nadd") < printed.index("[TOOL RESULT]\n2")
    assert printed.index("[TOOL RESULT]\n2") < printed.index("It is 2.")


def test_a_chunk_is_one_thing_at_a_time() -> None:
    with pytest.raises(ValueError, match="more than one of content, tool_calls"):
        StreamingChunk("text", reasoning=ReasoningContent("thought"))

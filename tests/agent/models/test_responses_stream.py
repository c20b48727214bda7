"""Events of streamed responses: what a callback gets for each, and the reply they make."""

from __future__ import annotations

from typing import Any

import pytest

from podium.agent.errors import ModelError
from podium.agent.messages import ChatMessage
from podium.agent.models._responses.stream import SOURCE, StreamedResponse
from podium.agent.streaming import StreamingChunk, ToolCallDelta

Event = dict[str, Any]
USAGE = {"input_tokens": 9, "output_tokens": 3, "total_tokens": 12}
CREATED: Event = {
    "type": "response.created",
    "response": {"id": "resp_1", "model": "m-1", "status": "in_progress", "output": []},
}
CALL = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "look", "arguments": ""}


def text(piece: str, output_index: int = 0) -> Event:
    return {"type": "response.output_text.delta", "output_index": output_index, "delta": piece}


def message(*texts: str) -> Event:
    parts = [{"type": "output_text", "text": each} for each in texts]
    return {"type": "message", "id": "msg_1", "content": parts}


def end(*output: Event, kind: str = "completed", **fields: Any) -> Event:
    response = {"id": "resp_1", "model": "m-1", "usage": USAGE, "output": list(output), **fields}
    return {"type": f"response.{kind}", "response": response}


def streamed(*events: Any, is_done: bool = False) -> tuple[ChatMessage, list[StreamingChunk]]:
    """Return the reply of a stream, and what a callback got."""
    response = StreamedResponse("m", server="s")
    chunks = [chunk for event in events for chunk in response.add(event)]
    return response.finish(is_done=is_done)[0], chunks


def test_text_is_handed_on_piece_by_piece() -> None:
    reply, chunks = streamed(CREATED, text("Hel"), text("lo"), end(message("Hello")))

    meta = {"model": "m", "index": 0}
    assert chunks == [
        StreamingChunk("Hel", meta, SOURCE, 0, start=True),
        StreamingChunk("lo", meta, SOURCE, 0),
        StreamingChunk("", {**meta, "usage": USAGE}, SOURCE, finish_reason="stop"),
    ]
    assert reply.text == "Hello"
    assert (reply.meta["id"], reply.meta["model"]) == ("resp_1", "m-1")
    assert reply.meta["usage"] == USAGE


def test_a_call_is_told_by_its_name_and_then_bit_by_bit() -> None:
    arguments = {"type": "response.function_call_arguments.delta", "output_index": 0}
    whole = {**CALL, "arguments": '{"at":1}'}

    reply, chunks = streamed(
        {"type": "response.output_item.added", "output_index": 0, "item": CALL},
        {**arguments, "delta": '{"at'},
        {**arguments, "delta": '":1}'},
        {"type": "response.function_call_arguments.done", "output_index": 0, **whole},
        {"type": "response.output_item.done", "output_index": 0, "item": whole},
        end(whole),
    )

    assert [chunk.tool_calls for chunk in chunks] == [
        (ToolCallDelta(0, "look", None, "c1"),),
        (ToolCallDelta(0, None, '{"at'),),
        (ToolCallDelta(0, None, '":1}'),),
        None,
    ]
    assert chunks[-1].finish_reason == "tool_calls"
    assert reply.tool_calls[0].arguments == {"at": 1}


def test_arguments_that_come_only_with_the_whole_item_are_told_then() -> None:
    whole = {**CALL, "arguments": '{"at":1}'}

    _, chunks = streamed(
        {"type": "response.output_item.added", "output_index": 0, "item": CALL},
        {"type": "response.output_item.done", "output_index": 0, "item": whole},
        end(whole),
    )

    assert chunks[1].tool_calls == (ToolCallDelta(0, None, '{"at":1}'),)


def test_thoughts_stand_apart_from_each_other_and_from_the_text() -> None:
    thought = {"type": "response.reasoning_summary_text.delta", "output_index": 0}
    events = [
        {**thought, "summary_index": 0, "delta": "First."},
        {**thought, "summary_index": 1, "delta": "Then."},
        {"type": "response.reasoning_text.delta", "output_index": 1, "delta": "More."},
    ]
    reasoning: Event = {"type": "reasoning", "id": "rs_1", "summary": []}

    reply, chunks = streamed(*events, text("Hi", 2), end(reasoning, message("Hi")))

    told = [chunk.reasoning.reasoning_text for chunk in chunks if chunk.reasoning]
    assert told == ["First.", "\n\nThen.", "\n\nMore."]
    assert [chunk.index for chunk in chunks[:4]] == [0, 0, 0, 1]
    assert reply.reasoning is not None
    assert reply.reasoning.extra["output"][0] == reasoning


def test_a_second_message_stands_apart_as_it_does_in_the_reply() -> None:
    reply, chunks = streamed(text("One."), text("Two.", 1), end(message("One."), message("Two.")))

    assert "".join(chunk.content for chunk in chunks) == reply.text == "One.\n\nTwo."


def test_a_refusal_is_told_beside_the_text() -> None:
    refusal = {"type": "refusal", "refusal": "I can't."}

    reply, chunks = streamed(
        {"type": "response.refusal.delta", "output_index": 0, "delta": "I can't."},
        end({"type": "message", "content": [refusal]}),
    )

    assert chunks[0].meta["refusal"] == "I can't."
    assert (reply.text, reply.meta["refusal"]) == (None, "I can't.")


def test_an_incomplete_response_is_a_reply_that_was_cut() -> None:
    cut = {"incomplete_details": {"reason": "max_output_tokens"}}

    reply, chunks = streamed(text("Hel"), end(message("Hel"), kind="incomplete", **cut))

    assert reply.meta["finish_reason"] == chunks[-1].finish_reason == "length"


@pytest.mark.parametrize(
    ("event", "said", "code"),
    [
        (
            end(kind="failed", error={"code": "server_error", "message": "Out of order."}),
            "Out of order.",
            "server_error",
        ),
        (end(kind="failed"), "has the status 'failed' after 3 characters", "failed"),
        (
            {"type": "error", "code": "rate_limit_exceeded", "message": "Slow down."},
            "Slow down.",
            "rate_limit_exceeded",
        ),
        ({"error": {"type": "error", "message": "Broken."}}, "Broken.", "error"),
    ],
)
def test_a_failure_in_the_stream_is_an_error_with_the_text_so_far(
    event: Event, said: str, code: str
) -> None:
    response = StreamedResponse("m")
    response.add(text("Hel"))

    with pytest.raises(ModelError, match=said) as caught:
        response.add(event)

    assert (caught.value.code, caught.value.partial_text) == (code, "Hel")


def test_a_stream_that_breaks_off_is_an_error_with_the_text_so_far() -> None:
    with pytest.raises(ModelError, match="ended early after 3 characters") as caught:
        streamed(CREATED, text("Hel"))

    assert caught.value.partial_text == "Hel"
    assert caught.value.is_retryable


def test_a_stream_of_something_else_says_what_came() -> None:
    with pytest.raises(ModelError, match=r"without output: \{'hello': 1\}"):
        streamed({"hello": 1}, is_done=True)


def test_a_server_that_leaves_the_items_out_at_the_end_is_understood() -> None:
    done = {"type": "response.output_item.done", "item": message("Hello")}

    reply, _ = streamed(CREATED, text("Hello"), done, end())

    assert reply.text == "Hello"


def test_a_server_that_sends_only_pieces_is_understood() -> None:
    arguments = {"type": "response.function_call_arguments.delta", "output_index": 1}

    reply, _ = streamed(
        CREATED,
        text("Hello"),
        {"type": "response.output_item.added", "output_index": 1, "item": CALL},
        {**arguments, "delta": '{"at":1}'},
        is_done=True,
    )

    assert reply.text == "Hello"
    assert reply.tool_calls[0].arguments == {"at": 1}


def test_a_server_that_does_not_stream_is_told_in_one_piece() -> None:
    refusal = {"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}
    whole = end(message("Hel", "lo"), {**CALL, "arguments": "{}"}, refusal)["response"]

    reply, chunks = streamed({"object": "response", **whole, "error": None}, is_done=True)

    assert "".join(chunk.content for chunk in chunks) == reply.text == "Hello"
    assert reply.tool_calls[0].id == "c1"
    assert reply.meta["refusal"] == "No."


@pytest.mark.parametrize("event", [None, [], "x", {"type": "response.audio.delta", "delta": "x"}])
def test_events_without_news_are_passed_over(event: Any) -> None:
    reply, chunks = streamed(event, text("Hi"), end(message("Hi")), text("late"))

    assert reply.text == "Hi"
    assert "".join(chunk.content for chunk in chunks) == "Hi"

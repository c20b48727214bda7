"""Laws of streamed responses: a stream makes the reply that the whole answer makes."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from podium.agent.errors import ModelError
from podium.agent.messages import ChatMessage
from podium.agent.models._openai.sse import EventReader
from podium.agent.models._responses.answer import read_response
from podium.agent.models._responses.stream import StreamedResponse
from podium.agent.models._responses.wire import message_to_items
from podium.agent.testing._requests import RecordedRequest
from podium.agent.testing._responses_answer import Weighed, response_events, response_of
from podium.agent.testing._responses_request import check_input

ARGUMENTS = st.dictionaries(st.text(max_size=5), st.text(max_size=9) | st.integers(), max_size=3)
CALLS = st.lists(st.tuples(st.sampled_from(["look", "list"]), ARGUMENTS), max_size=3)
TEXT = st.text(max_size=30)
MESSAGES = st.fixed_dictionaries(
    {"content": TEXT, "reasoning_content": TEXT, "refusal": TEXT, "calls": CALLS}
)
REASONS = st.sampled_from(["stop", "length", "content_filter"])


def response_for(said: dict[str, Any], reason: str) -> dict[str, Any]:
    """Return the response in which a model says this."""
    calls = [
        {"id": f"c{at}", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for at, (name, arguments) in enumerate(said["calls"])
    ]
    message = {**said, "tool_calls": calls}
    request = RecordedRequest(0, {"model": "m", "input": "Hi"}, b"", {}, 0.0, "responses")
    return response_of(Weighed(message, reason, {"prompt_tokens": 1}), request)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = sorted({place % (len(data) + 1) for place in places} | {0, len(data)})
    return [data[start:end] for start, end in pairwise(ends)]


def assemble(reads: list[bytes]) -> tuple[ChatMessage, str]:
    """Return the reply of a stream in these reads, and the text a callback got."""
    reader, response, text = EventReader(), StreamedResponse("m", server="s"), ""
    for event in [event for data in reads for event in reader.feed(data)] + reader.close():
        text += "".join(chunk.content for chunk in response.add(event))
    return response.finish(is_done=reader.is_done, stray=reader.stray)[0], text


def whole(response: dict[str, Any]) -> ChatMessage:
    return read_response(json.dumps(response).encode(), "m", server="s")[0]


@settings(deadline=None)
@given(message=MESSAGES, reason=REASONS, places=st.lists(st.integers(0, 20_000), max_size=20))
def test_a_stream_makes_the_reply_of_the_whole_answer(
    message: dict[str, Any], reason: str, places: list[int]
) -> None:
    response = response_for(message, reason)
    events = [json.dumps(event) for _, event in response_events(response, [])]
    data = "".join(f"event: x\ndata: {event}\n\n" for event in events).encode()

    reply, heard = assemble(cut(data, places))

    assert reply == whole(response)
    assert heard == (reply.text or "")


@settings(deadline=None)
@given(message=MESSAGES)
def test_what_came_can_be_sent_back(message: dict[str, Any]) -> None:
    reply = whole(response_for(message, "stop"))
    results = [ChatMessage.from_tool("done", call) for call in reply.tool_calls]

    items = [item for each in [reply, *results] for item in message_to_items(each, server="s")]

    check_input(items)
    assert [item["call_id"] for item in items if item.get("type") == "function_call"] == [
        call.id for call in reply.tool_calls
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
KINDS = st.sampled_from(
    [
        "response.created",
        "response.output_item.added",
        "response.output_item.done",
        "response.output_text.delta",
        "response.refusal.delta",
        "response.reasoning_summary_text.delta",
        "response.function_call_arguments.delta",
        "response.completed",
        "response.incomplete",
        "response.failed",
        "error",
    ]
)
ITEMS = st.fixed_dictionaries(
    {"type": st.sampled_from(["message", "function_call", "reasoning"]) | JSON},
    optional={
        "content": JSON,
        "summary": JSON,
        "call_id": JSON,
        "id": JSON,
        "name": JSON,
        "arguments": JSON,
    },
)
EVENTS = st.fixed_dictionaries(
    {"type": KINDS},
    optional={
        "delta": JSON,
        "output_index": JSON,
        "item": ITEMS | JSON,
        "response": st.fixed_dictionaries(
            {}, optional={"output": st.lists(ITEMS) | JSON, "usage": JSON, "status": JSON}
        )
        | JSON,
    },
)


@settings(max_examples=80, deadline=None)
@given(events=st.lists(EVENTS | JSON, max_size=8))
def test_any_events_make_a_reply_or_a_model_error(events: list[Any]) -> None:
    data = "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()

    try:
        reply, _ = assemble([data])
    except ModelError:
        return

    assert all(call.id and call.tool_name for call in reply.tool_calls)


@settings(max_examples=80, deadline=None)
@given(answer=JSON | st.fixed_dictionaries({"output": st.lists(ITEMS)}, optional={"usage": JSON}))
def test_any_json_answer_makes_a_reply_or_a_model_error(answer: Any) -> None:
    try:
        reply = whole(answer)
    except ModelError:
        return

    assert reply.is_from("assistant")

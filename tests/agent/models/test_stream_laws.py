"""Laws of streams: where the network cuts them means nothing, and no stream breaks the reader."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from podium.agent.errors import ModelError
from podium.agent.messages import ChatMessage
from podium.agent.models._openai.answer import read_answer
from podium.agent.models._openai.sse import BrokenEventError, EventReader
from podium.agent.models._openai.stream import StreamedReplies


def assemble(reads: list[bytes]) -> tuple[list[ChatMessage], str]:
    """Return the replies of a stream in these reads, and the text a callback got."""
    reader, replies, text = EventReader(), StreamedReplies("m"), ""
    for event in [event for data in reads for event in reader.feed(data)] + reader.close():
        text += "".join(chunk.content for chunk in replies.add(event))
    return replies.finish(is_done=reader.is_done, stray=reader.stray), text


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = sorted({place % (len(data) + 1) for place in places} | {0, len(data)})
    return [data[start:end] for start, end in pairwise(ends)]


def as_stream(message: dict[str, Any], pieces: int, line_ending: str) -> bytes:
    """Return a stream of this message, its text and arguments in pieces of so many characters."""
    deltas: list[dict[str, Any]] = [
        {"content": message["content"][at : at + pieces]}
        for at in range(0, len(message["content"]), pieces)
    ]
    for index, (name, arguments) in enumerate(message["calls"]):
        text = json.dumps(arguments)
        deltas.append(
            {"tool_calls": [{"index": index, "id": f"c{index}", "function": {"name": name}}]}
        )
        deltas += [
            {"tool_calls": [{"index": index, "function": {"arguments": text[at : at + pieces]}}]}
            for at in range(0, len(text), pieces)
        ]
    choices: list[dict[str, Any]] = [{"delta": delta} for delta in deltas]
    choices.append({"delta": {}, "finish_reason": "stop"})
    events = [
        json.dumps({"choices": [choice]}, ensure_ascii=at % 2 == 0)
        for at, choice in enumerate(choices)
    ]
    end = line_ending * 2
    return "".join(f"data: {event}{end}" for event in [*events, "[DONE]"]).encode()


ARGUMENTS = st.dictionaries(st.text(max_size=5), st.text(max_size=9) | st.integers(), max_size=3)
MESSAGES = st.fixed_dictionaries(
    {
        "content": st.text(max_size=30),
        "calls": st.lists(st.tuples(st.sampled_from(["look", "list"]), ARGUMENTS), max_size=3),
    }
)


@given(
    message=MESSAGES,
    pieces=st.integers(1, 8),
    line_ending=st.sampled_from(["\n", "\r\n", "\r"]),
    places=st.lists(st.integers(0, 10_000), max_size=20),
)
def test_a_message_arrives_whole_however_it_is_cut(
    message: dict[str, Any], pieces: int, line_ending: str, places: list[int]
) -> None:
    data = as_stream(message, pieces, line_ending)

    replies, text = assemble(cut(data, places))

    assert text == message["content"]
    assert (replies[0].text or "") == message["content"]
    assert [(call.tool_name, call.arguments) for call in replies[0].tool_calls] == message["calls"]
    assert all(call.problem is None for call in replies[0].tool_calls)


LEAVES = st.none() | st.booleans() | st.integers(-1, 2) | st.text(max_size=4) | st.just("stop")
KEYS = st.sampled_from(
    "choices delta message index id content tool_calls function name arguments finish_reason usage "
    "error refusal reasoning reasoning_content function_call logprobs type text object".split()
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)
CHOICE = st.fixed_dictionaries(
    {"delta": VALUES}, optional={"index": VALUES, "finish_reason": VALUES, "message": VALUES}
)
CHUNK = st.fixed_dictionaries({"choices": st.lists(CHOICE, max_size=2)}) | VALUES


@settings(max_examples=60)
@given(chunks=st.lists(CHUNK, max_size=8), places=st.lists(st.integers(0, 10_000), max_size=5))
def test_any_json_makes_replies_or_a_model_error(chunks: list[Any], places: list[int]) -> None:
    data = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in [*chunks, "x"]).encode()

    try:
        replies, _ = assemble(cut(data, places))
    except ModelError:
        return

    assert all(call.id and call.tool_name for reply in replies for call in reply.tool_calls)


@settings(max_examples=60)
@given(answer=VALUES | st.fixed_dictionaries({"choices": st.lists(CHOICE, min_size=1, max_size=2)}))
def test_any_json_answer_makes_replies_or_a_model_error(answer: Any) -> None:
    try:
        replies = read_answer(json.dumps(answer).encode(), "m")
    except ModelError:
        return

    assert replies


@given(data=st.binary(max_size=200), places=st.lists(st.integers(0, 200), max_size=5))
def test_any_bytes_are_read_or_refused(data: bytes, places: list[int]) -> None:
    try:
        assemble(cut(b"data: {" + data, places))
    except (ModelError, BrokenEventError):
        return

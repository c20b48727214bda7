"""Chunks of a stream: what a callback gets for each, and the replies they make."""

from __future__ import annotations

from typing import Any

import pytest

from podium.agent.errors import ModelError
from podium.agent.messages import ChatMessage, ReasoningContent
from podium.agent.models._openai.stream import StreamedReplies
from podium.agent.models._openai.streamed_choice import SOURCE
from podium.agent.streaming import StreamingChunk, ToolCallDelta

Chunk = dict[str, Any]
USAGE = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
META = {"model": "m-1", "index": 0}


def delta(finish_reason: str | None = None, *, index: int = 0, **fields: object) -> Chunk:
    """Return a chunk with one choice."""
    choice = {"index": index, "delta": fields, "finish_reason": finish_reason}
    return {"id": "r1", "model": "m-1", "choices": [choice]}


def streamed(*chunks: Any) -> tuple[list[ChatMessage], list[StreamingChunk]]:
    """Return the replies of a finished stream, and what a callback got."""
    replies = StreamedReplies("m")
    given = [piece for chunk in chunks for piece in replies.add(chunk)]
    return replies.finish(is_done=True), given


def reply(*chunks: Any) -> ChatMessage:
    """Return the one reply of a finished stream."""
    return streamed(*chunks)[0][0]


def test_text_is_handed_on_piece_by_piece_and_joined() -> None:
    usage: Chunk = {"id": "r1", "model": "m-1", "choices": [], "usage": USAGE}

    replies, chunks = streamed(
        delta(role="assistant", content=""),
        delta(content="Hel"),
        delta(content="lo"),
        delta("stop"),
        usage,
    )

    assert replies == [
        ChatMessage.from_assistant(
            "Hello",
            meta={"model": "m-1", "id": "r1", "usage": USAGE, "index": 0, "finish_reason": "stop"},
        )
    ]
    assert chunks == [
        StreamingChunk("Hel", META, SOURCE, 0, start=True),
        StreamingChunk("lo", META, SOURCE, 0),
        StreamingChunk("", META, SOURCE, finish_reason="stop"),
        StreamingChunk("", {"model": "m-1", "id": "r1", "usage": USAGE}, SOURCE),
    ]


def test_reasoning_text_and_calls_are_blocks_of_their_own() -> None:
    call = {"index": 0, "id": "c1", "function": {"name": "look", "arguments": "{}"}}

    replies, chunks = streamed(
        delta(reasoning_content="Hm"),
        delta(reasoning_content="."),
        delta(content="Looking."),
        delta(tool_calls=[call]),
        delta("tool_calls"),
    )

    assert replies[0].reasoning == ReasoningContent("Hm.", {"field": "reasoning_content"})
    assert [call.tool_name for call in replies[0].tool_calls] == ["look"]
    assert [(chunk.index, chunk.start) for chunk in chunks] == [
        (0, True),
        (0, False),
        (1, True),
        (2, True),
        (None, False),
    ]
    assert chunks[3].tool_calls == (ToolCallDelta(0, "look", "{}", "c1"),)


NOTHINGS: list[Any] = [
    {"choices": []},
    {"choices": None},
    {},
    {"choices": [], "prompt_filter_results": [{}]},
    {"choices": [{"index": 0, "delta": None}]},
    {"choices": [{"index": 0}]},
    {"choices": [{"index": 0, "delta": {"content": None, "tool_calls": None}}]},
    {"choices": [{"index": 0, "delta": {"tool_calls": [], "function_call": None}}]},
    {"choices": [], "error": None},
    {"choices": [], "usage": None},
    [],
    "text",
    None,
]


@pytest.mark.parametrize("nothing", NOTHINGS, ids=str)
def test_chunks_that_say_nothing_are_nothing(nothing: object) -> None:
    message = reply(
        nothing, delta(content="o"), nothing, delta(content="k"), delta("stop"), nothing
    )

    assert message.text == "ok"
    assert message.tool_calls == []


@pytest.mark.parametrize(
    "chunks",
    [
        [delta(content="a") | {"usage": {"total_tokens": 1}}, delta("stop") | {"usage": USAGE}],
        [delta(content="a") | {"usage": USAGE}, delta("stop") | {"usage": None}],
        [delta(content="a"), delta("stop") | {"usage": USAGE}, {"choices": [], "usage": USAGE}],
        [delta(content="a"), delta("stop"), {"choices": None, "usage": USAGE}],
    ],
)
def test_the_last_usage_counts_wherever_it_comes(chunks: list[Chunk]) -> None:
    assert reply(*chunks).meta["usage"] == USAGE


def test_the_older_function_call_is_streamed_too() -> None:
    message = reply(
        delta(function_call={"name": "look", "arguments": '{"at"'}),
        delta(function_call={"arguments": ':"a"}'}),
        delta("function_call"),
    )

    assert message.tool_calls[0].arguments == {"at": "a"}
    assert message.meta["finish_reason"] == "tool_calls"


def test_refusals_are_collected_apart_from_the_text() -> None:
    replies, chunks = streamed(delta(refusal="I "), delta(refusal="can't."), delta("stop"))

    assert replies[0].text is None
    assert replies[0].meta["refusal"] == "I can't."
    assert [chunk.content for chunk in chunks] == ["", "", ""]
    assert [chunk.meta.get("refusal") for chunk in chunks] == ["I ", "can't.", None]


def test_content_may_come_in_parts() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}

    message = reply(
        delta(content=[thinking]),
        delta(content=[{"type": "text", "text": "Red"}, {"type": "refusal", "refusal": "No."}]),
        delta(content=".", finish_reason="stop"),
    )

    assert message.text == "Red."
    assert message.reasoning == ReasoningContent("Hm.")
    assert message.meta["refusal"] == "No."


def test_reasoning_under_two_names_is_taken_once() -> None:
    message = reply(delta(reasoning="Hm.", reasoning_content="Hm."), delta("stop"))

    assert message.reasoning == ReasoningContent("Hm.", {"field": "reasoning"})


def test_fields_nobody_knows_are_put_together() -> None:
    message = reply(
        delta(details=[1], tag="same", signature="ab", annotations=[1], info={"a": 1}),
        delta(details=[2], tag="same", signature="cd", info={"b": 2}),
        delta("stop"),
    )

    assert message.meta["provider_fields"] == {
        "details": [1, 2],
        "tag": "same",
        "signature": "abcd",
        "info": {"b": 2},
    }


def test_log_probabilities_are_put_together() -> None:
    chunks = [delta(content=text) for text in "ab"]
    chunks[0]["choices"][0]["logprobs"] = {"content": [1]}
    chunks[1]["choices"][0]["logprobs"] = {"content": [2]}

    assert reply(*chunks, delta("stop")).meta["logprobs"] == {"content": [1, 2]}


def test_a_character_cut_in_two_is_handed_on_whole() -> None:
    replies, chunks = streamed(
        delta(content="A \ud83c"), delta(content="\udf78!"), delta(content="\ud83c"), delta("stop")
    )

    assert replies[0].text == "A 🍸!\ufffd"
    assert [chunk.content for chunk in chunks] == ["A ", "🍸!", "\ufffd", ""]


def test_several_replies_are_kept_apart_by_their_index() -> None:
    both = delta(content="a1")
    both["choices"] += delta(content="b1", index=1)["choices"]

    replies, chunks = streamed(
        both,
        delta(content="b2", index=1),
        delta(content="a2"),
        delta("length", index=1),
        delta("stop"),
        {"choices": [], "usage": USAGE},
    )

    assert [(one.text, one.meta["finish_reason"]) for one in replies] == [
        ("a1a2", "stop"),
        ("b1b2", "length"),
    ]
    assert replies[0].meta["usage"] == USAGE
    assert "usage" not in replies[1].meta
    assert [chunk.meta["index"] for chunk in chunks[:4]] == [0, 1, 1, 0]


def test_a_whole_answer_in_the_place_of_a_stream_is_taken() -> None:
    message = {"role": "assistant", "content": "Hello"}

    replies, chunks = streamed(
        {"model": "m-1", "choices": [{"message": message, "finish_reason": "stop"}], "usage": USAGE}
    )

    assert replies[0].text == "Hello"
    assert [chunk.content for chunk in chunks] == ["Hello", ""]
    assert chunks[1].meta["usage"] == USAGE


ERRORS: list[Chunk] = [
    {"error": {"message": "Queue is full"}},
    {"error": "Queue is full"},
    {"object": "error", "message": "Queue is full", "code": 503},
    {"choices": [{"delta": {}, "error": {"message": "Queue is full"}}]},
    {"choices": [{"delta": {}}], "error": {"message": "Queue is full"}},
]


@pytest.mark.parametrize("error", ERRORS, ids=str)
def test_an_error_in_the_stream_is_raised_with_the_text_so_far(error: Chunk) -> None:
    with pytest.raises(ModelError, match="Queue is full") as caught:
        streamed(delta(content="Half a "), delta(content="sent"), error)

    assert caught.value.partial_text == "Half a sent"


@pytest.mark.parametrize("reason", ["error", "abort", "insufficient_system_resource"])
def test_a_reason_that_means_failure_is_an_error(reason: str) -> None:
    with pytest.raises(ModelError, match=f"broke off.*{reason}") as caught:
        streamed(delta(content="Half a"), delta(reason))

    assert caught.value.partial_text == "Half a"


def test_a_stream_that_just_ends_is_no_reply() -> None:
    replies = StreamedReplies("m")
    call = {"index": 0, "id": "c1", "function": {"name": "pay", "arguments": '{"amount": 1'}}
    replies.add(delta(content="Paying."))
    replies.add(delta(tool_calls=[call]))

    with pytest.raises(ModelError, match="ended early after 7 characters") as caught:
        replies.finish(is_done=False)

    assert caught.value.partial_text == "Paying."
    assert caught.value.is_retryable


def test_one_finished_reply_does_not_finish_the_other() -> None:
    replies = StreamedReplies("m")
    replies.add(delta(content="a", index=0, finish_reason="stop"))
    replies.add(delta(content="b", index=1))

    with pytest.raises(ModelError, match="ended early"):
        replies.finish(is_done=False)


def test_a_finish_reason_is_an_end_without_the_closing_mark() -> None:
    replies = StreamedReplies("m")
    replies.add(delta(content="a", finish_reason="stop"))

    assert replies.finish(is_done=False)[0].text == "a"


def test_the_closing_mark_is_an_end_without_a_finish_reason() -> None:
    assert reply(delta(content="a")).meta["finish_reason"] == "stop"


def test_a_stream_without_replies_says_what_came() -> None:
    with pytest.raises(ModelError, match="without choices: nothing"):
        streamed()
    with pytest.raises(ModelError, match="Not Found"):
        streamed({"detail": "Not Found"})
    with pytest.raises(ModelError, match="<html>"):
        StreamedReplies("m").finish(is_done=False, stray="<html>")


def test_usage_that_stands_in_the_choice_is_found() -> None:
    last = delta("stop")
    last["choices"][0]["usage"] = USAGE

    replies, _ = streamed(delta(content="Hi"), last)

    assert replies[0].meta["usage"] == USAGE


def test_a_call_by_itself_is_a_list_of_one() -> None:
    asked = {"id": "c1", "function": {"name": "look_up", "arguments": '{"word": "ox"}'}}

    made = reply(delta(tool_calls=asked), delta("tool_calls"))

    assert [(one.tool_name, one.arguments) for one in made.tool_calls] == [
        ("look_up", {"word": "ox"})
    ]

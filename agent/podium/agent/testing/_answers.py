"""Turns made into bytes: what each kind of turn looks like to the client."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.agent.testing._http import Playback, chunked, whole
from podium.agent.testing._metering import Meter
from podium.agent.testing._pieces import argument_pieces, text_pieces
from podium.agent.testing._requests import RecordedRequest
from podium.agent.testing._responses_answer import CREATED, Weighed, response_events, response_of
from podium.agent.testing._turns import Drop, Fault, RawReads, Reply, SlowSse, Sse, Turn

DONE = "data: [DONE]"
_encode = json.JSONEncoder(separators=(",", ":"), default=dict).encode
EVENT_STREAM = "text/event-stream; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Answer:
    """A turn made ready for one request."""

    playback: Playback
    """What goes over the wire."""
    usage: Mapping[str, Any] | None
    """What the answer costs by its own report; empty when it reports none, None for a fault."""


def answer(turn: Turn, request: RecordedRequest, meter: Meter) -> Answer:
    """Return the answer that `turn` gives to `request`."""
    match turn:
        case Reply():
            return _reply(turn, request, meter)
        case SlowSse():
            return _slow(turn, request, meter)
        case Sse():
            return Answer(_events(turn), {})
        case RawReads():
            reads = [(turn.gap_seconds if at else 0.0, read) for at, read in enumerate(turn.chunks)]
            kind = EVENT_STREAM if request.is_stream else "application/json"
            return Answer(chunked(reads, content_type=kind, delay_seconds=turn.delay_seconds), {})
        case Fault():
            return Answer(_fault(turn), None)
        case _:
            whole_answer = _reply(turn.reply, request, meter)
            return Answer(_broken_off(turn, whole_answer.playback), whole_answer.usage)


def _reply(reply: Reply, request: RecordedRequest, meter: Meter) -> Answer:
    weighed = _weigh(reply, request, meter)
    if request.is_stream:
        pieces = text_pieces(str(weighed.message.get("content") or ""))
        timed = [(0.0, piece) for piece in pieces]
        return _stream(weighed, request, timed, reply.delay_seconds, reply.output)
    if request.api == "responses":
        data = _json(response_of(weighed, request, reply.output) | dict(reply.extra))
        return Answer(whole(200, data, delay_seconds=reply.delay_seconds), weighed.usage)
    body = _body(weighed, request) | dict(reply.extra)
    return Answer(whole(200, _json(body), delay_seconds=reply.delay_seconds), weighed.usage)


def _slow(turn: SlowSse, request: RecordedRequest, meter: Meter) -> Answer:
    weighed = _weigh(Reply(turn.text * turn.pieces), request, meter)
    text, size = str(weighed.message["content"]), max(len(turn.text), 1)
    pieces = [(turn.piece_seconds, text[at : at + size]) for at in range(0, len(text), size)]
    if request.is_stream:
        return _stream(weighed, request, pieces, turn.delay_seconds)
    delay = turn.delay_seconds + turn.piece_seconds * len(pieces)
    is_chat = request.api == "chat"
    body = _json(_body(weighed, request) if is_chat else response_of(weighed, request))
    return Answer(whole(200, body, delay_seconds=delay), weighed.usage)


def _weigh(reply: Reply, request: RecordedRequest, meter: Meter) -> Weighed:
    """Return the reply's message cut to the request's output limit, and its usage."""
    message = _message(reply, request.number) if reply.message is None else reply.message
    reason = reply.finish_reason or ("tool_calls" if message.get("tool_calls") else "stop")
    if reply.usage is not None:
        return Weighed(message, reason, reply.usage)
    if request.output_limit is not None:
        cut = meter.cut(message, request.output_limit)
        message, reason = cut, reason if cut is message else "length"
    sent, written = meter.prompt(request.chat), meter.reply(message)
    usage = {"prompt_tokens": sent, "completion_tokens": written, "total_tokens": sent + written}
    return Weighed(message, reason, usage)


def _message(reply: Reply, number: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.tool_calls:
        message["tool_calls"] = [
            {
                "id": tool_call.id or f"call_{number}_{at}",
                "type": "function",
                "function": {
                    "name": tool_call.tool_name,
                    "arguments": _json(tool_call.arguments).decode(),
                },
            }
            for at, tool_call in enumerate(reply.tool_calls)
        ]
    return message


def _body(weighed: Weighed, request: RecordedRequest) -> dict[str, Any]:
    choice = {
        "index": 0,
        "message": weighed.message,
        "logprobs": None,
        "finish_reason": weighed.finish_reason,
    }
    body = {**_frame(request, "chat.completion"), "choices": [choice]}
    return {**body, "usage": weighed.usage} if weighed.usage else body


def _frame(request: RecordedRequest, kind: str) -> dict[str, Any]:
    made_of = {"id": f"chatcmpl-{request.number}", "object": kind, "created": CREATED}
    return {**made_of, "model": request.model}


def _stream(
    weighed: Weighed,
    request: RecordedRequest,
    text: Sequence[tuple[float, str]],
    delay_seconds: float,
    output: Sequence[Mapping[str, Any]] | None = None,
) -> Answer:
    """Return the reply as a stream; `text` is its content in pieces, with a pause before each."""
    if request.api == "responses":
        events = response_events(response_of(weighed, request, output), text)
        writes = [
            (wait, f"event: {event['type']}\ndata: ".encode() + _json(event) + b"\n\n")
            for wait, event in events
        ]
    else:
        writes = _chunks(weighed, request, text)
    playback = chunked(writes, content_type=EVENT_STREAM, delay_seconds=delay_seconds)
    return Answer(playback, weighed.usage)


def _chunks(
    weighed: Weighed, request: RecordedRequest, text: Iterable[tuple[float, str]]
) -> list[tuple[float, bytes]]:
    frame = _frame(request, "chat.completion.chunk")

    def event(delta: Mapping[str, Any], reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return b"data: %b\n\n" % _json({**frame, "choices": [choice]})

    has_text = weighed.message.get("content") is not None
    writes = [(0.0, event({"role": "assistant", "content": "" if has_text else None}))]
    writes += [(wait, event({"content": piece})) for wait, piece in text]
    writes += [(0.0, event(delta)) for delta in _other_deltas(weighed.message)]
    writes.append((0.0, event({}, weighed.finish_reason)))
    if request.wants_usage and weighed.usage:
        last: dict[str, Any] = {**frame, "choices": [], "usage": weighed.usage}
        writes.append((0.0, b"data: %b\n\n" % _json(last)))
    writes.append((0.0, f"{DONE}\n\n".encode()))
    return writes


def _other_deltas(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield what a message holds besides role and text: refusal and so on, then tool calls."""
    for key, value in message.items():
        if key not in ("role", "content", "tool_calls"):
            yield {key: value}
    calls: Iterable[Mapping[str, Any]] = message.get("tool_calls") or ()
    for index, call in enumerate(calls):
        for delta in _call_deltas(call):
            yield {"tool_calls": [{**delta, "index": index}]}


def _call_deltas(call: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield a tool call: first its name, then its arguments bit by bit, if they are text."""
    match call:
        case {"function": {"arguments": str() as arguments}}:
            yield {**call, "function": {**call["function"], "arguments": ""}}
            for piece in argument_pieces(arguments):
                yield {"function": {"arguments": piece}}
        case _:
            yield call


def _events(turn: Sse) -> Playback:
    events = [
        event if isinstance(event, str) else f"data: {json.dumps(event)}" for event in turn.events
    ]
    if turn.done and DONE not in events:
        events.append(DONE)
    writes = [
        (0.0, f"{event}\n\n".replace("\n", turn.line_ending).encode("utf-8", "surrogatepass"))
        for event in events
    ]
    return chunked(
        writes,
        content_type=EVENT_STREAM,
        delay_seconds=turn.delay_seconds,
        complete=DONE in events,
    )


def _fault(turn: Fault) -> Playback:
    body, headers = turn.body, dict(turn.headers)
    if isinstance(body, str):
        headers = {"content-type": "text/plain; charset=utf-8", **headers}
        data = body.encode("utf-8", "surrogatepass")
    else:
        data = _json(body if body is not None else error_body(f"Scripted fault {turn.status}."))
    return whole(turn.status, data, headers=headers, delay_seconds=turn.delay_seconds)


def error_body(message: str) -> dict[str, Any]:
    """Return an error as OpenAI words it."""
    return {"error": {"message": message, "type": "fake_error", "param": None, "code": None}}


def _broken_off(turn: Drop, playback: Playback) -> Playback:
    """Return the first bytes of an answer's body, after which the connection breaks."""
    if turn.after_bytes <= 0:
        return Playback([(turn.delay_seconds, b"")], keeps_open=False)
    wire = b"".join(data for _, data in playback.writes)
    body_starts = wire.index(b"\r\n\r\n") + 4
    sent = wire[: body_starts + turn.after_bytes]
    return dataclasses.replace(playback, writes=[(turn.delay_seconds, sent)], keeps_open=False)


def _json(value: object) -> bytes:
    return _encode(value).encode()

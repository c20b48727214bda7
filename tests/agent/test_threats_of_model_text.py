"""Rows of the threat list on text that a model writes: streams, consoles, logs, typed answers."""

from __future__ import annotations

import json
import logging
from typing import Literal

import pytest
from pydantic import BaseModel

from podium.agent import Agent, Budget, ModelError, OutputError, StreamingChunk
from podium.agent.models import OpenAIChatGenerator
from podium.agent.streaming import print_streaming_chunk
from podium.agent.testing import FakeOpenAIServer, Reply, ScriptedChatGenerator, Sse, call, calls
from podium.tools import tool

HOSTILE = "\x1b]0;title\x07\x1b[2J\x1b]8;;http://evil.example\x1b\\link\x1b]52;c;aGk=\x07\rover"


def said(text: str) -> dict[str, object]:
    return {"id": "x", "choices": [{"index": 0, "delta": {"content": text}}]}


@pytest.mark.anyio
async def test_threat_41_a_stream_that_breaks_off_is_not_asked_for_again_and_its_text_is_kept(
    openai_server: FakeOpenAIServer,
) -> None:
    openai_server.script([Sse([said("Half of ")], done=False)])
    model = OpenAIChatGenerator(
        api_key="sk-test", model="m", api_base_url=openai_server.base_url, max_retries=5
    )
    shown: list[str] = []

    with pytest.raises(ModelError, match="ended early") as caught:
        await Agent(chat_generator=model).run_async(
            "go", streaming_callback=lambda chunk: shown.append(chunk.content)
        )

    assert (caught.value.partial_text, "".join(shown)) == ("Half of ", "Half of ")
    assert len(openai_server.requests) == 1


@pytest.mark.parametrize("cut", range(1, len(HOSTILE)))
def test_threat_43_no_sequence_reaches_the_terminal_wherever_a_chunk_ends(
    cut: int, capsys: pytest.CaptureFixture[str]
) -> None:
    for part in (HOSTILE[:cut], HOSTILE[cut:]):
        print_streaming_chunk(StreamingChunk(part))

    assert not set(capsys.readouterr().out) & {"\x1b", "\x07", "\r"}


@pytest.mark.anyio
async def test_threat_43_the_data_keeps_the_text_as_it_came() -> None:
    result = await Agent(chat_generator=ScriptedChatGenerator([HOSTILE])).run_async("go")

    assert result.text == HOSTILE


@pytest.mark.anyio
async def test_threat_44_what_a_model_writes_begins_no_line_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    fake = "x\n2026-01-01 INFO all is well"

    @tool
    def fail(why: str) -> str:
        """Fail."""
        raise LookupError(why)

    model = ScriptedChatGenerator([calls(call("fail", why=fake)), calls(call(fake)), fake])
    with caplog.at_level(logging.DEBUG):
        await Agent(chat_generator=model, tools=[fail], name="watched").run_async(fake)

    assert [one for one in caplog.messages if "\n2026" in one] == []


class Ticket(BaseModel):
    severity: Literal["low", "high"]


@pytest.mark.anyio
async def test_threat_45_answers_that_never_fit_are_asked_for_a_few_times_within_the_budget() -> (
    None
):
    misses = [json.dumps({"severity": f"level {n}"}) for n in range(3)]
    agent = Agent(chat_generator=ScriptedChatGenerator(misses), output_type=Ticket)

    with pytest.raises(OutputError) as caught:
        await agent.run_async("go", budget=Budget(requests=10_000))

    assert caught.value.attempts == 3


@pytest.mark.anyio
async def test_threat_45_an_answer_far_too_large_is_refused_before_it_is_read(
    openai_server: FakeOpenAIServer,
) -> None:
    huge = json.dumps({"severity": "low", "more": "x" * 5_000_000})
    openai_server.script([Reply(huge), Reply('{"severity": "low"}')])
    model = OpenAIChatGenerator(
        api_key="sk-test", model="m", api_base_url=openai_server.base_url, max_retries=0
    )

    result = await Agent(chat_generator=model, output_type=Ticket).run_async("go")

    assert result.output == Ticket(severity="low")
    retry = openai_server.requests[1].messages[-1]["content"]
    assert "5,000,0" in retry and len(retry) < 2_000

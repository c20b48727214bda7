"""Secrets put everywhere into a run appear in no span, log, error or file while content is off."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import anyio
import pytest
from otlp_receiver import OtlpReceiver

from podium.agent import Agent, ModelError, Secret
from podium.agent.models import OpenAIChatGenerator
from podium.agent.testing import FakeOpenAIServer, Fault, call, calls
from podium.orchestration import Coordinator
from podium.tools import tool
from podium.tracing import setup_tracing
from podium.tracing.testing import SpanRecorder

pytestmark = pytest.mark.anyio

CANARY = "canary-4711"


def kept(current: Any, new: Any) -> Any:
    raise LookupError(f"cannot merge {CANARY}-merge")


@tool(outputs_to_state={"notes": {"source": "note", "handler": kept}})
def leaky(secret: str) -> dict[str, str]:
    """Return a secret."""
    return {"note": f"{CANARY}-result", "url": f"http://host/?key={CANARY}-url"}


@tool
def failing(secret: str) -> str:
    """Fail with a secret."""
    raise ConnectionError(f"http://user:{CANARY}-url@host said {CANARY}-exception")


def unreadable(result: str) -> str:
    raise LookupError(f"cannot show {result}")


@tool(outputs_to_string={"handler": unreadable})
def clumsy(secret: str) -> str:
    """Return what cannot be shown."""
    return f"{CANARY}-shown"


def a_team(base_url: str) -> Coordinator:
    model = OpenAIChatGenerator(
        api_key=Secret.from_env_var("CANARY_KEY"),
        api_base_url=base_url,
        max_retries=0,
        generation_kwargs={
            "extra_headers": {"x-token": f"{CANARY}-header"},
            "user": f"{CANARY}-parameter",
        },
    )
    specialist = Agent(
        chat_generator=model,
        name="facts",
        description="Facts.",
        system_prompt="Work for {{ who }}.",
        required_variables=None,
        state_schema={"notes": {"type": str}},
        tools=[leaky, failing, clumsy],
    )
    return Coordinator(
        chat_generator=model, system_prompt="Serve {{ who }}.", specialists=[specialist]
    )


async def test_secrets_of_a_run_appear_nowhere_while_content_is_off(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("CANARY_KEY", f"{CANARY}-key")
    asks = [call(name, secret=f"{CANARY}-argument") for name in ("leaky", "failing", "clumsy")]
    turns: list[Any] = [
        calls(call("facts", task=f"{CANARY}-task")),
        calls(*asks),
        "a",
        f"{CANARY}-answer",
    ]

    with (
        caplog.at_level(logging.DEBUG),
        OtlpReceiver() as collector,
        setup_tracing(
            otlp_endpoint=collector.endpoint, file=tmp_path / "trace.jsonl", console=True
        ),
        SpanRecorder() as recorder,
        FakeOpenAIServer(turns) as server,
    ):
        result = await a_team(server.base_url).run_async(
            f"{CANARY}-question", who=f"{CANARY}-variable"
        )

    assert result.text == f"{CANARY}-answer"
    assert len(recorder.spans) > 8
    assert CANARY not in str([span.to_json() for span in recorder.spans])
    assert CANARY not in (tmp_path / "trace.jsonl").read_text("utf-8")
    assert collector.spans
    assert CANARY.encode() not in collector.raw
    assert CANARY not in caplog.text
    assert CANARY not in "".join(capsys.readouterr())


@pytest.mark.parametrize(
    "fault",
    [
        Fault(401, {"error": {"message": f"Incorrect API key provided: {CANARY}-key."}}),
        Fault(400, f"no such thing, {CANARY}-key"),
    ],
)
async def test_a_key_that_the_provider_echoes_is_in_no_error_log_or_span(
    fault: Fault, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("CANARY_KEY", f"{CANARY}-key")

    with caplog.at_level(logging.DEBUG), SpanRecorder() as recorder:
        with FakeOpenAIServer([fault]) as server:
            with pytest.raises(ModelError) as raised:
                await a_team(server.base_url).run_async("go", who="me")

    assert CANARY not in str(raised.value)
    assert CANARY not in str([span.to_json() for span in recorder.spans])
    assert CANARY not in caplog.text


async def test_the_query_of_an_address_is_in_no_error_log_or_span(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("CANARY_KEY", "sk-test")

    with caplog.at_level(logging.INFO), SpanRecorder() as recorder, anyio.fail_after(20):
        with pytest.raises(ModelError) as raised:
            await a_team(f"http://127.0.0.1:9/v1?key={CANARY}").run_async("go", who="me")

    assert CANARY not in str(raised.value)
    assert CANARY not in str([span.to_json() for span in recorder.spans])
    assert CANARY not in caplog.text


async def test_with_content_on_secrets_of_the_connection_still_appear_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANARY_KEY", f"{CANARY}-key")
    path = tmp_path / "trace.jsonl"

    with (
        setup_tracing(file=path, capture_content=True),
        FakeOpenAIServer(["fine"]) as server,
    ):
        await a_team(server.base_url).run_async("a question", who="me")

    written = path.read_text("utf-8")
    assert "a question" in written
    assert f"{CANARY}-key" not in written
    assert f"{CANARY}-header" not in written

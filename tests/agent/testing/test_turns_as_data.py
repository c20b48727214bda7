"""Turns written as JSON: every shape is read into the turn that plays it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from podium.agent.testing import Fault, RawReads, Reply, SlowSse, Sse, turn_from_dict

MESSAGE = {"role": "assistant", "content": "hi"}
USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


@pytest.mark.parametrize(
    ("data", "turn"),
    [
        pytest.param(
            {"message": MESSAGE, "finish_reason": "stop", "usage": USAGE, "delay": 0.5},
            Reply(message=MESSAGE, finish_reason="stop", usage=USAGE, delay_seconds=0.5),
            id="a plain answer",
        ),
        pytest.param({"message": MESSAGE}, Reply(message=MESSAGE), id="usage is counted"),
        pytest.param(
            {"message": MESSAGE, "usage": None}, Reply(message=MESSAGE, usage={}), id="no usage"
        ),
        pytest.param(
            {"sse": ["data: {}"], "line_ending": "\r\n"},
            Sse(["data: {}"], line_ending="\r\n", done=False),
            id="a stream",
        ),
        pytest.param({"reads_b64": ["aGk=", "IQ=="]}, RawReads([b"hi", b"!"]), id="reads"),
        pytest.param(
            {"sse_slow": {"pieces": 3, "delay": 0.1, "text": "w "}},
            SlowSse(3, 0.1, "w "),
            id="a slow stream",
        ),
        pytest.param({"http_error": {"status": 500}}, Fault(500), id="an error"),
        pytest.param(
            {"http_error": {"status": 429, "body": "slow", "headers": {"retry-after": "1"}}},
            Fault(429, "slow", {"retry-after": "1"}),
            id="an error with all",
        ),
    ],
)
def test_a_turn_is_read_from_data(data: dict[str, Any], turn: object) -> None:
    assert turn_from_dict(data) == turn


def test_data_that_describes_no_turn_is_refused() -> None:
    told = "No turn is described by the keys ['text']. Use one of message, sse,"

    with pytest.raises(ValueError, match=re.escape(told)):
        turn_from_dict({"text": "hi"})

"""OpenAIChatGenerator: any model behind a chat completions API, OpenAI's or a compatible one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Self
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from podium.agent.messages import ChatMessage
from podium.agent.models._openai_parameters import check_generation_kwargs, request_parameters
from podium.agent.models._protocol import StreamingCallback
from podium.agent.secrets import Secret, as_secret
from podium.tools import Tool


class OpenAIChatGenerator:
    """Asks a model through the chat completions API.

    One generator serves any number of runs at once, on any number of event loops. Generators on
    one loop share a connection pool.

    >>> generator = OpenAIChatGenerator(model="gpt-5-mini")
    >>> generator
    OpenAIChatGenerator(model='gpt-5-mini')
    """

    supports_structured_output = True
    """Whether `response_format` may hold a JSON schema."""
    provider_name = "openai"
    """What spans call the API; a compatible server speaks the same one."""

    def __init__(
        self,
        *,
        api_key: Secret | str = Secret.from_env_var("OPENAI_API_KEY"),
    ) -> None:
        pass

"""An image in a message: the agent is shown a picture and asked what is in it.

The model behind the server on loopback is a few lines that read the picture's size. To ask a real
one, give OpenAIChatGenerator the name of a model that sees, and leave out api_base_url.

Prints:
    The picture is 3 pixels wide and 2 high.
    Sent as: ['text', 'image_url']
"""

import base64
import struct

from podium.agent import Agent, ChatMessage
from podium.agent.models import OpenAIChatGenerator
from podium.agent.testing import FakeOpenAIServer, RecordedRequest
from podium.tools import ImageContent

PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR4nGP4z8AAQQxwFgBB0gX7"
    "h/C5SAAAAABJRU5ErkJggg=="
)
"""A red PNG, as base64."""


def look(request: RecordedRequest) -> str:
    """Answer as a model would that can see."""
    url = request.messages[-1]["content"][1]["image_url"]["url"]
    width, height = struct.unpack(">II", base64.b64decode(url.partition(",")[2])[16:24])
    return f"The picture is {width} pixels wide and {height} high."


with FakeOpenAIServer(responder=look) as server:
    agent = Agent(chat_generator=OpenAIChatGenerator(api_key="any", api_base_url=server.base_url))
    image = ImageContent(PICTURE, "image/png", detail="low")
    question = ChatMessage.from_user(content_parts=["What is in this picture?", image])
    result = agent.run([question])

print(result.text)
print("Sent as:", [part["type"] for part in server.requests[0].messages[0]["content"]])

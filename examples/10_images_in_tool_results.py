"""Images in tool results: a tool fetches a picture, and the agent reasons about what it sees.

The responses API takes images where a tool returned them, so the generator is the one for that API;
a chat completions model is shown them in a message after the result. The model behind the server on
loopback is a few lines that read the pictures' sizes.

Prints:
    The wide one is 3 x 2 pixels, the small one 1 x 1.
    function_call_output: ['input_text', 'input_image']
    function_call_output: ['input_text', 'input_image']
"""

import base64
import struct

from podium.agent import Agent, ChatMessage
from podium.agent.models import OpenAIResponsesChatGenerator
from podium.agent.testing import FakeOpenAIServer, RecordedRequest, call, calls
from podium.tools import ImageContent, TextContent, tool

HEAD = "iVBORw0KGgoAAAANSUhEUgAAAA"
PICTURES = {
    "wide": HEAD + "MAAAACCAIAAAASFvFNAAAAEElEQVR4nGP4z8AAQQxwFgBB0gX7h/C5SAAAAABJRU5ErkJggg==",
    "small": HEAD + "EAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
}


@tool(outputs_to_string={"raw_result": True})
def fetch_image(name: str) -> list[TextContent | ImageContent]:
    """Fetch a picture so that it can be looked at."""
    return [TextContent(f"The picture {name!r}:"), ImageContent(PICTURES[name])]


def look(request: RecordedRequest) -> str | ChatMessage:
    """Answer as a model would that asks for two pictures and can see them."""
    urls = [item["output"][1]["image_url"] for item in request.items if "output" in item]
    if not urls:
        return calls(call("fetch_image", name="wide"), call("fetch_image", name="small"))
    heads = [base64.b64decode(url.partition(",")[2])[16:24] for url in urls]
    wide, small = ("{} x {}".format(*struct.unpack(">II", head)) for head in heads)
    return f"The wide one is {wide} pixels, the small one {small}."


with FakeOpenAIServer(responder=look) as server:
    model = OpenAIResponsesChatGenerator(api_key="any", api_base_url=server.base_url)
    result = Agent(chat_generator=model, tools=[fetch_image]).run("Compare the two pictures.")

print(result.text)
for item in server.requests[1].items[-2:]:
    print(f"{item['type']}:", [part["type"] for part in item["output"]])

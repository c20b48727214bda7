"""Images: in a message, in a prompt by `templatize_part`, and as the result of a tool.

Runs offline with a scripted model, which tells what it was sent. A model that sees needs
`OpenAIResponsesChatGenerator` for images in tool results.

Prints:
    What does this chart show? + <image/gif, low>
    Describe + <image/gif> + in one word.
    the tool's result: <image/gif>
    refused: The image says it has 65,535 x 65,535 pixels, and 64,000,000 in all is the most.
"""

from typing import Annotated

from podium.agent import Agent, ChatMessage
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import ContentPart, ImageContent, TextContent, tool

GIF = b"GIF89a\x01\x00\x01\x00\x00\x00\x00;"


def shown(parts: tuple[object, ...]) -> str:
    return " + ".join(
        part.text.strip()
        if isinstance(part, TextContent)
        else f"<{', '.join(filter(None, (part.mime_type, part.detail)))}>"
        for part in parts
        if isinstance(part, TextContent | ImageContent)
    )


@tool(outputs_to_string={"raw_result": True})
def fetch_image(name: Annotated[str, "which image"]) -> list[ContentPart]:
    """Fetch an image so that you can look at it."""
    return [ImageContent.from_bytes(GIF, meta={"name": name})]


model = ScriptedChatGenerator(["A line.", "Dot.", calls(call("fetch_image", name="dot")), "Black."])

chart = ImageContent.from_bytes(GIF, detail="low")  # or from_file_path, from_url, from_pdf
question = ChatMessage.from_user(content_parts=["What does this chart show?", chart])
print(shown(Agent(chat_generator=model).run([question]).messages[0].parts))

prompt = "Describe {{ image | templatize_part }} in one word."
describe = Agent(chat_generator=model, user_prompt=prompt)
print(shown(describe.run([], image=ImageContent.from_bytes(GIF)).messages[0].parts))

looked = Agent(chat_generator=model, tools=[fetch_image]).run("What colour is the dot?")
result = looked.messages[2].tool_call_results[0].result
print("the tool's result:", shown(tuple(result)))

try:
    ImageContent.from_bytes(GIF[:6] + b"\xff\xff\xff\xff")
except ValueError as error:
    print("refused:", str(error).partition(" Make")[0])

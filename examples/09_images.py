"""Images: in a message, and in a prompt by `templatize_part`; one that claims too much is refused.

Runs offline with a scripted model; what is printed is what it was sent.

Prints:
    What does this chart show? + <image/gif, low>
    Describe + <image/gif> + in one word.
    refused: The image says it has 65,535 x 65,535 pixels, and 64,000,000 in all is the most.
"""

from podium.agent import Agent, ChatMessage
from podium.agent.testing import ScriptedChatGenerator
from podium.tools import ImageContent, TextContent

GIF = b"GIF89a\x01\x00\x01\x00\x00\x00\x00;"


def shown(parts: tuple[object, ...]) -> str:
    return " + ".join(
        part.text.strip()
        if isinstance(part, TextContent)
        else f"<{', '.join(filter(None, (part.mime_type, part.detail)))}>"
        for part in parts
        if isinstance(part, TextContent | ImageContent)
    )


model = ScriptedChatGenerator(["A line.", "Dot."])

chart = ImageContent.from_bytes(GIF, detail="low")  # or from_file_path, from_url, from_pdf
question = ChatMessage.from_user(content_parts=["What does this chart show?", chart])
print(shown(Agent(chat_generator=model).run([question]).messages[0].parts))

prompt = "Describe {{ image | templatize_part }} in one word."
describe = Agent(chat_generator=model, user_prompt=prompt)
print(shown(describe.run([], image=ImageContent.from_bytes(GIF)).messages[0].parts))

try:
    ImageContent.from_bytes(GIF[:6] + b"\xff\xff\xff\xff")
except ValueError as error:
    print("refused:", str(error).partition(" Make")[0])

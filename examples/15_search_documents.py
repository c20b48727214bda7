"""The ready tools over a folder: search its documents and read one; nothing outside can be read.

Runs offline with the lexical stand-in.

Prints:
    [ships/mast.md, part 1]
    # Mast

    The mast is forty meters tall.
    answered: The mast is forty meters tall. [ships/mast.md, part 1]
    outside: There is no document '../secret.txt'. There are: hull.txt, ships/mast.md.
"""

import tempfile
from pathlib import Path

from podium.agent import Agent
from podium.agent.models import LexicalChatGenerator
from podium.tools import ToolInvocationError
from podium.tools.ready import read_document, search_corpus

with tempfile.TemporaryDirectory() as place:
    docs = Path(place, "docs")
    (docs / "ships").mkdir(parents=True)
    (docs / "ships" / "mast.md").write_text("# Mast\n\nThe mast is forty meters tall.\n")
    (docs / "hull.txt").write_text("The hull is made of oak.\n")
    Path(place, "secret.txt").write_text("The password is mast.")
    search, read = search_corpus(docs), read_document(docs)

    print(search.invoke(query="meters", k=1))

    result = Agent(chat_generator=LexicalChatGenerator(), tools=[search]).run(
        "How tall is the mast?"
    )
    print("answered:", result.text)

    try:
        read.invoke(document="../secret.txt")
    except ToolInvocationError as error:
        print("outside:", str(error.__cause__).partition(" Name one")[0])

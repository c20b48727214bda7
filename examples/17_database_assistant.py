"""An assistant fetches a page and writes the people it names to a database.

Runs offline: the page comes from a server in this process, the model is scripted.

Prints:
    fetched: # Staff Mary Jackson is an engineer. Ada Byron writes programs.
    stored: [('Mary', 'Jackson', 'engineer'), ('Ada', 'Byron', None)]
    I added Mary and Ada.
"""

import sqlite3
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Annotated

from podium.agent import Agent
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import tool
from podium.tools.ready import fetch_url

database = sqlite3.connect(":memory:", check_same_thread=False)
database.execute("create table people (name, surname, job)")


@tool
def add_person(
    name: Annotated[str, "First name of the person"],
    surname: Annotated[str, "Last name of the person"],
    job_title: Annotated[str | None, "Job title or role of the person"] = None,
) -> str:
    """Add a person to the database."""
    database.execute("insert into people values (?, ?, ?)", (name, surname, job_title))
    return f"Added {name} {surname}."


class Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<h1>Staff</h1>Mary Jackson is an engineer. Ada Byron writes programs.")


site = HTTPServer(("127.0.0.1", 0), Site)
threading.Thread(target=site.handle_request, daemon=True).start()

mary = call("add_person", name="Mary", surname="Jackson", job_title="engineer")
ada = call("add_person", name="Ada", surname="Byron")
look = call("fetch_url", url=f"http://127.0.0.1:{site.server_port}/")
agent = Agent(
    chat_generator=ScriptedChatGenerator([calls(look), calls(mary, ada), "I added Mary and Ada."]),
    tools=[fetch_url(allow_private=["127.0.0.1"]), add_person],
    tool_concurrency_limit=1,  # one connection to the database, one call at a time
)
result = agent.run("Add the people of our staff page.")
page = result.messages[2].tool_call_results[0].text.partition("]")[2]
print("fetched:", *page.split())
print("stored:", database.execute("select * from people").fetchall())
print(result.text)

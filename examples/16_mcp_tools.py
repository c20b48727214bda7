"""The tools of an MCP server, used like any others; here the server is this same file.

MCPToolset starts the server when it is first needed, lists its tools and keeps one connection for
all runs. `close()` ends it. Servers at an address work alike: StreamableHttpServerInfo(url).

Prints:
    depart(station) of MCP server 'trains': Say when the next train leaves a station.
    The next train leaves Lund at 10:42.
    stopped after text, tool calls: {'depart': 1}
"""

import sys

from podium.agent import Agent
from podium.agent.models import LexicalChatGenerator, OpenAIChatGenerator
from podium.tools import MCPToolset, StdioServerInfo

DEPARTURES = {"Lund": "10:42", "Ystad": "11:05"}


def serve() -> None:
    """Be the server: what any program that speaks MCP could be."""
    from mcp.server import MCPServer  # only the server needs it

    server = MCPServer("trains")

    @server.tool()
    def depart(station: str) -> str:
        """Say when the next train leaves a station."""
        if station not in DEPARTURES:
            raise ValueError(f"No train leaves {station}.")
        return f"The next train leaves {station} at {DEPARTURES[station]}."

    server.run("stdio")


def main() -> None:
    """Use the server's tools."""
    trains = MCPToolset(StdioServerInfo(sys.executable, [__file__, "serve"], name="trains"))
    model = OpenAIChatGenerator() if "--live" in sys.argv else LexicalChatGenerator()
    agent = Agent(chat_generator=model, tools=[trains])

    agent.warm_up()  # runs do it by themselves; here to see the tools first
    for tool in trains:
        print(f"{tool.name}(station) of {tool.origin}: {tool.description}")
    result = agent.run("When does the next train leave Lund?")
    agent.close()

    print(result.text)
    print(f"stopped after {result['exit_reason']}, tool calls: {result['tool_call_counts']}")


if __name__ == "__main__":
    serve() if "serve" in sys.argv else main()

"""The MCP client: servers' tools as tools of an agent.

From the outside in: `toolset` and `tool` are what an agent holds; `connection` is the one
connection behind them, usable from any thread and event loop; `link` keeps the session alive on
the loop of a thread of its own; `stdio` and `http` carry its messages, and `screen` looks at each
of them before anything else does.
"""

"""A research assistant: a coordinator and three specialists answer questions over your documents.

Run it with `python examples/research_assistant --help`, and read it in this order:
`documents`, `readers`, `corpus`, `index` (what it knows), `tools`, `team` (who does what),
`live`, `report`, `cli` (what you see).
"""

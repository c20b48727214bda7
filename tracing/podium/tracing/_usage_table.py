"""The usage tree as a table of plain text."""

from __future__ import annotations

from podium.tracing._usage import Usage
from podium.tracing._usage_tree import UsageTree

HEADINGS: tuple[str, ...] = (
    "agent",
    "own tokens",
    "total tokens",
    "calls",
    "tools",
    "wall s",
    "model s",
    "tool s",
    "cost",
    "end",
)
LEFT = {0, len(HEADINGS) - 1}
"""Columns of words; the rest are figures and stand to the right."""


def render(tree: UsageTree) -> str:
    """Return one row for each agent, indented by depth, and a last line for the whole tree.

    Tokens are input and output together. A `+` after a figure says "at least": some call below
    reported no usage. The `own tokens` column sums to the total.
    """
    rows = [HEADINGS]
    waiting = [(tree, 0, tree.path)]
    while waiting:
        node, depth, label = waiting.pop()
        rows.append(_row("  " * depth + _printable(label), node, node.own, [node]))
        waiting.extend(
            (child, depth + 1, child.path.removeprefix(f"{node.path}/"))
            for child in reversed(node.children)
        )
    rows.append(_row("total", tree, tree.total, list(tree.walk())))
    return _aligned(rows)


def _row(label: str, node: UsageTree, used: Usage, timed: list[UsageTree]) -> tuple[str, ...]:
    """Return a row about `node`: the usage it counts as its own, and the time in `timed`."""
    return (
        label,
        _tokens(used),
        _tokens(node.total),
        f"{used.requests:,}",
        f"{used.tool_calls:,}",
        f"{node.wall_seconds:.2f}",
        f"{sum(each.model_seconds for each in timed):.2f}",
        f"{sum(each.tool_seconds for each in timed):.2f}",
        "-" if used.cost is None else f"${used.cost:,.4f}",
        node.exit_reason or "-",
    )


def _tokens(usage: Usage) -> str:
    return f"{usage.total_tokens:,}{'' if usage.complete else '+'}"


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def _aligned(rows: list[tuple[str, ...]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column in LEFT else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )

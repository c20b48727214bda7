"""A trace as graphs of networkx: spans below spans, and agents that delegate to agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx

from podium.tracing.reading._spending import is_agent

if TYPE_CHECKING:
    from podium.tracing.reading._span import TraceSpan
    from podium.tracing.reading._trace import Trace


def span_graph(trace: Trace) -> nx.DiGraph[str]:
    """Return an edge from each span to each one right below it; nodes carry their `span`."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    for span in trace.spans:
        graph.add_node(span.span_id, span=span)
        above = trace.parent(span)
        if above is not None:
            graph.add_edge(above.span_id, span.span_id)
    return graph


def delegation_graph(trace: Trace) -> nx.DiGraph[str]:
    """Return an edge from each agent's name to those it delegated to.

    Edges carry `calls`, `errors` and `seconds`; nodes carry `runs`.
    """
    graph: nx.DiGraph[str] = nx.DiGraph()
    callers: dict[str, str | None] = {}
    for span in trace.spans:
        above = trace.parent(span)
        caller = None if above is None else callers[above.span_id]
        if is_agent(span):
            name = span.agent_name or span.name
            runs = graph.nodes[name]["runs"] if name in graph else 0
            graph.add_node(name, runs=runs + 1)
            if caller is not None:
                _count(graph, caller, name, span)
            caller = name
        callers[span.span_id] = caller
    return graph


def _count(graph: nx.DiGraph[str], caller: str, name: str, span: TraceSpan) -> None:
    if not graph.has_edge(caller, name):
        graph.add_edge(caller, name, calls=0, errors=0, seconds=0.0)
    edge = graph.edges[caller, name]
    edge["calls"] += 1
    edge["errors"] += span.status == "error"
    edge["seconds"] += span.duration_ns / 1e9

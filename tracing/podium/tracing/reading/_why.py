"""Why a run ended as it did, in sentences: from the top down to the limit or error behind it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podium.tracing._stop_reasons import sentence
from podium.tracing._usage_tree import UsageTree
from podium.tracing.reading._endings import (
    Ending,
    agent_above,
    endings,
    error_of,
    first_errors,
    limit_told,
)

if TYPE_CHECKING:
    from podium.tracing.reading._trace import Trace

_SHOWN = 5
"""How many of a kind are told one by one."""


def why(trace: Trace) -> tuple[str, ...]:
    """Return one sentence or two for each link of the chain, the top agent's ending first."""
    found = endings(trace)
    by_path = {ending.path: ending for ending in found}
    tops = [ending for ending in found if agent_above(trace, ending.span) is None]
    told: dict[str, None] = {}
    for ending in tops:
        told.update(dict.fromkeys(_chain(by_path, ending)))
    if not found:
        told["No agent's run is in this trace."] = None
    told.update(dict.fromkeys(_spenders(trace, found)))
    told.update(dict.fromkeys(_others(found, tops)))
    told.update(dict.fromkeys(_errors(trace)))
    return tuple(told)


def _chain(by_path: dict[str, Ending], ending: Ending) -> Iterator[str]:
    """Yield how an agent ended, then the owner of the limit that it names, to the last."""
    seen: set[str] = set()
    while ending.path not in seen:
        seen.add(ending.path)
        yield _ended(ending)
        owner = ending.by
        if owner is None or owner == ending.path:
            return
        if owner not in by_path:
            yield f"The limit is that of '{owner}', whose run is not in this trace."
            return
        yield f"The limit is that of '{owner}'."
        ending = by_path[owner]


def _ended(ending: Ending) -> str:
    seconds = f"after {ending.span.duration_ns / 1e9:,.2f} s"
    if ending.reason is not None:
        said = f"'{ending.path}' ended {seconds}: {ending.reason}. {sentence(ending.reason)}"
    elif ending.span.status == "error":
        said = f"'{ending.path}' failed {seconds}: {error_of(ending.span)}."
    elif ending.span.end_ns is None:
        said = f"'{ending.path}' has no end in this record: it was still running, or was killed."
    else:
        said = f"'{ending.path}' ended {seconds}; its record gives no reason."
    return " ".join([said, *(limit_told(ending, limit) for limit in ending.limits)])


def _spenders(trace: Trace, found: tuple[Ending, ...]) -> Iterator[str]:
    """Yield who used most below each agent whose token limit was reached."""
    owners = {each.by for each in found if any("tokens" in limit.what for limit in each.limits)}
    nodes = [node for tree in trace.usage_trees() for node in tree.walk()]
    for owner in nodes:
        if owner.path in owners:
            below = sorted(owner.walk(), key=lambda node: -node.own.total_tokens)
            most = [_share(node, owner) for node in below[:_SHOWN] if node.own.total_tokens]
            if most:
                yield f"Of the tokens of '{owner.path}': {', '.join(most)}."


def _share(node: UsageTree, owner: UsageTree) -> str:
    tokens, total = node.own.total_tokens, owner.total.total_tokens
    return f"'{node.path}' used {tokens:,} ({tokens / total:.0%})"


def _others(found: tuple[Ending, ...], tops: list[Ending]) -> Iterator[str]:
    """Yield how agents below ended that did not answer; those that ended alike together."""
    told = {_alike(top) for top in tops}
    at_top = {top.span.span_id for top in tops}
    below = [each for each in found if each.span.span_id not in at_top and not each.is_natural]
    groups: dict[str, list[Ending]] = {}
    for each in below:
        groups.setdefault(_alike(each), []).append(each)
    for kind, members in list(groups.items())[:_SHOWN]:
        if kind not in told:
            yield _ended(members.pop(0))
        if members:
            names = ", ".join(f"'{each.path}'" for each in members[:_SHOWN])
            more = f" and {len(members) - _SHOWN:,} more" if len(members) > _SHOWN else ""
            yield f"The same ended {names}{more}."
    if len(groups) > _SHOWN:
        yield f"Further agents ended for {len(groups) - _SHOWN:,} other reasons."


def _alike(ending: Ending) -> str:
    """Return what is the same of endings by one cause; a failure is like no other."""
    is_told = ending.reason is not None
    return repr((ending.reason, ending.by, ending.limits) if is_told else ending.path)


def _errors(trace: Trace) -> Iterator[str]:
    failed = first_errors(trace)
    paths = trace.agent_paths
    for span in failed[:_SHOWN]:
        above = agent_above(trace, span)
        place = f" in '{paths[above.span_id]}'" if above is not None else ""
        if span.span_id not in paths:
            yield f"'{span.name}'{place} failed: {error_of(span)}."
    if len(failed) > _SHOWN:
        yield f"{len(failed) - _SHOWN:,} further errors."

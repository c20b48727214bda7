"""The jobs: which rounds make them, in which order, and what was promised for each."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from bench_processes import Collector, Process, Provider, Worker
from bench_report import Row, compared, plain
from bench_task import CALLS_PER_TEAM

Figures = dict[str, float]

DEAD_ENDPOINT = "http://127.0.0.1:9"
"""Nobody listens there."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Who does which job."""

    contender: str
    job: str
    transport: str = ""
    otlp_endpoint: str | None = None


class Bench:
    """What all jobs of one report share; its processes end with its context."""

    def __init__(self, rounds: int, transports: Sequence[str]) -> None:
        """Start the provider; `transports` are those of podium to measure: httpx, aiohttp."""
        self.rounds = rounds
        self.transports = transports
        self._stack = ExitStack()
        self.provider = self._stack.enter_context(Provider())
        self._workers: dict[tuple[str | None, ...], Worker] = {}

    def __enter__(self) -> Self:
        """Return the bench."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the processes."""
        self._stack.close()

    @property
    def long_rounds(self) -> int:
        """How many rounds a job gets whose rounds take seconds."""
        return max(self.rounds // 3, 1)

    def interleaved(self, entries: Mapping[str, Entry], rounds: int) -> list[dict[str, Figures]]:
        """Return the figures of each round by entry; all take their turn in every round."""
        figures = [
            {name: self._worker(entry).round(entry.job) for name, entry in entries.items()}
            for _ in range(1 + rounds)
        ]
        return figures[1:]  # the first one warms up

    def _worker(self, entry: Entry) -> Worker:
        who = entry.contender, entry.transport, entry.otlp_endpoint
        if who not in self._workers:
            url = self.provider.base_url()
            worker = Worker(entry.contender, entry.transport, url, entry.otlp_endpoint)
            self._workers[who] = self._stack.enter_context(worker)
        return self._workers[who]

    def collector_url(self) -> str:
        """Return the address of a collector that ends after the workers that send to it."""
        return self._stack.enter_context(Collector()).url

    def by_transport(self, job: str) -> dict[str, Entry]:
        """Return podium's entries for a job, by the name of the transport."""
        return {one: Entry("podium", job, one) for one in self.transports}


def short_runs(bench: Bench) -> Iterator[Row]:
    """J1: a step of a ten-step run."""
    entries = {"raw": Entry("raw", "short_runs"), **bench.by_transport("short_runs")}
    rounds = bench.interleaved(entries, bench.rounds)
    for one in bench.transports:
        pairs = [(figures[one]["step"], figures["raw"]["step"]) for figures in rounds]
        yield compared("J1", f"step of a 10-step run, {one}", pairs, target=0.40)


def long_runs(bench: Bench) -> Iterator[Row]:
    """J2: a step at the end of a long run, against the raw loop and against podium's own start."""
    entries = {"raw": Entry("raw", "long_end"), **bench.by_transport("long_run")}
    rounds = bench.interleaved(entries, bench.long_rounds)
    for one in bench.transports:
        pairs = [(figures[one]["last"], figures["raw"]["last"]) for figures in rounds]
        yield compared("J2", f"step 181-200 of 200, {one}", pairs, target=0.03)
        pairs = [(figures[one]["last"], figures[one]["first"]) for figures in rounds]
        yield compared("J2", f"the same against its own steps 1-20, {one}", pairs, target=1.3)


def teams(bench: Bench) -> Iterator[Row]:
    """J3: a coordinator and four specialists."""
    entries = {"raw": Entry("raw", "teams"), **bench.by_transport("teams")}
    rounds = bench.interleaved(entries, bench.rounds)
    for one in bench.transports:
        pairs = [(figures[one]["run"], figures["raw"]["run"]) for figures in rounds]
        yield compared("J3", f"coordinator, 4 specialists, {one}", pairs, target=0.65)


def crowds(bench: Bench) -> Iterator[Row]:
    """J4: three hundred coordinators at once, each time in a fresh process."""
    who = {"raw": ("raw", "")} | {one: ("podium", one) for one in bench.transports}
    rounds: list[dict[str, Figures]] = []
    for _ in range(max(bench.rounds // 9, 1)):
        rounds.append({name: _crowd(bench.provider, *one) for name, one in who.items()})
    for one, target in (("httpx", 0.50), ("aiohttp", 0.30)):
        if one in bench.transports:
            pairs = [(figures[one]["cpu"], figures["raw"]["cpu"]) for figures in rounds]
            what = f"300 coordinators at once, {one}"
            yield compared("J4", what, pairs, target=target, unit="s", scale=1)
            used = [figures[one]["mb"] for figures in rounds]
            yield plain("J4", f"memory of a run, {one}", used, unit="MB", target=0.3)
            lost = sum(figures[one]["lost"] for figures in rounds)
            yield plain("J4", f"calls lost or wrong, {one}", [lost], unit="", target=0)


def _crowd(provider: Provider, name: str, transport: str) -> Figures:
    with Worker(name, transport, provider.base_url(think_ms=20)) as worker:
        before = provider.count()
        figures = worker.round("crowd")
    due = (int(figures["runs"]) + 1) * CALLS_PER_TEAM  # one run warms up
    return {**figures, "lost": abs(due - (provider.count() - before)) + figures["wrong"]}


def streams(bench: Bench) -> Iterator[Row]:
    """J5: a chunk of a streamed answer, read as events and by a callback."""
    ways = {
        f"{way}, {one}": Entry(contender, "streams", one)
        for one in bench.transports
        for way, contender in (("events", "podium"), ("callback", "podium-callback"))
    }
    rounds = bench.interleaved({"raw": Entry("raw", "streams"), **ways}, bench.rounds)
    for way in ways:
        pairs = [(figures[way]["chunk"], figures["raw"]["chunk"]) for figures in rounds]
        yield compared("J5", f"streamed chunk, {way}", pairs, target=0.20)


def level(bench: Bench) -> Iterator[Row]:
    """J6: what five thousand short runs leave behind."""
    transport = bench.transports[-1]
    with Worker("podium", transport, bench.provider.base_url()) as worker:
        figures = worker.round("level")
    for name, unit, limit in (("mb", "MB", 2.0), ("threads", "", 0), ("descriptors", "", 0)):
        what = f"{'memory' if name == 'mb' else name} left by 5,000 runs, {transport}"
        yield plain("J6", what, [figures[name]], unit=unit, target=limit)


def imports(bench: Bench) -> Iterator[Row]:
    """J7: importing podium; beside it, importing openai."""
    code = "import podium.agent, podium.orchestration"
    bare, sdk = _import_seconds(""), _import_seconds("import openai")
    counted = [_import_seconds(code) - bare for _ in range(bench.rounds)]
    what = "import of agent and orchestration"
    yield plain("J7", what, counted, unit="s", target=0.15, other=sdk - bare)
    loaded = _python(f"{code}, sys; print(int('openai' in sys.modules))")
    yield plain("J7", "openai loaded by that", [float(loaded)], unit="", target=0)


def overheads(bench: Bench) -> Iterator[Row]:
    """J8: what podium adds to a tool call, and what a span costs."""
    rounds = [_measured("bench_overhead.py") for _ in range(bench.long_rounds)]
    hop = min(figures["hop"] for figures in rounds) * 1e6
    for name, what, target, other in (
        ("async", "tool call above an async function", 60, None),
        ("sync", "tool call above a sync function; a bare hop to a thread", 150, hop),
        ("span", "span written to a file", None, None),
    ):
        counted = [figures[name] for figures in rounds]
        yield plain("J8", what, counted, unit="us", scale=1e6, target=target, other=other)


def budgets(bench: Bench) -> Iterator[Row]:
    """J9: what a budget of 2,000 tokens holds and puts to use, and what budgets cost."""
    figures = _measured("bench_budget.py")
    for name, figure in figures.items():
        kind, _, allotment = name.partition(" ")
        if kind == "spent":
            what = f"spent of the limit, 1 to 256 specialists, {allotment}"
            yield plain("J9", what, [figure], unit="", target=1)
        elif kind == "unused":
            # What is granted and not used is nobody else's: only shared room can all be used.
            target = 0.15 if allotment in ("shared", "capped") else None
            what = f"left of it, 32 specialists and more, {allotment}"
            yield plain("J9", what, [figure], unit="", target=target)
    ledger, wall, share = figures["ledger"], figures["wall"], figures["share"]
    yield plain("J9", "reserve and settle, 6 deep", [ledger], unit="us", scale=1e6, target=30)
    yield plain("J9", "time of 8 specialists, against no budget", [wall], unit="", target=1.1)
    yield plain("J9", "part of their CPU, with no model to wait for", [share], unit="")


def rivals(bench: Bench) -> Iterator[Row]:
    """J10: what is spent of a limit of 2,000 tokens here and in other frameworks, if installed."""
    for name, figure in _measured("bench_rivals.py").items():
        framework, _, count = name.partition(" ")
        target = 1 if framework == "podium" else None
        what = f"spent of the limit, {count} specialists, {framework}"
        yield plain("J10", what, [figure], unit="", target=target)


def tools(bench: Bench) -> Iterator[Row]:
    """J11: building a thousand tools, and finding one among ten thousand."""
    rounds = [_measured("bench_tools.py") for _ in range(max(bench.long_rounds // 3, 1))]
    for name, what, unit, scale, target in (
        ("schemas", "1,000 tools from functions", "s", 1.0, 0.5),
        ("build", "index over 10,000 tools", "s", 1.0, 1.0),
        ("held", "memory of that", "MB", 1 / 1024**2, 60.0),
        ("search", "search among them", "ms", 1e3, 10.0),
        ("slowest", "the slowest of 200", "ms", 1e3, None),
    ):
        counted = [figures[name] for figures in rounds]
        yield plain("J11", what, counted, unit=unit, scale=scale, target=target)


def mcp_calls(bench: Bench) -> Iterator[Row]:
    """J12: what podium adds to a call of an MCP tool over stdio, above the bare client."""
    figures = _measured("bench_mcp.py")
    for name in ("cpu", "wall"):
        what = f"MCP call above the bare client, {name}"
        target = 1 if name == "cpu" else None  # the clock says as much where nothing else runs
        added, bare = figures[f"added_{name}"], figures[f"bare_{name}"]
        yield plain("J12", what, [added], unit="ms", target=target, other=bare)


def traces(bench: Bench) -> Iterator[Row]:
    """J13: what tracing costs while nobody watches, with a live collector, and with a dead one."""
    transport = bench.transports[-1]
    places = {"none": None, "live": bench.collector_url(), "dead": DEAD_ENDPOINT}
    entries = {
        name: Entry("podium", "short_runs", transport, place) for name, place in places.items()
    }
    of_teams = {name: Entry("podium", "teams", transport, place) for name, place in places.items()}
    steps = bench.interleaved(entries, bench.rounds)
    runs = bench.interleaved(of_teams, bench.rounds)
    for name, target in (("live", 1.10), ("dead", 1.10)):
        pairs = [(figures[name]["step"], figures["none"]["step"]) for figures in steps]
        yield compared("J13", f"step, {name} collector, against none", pairs, target=target)
        pairs = [(figures[name]["run"], figures["none"]["run"]) for figures in runs]
        yield compared("J13", f"team, {name} collector, against none", pairs, target=target)
    pairs = [(figures["dead"]["step"], figures["live"]["step"]) for figures in steps]
    yield compared("J13", "step, dead collector, against a live one", pairs, target=1.05)
    measured = _measured("bench_tracing.py")
    share = measured["unseen step"] / min(figures["none"]["step"] for figures in steps)
    yield plain("J13", "part of a step without an SDK", [share], unit="", target=0.02)
    bare = measured["bare span"] * 1e6
    for name, what, most, other in (
        ("span", "span to a live one; SDK and exporter alone", 60, bare),
        ("span and metrics", "span and metrics to a live one", None, None),
    ):
        took = [measured[name]]
        yield plain("J13", what, took, unit="us", scale=1e6, target=most, other=other)


JOBS: Mapping[str, Callable[[Bench], Iterator[Row]]] = {
    "J1": short_runs,
    "J2": long_runs,
    "J3": teams,
    "J4": crowds,
    "J5": streams,
    "J6": level,
    "J7": imports,
    "J8": overheads,
    "J9": budgets,
    "J10": rivals,
    "J11": tools,
    "J12": mcp_calls,
    "J13": traces,
}


def _import_seconds(code: str) -> float:
    return float(_python(f"{code}\nimport time; print(time.process_time())"))


def _python(code: str) -> str:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _measured(script: str) -> Figures:
    with Process(script) as process:
        figures: Figures = json.loads(process.read())
    return figures

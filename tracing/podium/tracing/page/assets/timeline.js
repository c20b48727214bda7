// The timeline: the tree of spans, each with a bar where its time was.

import { bodyOf, make, announce } from "./dom.js";
import { brief, plural } from "./format.js";
import { gridKeys } from "./grid_keys.js";
import { change, follow, state } from "./state.js";
import { buildRow, fillRow } from "./timeline_row.js";
import { drawAxis, timeWindow } from "./axis.js";
import { virtualList } from "./virtual_list.js";
import { visibleSpans } from "./visible.js";

const HEAD_PIXELS = 28;
const PAPER_ROWS = 400;

export function drawTimeline(trace) {
  const axis = make("div", { class: "axis", role: "columnheader", "aria-label": "Time" });
  const lines = make("div", { class: "lines", "aria-hidden": "true" });
  const grid = buildGrid(axis, lines);
  bodyOf("timeline").append(grid);
  let shown = { spans: [], matches: null };
  let time = [0, 1];
  const list = virtualList(grid, {
    build: () => buildRow(trace, toggleFold),
    fill: (row, at) => fillRow(row, trace, shown.spans[at], { at, time, matches: shown.matches }),
  });

  function refresh() {
    shown = visibleSpans(trace);
    grid.setAttribute("aria-rowcount", shown.spans.length + 1);
    report(shown);
    redraw();
    list.setTotal(shown.spans.length);
    if (state.selected >= 0) markActive();
  }

  function redraw() {
    time = timeWindow(trace);
    drawAxis(axis, lines, time);
    grid.classList.toggle("shows-critical", state.critical);
    list.refresh();
  }

  function markActive() {
    const at = shown.spans.indexOf(state.selected);
    if (at < 0) grid.removeAttribute("aria-activedescendant");
    else grid.setAttribute("aria-activedescendant", `span-${state.selected}`);
    return at;
  }

  function select() {
    const at = markActive();
    if (at >= 0) list.reveal(at, HEAD_PIXELS);
    list.refresh();
  }

  function toggleFold(span) {
    const collapsed = new Set(state.collapsed);
    if (!collapsed.delete(span)) collapsed.add(span);
    change({ collapsed });
  }

  grid.addEventListener("click", (event) => {
    const row = event.target.closest(".row");
    if (row && !event.target.closest(".fold")) change({ selected: row.span, detailed: true, frame: null });
  });
  gridKeys(
    grid,
    keysOf(trace, () => shown.spans, { toggleFold, list }),
  );
  follow(["agent", "query", "hidden", "onlyErrors", "collapsed"], refresh);
  follow(["critical", "zoom"], redraw);
  follow(["selected"], select);
  new ResizeObserver(() => drawAxis(axis, lines, time)).observe(axis);
  refresh();
  return {
    print: (on) => list.print(on ? PAPER_ROWS : 0),
    next: (direction) => nextMatch(shown, direction),
  };
}

function buildGrid(axis, lines) {
  const head = make(
    "div",
    { class: "head", role: "row", "aria-rowindex": 1 },
    make("div", { class: "name", role: "columnheader" }, "Span"),
    make("div", { class: "number tokens", role: "columnheader" }, "Tokens"),
    make("div", { class: "number", role: "columnheader" }, "Time"),
    axis,
  );
  return make(
    "div",
    {
      class: "grid",
      role: "treegrid",
      tabindex: 0,
      "aria-label": "Spans in the order of time",
      "aria-colcount": 4,
    },
    head,
    lines,
  );
}

/** What the keys do, in terms of spans. */
function keysOf(trace, spans, { toggleFold, list }) {
  const at = () => spans().indexOf(state.selected);
  const go = (index) => {
    const last = spans().length - 1;
    if (last >= 0) change({ selected: spans()[Math.max(0, Math.min(index, last))], frame: null });
  };
  const hasBelow = (span) => trace.end[span] > span + 1;
  return {
    at,
    go,
    count: () => spans().length,
    page: () => Math.max(1, Math.floor(list.rowsInSight() - 2)),
    fold() {
      const span = state.selected;
      if (span < 0) return;
      if (hasBelow(span) && !state.collapsed.has(span)) toggleFold(span);
      else if (trace.parent[span] >= 0) go(Math.max(0, spans().indexOf(trace.parent[span])));
    },
    unfold() {
      const span = state.selected;
      if (span < 0 || !hasBelow(span)) return;
      if (state.collapsed.has(span)) toggleFold(span);
      else go(at() + 1);
    },
    open: () => state.selected >= 0 && change({ detailed: true, entered: true, frame: null }),
  };
}

function report({ spans, matches }) {
  const hits = matches ? matches.reduce((sum, one) => sum + one, 0) : 0;
  document.getElementById("found").textContent = matches && state.query ? brief(hits) : "";
  if (matches) announce(`${plural(hits, "span")} found`);
  else if (state.agent >= 0) announce(`${plural(spans.length, "span")} shown`);
}

function nextMatch({ spans, matches }, direction) {
  if (!matches) return;
  const hits = spans.filter((span) => matches[span]);
  if (!hits.length) return;
  const now = hits.indexOf(state.selected);
  const at = now < 0 ? (direction > 0 ? 0 : hits.length - 1) : (now + direction + hits.length) % hits.length;
  change({ selected: hits[at], frame: null });
}

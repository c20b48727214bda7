// One row of the timeline: what the span is, what it took, and its bar with waits and events.

import { make } from "./dom.js";
import { brief, duration } from "./format.js";
import { KIND_MARKS, KINDS } from "./model.js";
import { state } from "./state.js";

const MOST_MARKS = 40; // events drawn on one bar

export function buildRow(trace, toggleFold) {
  const parts = {
    fold: make("button", { type: "button", class: "fold", tabindex: -1, "aria-hidden": "true" }),
    mark: make("i", { class: "mark", "aria-hidden": "true" }),
    label: make("bdi", { class: "label" }),
    hint: make("bdi", { class: "hint" }),
    tokens: make("div", { class: "number tokens", role: "gridcell" }),
    time: make("div", { class: "number", role: "gridcell" }),
    bar: make("i", { class: "bar" }),
    marks: make("span", { class: "marks" }),
  };
  const name = make(
    "div",
    { class: "name", role: "gridcell" },
    parts.fold,
    parts.mark,
    parts.label,
    parts.hint,
  );
  const track = make("div", { class: "track", role: "gridcell" }, parts.bar, parts.marks);
  const row = make("div", { role: "row" }, name, parts.tokens, parts.time, track);
  parts.fold.addEventListener("click", () => toggleFold(row.span));
  return Object.assign(row, { parts, cell: name, span: -1 });
}

export function fillRow(row, trace, span, { at, time, matches }) {
  row.span = span;
  row.id = `span-${span}`;
  row.className = classesOf(trace, span, matches);
  const hasBelow = trace.end[span] > span + 1;
  describe(row, trace, span, { at, hasBelow });
  const { fold, mark, label, hint, tokens, time: timeCell } = row.parts;
  row.cell.style.setProperty("--depth", Math.min(trace.depth[span], 24));
  fold.textContent = hasBelow ? "\u25be" : "";
  mark.textContent = trace.failed[span] ? "!" : KIND_MARKS[trace.kind[span]];
  label.textContent = trace.label(span);
  hint.textContent = trace.hint(span);
  tokens.textContent = trace.tokens[span] ? brief(trace.tokens[span]) : "";
  timeCell.textContent = duration(trace.length[span]);
  placeBar(row.parts, trace, span, time);
}

function classesOf(trace, span, matches) {
  return [
    "row",
    `kind-${KINDS[trace.kind[span]]}`,
    trace.failed[span] && "is-failed",
    trace.endings.get(span)?.tone === "warn" && "is-stopped",
    trace.critical.has(span) && "is-critical",
    span === state.selected && "is-selected",
    state.collapsed.has(span) && "is-folded",
    matches && (matches[span] ? "is-match" : "is-context"),
  ]
    .filter(Boolean)
    .join(" ");
}

function describe(row, trace, span, { at, hasBelow }) {
  const kind = KINDS[trace.kind[span]];
  const failed = trace.failed[span] ? ", failed" : "";
  row.setAttribute(
    "aria-label",
    `${kind} ${trace.label(span)} ${trace.hint(span)}${failed}, ${duration(trace.length[span])}`,
  );
  row.setAttribute("aria-rowindex", at + 2);
  row.setAttribute("aria-level", trace.depth[span] + 1);
  row.setAttribute("aria-selected", String(span === state.selected));
  if (hasBelow) row.setAttribute("aria-expanded", String(!state.collapsed.has(span)));
  else row.removeAttribute("aria-expanded");
}

function placeBar({ bar, marks }, trace, span, [from, to]) {
  const share = (ms) => `${Math.max(-1, Math.min(101, (100 * ms) / (to - from)))}%`;
  const start = trace.start[span];
  const left = Math.max(start, from - (to - from) / 100);
  bar.style.left = share(left - from);
  bar.style.width = share(Math.max(0, start + trace.length[span] - left));
  bar.hidden = start > to || start + trace.length[span] < from;
  const stretch =
    (name, title) =>
    ([at, length]) =>
      make("i", {
        class: name,
        title: `${title} ${duration(length)}`,
        style: { left: share(at - from), width: share(length) },
      });
  const pieces = state.critical ? (trace.critical.get(span) ?? []).map(stretch("piece", "critical for")) : [];
  const waits = trace.waits(span).map(stretch("wait", "waited"));
  const events = trace
    .events(span)
    .slice(0, MOST_MARKS)
    .map(([at, name]) =>
      make("i", { class: "event", title: trace.values[name], style: { left: share(at - from) } }),
    );
  if (marks.firstChild || pieces.length || waits.length || events.length)
    marks.replaceChildren(...pieces, ...waits, ...events);
}

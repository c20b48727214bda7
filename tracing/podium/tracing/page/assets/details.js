// The details of what is selected: facts, events and attributes of a span, or a frame's spans.

import { make } from "./dom.js";
import { count, duration, NOTHING, percent, plural } from "./format.js";
import { KIND_MARKS, KINDS } from "./model.js";
import { change, follow, state } from "./state.js";
import { valueView } from "./value_view.js";

const MOST_EVENTS = 200;
const MOST_SPANS = 100;

export function drawDetails(trace) {
  const panel = document.getElementById("details");
  const close = () => {
    change({ detailed: false, frame: null });
    document.querySelector("#timeline .grid").focus({ preventScroll: true });
  };

  function show(keys) {
    const open = state.detailed && (state.selected >= 0 || state.frame !== null);
    panel.hidden = !open;
    document.getElementById("main").classList.toggle("has-details", open);
    if (!open) return;
    panel.replaceChildren(
      ...(state.frame ? frameDetails(trace, state.frame, close) : spanDetails(trace, state.selected, close)),
    );
    panel.scrollTop = 0;
    if (keys.has("entered")) panel.focus();
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && state.detailed) close();
  });
  follow(["selected", "frame", "detailed", "entered"], show);
}

function titleOf(text, kind, close) {
  return make(
    "div",
    { class: "details-head" },
    make("i", { class: "mark", "aria-hidden": "true" }, KIND_MARKS[kind] ?? "\u00b7"),
    make("h2", { id: "details-title" }, make("bdi", {}, text)),
    make(
      "button",
      { type: "button", class: "quiet close", "aria-label": "Close the details", on: { click: close } },
      "\u00d7",
    ),
  );
}

function spanDetails(trace, span, close) {
  const kind = trace.kind[span];
  document.getElementById("details").className = `card kind-${KINDS[kind]}`;
  const attributes = trace.attributes(span);
  return [
    titleOf(trace.name(span), kind, close),
    trace.endings.has(span) ? make("p", { class: "said" }, trace.endings.get(span).sentence) : null,
    facts(factsOf(trace, span)),
    actions(trace, span),
    heading("Events", trace.events(span).length),
    events(trace, span),
    heading("Attributes", attributes.length),
    attributes.length ? table(attributes) : null,
  ].filter(Boolean);
}

const heading = (text, size) =>
  size ? make("h3", {}, `${text} `, make("span", { class: "size" }, count(size))) : null;

function factsOf(trace, span) {
  const rows = [
    ["Kind", KINDS[trace.kind[span]] + (trace.failed[span] ? ", failed" : "")],
    ["Began", `${duration(trace.start[span])} after the start`],
    ["Took", `${duration(trace.length[span])}, ${percent(trace.length[span], trace.length_ms)} of the run`],
    ["By itself", duration(trace.self[span])],
  ];
  const own = trace.input[span] + trace.output[span];
  if (own) rows.push(["Tokens", `${count(trace.input[span])} in, ${count(trace.output[span])} out`]);
  else if (trace.tokens[span]) rows.push(["Tokens below", count(trace.tokens[span])]);
  const waited = trace.waits(span).reduce((sum, [, length]) => sum + length, 0);
  if (waited) rows.push(["Waited", duration(waited)]);
  if (trace.critical.has(span)) rows.push(["Critical", "on the critical path"]);
  return rows;
}

function facts(rows) {
  return make(
    "dl",
    { class: "facts" },
    ...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]),
  );
}

function actions(trace, span) {
  const owner = trace.owner[span];
  const parent = trace.parent[span];
  const from = trace.start[span];
  const to = from + Math.max(trace.length[span], 0.001);
  const margin = (to - from) * 0.02;
  const action = (text, changes) =>
    make("button", { type: "button", class: "quiet", on: { click: () => change(changes) } }, text);
  return make(
    "div",
    { class: "actions" },
    action("Zoom to it", { zoom: [Math.max(0, from - margin), to + margin] }),
    state.zoom ? action("Zoom out", { zoom: null, entered: false }) : null,
    parent >= 0 ? action("Parent", { selected: parent }) : null,
    owner >= 0 && state.agent !== owner
      ? action(`Only ${trace.agents[owner].path}`, { agent: owner, zoom: null })
      : null,
  );
}

function events(trace, span) {
  const all = trace.events(span);
  if (!all.length) return null;
  const items = all.slice(0, MOST_EVENTS).map((event) => {
    const facts = trace.eventAttributes(event);
    return make(
      "li",
      {},
      make("span", { class: "when" }, `+${duration(Math.max(0, event[0] - trace.start[span]))}`),
      make("bdi", { class: "what" }, trace.values[event[1]]),
      facts.length ? table(facts) : null,
    );
  });
  if (all.length > MOST_EVENTS)
    items.push(make("li", { class: "remark" }, `and ${count(all.length - MOST_EVENTS)} more`));
  return make("ol", { class: "events" }, ...items);
}

function table(pairs) {
  const row = ([key, value]) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, make("bdi", {}, ...breakable(key))),
      make("td", {}, valueView(value)),
    );
  return make("table", { class: "attributes" }, make("tbody", {}, ...pairs.map(row)));
}

/** A key may be broken after its dots, nowhere else. */
const breakable = (key) => key.split(/(?<=\.)/).flatMap((part) => [part, make("wbr")]);

function frameDetails(trace, frame, close) {
  document.getElementById("details").className = `card kind-${KINDS[frame.kind] ?? "other"}`;
  const sum = (column) => frame.spans.reduce((total, i) => total + column[i], 0);
  const longest = [...frame.spans].sort((a, b) => trace.length[b] - trace.length[a]).slice(0, MOST_SPANS);
  return [
    titleOf(`${frame.label} \u00d7${count(frame.spans.length)}`, frame.kind, close),
    facts([
      ["Spans", count(frame.spans.length)],
      ["Time", `${duration(sum(trace.length))} together`],
      ["Longest", duration(trace.length[longest[0]] ?? 0)],
      ["Tokens", count(sum(trace.tokens)) || NOTHING],
      ["Failed", count(sum(trace.failed))],
    ]),
    heading("Longest first", frame.spans.length),
    make("ol", { class: "span-list" }, ...longest.map((i) => spanLink(trace, i))),
    frame.spans.length > MOST_SPANS
      ? make("p", { class: "remark" }, `and ${plural(frame.spans.length - MOST_SPANS, "more span")}`)
      : null,
  ].filter(Boolean);
}

function spanLink(trace, i) {
  const tokens = trace.tokens[i] ? `${count(trace.tokens[i])} tokens` : "";
  return make(
    "li",
    {},
    make(
      "button",
      { type: "button", class: "span-link", on: { click: () => change({ selected: i, frame: null }) } },
      make("bdi", {}, trace.agents[trace.owner[i]]?.path ?? trace.label(i)),
      make("span", { class: "number" }, tokens),
      make("span", { class: "number" }, duration(trace.length[i])),
    ),
  );
}

// Search, filters and switches: what all views show.

import { make } from "./dom.js";
import { count, duration } from "./format.js";
import { KIND_MARKS, KINDS } from "./model.js";
import { change, follow, state } from "./state.js";

const PAUSE_MS = 120; // typing on is faster than searching a large trace

export function drawToolbar(trace, { onNext }) {
  document
    .getElementById("toolbar")
    .append(
      searchField(onNext),
      agentChip(trace),
      zoomChip(),
      ...kindSwitches(trace),
      make("span", { class: "gap" }),
      ...(trace.size > 1 ? [foldSwitch(trace)] : []),
      ...(trace.failed.includes(1) ? [toggle("Errors only", "errors", "onlyErrors")] : []),
      ...(trace.critical.size ? [toggle("Critical path", "critical", "critical")] : []),
    );
}

function searchField(onNext) {
  let waiting = 0;
  const search = () => change({ query: field.value.trim() });
  const field = make("input", {
    type: "search",
    id: "search",
    placeholder: "Search names and attributes",
    "aria-label": "Search spans",
    "aria-keyshortcuts": "/",
    autocomplete: "off",
    spellcheck: "false",
    on: {
      input: () => {
        clearTimeout(waiting);
        waiting = setTimeout(search, PAUSE_MS);
      },
      keydown: (event) => {
        if (event.key === "Enter") onNext(event.shiftKey ? -1 : 1);
      },
    },
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input")) return;
    event.preventDefault();
    field.focus();
  });
  follow(["query"], () => {
    if (state.query !== field.value.trim()) field.value = state.query;
  });
  return make("div", { class: "search" }, field, make("span", { id: "found", class: "found" }));
}

function agentChip(trace) {
  return chip("agent-chip", "agent", {
    text: () => (state.agent < 0 ? null : trace.agents[state.agent].path),
    without: { agent: -1, zoom: null },
    means: (path) => `Show all agents again, not only ${path}`,
  });
}

function zoomChip() {
  return chip("zoom-chip", "zoom", {
    text: () => state.zoom && `${duration(state.zoom[0])} to ${duration(state.zoom[1])}`,
    without: { zoom: null },
    means: (text) => `Show the whole time again, not only ${text}`,
  });
}

/** A choice that narrows the views, with a way out of it. */
function chip(id, key, { text, without, means }) {
  const words = make("bdi", { class: "chip-text" });
  const button = make(
    "button",
    { type: "button", class: "chip", id, hidden: true, on: { click: () => change(without) } },
    words,
    "\u00a0\u00d7",
  );
  follow([key], () => {
    const shown = text();
    button.hidden = shown === null;
    if (button.hidden) return;
    words.textContent = shown;
    button.setAttribute("aria-label", means(shown));
  });
  return button;
}

function kindSwitches(trace) {
  const sizes = KINDS.map(() => 0);
  for (const kind of trace.kind) sizes[kind] += 1;
  return KINDS.map((name, kind) => sizes[kind] > 0 && kindSwitch(name, kind, sizes[kind])).filter(Boolean);
}

function kindSwitch(name, kind, size) {
  const button = make(
    "button",
    { type: "button", class: `kind-switch kind-${name}`, "aria-pressed": "true" },
    make("i", { class: "mark", "aria-hidden": "true" }, KIND_MARKS[kind]),
    `${name} `,
    make("span", { class: "size" }, count(size)),
  );
  button.addEventListener("click", () => {
    const hidden = new Set(state.hidden);
    if (!hidden.delete(kind)) hidden.add(kind);
    button.setAttribute("aria-pressed", String(!hidden.has(kind)));
    change({ hidden });
  });
  return button;
}

/** Folds all but the topmost spans, or unfolds all. */
function foldSwitch({ parent, end }) {
  const folded = () => new Set(Array.from(parent.keys()).filter((i) => parent[i] >= 0 && end[i] > i + 1));
  const button = make("button", { type: "button", id: "fold", class: "toggle" });
  button.addEventListener("click", () => change({ collapsed: state.collapsed.size ? new Set() : folded() }));
  const show = () => (button.textContent = state.collapsed.size ? "Unfold all" : "Fold all");
  follow(["collapsed"], show);
  show();
  return button;
}

function toggle(text, id, key) {
  const button = make("button", { type: "button", id, class: "toggle", "aria-pressed": "false" }, text);
  button.addEventListener("click", () => change({ [key]: !state[key] }));
  follow([key], () => button.setAttribute("aria-pressed", String(state[key])));
  return button;
}

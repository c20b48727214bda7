// Which models and tools were used, in the part of the run that is looked at.

import { bodyOf, make } from "./dom.js";
import { brief, count, duration, plural } from "./format.js";
import { KIND_MARKS, KINDS, MODEL, TOOL } from "./model.js";
import { change, follow, state } from "./state.js";
import { scope } from "./visible.js";

const MOST_ROWS = 100;

export function drawParts(trace) {
  const card = document.getElementById("parts");
  const head = ["", "Calls", "Tokens", "Time"].map((text, at) =>
    make("th", { scope: "col", class: at ? "number" : "name" }, at ? text : "Name"),
  );
  const body = make("tbody");
  bodyOf("parts").append(make("table", {}, make("thead", {}, make("tr", {}, ...head)), body));

  function refresh() {
    const parts = sums(trace);
    card.hidden = parts.length === 0;
    body.replaceChildren(...parts.slice(0, MOST_ROWS).map(row));
  }

  follow(["agent"], refresh);
  refresh();
}

/** Sum up spans of models and tools by name, what took longest first within each kind. */
function sums(trace) {
  const [from, to] = scope(trace);
  const found = new Map();
  for (let i = from; i < to; i++) {
    const kind = trace.kind[i];
    if (kind !== MODEL && kind !== TOOL) continue;
    const key = `${kind} ${trace.label(i)}`;
    if (!found.has(key))
      found.set(key, { kind, name: trace.label(i), calls: 0, tokens: 0, time: 0, failed: 0 });
    const sum = found.get(key);
    sum.calls += 1;
    sum.tokens += kind === MODEL ? trace.input[i] + trace.output[i] : trace.tokens[i];
    sum.time += trace.length[i];
    sum.failed += trace.failed[i];
  }
  return [...found.values()].sort((a, b) => a.kind - b.kind || b.time - a.time);
}

function row({ kind, name, calls, tokens, time, failed }) {
  const seek = () => change({ query: state.query === name ? "" : name });
  const failures = failed ? make("span", { class: "failures" }, ` ${plural(failed, "error")}`) : null;
  return make(
    "tr",
    { class: `kind-${KINDS[kind]}` },
    make(
      "th",
      { scope: "row", class: "name" },
      make("i", { class: "mark", "aria-hidden": "true" }, KIND_MARKS[kind]),
      make(
        "button",
        { type: "button", class: "part", title: `Find ${name}`, on: { click: seek } },
        make("bdi", {}, name),
      ),
      failures,
    ),
    make("td", { class: "number" }, count(calls)),
    make("td", { class: "number" }, tokens ? brief(tokens) : ""),
    make("td", { class: "number" }, duration(time)),
  );
}

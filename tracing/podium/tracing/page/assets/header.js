// The answer at a glance: how it ended, and the figures of the whole run.

import { count, dollars, duration, NOTHING, plural } from "./format.js";
import { make } from "./dom.js";

export function drawHeader(trace) {
  drawEyebrow(trace);
  const ending = document.getElementById("ending");
  ending.textContent = trace.ending.word;
  ending.classList.add(`is-${trace.ending.tone}`);
  document.getElementById("figures").append(...figures(trace).map(figure));
  document.getElementById("notes").append(...trace.notes.map((note) => make("li", {}, note)));
}

function drawEyebrow({ trace_id: id, started }) {
  const when = started === null ? null : new Date(started);
  document
    .getElementById("eyebrow")
    .append(
      "Trace ",
      make("code", { title: id }, id.slice(0, 8) || NOTHING),
      when && make("time", { datetime: when.toISOString() }, ` \u00b7 ${shownTime(when)}`),
    );
}

const shownTime = (when) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" }).format(when);

function figures({ totals, length_ms: length, agents, size }) {
  const bound = totals.complete ? "" : "at least ";
  return [
    ["Duration", duration(length), plural(size, "span")],
    ["Tokens in", count(totals.input), `${bound}${count(totals.input + totals.output)} in all`],
    ["Tokens out", count(totals.output), totals.cached ? `${count(totals.cached)} of input cached` : ""],
    ["Cost", dollars(totals.cost), totals.cost === null ? "not recorded" : ""],
    ["Model calls", count(totals.model_calls), agents.length ? `by ${plural(agents.length, "agent")}` : ""],
    ["Tool calls", count(totals.tool_calls), totals.transfers ? `${count(totals.transfers)} to agents` : ""],
    ["Errors", count(totals.errors), "", totals.errors ? "is-bad" : ""],
  ];
}

function figure([name, value, remark, tone]) {
  return make(
    "div",
    { class: `figure ${tone ?? ""}` },
    make("dt", {}, name),
    make("dd", {}, make("span", { class: "value" }, value), make("span", { class: "remark" }, remark)),
  );
}

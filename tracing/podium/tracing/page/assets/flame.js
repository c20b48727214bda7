// The flame chart: where time or tokens went. Width is weight; what is below a frame is part of it.

import { bodyOf, make } from "./dom.js";
import { count, duration, percent, plural } from "./format.js";
import { flameTree, METRICS } from "./flame_tree.js";
import { KINDS } from "./model.js";
import { change, follow, state } from "./state.js";
import { scope } from "./visible.js";

const ROW_PIXELS = 24;
const LEAST_SHARE = 0.002; // narrower frames cannot be seen
const MOST_FRAMES = 800;

export function drawFlame(trace) {
  const chart = make("div", { class: "frames", role: "group", "aria-label": "Frames, widest part first" });
  const caption = make("p", { class: "remark" });
  const title = document.getElementById("flame-title");
  title.after(metricSwitch());
  bodyOf("flame").append(chart, caption);
  let focus = null;

  function refresh() {
    const [from, to] = scope(trace);
    const root = flameTree(trace, { from, to, metric: state.metric, hidden: state.hidden });
    focus = null;
    show(root);
  }

  function show(root) {
    const top = focus ?? only(root);
    const { frames, left } = placed(top);
    const deepest = Math.max(1, ...frames.map((frame) => frame.row + 1));
    chart.style.height = `${deepest * ROW_PIXELS}px`;
    chart.replaceChildren(...frames.map((place) => button(place, top)));
    caption.textContent = captionOf(trace, root, left);
    document.getElementById("flame").classList.toggle("is-empty", root.weight === 0);

    function button(place) {
      const { frame } = place;
      const text = `${frame.label}: ${weightText(frame.weight)}, ${percent(frame.weight, root.weight)} of all, ${plural(frame.spans.length, "span")}`;
      return make(
        "button",
        {
          type: "button",
          class: `frame kind-${KINDS[frame.kind] ?? "other"} ${frame === focus ? "is-focus" : ""} ${place.isAbove ? "is-above" : ""}`,
          title: text,
          "aria-label": text,
          style: {
            left: `${100 * place.left}%`,
            width: `${100 * place.width}%`,
            top: `${place.row * ROW_PIXELS}px`,
          },
          on: { click: () => open(frame) },
        },
        make(
          "span",
          {},
          make("bdi", {}, frame.label),
          frame.spans.length > 1
            ? make("span", { class: "times" }, ` \u00d7${count(frame.spans.length)}`)
            : null,
          make("span", { class: "weight" }, ` ${weightText(frame.weight)}`),
        ),
      );
    }

    function open(frame) {
      focus = frame === focus ? frame.above : frame;
      if (focus && !focus.above) focus = null;
      const one = frame.spans.length === 1;
      change({ detailed: true, selected: one ? frame.spans[0] : -1, frame: one ? null : frame });
      show(root);
    }
  }

  follow(["agent", "metric", "hidden"], refresh);
  refresh();
}

/** A root with one frame below it says nothing: begin with that frame. */
const only = (root) => (root.below.size === 1 && root.self === 0 ? [...root.below.values()][0] : root);

/** Return the places of the frames from `top` on, those above it over its whole width. */
function placed(top) {
  const frames = [];
  for (let above = top.above; above?.above; above = above.above) frames.unshift(place(above, 0, 1, 0, true));
  frames.forEach((each, row) => Object.assign(each, { row }));
  const waiting = [place(top, 0, 1, frames.length)];
  let left = 0;
  while (waiting.length) {
    const next = waiting.shift();
    if (next.frame.kind >= 0) frames.push(next);
    const row = next.frame.kind >= 0 ? next.row + 1 : next.row;
    let at = next.left;
    for (const frame of [...next.frame.below.values()]
      .filter(({ weight }) => weight)
      .sort((a, b) => b.weight - a.weight)) {
      const width = top.weight ? frame.weight / top.weight : 0;
      if (width < LEAST_SHARE || frames.length + waiting.length >= MOST_FRAMES) left += 1;
      else waiting.push(place(frame, at, width, row));
      at += width;
    }
  }
  return { frames, left };
}

const place = (frame, left, width, row, isAbove = false) => ({ frame, left, width, row, isAbove });

const weightText = (weight) => (state.metric === "time" ? duration(weight) : count(weight));

function captionOf(trace, root, left) {
  const small = left ? ` ${plural(left, "frame")} too narrow to draw.` : "";
  if (root.weight === 0) return `No ${state.metric} recorded here.`;
  if (state.metric === "tokens") return `${count(root.weight)} tokens, in and out.${small}`;
  return `${duration(root.weight)} of work; what ran side by side counts each time.${small}`;
}

function metricSwitch() {
  const buttons = Object.entries(METRICS).map(([metric, { name }]) =>
    make(
      "button",
      {
        type: "button",
        id: `flame-${metric}`,
        "aria-pressed": String(metric === state.metric),
        on: { click: () => change({ metric }) },
      },
      name,
    ),
  );
  follow(["metric"], () =>
    buttons.forEach((button) =>
      button.setAttribute("aria-pressed", String(button.id === `flame-${state.metric}`)),
    ),
  );
  return make(
    "div",
    { class: "segments", role: "group", "aria-label": "What the width of a frame means" },
    ...buttons,
  );
}

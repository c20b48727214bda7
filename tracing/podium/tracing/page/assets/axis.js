// The time axis: which part of the run is in sight, and round figures along it.

import { make } from "./dom.js";
import { duration } from "./format.js";
import { scope } from "./visible.js";
import { state } from "./state.js";

const MOST_TICKS = 6;

/** Return the first and last millisecond in sight. */
export function timeWindow(trace) {
  if (state.zoom) return state.zoom;
  if (state.agent < 0) return [0, Math.max(trace.length_ms, 0.001)];
  const [top] = scope(trace);
  return [trace.start[top], trace.start[top] + Math.max(trace.length[top], 0.001)];
}

/** Return round times in sight, each with its place: 0 at the left edge, 1 at the right. */
function roundTimes([from, to], width) {
  const most = Math.max(2, Math.min(MOST_TICKS, Math.floor(width / 80)));
  const step = roundStep((to - from) / most);
  const times = [];
  for (let time = Math.ceil(from / step) * step; time < to; time += step) {
    times.push({ time, at: (time - from) / (to - from) });
  }
  return times;
}

/** Write the times on the axis, and a line down from each. */
export function drawAxis(axis, lines, [from, to]) {
  const times = roundTimes([from, to], axis.clientWidth || 600);
  lines.style.marginLeft = `${axis.offsetLeft}px`;
  lines.style.width = `${axis.clientWidth}px`;
  lines.replaceChildren(
    ...times.map(({ at }) => make("i", { class: "line", style: { left: `${100 * at}%` } })),
  );
  axis.replaceChildren(
    ...times.map(({ time, at }) =>
      make(
        "span",
        { class: at > 0.93 ? "tick is-last" : "tick", style: { left: `${100 * at}%` } },
        duration(tidy(time)),
      ),
    ),
  );
}

/** 1, 2 or 5 times a power of ten. */
function roundStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
}

const tidy = (time) => Number(time.toPrecision(9));

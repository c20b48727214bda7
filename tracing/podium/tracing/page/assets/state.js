// What the reader has chosen. Views say what they depend on and are redrawn once a frame.

export const state = {
  agent: -1, // which agent is looked at, with all below it; -1: all
  query: "",
  hidden: new Set(), // kinds that are not shown
  onlyErrors: false,
  collapsed: new Set(),
  selected: -1, // the span under the cursor
  frame: null, // the flame chart's frame whose details are shown
  detailed: false, // whether the details are open
  critical: false,
  metric: "time",
  zoom: null, // [from, to] in milliseconds; null: all
};

const views = [];
const changed = new Set();

/** Call `draw` whenever one of the `keys` has changed. */
export function follow(keys, draw) {
  views.push({ keys, draw });
}

export function change(choices) {
  Object.assign(state, choices);
  if (!changed.size) requestAnimationFrame(redraw);
  for (const key of Object.keys(choices)) changed.add(key);
}

function redraw() {
  const keys = new Set(changed);
  changed.clear();
  for (const view of views) if (view.keys.some((key) => keys.has(key))) view.draw(keys);
}

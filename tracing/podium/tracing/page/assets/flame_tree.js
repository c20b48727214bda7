// The flame chart's frames: spans of the same name below the same frame are one frame.

import { AGENT, TOOL } from "./model.js";

/** What a span weighs by itself: time in which no child was at work, or tokens of its own. */
export const METRICS = {
  time: { name: "Time", own: (trace, i) => trace.self[i] },
  tokens: { name: "Tokens", own: (trace, i) => trace.input[i] + trace.output[i] },
};

/** Return the frame of spans `from` to `to`: {label, kind, spans, weight, below: Map, above}. */
export function flameTree(trace, { from, to, metric, hidden }) {
  const { own } = METRICS[metric];
  const root = newFrame("everything", -1, null);
  const frameOf = new Array(trace.size);
  for (let i = from; i < to; i++) {
    const above = (i > from && frameOf[trace.parent[i]]) || root;
    const weight = own(trace, i);
    const frame = isDoor(trace, i) || hidden.has(trace.kind[i]) ? above : frameFor(trace, i, above);
    frameOf[i] = frame;
    if (frame !== above) frame.spans.push(i);
    frame.self += weight;
  }
  weigh(root);
  return root;
}

/** A call that only opens the door to an agent is drawn as that agent. */
function isDoor(trace, i) {
  return (
    trace.kind[i] === TOOL && i + 1 < trace.size && trace.parent[i + 1] === i && trace.kind[i + 1] === AGENT
  );
}

function frameFor(trace, i, above) {
  const label = trace.label(i).replace(/#\d+$/, ""); // the second run of an agent is the same agent
  const key = `${trace.kind[i]} ${label}`;
  if (!above.below.has(key)) above.below.set(key, newFrame(label, trace.kind[i], above));
  return above.below.get(key);
}

function newFrame(label, kind, above) {
  return { label, kind, above, spans: [], self: 0, weight: 0, below: new Map() };
}

/** Sum weights from the leaves up, without recursion: traces may be deep. */
function weigh(root) {
  const frames = [root];
  for (let at = 0; at < frames.length; at++) frames.push(...frames[at].below.values());
  for (const frame of frames.reverse()) {
    frame.weight += frame.self;
    if (frame.above) frame.above.weight += frame.weight;
  }
}

// The trace, as the page works with it: columns by span, in tree order, so that a span's
// descendants are the `end[i] - i - 1` spans that follow it.

export const KINDS = ["agent", "model", "tool", "hook", "workflow", "other"];
export const KIND_MARKS = ["A", "M", "T", "H", "W", "\u00b7"];
export const AGENT = 0;
export const MODEL = 1;
export const TOOL = 2;
const ERROR = 1;

export function readTrace() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { spans } = data;
  const size = spans.parent.length;
  const trace = {
    ...data,
    size,
    parent: Int32Array.from(spans.parent),
    start: Float64Array.from(spans.start),
    length: Float64Array.from(spans.length),
    kind: Uint8Array.from(spans.kind),
    owner: Int32Array.from(spans.owner),
    input: Float64Array.from(spans.input),
    output: Float64Array.from(spans.output),
    failed: Uint8Array.from(spans.state, (state) => (state === ERROR ? 1 : 0)),
    critical: new Map(Object.entries(data.critical).map(([span, pieces]) => [Number(span), pieces])),
    endings: endings(data.agents),
    label: (i) => data.values[spans.label[i]],
    hint: (i) => data.values[spans.hint[i]],
    name: (i) => data.values[spans.name[i]],
    attributes: (i) => pairs(data, spans.attributes[i]),
    attributeCodes: (i) => spans.attributes[i],
    events: (i) => data.events[i] ?? [],
    waits: (i) => data.waits[i] ?? [],
    eventAttributes: (event) => pairs(data, event[2]),
  };
  return Object.assign(trace, shape(trace), { self: selfTimes(trace) });
}

function pairs({ keys, values }, codes) {
  const found = [];
  for (let at = 0; at < codes.length; at += 2) found.push([keys[codes[at]], values[codes[at + 1]]]);
  return found;
}

/** How agents ended, by the span of each. */
function endings(agents) {
  return new Map(agents.map(({ span, tone, sentence }) => [span, { tone, sentence }]));
}

/** Depth of each span, where its descendants end, and tokens of it with all below it. */
function shape({ size, parent, input, output }) {
  const depth = new Uint16Array(size);
  const end = new Int32Array(size);
  const tokens = new Float64Array(size);
  for (let i = 0; i < size; i++) depth[i] = parent[i] < 0 ? 0 : depth[parent[i]] + 1;
  for (let i = size - 1; i >= 0; i--) {
    end[i] = Math.max(end[i], i + 1);
    tokens[i] += input[i] + output[i];
    if (parent[i] < 0) continue;
    end[parent[i]] = Math.max(end[parent[i]], end[i]);
    tokens[parent[i]] += tokens[i];
  }
  return { depth, end, tokens };
}

/** Time of each span in which none of its children was at work; children come in start order. */
function selfTimes({ size, parent, start, length }) {
  const covered = new Float64Array(size);
  const reached = Float64Array.from(start);
  for (let i = 0; i < size; i++) {
    const above = parent[i];
    if (above < 0) continue;
    const from = Math.max(start[i], reached[above]);
    const to = Math.min(start[i] + length[i], start[above] + length[above]);
    if (to <= from) continue;
    covered[above] += to - from;
    reached[above] = to;
  }
  return length.map((whole, i) => Math.max(0, whole - covered[i]));
}

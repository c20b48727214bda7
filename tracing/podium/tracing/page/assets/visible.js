// Which spans are shown: those of the agent, of the kinds, that match, and that no fold hides.

import { state } from "./state.js";

/** Return the first span of what is looked at, and the one after its last. */
export function scope(trace) {
  if (state.agent < 0) return [0, trace.size];
  const { span } = trace.agents[state.agent];
  return [span, trace.end[span]];
}

/** Return the spans to show, in order, and which of them match: null where nothing is sought. */
export function visibleSpans(trace) {
  const [from, to] = scope(trace);
  const matches = state.query || state.onlyErrors ? matching(trace, from, to) : null;
  const kept = matches && withAncestors(trace, matches, from, to);
  const spans = [];
  for (let i = from; i < to; i++) {
    if ((!kept || kept[i]) && !state.hidden.has(trace.kind[i])) spans.push(i);
    if (!matches && state.collapsed.has(i)) i = trace.end[i] - 1;
  }
  return { spans, matches };
}

function matching(trace, from, to) {
  const matches = new Uint8Array(trace.size);
  const sought = state.query && soughtIn(trace, state.query.toLowerCase());
  for (let i = from; i < to; i++) {
    matches[i] = (!state.onlyErrors || trace.failed[i]) && (!sought || sought(i)) ? 1 : 0;
  }
  return matches;
}

/** Return whether a span holds the text: each text of a trace is kept once, so it is read once. */
function soughtIn({ values, keys, spans }, text) {
  const holds = (value) => String(value).toLowerCase().includes(text);
  const inValue = Uint8Array.from(values, holds);
  const inKey = Uint8Array.from(keys, holds);
  const inCodes = (codes) => {
    for (let at = 0; at < codes.length; at += 2) {
      if (inKey[codes[at]] || inValue[codes[at + 1]]) return true;
    }
    return false;
  };
  return (i) =>
    inValue[spans.name[i]] ||
    inValue[spans.label[i]] ||
    inValue[spans.hint[i]] ||
    inCodes(spans.attributes[i]);
}

function withAncestors({ parent }, matches, from, to) {
  const kept = Uint8Array.from(matches);
  for (let i = to - 1; i > from; i--) if (kept[i] && parent[i] >= from) kept[parent[i]] = 1;
  return kept;
}

// An attribute's value as people read it: JSON is laid out, long text is folded.

import { make } from "./dom.js";
import { count } from "./format.js";

const SHORT = 160;

export function valueView(value) {
  if (value === null) return make("span", { class: "remark" }, "none");
  if (typeof value === "number") return make("span", { class: "literal" }, numberText(value));
  if (typeof value !== "string") return make("span", { class: "literal" }, JSON.stringify(value));
  const text = laidOut(value);
  if (text.length <= SHORT && !text.includes("\n")) return make("bdi", {}, text);
  return make(
    "details",
    { open: text.length < 2000 },
    make("summary", {}, `${count(text.length)} characters`),
    make("pre", { tabindex: 0 }, text),
  );
}

const numberText = (number) => (Number.isInteger(number) ? count(number) : String(number));

/** Text that is a JSON object or array is shown over several lines. */
function laidOut(text) {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    const parsed = JSON.parse(text);
    const short = JSON.stringify(parsed);
    return short.length <= SHORT ? short : JSON.stringify(parsed, null, 2);
  } catch {
    return text; // cut, or not JSON at all
  }
}

// What was allowed: each limit with what was spent and what was held.

import { bodyOf, make } from "./dom.js";
import { count, dollars, duration, percent } from "./format.js";

const MOST_BARS = 8;

export function drawBudgets({ budgets, agents }) {
  const card = document.getElementById("budgets");
  card.hidden = budgets.length === 0;
  bodyOf("budgets").append(
    ...budgets.slice(0, MOST_BARS).map((budget) => bar(budget, agents)),
    budgets.length > MOST_BARS
      ? make("p", { class: "remark" }, `and ${count(budgets.length - MOST_BARS)} more`)
      : "",
  );
}

function bar({ agent, what, limit, spent, held }, agents) {
  const all = Math.max(limit, spent + held, 1e-9);
  const over = spent > limit ? "is-over" : spent + held >= limit * 0.8 ? "is-near" : "";
  const kept = held > 0 ? ` + ${shown(what, held)} held` : "";
  const text = `${shown(what, spent)}${kept} of ${shown(what, limit)}`;
  return make(
    "div",
    { class: `budget ${over}` },
    make(
      "div",
      { class: "budget-text" },
      make("bdi", {}, `${agents[agent]?.name ?? ""} `),
      make("span", { class: "remark" }, what.replace("_usd", "").replaceAll("_", " ")),
      make("span", { class: "number" }, text),
    ),
    make(
      "div",
      {
        class: "meter",
        role: "meter",
        "aria-label": `${what} of ${agents[agent]?.path ?? "the run"}`,
        "aria-valuemin": 0,
        "aria-valuemax": limit,
        "aria-valuenow": Math.min(spent, limit),
        "aria-valuetext": `${text}, ${percent(spent, limit)}`,
      },
      make("i", { class: "spent", style: { width: `${(100 * spent) / all}%` } }),
      make("i", { class: "held", style: { width: `${(100 * held) / all}%` } }),
      make("i", { class: "limit", style: { left: `${(100 * limit) / all}%` } }),
    ),
  );
}

function shown(what, amount) {
  if (what.includes("cost") || what.includes("usd")) return dollars(amount);
  return what.includes("seconds") ? duration(amount * 1000) : count(amount);
}

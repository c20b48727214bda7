// Puts the page together.

import { drawAgents } from "./agents.js";
import { drawBudgets } from "./budgets.js";
import { drawDetails } from "./details.js";
import { drawFlame } from "./flame.js";
import { drawHeader } from "./header.js";
import { drawParts } from "./parts.js";
import { drawTimeline } from "./timeline.js";
import { drawToolbar } from "./toolbar.js";
import { readTrace } from "./model.js";
import { themeSwitch } from "./theme.js";

const trace = readTrace();
drawHeader(trace);
document.getElementById("eyebrow").append(themeSwitch());
drawBudgets(trace);
const agents = drawAgents(trace);
drawParts(trace);
drawToolbar(trace, { onNext: (direction) => timeline.next(direction) });
drawFlame(trace);
const timeline = drawTimeline(trace);
drawDetails(trace);
const cards = [...document.querySelector(".side").children];
document.getElementById("main").classList.toggle(
  "has-no-side",
  cards.every((card) => card.hidden),
);

// Paper does not scroll: rows that fit a few sheets are laid out before printing.
const print = (on) => [agents, timeline].forEach((list) => list.print(on));
addEventListener("beforeprint", () => print(true));
addEventListener("afterprint", () => print(false));
document.documentElement.dataset.ready = "true";

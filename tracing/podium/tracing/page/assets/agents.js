// Who worked: the tree of agents with what each used itself and with all below it.

import { bodyOf, make } from "./dom.js";
import { brief, count, dollars, duration } from "./format.js";
import { gridKeys } from "./grid_keys.js";
import { change, follow, state } from "./state.js";
import { virtualList } from "./virtual_list.js";

const HEAD_PIXELS = 28;
const PAPER_ROWS = 200;

export function drawAgents(trace) {
  const { agents } = trace;
  const card = document.getElementById("agents");
  card.hidden = agents.length === 0;
  const priced = agents.some((agent) => agent.cost !== null);
  const grid = buildGrid(priced);
  bodyOf("agents").append(grid);
  const most = Math.max(1, ...agents.map((agent) => agent.total));
  let active = 0;
  const list = virtualList(grid, {
    build: buildRow,
    fill: (row, at) => fillRow(row, agents[at], { at, most, active, priced }),
  });
  const choose = (at) => change({ agent: state.agent === at ? -1 : at, zoom: null });
  const go = (at) => {
    active = Math.max(0, Math.min(at, agents.length - 1));
    grid.setAttribute("aria-activedescendant", `agent-${active}`);
    list.reveal(active, HEAD_PIXELS);
    list.refresh();
  };

  grid.setAttribute("aria-rowcount", agents.length + 1);
  grid.addEventListener("click", (event) => {
    const row = event.target.closest(".row");
    if (!row) return;
    go(row.at);
    choose(row.at);
  });
  gridKeys(grid, {
    at: () => active,
    count: () => agents.length,
    page: () => 10,
    go,
    fold: () => go(agents[active].parent < 0 ? active : agents[active].parent),
    unfold: () => go(active + 1),
    open: () => choose(active),
  });
  follow(["agent"], list.refresh);
  list.setTotal(agents.length);
  return { print: (on) => list.print(on ? PAPER_ROWS : 0) };
}

function buildGrid(priced) {
  const heads = ["Own", "Total", priced ? "Cost" : "Time"];
  return make(
    "div",
    {
      class: `grid ${priced ? "is-priced" : ""}`,
      role: "treegrid",
      tabindex: 0,
      "aria-label": "Agents; choose one to see only its part of the run",
    },
    make(
      "div",
      { class: "head", role: "row", "aria-rowindex": 1 },
      make("div", { class: "name", role: "columnheader" }, "Agent"),
      ...heads.map((text) => make("div", { class: "number", role: "columnheader" }, text)),
    ),
  );
}

function buildRow() {
  const cell = () => make("div", { class: "number", role: "gridcell" });
  const parts = {
    dot: make("i", { class: "dot" }),
    label: make("bdi", { class: "label" }),
    own: cell(),
    total: cell(),
    last: cell(),
    share: make("i", { class: "share", "aria-hidden": "true" }),
  };
  const name = make("div", { class: "name", role: "gridcell" }, parts.dot, parts.label);
  const cells = [name, parts.own, parts.total, parts.last, parts.share];
  return Object.assign(make("div", { role: "row" }, ...cells), { parts, cell: name, at: -1 });
}

function fillRow(row, agent, { at, most, active, priced }) {
  const { dot, label, own, total, last, share } = row.parts;
  row.at = at;
  row.id = `agent-${at}`;
  const chosen = state.agent === at;
  row.className = `row ${chosen ? "is-selected" : ""} ${active === at ? "is-active" : ""}`;
  row.setAttribute("aria-rowindex", at + 2);
  row.setAttribute("aria-level", agent.depth + 1);
  row.setAttribute("aria-selected", String(chosen));
  row.setAttribute("aria-label", spoken(agent));
  row.title = `${agent.path}: ${agent.sentence}`;
  row.cell.style.setProperty("--depth", Math.min(agent.depth, 12));
  dot.className = `dot is-${agent.tone}`;
  label.textContent = agent.name;
  own.textContent = brief(agent.own);
  total.textContent = brief(agent.total);
  last.textContent = priced ? dollars(agent.cost) : duration(agent.length);
  share.style.setProperty("--total", agent.total / most);
  share.style.setProperty("--own", agent.own / most);
}

function spoken(agent) {
  const tokens = `${count(agent.own)} tokens itself, ${count(agent.total)} in all`;
  return `${agent.path}, ${tokens}, ${duration(agent.length)}. ${agent.sentence}`;
}

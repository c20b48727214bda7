// A list of which only the rows in sight exist. Rows are built once and filled again and again.

const BEYOND = 6; // rows kept ready above and below what is in sight

/**
 * Return a list inside `viewport`, which scrolls. `build()` makes a row, `fill(row, index)` writes it.
 * The height of a row is the style sheet's: --row-height.
 */
export function virtualList(viewport, { build, fill }) {
  const space = viewport.appendChild(document.createElement("div"));
  space.className = "space";
  space.setAttribute("role", "presentation");
  let total = 0;
  let rowHeight = 28;
  let printed = 0;
  const rows = [];

  function measure() {
    rowHeight = parseFloat(getComputedStyle(viewport).getPropertyValue("--row-height")) || 28;
    space.style.height = `${(printed ? Math.min(printed, total) : total) * rowHeight}px`;
  }

  function draw(again) {
    const seen = Math.ceil(viewport.clientHeight / rowHeight) + 2 * BEYOND;
    const wanted = printed ? Math.min(printed, total) : Math.min(seen, total);
    while (rows.length < wanted) rows.push({ at: -1, element: space.appendChild(build()) });
    while (rows.length > wanted) rows.pop().element.remove();
    if (!wanted) return;
    const top = printed ? 0 : Math.floor(viewport.scrollTop / rowHeight) - BEYOND;
    const first = Math.max(0, Math.min(top, total - wanted));
    for (let at = first; at < first + wanted; at++) {
      const row = rows[at % wanted]; // a row in sight keeps its element while others move
      if (row.at === at && !again) continue;
      row.at = at;
      row.element.style.transform = `translateY(${at * rowHeight}px)`;
      fill(row.element, at);
    }
  }

  function refresh() {
    measure();
    draw(true);
  }

  viewport.addEventListener("scroll", () => draw(false), { passive: true });
  new ResizeObserver(refresh).observe(viewport);
  return {
    refresh,
    setTotal(size) {
      total = size;
      refresh();
    },
    /** Scroll as little as shows a row below the head, which covers `covered` pixels. */
    reveal(at, covered = 0) {
      const [top, bottom] = [at * rowHeight, (at + 1) * rowHeight];
      const room = viewport.clientHeight - covered;
      if (top < viewport.scrollTop) viewport.scrollTop = top;
      else if (bottom > viewport.scrollTop + room) viewport.scrollTop = bottom - room;
      draw(false);
    },
    /** Lay out so many rows at once, for paper; 0 goes back to those in sight. */
    print(most) {
      printed = most;
      refresh();
    },
    rowsInSight: () => viewport.clientHeight / rowHeight,
  };
}

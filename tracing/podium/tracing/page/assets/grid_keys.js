// The keys of a tree grid, as in a file manager. The grid has the focus; a row is its active one.

/**
 * Listen on `grid`. `cursor` says where the active row is and does what is asked:
 * at(), count(), go(index), fold(), unfold(), open(), page().
 */
export function gridKeys(grid, cursor) {
  const moves = {
    ArrowDown: () => cursor.go(cursor.at() + 1),
    ArrowUp: () => cursor.go(cursor.at() - 1),
    PageDown: () => cursor.go(cursor.at() + cursor.page()),
    PageUp: () => cursor.go(cursor.at() - cursor.page()),
    Home: () => cursor.go(0),
    End: () => cursor.go(cursor.count() - 1),
    ArrowLeft: () => cursor.fold(),
    ArrowRight: () => cursor.unfold(),
    Enter: () => cursor.open(),
    " ": () => cursor.open(),
  };
  grid.addEventListener("keydown", (event) => {
    if (!(event.key in moves) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target !== grid) return;
    event.preventDefault();
    moves[event.key]();
  });
}

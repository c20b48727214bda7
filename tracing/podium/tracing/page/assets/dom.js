// Making elements. Text is only ever set as text: nothing in a trace becomes markup.

/** Return a new element: properties and attributes from `given`, then its children. */
export function make(tag, given = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (key === "style") {
      for (const [name, setting] of Object.entries(value)) element.style.setProperty(name, setting);
    } else if (key === "class") element.className = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Return the part of the page where a section's content goes. */
export const bodyOf = (id) => document.querySelector(`#${id} > .body`);

/** Say something to those who hear the page. */
export function announce(text) {
  document.getElementById("status").textContent = text;
}

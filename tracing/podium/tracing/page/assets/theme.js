// Light or dark: as the system says, until the reader says otherwise.

import { make } from "./dom.js";

const dark = matchMedia("(prefers-color-scheme: dark)");

export function themeSwitch() {
  const root = document.documentElement;
  const isDark = () => (root.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
  const button = make("button", { type: "button", class: "quiet", id: "theme" });
  const show = () => {
    button.textContent = isDark() ? "\u2600\ufe0e Light" : "\u263e\ufe0e Dark";
    button.setAttribute("aria-label", isDark() ? "Switch to light colors" : "Switch to dark colors");
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    show();
  });
  dark.addEventListener("change", show);
  show();
  return button;
}

// Light and dark: as the system says, until the reader chooses.

import { byId } from "./dom";

const KEY = "warpsim-theme";

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** Joins the button, and gives the function that turns the theme. */
export function theme(changed: () => void): () => void {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const button = byId("theme");
  let chosen = stored();
  const apply = () => {
    const now = chosen ?? (system.matches ? "dark" : "light");
    root.dataset.theme = now;
    button.textContent = now === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", now === "dark" ? "Light colours" : "Dark colours");
    changed();
  };
  const turn = () => {
    chosen = root.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(KEY, chosen);
    } catch {
      // A page without storage forgets the choice.
    }
    apply();
  };
  button.addEventListener("click", turn);
  system.addEventListener("change", apply);
  apply();
  return turn;
}

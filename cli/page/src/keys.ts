// The keyboard. Keys do what they do everywhere on the page, except in fields that need them.

import { byId } from "./dom";
import { toggle } from "./player";
import type { Store, Tab } from "./state";

export const TABS: Tab[] = ["memory", "lanes", "findings", "steps", "results", "machine"];

export function keys(store: Store, theme: () => void): void {
  const help = byId<HTMLDialogElement>("help");
  const open = () => help.showModal();
  byId("help-open").addEventListener("click", open);
  byId("help-close").addEventListener("click", () => help.close());

  const acts: Record<string, () => void> = {
    ArrowLeft: () => store.move(-1),
    ArrowRight: () => store.move(1),
    Home: () => store.go(0),
    End: () => store.go(store.trace.length - 1),
    " ": () => toggle(store),
    j: () => store.go(store.trace.sameWarp(store.step, 1)),
    k: () => store.go(store.trace.sameWarp(store.step, -1)),
    f: () => store.nextFinding(),
    d: () => byId("to-difference").click(),
    t: theme,
    "+": () => byId("zoom-in").click(),
    "-": () => byId("zoom-out").click(),
    "0": () => byId("zoom-fit").click(),
    "?": open,
  };
  TABS.forEach((tab, i) => (acts[String(i + 1)] = () => store.set({ tab })));

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    const target = event.target as HTMLElement;
    const isField = target.matches("select, input:not([type=range])");
    // A slider has its own arrows, and a button its own Space.
    const isOwn = target.matches("input[type=range]") && /^(Arrow|Home|End|Page)/.test(event.key);
    if (isOwn || (isField && event.key !== "?")) return;
    if (event.key === " " && target.matches("button, a, summary, input")) return;
    if (event.shiftKey && event.key.startsWith("Arrow")) return;
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

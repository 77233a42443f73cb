// The fields of a launch: from the state and back.

import { byId, h } from "../../../page/src/dom";
import type { Kernel, Launch } from "./answers";
import type { State } from "./state";

const input = (id: string) => byId<HTMLInputElement>(id);
const select = (id: string) => byId<HTMLSelectElement>(id);

const TEXTS = ["grid", "block", "shared", "schedule", "count"] as const;

/** Fills a list of choices and chooses one, if it is there. */
export function fill(id: string, choices: [value: string, text: string][], chosen: string): void {
  const list = select(id);
  list.replaceChildren(...choices.map(([value, text]) => h("option", { value }, text)));
  if (choices.some(([value]) => value === chosen)) list.value = chosen;
  list.disabled = choices.length === 0;
}

/** Shows the fields of a state. */
export function showFields(state: State): void {
  for (const id of TEXTS) input(id).value = state[id];
  select("model").value = state.model;
  input("cache").checked = state.cache;
}

/** Takes the fields into the state. */
export function takeFields(state: State): void {
  for (const id of TEXTS) state[id] = input(id).value;
  state.model = select("model").value;
  state.cache = input("cache").checked;
  state.kernel = select("kernel").value || state.kernel;
  state.args = [...document.querySelectorAll<HTMLInputElement>("#args input")]
    .map((field) => field.value);
}

/** A field for each parameter of the kernel, named as the kernel names it. */
export function showArguments(kernel: Kernel | undefined, args: string[]): void {
  const names = kernel?.parameters ?? args.map((_, index) => `argument ${index}`);
  byId("args").replaceChildren(...names.map((name, index) => {
    const field = h("input", { id: `arg-${index}`, spellcheck: "false", autocomplete: "off" });
    field.value = args[index] ?? kernel?.suggestion.args[index] ?? "";
    return h("label", {}, `Argument ${name}`, field);
  }));
}

/** Takes a launch into the state. */
export function takeLaunch(state: State, launch: Launch): void {
  state.grid = launch.grid;
  state.block = launch.block;
  state.shared = String(launch.shared);
  state.args = [...launch.args];
}

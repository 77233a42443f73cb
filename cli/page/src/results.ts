// What the launch left: the outcome, and the buffers at the end. With two schedules, the elements
// that differ are listed first.

import { byId, h } from "./dom";
import type { Buffer } from "./data";
import { indices } from "./schedules";
import type { Store } from "./state";

const SHOWN = 256;

function buffer(of: Buffer): HTMLElement {
  const values = of.values.slice(0, SHOWN).map((value) => String(value ?? "unknown"));
  const rest = of.values.length - values.length;
  const more = rest > 0 ? h("p", {}, `${rest} further values are not shown.`) : null;
  const title = `Parameter ${of.param}: ${of.type}, ` +
    `${of.values.length} ${of.values.length === 1 ? "value" : "values"}`;
  return h("section", {}, h("h3", {}, title),
    h("div", { class: "values" }, ...values.map((value, i) =>
      h("span", {}, h("i", {}, String(i)), value))), more);
}

function comparison(store: Store): HTMLElement | null {
  const { buffers, other, launch } = store.document;
  if (!other) return null;
  const rows: HTMLElement[] = [];
  for (const mine of buffers) {
    const theirs = other.buffers.find((b) => b.param === mine.param);
    for (const i of indices(mine, theirs).slice(0, SHOWN)) {
      rows.push(h("tr", {}, h("th", { scope: "row" }, `parameter ${mine.param} [${i}]`),
        h("td", {}, String(mine.values[i] ?? "none")),
        h("td", {}, String(theirs?.values[i] ?? "none"))));
    }
  }
  if (rows.length === 0) return h("p", {}, "The buffers are equal under both schedules.");
  const head = h("tr", {}, ...["element", launch.schedule, other.schedule].map((name) =>
    h("th", { scope: "col" }, name)));
  return h("section", {}, h("h3", {}, "Elements that differ between the two schedules"),
    h("table", { id: "differences" }, h("thead", {}, head), h("tbody", {}, ...rows)));
}

export function results(store: Store): void {
  const { document: doc } = store;
  const panel = byId("panel-results");
  let shown = -1;
  store.watch((state) => {
    if (shown === state.run) return;
    shown = state.run;
    const run = store.trace.run;
    const outcome = state.run === 0 ? h("p", {}, `Outcome: ${doc.outcome}`) : null;
    panel.replaceChildren(
      h("h2", {}, `The end of the schedule ${run.schedule}`),
      ...[outcome, comparison(store)].filter((e) => e !== null),
      ...run.buffers.map(buffer),
      h("h3", {}, "The command"), h("code", { class: "command" }, doc.command),
    );
  });
}

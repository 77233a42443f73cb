// How the launch used the machine: the roofline, what costs more than it needs to, and the totals
// with Nsight Compute's names.

import { byId, h } from "./dom";
import { roofline } from "./roofline";
import type { Store } from "./state";

export interface Roof {
  precision: string;
  operations: number;
  peak_operations: number;
  intensity: number;
  ridge: number;
  attainable: number;
}

export interface Roofline {
  device: string;
  bytes: number;
  peak_bytes: number;
  roofs: Roof[];
}

interface Line {
  file?: string;
  line?: number;
  ptx_line: number;
}

export interface Machine {
  metrics: { what: string; ncu?: string; value: number }[];
  roofline?: Roofline;
  advice: { kind: string; at?: Line; message: string }[];
}

function place(at: Line | undefined): string {
  if (!at) return "launch";
  return at.file !== undefined ? `${at.file}:${at.line}` : `PTX line ${at.ptx_line}`;
}

function advice(of: Machine): HTMLElement {
  const rows = of.advice.map(({ at, message }) =>
    h("li", {}, h("b", {}, place(at)), `: ${message}`));
  const title = h("h3", {}, "What costs more than it needs to");
  if (rows.length === 0) {
    return h("section", {}, title, h("p", {}, "No line costs much more than it needs to."));
  }
  return h("section", {}, title, h("ul", {}, ...rows));
}

function number(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}

function totals(of: Machine): HTMLElement {
  const head = ["total", "value", "Nsight Compute"].map((name) => h("th", { scope: "col" }, name));
  const rows = of.metrics.map(({ what, value, ncu }) => h("tr", {},
    h("th", { scope: "row" }, what), h("td", { class: "number" }, number(value)),
    h("td", {}, h("code", {}, ncu ?? ""))));
  return h("section", {}, h("h3", {}, "Totals"),
    h("table", { id: "machine-totals" }, h("thead", {}, h("tr", {}, ...head)),
      h("tbody", {}, ...rows)));
}

export function machine(store: Store): void {
  const of = store.document.machine;
  const panel = byId("panel-machine");
  panel.append(h("h2", {}, "How the launch used the machine"));
  if (!of) {
    panel.append(h("p", {}, "This page does not hold counts."));
    return;
  }
  if (of.roofline) panel.append(roofline(of.roofline));
  panel.append(advice(of), totals(of));
}

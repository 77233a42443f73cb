// The page: takes the document, makes the views, and joins them.

import { take } from "./data";
import type { Document } from "./data";
import { byId, h } from "./dom";
import { findings } from "./findings";
import { memoryPanel } from "./grid";
import { TABS, keys } from "./keys";
import { laneStrip, laneTable } from "./lanes";
import { machine } from "./machine";
import { player } from "./player";
import { results } from "./results";
import { firstDifference, firstValue } from "./schedules";
import { sources } from "./sources";
import { Store } from "./state";
import { stepTable } from "./steps";
import { theme } from "./theme";
import { Timeline } from "./timeline";

/** Which launch of which program it is. */
function programText({ program }: Document): string {
  if (!program) return "";
  const { name, launch, launches, launched_by: by } = program;
  return `${name} · launch ${launch} of ${launches}${by === undefined ? "" : `, by ${by}`} · `;
}

function head(doc: Document): void {
  document.title = `${doc.kernel} · warpsim`;
  byId("kernel").textContent = doc.kernel;
  const { grid, block, model, schedule, device } = doc.launch;
  byId("launch").textContent = `${programText(doc)}grid ${grid.join("×")} · ` +
    `block ${block.join("×")} · ${model} · schedule ${schedule} · ${device} · ` +
    `warpsim ${doc.version}`;
}

/** What a reader must know before the rest: a cut, an outcome that is not whole. */
function notices(store: Store): void {
  const { document: doc } = store;
  const texts: string[] = [];
  for (const { run } of store.traces) {
    if (!run.cut) continue;
    const of = store.traces.length > 1 ? ` of the schedule ${run.schedule}` : "";
    texts.push(`The trace${of} was cut. This page holds ${run.steps.length} steps. ` +
      `${run.cut} steps were left out.`);
  }
  if (doc.outcome !== "completed") texts.push(`Outcome: ${doc.outcome}`);
  byId("notices").replaceChildren(...texts.map((text) => h("p", { class: "notice" }, text)));
}

function tabs(store: Store): void {
  const count = store.document.findings.length;
  byId("tab-findings").append(` (${count})`);
  for (const tab of TABS) {
    byId(`tab-${tab}`).addEventListener("click", () => store.set({ tab }));
  }
  store.watch((state) => {
    for (const tab of TABS) {
      byId(`tab-${tab}`).setAttribute("aria-pressed", String(tab === state.tab));
      byId(`panel-${tab}`).hidden = tab !== state.tab;
    }
  });
}

/** One timeline, or two side by side with what differs between them. */
function timelines(store: Store): Timeline[] {
  const made = store.traces.map((_, run) => new Timeline(store, run));
  const box = byId("timelines");
  made.forEach((timeline, run) => {
    const pick = h("button", { "aria-pressed": "false", onclick: () => store.set({ run }) },
      `Schedule ${store.traces[run].run.schedule}`);
    if (made.length > 1) {
      timeline.element.prepend(pick);
      store.watch((state) => pick.setAttribute("aria-pressed", String(state.run === run)));
    }
    box.append(timeline.element);
  });
  const zoom = (id: string, act: (timeline: Timeline) => void) =>
    byId(id).addEventListener("click", () => made.forEach(act));
  zoom("zoom-in", (timeline) => timeline.zoomBy(1));
  zoom("zoom-out", (timeline) => timeline.zoomBy(-1));
  zoom("zoom-fit", (timeline) => timeline.fit());
  if (made.length > 1) differences(store, made);
  return made;
}

function differences(store: Store, made: Timeline[]): void {
  const [a, b] = store.traces;
  const first = firstDifference(a, b);
  byId("two").hidden = false;
  const note = byId("difference");
  const go = byId("to-difference");
  if (!first) {
    note.textContent = "The two schedules do not differ.";
    go.remove();
    return;
  }
  made.forEach((timeline, run) => (timeline.difference = first.steps[run]));
  go.addEventListener("click", () => store.go(first.steps[store.state.run]));
  note.textContent = `First difference at step ${a.steps[first.steps[0]].step}: ${first.text}.`;
  const value = firstValue(a, b);
  const read = byId("to-value");
  read.hidden = value === null;
  if (!value) return;
  read.title = `${value.text}: step ${a.steps[value.steps[0]].step} of ${a.run.schedule}, ` +
    `step ${b.steps[value.steps[1]].step} of ${b.run.schedule}`;
  read.addEventListener("click", () => store.go(value.steps[store.state.run]));
}

function open(doc: Document): void {
  const store = new Store(doc);
  head(doc);
  notices(store);
  const made = timelines(store);
  tabs(store);
  player(store);
  sources(store);
  laneStrip(store);
  laneTable(store);
  memoryPanel(store);
  findings(store);
  stepTable(store);
  results(store);
  machine(store);
  const turn = theme(() => made.forEach((timeline) => timeline.recolour()));
  keys(store, turn);
  store.start();
}

/** The page of a document without steps: why there are none, and what was found. */
function empty(read: Document | string): void {
  const isProgram = typeof read !== "string" && read.program !== undefined;
  const text = typeof read === "string" ? read
    : isProgram ? `No launch of ${read.program?.name} was traced.` : "The trace has no steps.";
  const findings = typeof read === "string" ? [] : read.findings;
  const rows = findings.map(({ severity, code, message, elsewhere }) =>
    h("li", {}, `${severity} ${code}: ${message}${elsewhere ? ` (${elsewhere})` : ""}`));
  byId("page").replaceChildren(h("p", { class: "empty" }, text), h("ul", {}, ...rows));
}

const read = take(byId("data").textContent ?? "");
if (typeof read === "string" || read.steps.length === 0) {
  empty(read);
} else {
  open(read);
}
document.documentElement.dataset.ready = "yes";

// The source beside the PTX. The line of the current step is marked, and so are lines of findings.

import { byId, h, reveal } from "./dom";
import type { Document, Finding, Text } from "./data";
import { number } from "./links";
import type { Store } from "./state";

const CHUNK = 50;

interface Mark {
  finding: number;
  access: string;
}

/** The accesses of findings at the lines of a file; `line` gives the line of an access there. */
function marks(
  findings: Finding[],
  line: (finding: Finding, index: number) => number | undefined,
): Map<number, Mark[]> {
  const found = new Map<number, Mark[]>();
  findings.forEach((finding, f) => {
    finding.accesses.forEach((_, index) => {
      const at = line(finding, index);
      if (at === undefined) return;
      const list = found.get(at) ?? [];
      list.push({ finding: f, access: String(number(finding, index)) });
      found.set(at, list);
    });
  });
  return found;
}

class Pane {
  private readonly rows: HTMLElement[];
  readonly element: HTMLElement;
  private current = -1;

  constructor(text: Text, marked: Map<number, Mark[]>, store: Store) {
    const lines = text.text.replace(/\n$/, "").split("\n");
    this.rows = lines.map((line, i) => {
      const at = marked.get(i + 1);
      const code = h("code", {}, line || " ");
      if (/^\s*\/\//.test(line)) code.classList.add("comment");
      const gutter = at ? this.mark(i + 1, at, store) : h("span", { class: "mark" });
      const arrow = h("span", { class: "arrow", "aria-hidden": "true" });
      return h("div", { class: "line" }, gutter, arrow, h("span", { class: "no" }, `${i + 1}`),
        code);
    });
    // Chunks out of view take no time: the style sheet says so.
    const chunks = [];
    for (let i = 0; i < this.rows.length; i += CHUNK) {
      const chunk = h("div", { class: "chunk" }, ...this.rows.slice(i, i + CHUNK));
      chunk.style.setProperty("--lines", String(chunk.childElementCount));
      chunks.push(chunk);
    }
    this.element = h("div", { class: "lines" }, ...chunks);
  }

  private mark(line: number, at: Mark[], store: Store): HTMLElement {
    const findings = [...new Set(at.map((mark) => mark.finding))];
    const many = findings.length === 1 ? "1 finding" : `${findings.length} findings`;
    const label = `Line ${line}: ${many}. Show the next one.`;
    const next = () => {
      const now = store.state.finding;
      store.choose(findings.find((finding) => finding > now) ?? findings[0]);
    };
    return h("button", { class: "mark", title: label, "aria-label": label, onclick: next }, "!");
  }

  show(line: number, scroller: HTMLElement): void {
    if (line !== this.current) {
      const old = this.rows[this.current - 1];
      old?.classList.remove("current");
      old?.removeAttribute("aria-current");
      this.current = line;
      const row = this.rows[line - 1];
      row?.classList.add("current");
      row?.setAttribute("aria-current", "step");
    }
    const row = this.rows[line - 1];
    if (row) reveal(scroller, row);
  }
}

export function sources(store: Store): void {
  const { document: doc } = store;
  byId("panes").classList.toggle("alone", doc.sources.length === 0);
  ptx(store, doc);
  if (doc.sources.length > 0) cuda(store, doc);
  else byId("source").remove();
}

function ptx(store: Store, doc: Document): void {
  const marked = marks(doc.findings, (finding, index) => {
    const access = finding.accesses[index];
    return access.ptx_file === undefined ? access.ptx_line : undefined;
  });
  const pane = new Pane(doc.ptx, marked, store);
  const scroller = byId("ptx-lines");
  scroller.append(pane.element);
  nameFile(byId("ptx-name"), doc.ptx.name);
  const note = byId("ptx-note");
  store.watch(() => {
    const step = store.trace.steps[store.step];
    note.textContent = step.ptx_file ? `The step is in ${step.ptx_file}, not on this page.` : "";
    pane.show(step.ptx_file ? -1 : step.ptx_line, scroller);
  });
}

/** The name of a file. Its folders, for which a narrow page has no room, come when one points. */
function nameFile(element: HTMLElement, path: string): void {
  element.textContent = path.split(/[/\\]/).pop() || path;
  element.title = path;
}

function cuda(store: Store, doc: Document): void {
  const scroller = byId("source-lines");
  const panes = doc.sources.map((source) => {
    const marked = marks(doc.findings, (finding, index) => {
      const at = finding.accesses[index].source;
      return at?.file === source.name ? at.line : undefined;
    });
    const pane = new Pane(source, marked, store);
    pane.element.hidden = true;
    scroller.append(pane.element);
    return pane;
  });
  const choice = byId<HTMLSelectElement>("source-choice");
  doc.sources.forEach((s, i) => choice.append(h("option", { value: i }, s.name)));
  const name = byId("source-name");
  choice.hidden = doc.sources.length < 2;
  name.hidden = !choice.hidden;
  nameFile(name, doc.sources[0].name);
  const open = (index: number) => {
    panes.forEach((pane, i) => (pane.element.hidden = i !== index));
    choice.value = String(index);
  };
  const note = byId("source-note");
  open(0);
  choice.addEventListener("change", () => open(Number(choice.value)));
  store.watch(() => {
    const at = store.trace.steps[store.step].source;
    const index = at ? doc.sources.findIndex((source) => source.name === at.file) : -1;
    note.textContent = !at
      ? "The step has no line of source."
      : index < 0 ? `The step is in ${at.file}, not on this page.` : "";
    panes.forEach((pane, i) => pane.show(i === index ? (at?.line ?? -1) : -1, scroller));
    if (index >= 0) {
      open(index);
      panes[index].show(at?.line ?? -1, scroller);
    }
  });
}

// Shared memory as a grid of cells: the values after the current step, and what the step reads and
// writes. A read has a dashed border and an R, a write has a double border and a W, an atomic has
// both and an A.

import { HIDDEN, NEVER, SEEN, cellOf } from "./bytes";
import type { Bytes, Cell } from "./bytes";
import { byId, h, setText } from "./dom";
import { addressAt, lanesOf, position, triple } from "./data";
import type { Variable } from "./data";
import { elementBytes } from "./names";
import { float, float32, float64, hex, typed } from "./numbers";
import type { Store } from "./state";

const PAGE = 128;

/** The value of a cell in few letters. */
function brief(bits: bigint, type: string): string {
  if (type === "f32") return float(float32(Number(bits)), 7);
  if (type === "f64") return float(float64(bits), 7);
  return typed(bits, type);
}

class Grid {
  readonly element: HTMLElement;
  private readonly cells: HTMLElement[] = [];
  private readonly table: HTMLElement;
  private readonly range = h("span", {});
  private page = 0;
  private chosen = 0;
  private wide = false;
  private type: string;

  constructor(readonly variable: Variable, private readonly store: Store,
    private readonly tell: (text: string) => void) {
    this.type = variable.type;
    this.table = h("div", { class: "cells", role: "grid", "aria-label": variable.name });
    const turn = (by: number) => () => {
      this.page = Math.max(0, Math.min(this.pages - 1, this.page + by));
      this.build();
      this.draw(false);
    };
    const pager = h("span", { class: "pager" },
      h("button", { "aria-label": `Earlier cells of ${variable.name}`, onclick: turn(-1) }, "◂"),
      this.range,
      h("button", { "aria-label": `Later cells of ${variable.name}`, onclick: turn(1) }, "▸"));
    if (this.pages < 2) pager.replaceChildren();
    const about = `: ${variable.type}, ${this.count} ${this.count === 1 ? "cell" : "cells"} ` +
      `from address 0x${variable.address.toString(16)}`;
    this.element = h("section", { class: "variable" },
      h("h3", {}, h("code", {}, variable.name), about, pager), this.table);
    this.table.addEventListener("focusin", (event) => this.focus(event.target as HTMLElement));
    this.table.addEventListener("pointerover", (event) => this.over(event.target as HTMLElement));
    this.table.addEventListener("keydown", (event) => this.key(event));
    this.build();
  }

  private get size(): number {
    return elementBytes(this.type);
  }

  private get count(): number {
    return Math.ceil(this.variable.bytes / this.size);
  }

  private get pages(): number {
    return Math.ceil(this.count / PAGE);
  }

  private get columns(): number {
    return this.wide ? 4 : 8;
  }

  show(type: string): void {
    this.type = type || this.variable.type;
    this.page = 0;
    this.wide = false;
    this.build();
  }

  private build(): void {
    const from = this.page * PAGE;
    const to = Math.min(this.count, from + PAGE);
    this.chosen = Math.max(from, Math.min(this.chosen, to - 1));
    setText(this.range, ` cells ${from}-${to - 1} of ${this.count} `);
    this.cells.length = 0;
    const rows: HTMLElement[] = [];
    for (let i = from; i < to; i++) {
      const cell = h("div", { class: "cell", role: "gridcell", "data-cell": i,
        tabindex: i === this.chosen ? 0 : -1 }, h("i", {}, String(i)), h("em", {}), h("b", {}));
      this.cells.push(cell);
      if ((i - from) % this.columns === 0) rows.push(h("div", { class: "row", role: "row" }));
      rows[rows.length - 1].append(cell);
    }
    this.table.classList.toggle("wide", this.wide);
    this.table.replaceChildren(...rows);
  }

  /** The accesses of the current step to the cells: letters of `R`, `W` and `A`. */
  private accesses(): Map<number, string> {
    const { trace, step } = this.store;
    const found = new Map<number, string>();
    const { address: base, bytes } = this.variable;
    for (const touch of trace.steps[step].memory) {
      if (touch.space !== "shared") continue;
      const letter = touch.kind === "read" ? "R" : touch.kind === "write" ? "W" : "A";
      for (const lane of lanesOf(trace.active[step])) {
        const address = addressAt(touch.addresses, lane);
        if (address === null || address >= base + bytes || address + touch.bytes <= base) continue;
        const last = Math.floor((address + touch.bytes - 1 - base) / this.size);
        const first = Math.max(0, Math.floor((address - base) / this.size));
        for (let cell = first; cell <= last; cell++) {
          const had = found.get(cell) ?? "";
          if (!had.includes(letter)) found.set(cell, had + letter);
        }
      }
    }
    return found;
  }

  private bytes(): Bytes {
    const { trace, step, state } = this.store;
    return this.store.memory(state.run).at(trace.steps[step].block, step);
  }

  private cell(bytes: Bytes, index: number): Cell {
    return cellOf(bytes, this.variable.address + index * this.size, this.size);
  }

  draw(isFollowing = true): void {
    const accesses = this.accesses();
    const first = accesses.keys().next().value;
    if (isFollowing && first !== undefined && Math.floor(first / PAGE) !== this.page) {
      const inPage = [...accesses.keys()].some((cell) => Math.floor(cell / PAGE) === this.page);
      if (!inPage) {
        this.page = Math.floor(first / PAGE);
        this.build();
      }
    }
    const bytes = this.bytes();
    let longest = 0;
    this.cells.forEach((element, at) => {
      const index = this.page * PAGE + at;
      const text = this.text(this.cell(bytes, index));
      longest = Math.max(longest, text.length);
      setText(element.lastChild as Element, text);
      const access = accesses.get(index) ?? "";
      setText(element.children[1], access);
      const name = `cell ${[...access].map((letter) => `is-${letter}`).join(" ")} ` +
        (text === "–" ? "never" : text === "?" ? "hidden" : "");
      if (element.className !== name) element.className = name;
    });
    if (longest > 6 && !this.wide) {
      this.wide = true;
      this.build();
      this.draw(false);
    }
  }

  private text(cell: Cell): string {
    if (cell.status === NEVER) return "–";
    if (cell.bits === null) return "?";
    const value = brief(cell.bits, this.type);
    return cell.status === SEEN ? `(${value})` : value;
  }

  private key(event: KeyboardEvent): void {
    const by = { ArrowUp: -this.columns, ArrowDown: this.columns }[event.key] ??
      (event.shiftKey ? { ArrowLeft: -1, ArrowRight: 1 }[event.key] : undefined);
    if (by === undefined) return;
    const next = this.cells[this.chosen - this.page * PAGE + by];
    event.preventDefault();
    event.stopPropagation();
    next?.focus();
  }

  private index(target: HTMLElement): number | null {
    const cell = target.closest<HTMLElement>("[data-cell]");
    return cell ? Number(cell.dataset.cell) : null;
  }

  private focus(target: HTMLElement): void {
    const index = this.index(target);
    if (index === null) return;
    this.cells[this.chosen - this.page * PAGE]?.setAttribute("tabindex", "-1");
    this.chosen = index;
    this.cells[index - this.page * PAGE]?.setAttribute("tabindex", "0");
    this.tell(this.describe(index));
  }

  private over(target: HTMLElement): void {
    const index = this.index(target);
    if (index !== null) this.tell(this.describe(index));
  }

  describe(index: number): string {
    const cell = this.cell(this.bytes(), index);
    const name = this.count > 1 ? `${this.variable.name}[${index}]` : this.variable.name;
    if (cell.status === NEVER) return `${name}: never written in this trace. The value is unknown.`;
    const { trace } = this.store;
    const step = trace.steps[cell.step];
    const place = [position(step.source), `PTX line ${step.ptx_line}`].filter(Boolean).join(", ");
    const by = `warp ${step.warp}, lane ${cell.lane}, at step ${step.step} (${place})`;
    if (cell.bits === null && cell.known > 0 && cell.known < this.size) {
      return `${name}: ${cell.known} of ${this.size} bytes are known. Last access: ${by}.`;
    }
    const value = cell.bits === null ? "" :
      `${typed(cell.bits, this.type)} = ${hex(cell.bits, this.type)}`;
    if (cell.status === SEEN) {
      return `${name}: ${value}. Read by ${by}. The trace does not show who wrote it.`;
    }
    if (cell.status === HIDDEN || cell.bits === null) {
      return `${name}: written by ${by}. The trace does not hold the value.`;
    }
    return `${name}: ${value}. Last writer: ${by}.`;
  }
}

export function memoryPanel(store: Store): void {
  const { document: doc, traces } = store;
  const detail = byId("cell-detail");
  const tell = (text: string) => setText(detail, text);
  const ends = traces.flatMap((trace, run) =>
    trace.warps.map((warp) => store.memory(run).end(warp.block)));
  const end = Math.max(0, ...ends);
  const variables = [...doc.shared].filter((variable) => variable.bytes > 0);
  const known = Math.max(0, ...variables.map((v) => v.address + v.bytes));
  if (end > known) {
    // What is touched beyond the variables has no name: dynamic shared memory, for example.
    const name = known === 0 ? "shared memory" : "shared memory without a name";
    variables.push({ name, address: known, bytes: end - known, type: "u32" });
  }
  const grids = variables.map((variable) => new Grid(variable, store, tell));
  byId("grids").append(...grids.map((grid) => grid.element));
  const notes: string[] = [];
  if (variables.length === 0) notes.push("The kernel has no shared memory.");
  if (traces[0].steps.some((step) => /^cp\.(async|reduce)|^st\.async|^red\.async/.test(step.op))) {
    notes.push("The kernel copies asynchronously. The trace does not say when a copy writes: " +
      "cells may hold other values than those shown.");
  }
  if ((traces[0].steps[0]?.step ?? 0) > 0) {
    notes.push("Earlier steps were left out: what they wrote is unknown.");
  }
  if (store.memory(0).outside > 0) {
    notes.push("Some accesses go to shared memory of another block. They are not shown.");
  }
  byId("memory-notes").replaceChildren(...notes.map((note) => h("p", { class: "notice" }, note)));
  byId("memory-keys").hidden = variables.length === 0;
  const type = byId<HTMLSelectElement>("cell-type");
  type.addEventListener("change", () => {
    for (const grid of grids) {
      grid.show(type.value);
      grid.draw();
    }
  });
  store.watch((state) => {
    if (state.tab !== "memory") return;
    const step = store.trace.steps[store.step];
    setText(byId("memory-of"), `Block ${triple(step.block)}, after step ${step.step}`);
    for (const grid of grids) grid.draw();
    const focused = document.activeElement?.closest<HTMLElement>("[data-cell]");
    const grid = grids.find((g) => focused && g.element.contains(focused));
    if (grid && focused) tell(grid.describe(Number(focused.dataset.cell)));
    else tell("Point at a cell, or move to it by Tab, to see who wrote it.");
  });
}

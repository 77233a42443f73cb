// The timeline: one row for each warp, one column for each step, one cell for each lane.
//
// The canvas is as large as the part in view; the box around it scrolls over the whole width. A
// click goes to a step. The picture has a text of its own (`describe`), and the tab "Steps" holds
// the same facts as a table.

import { h, nextFrame } from "./dom";
import { columns } from "./columns";
import { triple } from "./data";
import { number } from "./links";
import type { Store } from "./state";
import type { Trace } from "./trace";
import { inks } from "./inks";
import type { Inks } from "./inks";

const LABEL = 74;
const AXIS = 20;
const GAP = 5;
/** How wide the words "first difference" are, with some room. */
const FLAG = 150;
/** A taller timeline scrolls. */
const TALLEST = 190;
const ZOOMS = [0.0625, 0.125, 0.25, 0.5, 1, 2, 4, 7, 12, 20, 32];

export class Timeline {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { role: "img" });
  private readonly inner = h("div", { class: "inner" }, this.canvas);
  private readonly box: HTMLElement;
  private readonly trace: Trace;
  private readonly draw = nextFrame(() => this.paint());
  private readonly layer = h("canvas");
  private view = "";
  /** The width of a step. */
  cell = 12;
  readonly lane: number;
  ink: Inks;
  difference: number | null = null;

  constructor(private readonly store: Store, private readonly run: number) {
    this.trace = store.traces[run];
    const name = `Timeline of the schedule ${this.trace.run.schedule}`;
    this.box = h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": name },
      this.inner);
    this.element = h("div", { class: "timeline" }, this.box);
    const rows = this.trace.warps.length;
    const room = rows === 1 ? 120 : rows === 2 ? 64 : rows === 3 ? 44 : 32;
    this.lane = Math.max(1, Math.min(13, Math.floor(room / this.trace.width)));
    this.ink = inks();
    this.box.addEventListener("scroll", this.draw);
    this.canvas.addEventListener("click", (event) => this.click(event));
    new ResizeObserver(() => this.layout()).observe(this.box);
    store.watch((state, before) => {
      const isMoved = before === null || before.step !== state.step || before.run !== state.run;
      if (isMoved) this.follow();
      this.canvas.setAttribute("aria-label", this.describe());
      this.element.classList.toggle("shown", state.run === this.run && store.traces.length > 1);
      this.draw();
    });
  }

  get rowHeight(): number {
    return this.lane * this.trace.width + GAP;
  }

  /** The step at which this timeline shows its cursor. */
  private get cursor(): number {
    return Math.min(this.store.state.step, this.trace.length - 1);
  }

  recolour(): void {
    this.ink = inks();
    this.draw();
  }

  /** The next wider or narrower zoom. */
  zoomBy(by: 1 | -1): void {
    const wider = ZOOMS.find((zoom) => zoom > this.cell);
    const narrower = ZOOMS.findLast((zoom) => zoom < this.cell);
    this.cell = (by === 1 ? wider : narrower) ?? this.cell;
    this.layout();
    this.center();
  }

  /** The zoom at which all steps are in view, none of them wider than the widest. */
  fit(): void {
    const room = this.box.clientWidth - LABEL - 24;
    this.cell = Math.min(ZOOMS[ZOOMS.length - 1], room / this.trace.length);
    this.layout();
    this.center();
  }

  layout(): void {
    const ratio = window.devicePixelRatio || 1;
    const wide = LABEL + this.trace.length * this.cell + 8;
    const rows = AXIS + this.trace.warps.length * this.rowHeight;
    const bar = wide > this.box.clientWidth ? 16 : 0;
    this.box.style.height = `${Math.min(TALLEST, rows + 3 + bar)}px`;
    const { clientWidth: width, clientHeight: height } = this.box;
    this.inner.style.width = `${Math.max(width, wide)}px`;
    this.inner.style.height = `${rows}px`;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${Math.max(height, 1)}px`;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(Math.max(height, 1) * ratio);
    this.paint();
  }

  private center(): void {
    const at = this.cursor * this.cell;
    this.box.scrollLeft = at - (this.box.clientWidth - LABEL) / 2;
    this.draw();
  }

  /** Keeps the cursor and the row of its warp in view. */
  private follow(): void {
    const { box } = this;
    if (this.trace.length === 0) return;
    const at = this.cursor * this.cell;
    const room = box.clientWidth - LABEL;
    const left = box.scrollLeft;
    const edge = Math.min(60, room / 4);
    if (at < left + edge || at + this.cell > left + room - edge) {
      box.scrollLeft = at - room / 2;
    }
    const top = this.trace.warpOf[this.cursor] * this.rowHeight;
    const view = box.clientHeight - AXIS;
    if (top < box.scrollTop || top + this.rowHeight > box.scrollTop + view) {
      box.scrollTop = top - Math.max(0, view - this.rowHeight) / 2;
    }
  }

  private click(event: MouseEvent): void {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left - LABEL + this.box.scrollLeft;
    const y = event.clientY - box.top - AXIS + this.box.scrollTop;
    const step = Math.max(0, Math.min(this.trace.length - 1, Math.floor(x / this.cell)));
    const warp = Math.floor(y / this.rowHeight);
    const isOutside = event.clientX - box.left < LABEL;
    if (isOutside && this.trace.warps[warp]) {
      this.store.set({ run: this.run, step: this.trace.ofWarp(warp, this.cursor) });
      return;
    }
    this.store.set({ run: this.run, step });
  }

  private describe(): string {
    const { trace } = this;
    const step = trace.steps[this.cursor];
    const warps = trace.warps.length === 1 ? "1 warp" : `${trace.warps.length} warps`;
    return `Timeline of ${trace.length} steps of ${warps}. Step ${step.step} is chosen: block ` +
      `${triple(step.block)}, warp ${step.warp}. The tab "Steps" holds the steps as a table.`;
  }

  private paint(): void {
    const context = this.canvas.getContext("2d");
    if (!context || this.trace.length === 0 || this.canvas.width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const width = this.canvas.width / ratio;
    const height = this.canvas.height / ratio;
    const from = Math.max(0, Math.floor(this.box.scrollLeft / this.cell) - 1);
    const room = Math.ceil((width - LABEL) / this.cell) + 2;
    const to = Math.min(this.trace.length, from + room);
    context.drawImage(this.steps(from, to, ratio), 0, 0, width, height);
    this.axis(context, from, to, width);
    this.labels(context, height);
    this.cursorLine(context, height);
    this.accesses(context);
  }

  /** The picture of the steps in view. It stays until the view moves, so that a step is quick. */
  private steps(from: number, to: number, ratio: number): HTMLCanvasElement {
    const { layer, box, canvas, trace } = this;
    const { width, height } = canvas;
    const view = [width, height, box.scrollLeft, box.scrollTop, this.cell, this.ink.ground].join();
    if (view === this.view) return layer;
    this.view = view;
    layer.width = width;
    layer.height = height;
    const context = layer.getContext("2d");
    if (!context) return layer;
    context.scale(ratio, ratio);
    context.fillStyle = this.ink.ground;
    context.fillRect(0, 0, width, height);
    context.beginPath();
    context.rect(LABEL, AXIS, width / ratio - LABEL, height / ratio - AXIS);
    context.clip();
    columns(context, trace, this, from, to);
    return layer;
  }

  x(step: number): number {
    return LABEL + step * this.cell - this.box.scrollLeft;
  }

  y(warp: number): number {
    return AXIS + warp * this.rowHeight - this.box.scrollTop;
  }

  private axis(context: CanvasRenderingContext2D, from: number, to: number, width: number): void {
    const { ink, cell, trace } = this;
    context.fillStyle = ink.ground;
    context.fillRect(0, 0, width, AXIS);
    context.fillStyle = ink.text;
    context.font = "14px ui-monospace, monospace";
    const spans = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000];
    const span = spans.find((n) => n * cell >= 60) ?? 50000;
    const flag = this.difference === null ? Infinity : this.x(this.difference);
    for (let i = Math.ceil(from / span) * span; i < to; i += span) {
      if (this.x(i) > flag - 40 && this.x(i) < flag + FLAG) continue;
      context.fillRect(this.x(i) + cell / 2, AXIS - 4, 1, 4);
      context.fillText(String(trace.steps[i].step), this.x(i) + 3, AXIS - 6);
    }
    this.flags(context);
  }

  /** The first difference. */
  private flags(context: CanvasRenderingContext2D): void {
    const { ink } = this;
    if (this.difference !== null) {
      const x = this.x(this.difference);
      context.fillStyle = ink.mark;
      if (x >= LABEL) {
        for (let y = AXIS; y < this.canvas.height; y += 8) context.fillRect(x - 1, y, 3, 5);
        const text = "first difference";
        const wide = context.measureText(text).width;
        context.fillRect(x - 1, 0, wide + 10, AXIS - 2);
        context.fillStyle = ink.ground;
        context.fillText(text, x + 4, AXIS - 6);
      }
    }
  }

  /** The numbers of the accesses of the chosen finding. */
  private accesses(context: CanvasRenderingContext2D): void {
    const { ink, cell, trace, store } = this;
    const { finding, run } = store.state;
    if (finding < 0 || run !== this.run) return;
    const chosen = store.document.findings[finding];
    store.links(finding).steps.forEach((step, index) => {
      if (step < 0) return;
      const { lane } = chosen.accesses[index];
      const x = this.x(step) + cell / 2;
      const y = this.y(trace.warpOf[step]) + (lane + 0.5) * this.lane;
      if (x < LABEL || y < AXIS) return;
      context.font = "14px ui-monospace, monospace";
      context.beginPath();
      context.arc(x, y, 9, 0, 7);
      context.fillStyle = ink.ground;
      context.fill();
      context.lineWidth = 2;
      context.strokeStyle = ink.mark;
      context.stroke();
      context.fillStyle = ink.text;
      context.fillText(String(number(chosen, index)), x - 4, y + 5);
    });
  }

  private labels(context: CanvasRenderingContext2D, height: number): void {
    const { ink, trace } = this;
    context.fillStyle = ink.ground;
    context.fillRect(0, 0, LABEL - 2, height);
    context.font = "14px ui-monospace, monospace";
    const chosen = trace.warpOf[this.cursor];
    trace.warps.forEach((warp, i) => {
      const y = this.y(i);
      if (y + this.rowHeight < AXIS) return;
      const block = warp.block[1] || warp.block[2] ? warp.block.join(".") : warp.block[0];
      const text = `b${block} w${warp.warp}`;
      const middle = y + Math.min(this.rowHeight / 2 + 3, 40);
      context.fillStyle = ink.text;
      context.fillText(i === chosen ? `▸${text}` : ` ${text}`, 2, middle);
      context.fillStyle = ink.faint;
      context.fillRect(0, y + this.rowHeight - GAP / 2 - 0.5, this.canvas.width, 1);
    });
    context.fillStyle = ink.ground;
    context.fillRect(0, 0, LABEL - 2, AXIS);
    context.fillStyle = ink.text;
    context.fillText(" step", 2, AXIS - 6);
  }

  private cursorLine(context: CanvasRenderingContext2D, height: number): void {
    const x = this.x(this.cursor);
    if (x + this.cell < LABEL) return;
    context.strokeStyle = this.ink.text;
    context.lineWidth = 2;
    context.strokeRect(x - 1, AXIS - 1, Math.max(3, this.cell + 1), height - AXIS);
    context.beginPath();
    const middle = x + this.cell / 2;
    context.moveTo(middle - 6, AXIS - 8);
    context.lineTo(middle + 6, AXIS - 8);
    context.lineTo(middle, AXIS - 1);
    context.fillStyle = this.ink.text;
    context.fill();
  }
}

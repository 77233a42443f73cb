// A trace with its indices: which warp each step belongs to, what each lane of a warp is doing at
// a step, where lanes wait at a barrier, and which steps execute a line of PTX.
//
// What it can say of lanes comes from the steps alone. A lane that has no later step has ended as
// far as the trace shows; it is said to have exited only where the trace proves it.

import { hasLane, triple } from "./data";
import type { Run, Step, Triple } from "./data";

export type LaneState = "active" | "guarded" | "elsewhere" | "waiting" | "ended" | "absent";

export interface Warp {
  block: Triple;
  warp: number;
  name: string;
  /** Lanes that exist: those of threads of the block. */
  exists: number;
  steps: number[];
  /** For each lane, its last step in the trace, or -1. */
  last: Int32Array;
}

/** Lanes of a warp that arrived at a barrier at `from`, and went on at `to`. */
export interface Wait {
  warp: number;
  from: number;
  to: number;
  lanes: number;
}

const WAITS = /^(bar|barrier)\.(cta\.)?(sync|red)|^bar\.warp\.sync|^barrier\.cluster\.wait/;
const BARRIER = /^(bar|barrier)\./;

export function isBarrier(op: string): boolean {
  return BARRIER.test(op);
}

export class Trace {
  readonly steps: Step[];
  readonly warps: Warp[] = [];
  readonly warpOf: Int32Array;
  readonly masks: Uint32Array;
  readonly active: Uint32Array;
  /** The place of a step among those of its warp. */
  readonly place: Int32Array;
  readonly waits: Wait[] = [];
  private readonly lines = new Map<number, number[]>();
  /** Lanes to draw in a row: as many as the fullest warp has. */
  readonly width: number;

  constructor(
    readonly run: Run,
    threads: Triple,
  ) {
    const steps = (this.steps = run.steps);
    this.warpOf = new Int32Array(steps.length);
    this.masks = new Uint32Array(steps.length);
    this.active = new Uint32Array(steps.length);
    this.place = new Int32Array(steps.length);
    const count = threads[0] * threads[1] * threads[2];
    const found = new Map<string, Warp>();
    for (const step of steps) {
      const name = `block ${triple(step.block)} warp ${step.warp}`;
      if (found.has(name)) continue;
      const lanes = Math.max(0, Math.min(32, count - 32 * step.warp));
      const exists = lanes === 32 ? 0xffffffff : 2 ** lanes - 1;
      const last = new Int32Array(32).fill(-1);
      found.set(name, { block: step.block, warp: step.warp, name, exists, steps: [], last });
    }
    this.warps = [...found.values()].sort(inOrder);
    const index = new Map(this.warps.map((warp, i) => [warp.name, i]));
    const open: Wait[][] = this.warps.map(() => []);
    steps.forEach((step, i) => {
      const at = index.get(`block ${triple(step.block)} warp ${step.warp}`) ?? 0;
      const warp = this.warps[at];
      const mask = parseInt(step.mask, 16) >>> 0;
      this.warpOf[i] = at;
      this.masks[i] = mask;
      this.active[i] = parseInt(step.active, 16) >>> 0;
      this.place[i] = warp.steps.length;
      warp.steps.push(i);
      for (let lane = 0; lane < 32; lane++) if (hasLane(mask, lane)) warp.last[lane] = i;
      this.close(open, at, i, mask);
      if (WAITS.test(step.op)) open[at].push({ warp: at, from: i, to: -1, lanes: this.active[i] });
      if (step.ptx_file === undefined) {
        const same = this.lines.get(step.ptx_line);
        if (same) same.push(i);
        else this.lines.set(step.ptx_line, [i]);
      }
    });
    for (const wait of open.flat()) this.waits.push({ ...wait, to: steps.length });
    this.width = Math.max(1, ...this.warps.map((warp) => 32 - Math.clz32(warp.exists)));
  }

  /** Lanes that move at step `i` no longer wait. */
  private close(open: Wait[][], at: number, i: number, mask: number): void {
    if (open[at].length === 0) return;
    open[at] = open[at].filter((wait) => {
      const moved = wait.lanes & mask;
      if (moved !== 0) this.waits.push({ ...wait, to: i, lanes: moved });
      wait.lanes = (wait.lanes & ~mask) >>> 0;
      return wait.lanes !== 0;
    });
  }

  get length(): number {
    return this.steps.length;
  }

  /** The steps that execute a line of the PTX of the page. */
  at(line: number): number[] {
    return this.lines.get(line) ?? [];
  }

  /** What a lane of the warp of step `i` is doing at that step. */
  lane(i: number, lane: number): LaneState {
    const warp = this.warps[this.warpOf[i]];
    if (hasLane(this.active[i], lane)) return "active";
    if (hasLane(this.masks[i], lane)) return "guarded";
    if (!hasLane(warp.exists, lane)) return "absent";
    if (this.isWaiting(this.warpOf[i], i, lane)) return "waiting";
    return warp.last[lane] > i ? "elsewhere" : "ended";
  }

  private isWaiting(warp: number, i: number, lane: number): boolean {
    return this.waitsAround(i).some(
      (wait) => wait.warp === warp && wait.from < i && i < wait.to && hasLane(wait.lanes, lane),
    );
  }

  private around = new Map<number, Wait[]>();

  /** The waits of the warp of step `i` that hold that step. */
  private waitsAround(i: number): Wait[] {
    let found = this.around.get(i);
    if (!found) {
      found = this.waits.filter((w) => w.from < i && i < w.to && w.warp === this.warpOf[i]);
      this.around.clear();
      this.around.set(i, found);
    }
    return found;
  }

  /** What a lane without a later step is said to be. */
  ending(warp: Warp, lane: number): string {
    const last = warp.last[lane];
    if (last < 0) return "has no step in this trace";
    const op = this.steps[last].op;
    const isWhole = !this.run.cut && this.run.outcome === "completed";
    if (/^exit\b/.test(op) || (/^ret\b/.test(op) && isWhole)) return "has exited";
    return "has no later step in this trace";
  }

  /** The next (or the previous) step of the same warp. */
  sameWarp(i: number, by: 1 | -1): number {
    const steps = this.warps[this.warpOf[i]].steps;
    return steps[this.place[i] + by] ?? i;
  }

  /** The step of a warp that is nearest after `i`, or else its last. */
  ofWarp(warp: number, i: number): number {
    const steps = this.warps[warp].steps;
    return steps.find((step) => step >= i) ?? steps[steps.length - 1];
  }
}

function inOrder(a: Warp, b: Warp): number {
  for (const axis of [2, 1, 0]) {
    if (a.block[axis] !== b.block[axis]) return a.block[axis] - b.block[axis];
  }
  return a.warp - b.warp;
}

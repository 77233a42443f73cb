// Two schedules of one launch, compared: the first step at which they differ, the first load that
// read another value, and the buffers that differ at the end.

import { bitsAt, lanesOf } from "./data";
import type { Buffer, Register, Step } from "./data";
import { widthOf } from "./numbers";
import type { Trace } from "./trace";

export interface Difference {
  /** Steps of the first and of the second schedule. */
  steps: [number, number];
  text: string;
}

function registers(a: Register[], b: Register[], active: number): string | null {
  if (a.length !== b.length) return "the registers differ";
  for (let r = 0; r < a.length; r++) {
    const width = widthOf(a[r].type);
    for (const lane of lanesOf(active)) {
      const [one, two] = [bitsAt(a[r].bits, lane, width), bitsAt(b[r].bits, lane, width)];
      if (one !== two) return `${a[r].register} of lane ${lane} differs`;
    }
  }
  return null;
}

const isLoad = (step: Step) => step.memory.some((touch) => touch.kind !== "write");

function differs(a: Step, b: Step): string | null {
  if (a.block.join() !== b.block.join() || a.warp !== b.warp) return "another warp runs";
  if (a.ptx_line !== b.ptx_line) return "another instruction runs";
  if (a.active !== b.active) return "other lanes are active";
  const active = parseInt(a.active, 16) >>> 0;
  return registers(a.reads, b.reads, active) ??
    (isLoad(a) ? registers(a.writes, b.writes, active) : null);
}

/** The first step at which two schedules differ. */
export function firstDifference(a: Trace, b: Trace): Difference | null {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const text = differs(a.steps[i], b.steps[i]);
    if (text) return { steps: [i, i], text };
  }
  if (a.length === b.length) return null;
  const at: [number, number] = [Math.min(length, a.length - 1), Math.min(length, b.length - 1)];
  return { steps: at, text: "one schedule has no further step on this page" };
}

/** The loads of each thread, in its own order: step and lane. */
function loads(trace: Trace): Map<string, number[]> {
  const found = new Map<string, number[]>();
  trace.steps.forEach((step, i) => {
    if (!isLoad(step) || step.writes.length === 0) return;
    for (const lane of lanesOf(trace.active[i])) {
      const thread = `${step.block.join()}/${step.warp}/${lane}`;
      const of = found.get(thread);
      if (of) of.push(i);
      else found.set(thread, [i]);
    }
  });
  return found;
}

/**
 * The first load, in the order of the first schedule, that read another value in the second. A
 * thread's loads are compared in the thread's own order, for as long as the lines are the same.
 */
export function firstValue(a: Trace, b: Trace): Difference | null {
  const others = loads(b);
  let best: Difference | null = null;
  for (const [thread, steps] of loads(a)) {
    const theirs = others.get(thread) ?? [];
    const lane = Number(thread.split("/")[2]);
    for (let n = 0; n < Math.min(steps.length, theirs.length); n++) {
      const [one, two] = [a.steps[steps[n]], b.steps[theirs[n]]];
      if (one.ptx_line !== two.ptx_line) break;
      const text = registers(one.writes, two.writes, 2 ** lane);
      if (!text) continue;
      if (!best || steps[n] < best.steps[0]) best = { steps: [steps[n], theirs[n]], text };
      break;
    }
  }
  return best;
}

/** The indices at which two buffers differ. */
export function indices(a: Buffer, b: Buffer | undefined): number[] {
  if (!b) return [];
  const found: number[] = [];
  const length = Math.max(a.values.length, b.values.length);
  for (let i = 0; i < length; i++) if (a.values[i] !== b.values[i]) found.push(i);
  return found;
}

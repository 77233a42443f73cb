// Where the accesses of a finding are in a trace. The check and the trace are two runs. The trace
// may lack an access: then the step is -1, and the page says so.

import { addressAt, hasLane } from "./data";
import type { Access, Finding } from "./data";
import type { Trace } from "./trace";

export interface Link {
  /** A step for each access of the finding, in the order of the finding; -1 for none. */
  steps: number[];
}

/** Codes of two accesses that conflict, and that nothing orders. */
const CONFLICTS = ["race", "same-value", "unordered"];

/** Whether threads wait or spin: no access comes before another. */
export function isStuck(finding: Finding): boolean {
  return ["deadlock", "livelock"].includes(finding.code);
}

/** Whether two accesses that nothing orders are what the finding is about. */
export function isPair(finding: Finding): boolean {
  return finding.accesses.length === 2 && CONFLICTS.includes(finding.code);
}

/** The number of an access, as the command prints it: the latest one is the last. */
export function number(finding: Finding, index: number): number {
  return isStuck(finding) ? index + 1 : finding.accesses.length - index;
}

function isAt(trace: Trace, i: number, access: Access, address: number | undefined): boolean {
  const step = trace.steps[i];
  if (step.warp !== access.warp || step.block.join() !== access.block.join()) return false;
  if (!hasLane(trace.active[i], access.lane)) return false;
  if (address === undefined) return true;
  return step.memory.some((touch) => {
    const from = addressAt(touch.addresses, access.lane);
    return from !== null && from <= address && address < from + touch.bytes;
  });
}

export function link(finding: Finding, trace: Trace): Link {
  // A step of this launch is no access of another one.
  if (finding.elsewhere !== undefined) return { steps: finding.accesses.map(() => -1) };
  const places = finding.accesses.map((access) =>
    access.ptx_file !== undefined
      ? []
      : trace.at(access.ptx_line).filter((i) => isAt(trace, i, access, finding.address)),
  );
  if (!isPair(finding)) return { steps: places.map((steps) => steps[0] ?? -1) };
  const [late, early] = places;
  // The first time that the later access comes after the earlier one; else the first of each.
  for (const second of late) {
    const first = early.filter((step) => step <= second).pop();
    if (first !== undefined) return { steps: [second, first] };
  }
  return { steps: [late[0] ?? -1, early[0] ?? -1] };
}

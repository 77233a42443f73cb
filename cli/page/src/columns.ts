// The columns of the timeline: the lanes of each step, the walls of barriers, and who waits there.
// What differs in colour differs in its pattern as well.

import { hasLane } from "./data";
import { hatch } from "./inks";
import type { Inks } from "./inks";
import { isBarrier } from "./trace";
import type { Trace, Warp } from "./trace";

/** Where steps and warps are on the canvas, and how large they are. */
export interface View {
  x(step: number): number;
  y(warp: number): number;
  readonly cell: number;
  readonly lane: number;
  readonly rowHeight: number;
  readonly ink: Inks;
}

type Brush = CanvasRenderingContext2D;

/** Draws the steps from `from` to `to`. */
export function columns(brush: Brush, trace: Trace, view: View, from: number, to: number): void {
  waits(brush, trace, view, from, to);
  for (let i = from; i < to; i++) column(brush, trace, view, i);
}

/** Fills the lanes of a mask in a column, a run of lanes at a time. */
function fill(brush: Brush, view: View, mask: number, x: number, y: number, wide: number): void {
  for (let lane = 0; lane < 32; ) {
    if (!hasLane(mask, lane)) {
      lane++;
      continue;
    }
    let end = lane;
    while (end < 32 && hasLane(mask, end)) end++;
    brush.fillRect(x, y + lane * view.lane, wide, (end - lane) * view.lane);
    lane = end;
  }
}

/** The lanes that arrived at a barrier and have not gone on. */
function waits(brush: Brush, trace: Trace, view: View, from: number, to: number): void {
  for (const wait of trace.waits) {
    if (wait.to <= from || wait.from >= to) continue;
    const start = view.x(Math.max(wait.from + 1, from));
    const width = view.x(Math.min(wait.to, to)) - start;
    brush.fillStyle = hatch(brush, view.ink.wait, view.ink.ground, "dots");
    if (width > 0) fill(brush, view, wait.lanes, start, view.y(wait.warp), width);
  }
}

function column(brush: Brush, trace: Trace, view: View, i: number): void {
  const { ink, cell } = view;
  const warp = trace.warps[trace.warpOf[i]];
  const [x, y] = [view.x(i), view.y(trace.warpOf[i])];
  if (y > brush.canvas.height || y + view.rowHeight < 0) return;
  const isWide = cell >= 7;
  const width = Math.max(1, isWide ? cell - 1 : cell);
  if (isBarrier(trace.steps[i].op)) {
    brush.fillStyle = isWide ? hatch(brush, ink.wall, ink.ground, "bricks") : ink.wall;
    fill(brush, view, trace.masks[i], x, y, width);
    brush.fillStyle = ink.wall;
    fill(brush, view, trace.masks[i], x, y, Math.max(1, width / 5));
    return;
  }
  const active = trace.active[i];
  const guarded = (trace.masks[i] & ~active) >>> 0;
  brush.fillStyle = ink.elsewhere;
  if (isWide) fill(brush, view, elsewhere(trace, warp, i), x + width / 2 - 1, y, 2);
  brush.fillStyle = ink.active;
  fill(brush, view, active, x, y, width);
  brush.fillStyle = isWide ? hatch(brush, ink.guarded, ink.ground, "lines") : ink.guarded;
  fill(brush, view, guarded, x, y, width);
  if (view.lane < 5 || !isWide) return;
  brush.fillStyle = ink.ground;
  for (let lane = 1; lane < trace.width; lane++) {
    brush.fillRect(x, y + lane * view.lane - 0.5, width, 1);
  }
}

/** The lanes of a warp that are at another place at a step, and move later. */
function elsewhere(trace: Trace, warp: Warp, i: number): number {
  let mask = 0;
  for (let lane = 0; lane < trace.width; lane++) {
    if (warp.last[lane] > i && !hasLane(trace.masks[i], lane)) mask |= 1 << lane;
  }
  return mask >>> 0;
}

// A race as a picture: two threads, one cell, an arrow from each thread into the cell, and between
// the threads the words "nothing orders these". A write is a solid line with a full head, a read is
// a dashed line with an open head.

import { h, svg } from "./dom";
import { triple } from "./data";
import type { Access, Finding } from "./data";
import { number } from "./links";
import { cellName, variableAt } from "./names";
import type { Store } from "./state";

/** Whether an access reads, writes, or does both. */
export function verb(op: string): string {
  if (/^(ld|ldmatrix|wmma\.load|tex)\b/.test(op)) return "reads";
  if (/^(atom|red)\b/.test(op)) return "updates";
  if (/^(st|stmatrix|wmma\.store)\b/.test(op)) return "writes";
  return "accesses";
}

/** The place that both threads access, in words. */
export function placeOf(store: Store, finding: Finding): string {
  const { space, address, object } = finding;
  if (address === undefined) return object ?? "memory";
  const shared = store.document.shared;
  if (space === "shared") {
    if (variableAt(shared, address)) return cellName(shared, address) ?? "";
    return object ?? `shared 0x${address.toString(16)}`;
  }
  return object ?? `${space ?? "memory"} 0x${address.toString(16)}`;
}

type Props = Record<string, string>;

function text(x: number, y: number, content: string, more: Props = {}): SVGElement {
  return svg("text", { x, y, ...more }, content);
}

/** Text that stays within so many letters. */
function short(content: string, letters: number): string {
  return content.length <= letters ? content : `${content.slice(0, letters - 1)}…`;
}

function threadBox(access: Access, n: number, step: string, x: number): SVGElement {
  const where = access.source ? `line ${access.source.line}` : `PTX line ${access.ptx_line}`;
  return svg("g", { class: "thread" },
    svg("rect", { x, y: 2, width: 244, height: 78, rx: 6 }),
    svg("circle", { cx: x + 22, cy: 22, r: 14 }),
    text(x + 22, 27, String(n), { "text-anchor": "middle", class: "strong" }),
    text(x + 44, 27, short(`thread ${triple(access.thread)}`, 22), { class: "strong" }),
    text(x + 12, 52, short(`block ${triple(access.block)}, warp ${access.warp}, ` +
      `lane ${access.lane}`, 32)),
    text(x + 12, 71, short(`${step}: ${access.op}, ${where}`, 31)));
}

function arrow(from: number, to: number, action: string): SVGElement {
  const isRead = action === "reads";
  const [y1, y2] = [82, 158];
  const length = Math.hypot(to - from, y2 - y1);
  const [ux, uy] = [(to - from) / length, (y2 - y1) / length];
  const [bx, by] = [to - ux * 13, y2 - uy * 13];
  const wing = (side: number) => `${bx - side * uy * 7},${by + side * ux * 7}`;
  const head = `${wing(1)} ${to},${y2} ${wing(-1)}${isRead ? "" : " z"}`;
  const middle = (from + to) / 2;
  const isLeft = from < to;
  return svg("g", { class: `arrow ${isRead ? "read" : "write"}` },
    svg("path", { class: "shaft", d: `M${from},${y1} L${isRead ? to : bx},${isRead ? y2 : by}` }),
    svg("path", { class: "head", d: `M${head}` }),
    text(isLeft ? middle - 14 : middle + 14, 134, action,
      { "text-anchor": isLeft ? "end" : "start", class: "strong" }));
}

/** The picture of a finding of two accesses. */
export function racePicture(store: Store, finding: Finding, steps: number[]): HTMLElement {
  const [late, early] = finding.accesses;
  const place = placeOf(store, finding);
  const when = (index: number) => {
    const at = steps[index];
    return at >= 0 ? `step ${store.trace.steps[at].step}` : "not in this trace";
  };
  const [n1, n2] = [number(finding, 1), number(finding, 0)];
  const sentence = `Thread ${triple(early.thread)} ${verb(early.op)} ${place}. ` +
    `Thread ${triple(late.thread)} ${verb(late.op)} the same place. Nothing orders these.`;
  const picture = svg("svg", { viewBox: "0 0 524 198", role: "img", "aria-label": sentence },
    threadBox(early, n1, when(1), 2),
    threadBox(late, n2, when(0), 278),
    svg("path", { class: "gap", d: "M247,41 L277,41" }),
    svg("path", { class: "gap", d: "M256,34 l12,14 M268,34 l-12,14" }),
    arrow(96, 222, verb(early.op)),
    arrow(428, 302, verb(late.op)),
    svg("rect", { class: "label", x: 158, y: 88, width: 208, height: 26, rx: 13 }),
    text(262, 106, "nothing orders these", { "text-anchor": "middle", class: "strong warn" }),
    svg("g", { class: "target" },
      svg("rect", { x: 112, y: 160, width: 300, height: 36 }),
      text(262, 184, short(place, 36), { "text-anchor": "middle", class: "strong" })));
  return h("div", { class: "race" }, picture);
}

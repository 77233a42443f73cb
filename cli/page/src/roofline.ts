// The roofline: operations a second over operations a byte, both in powers of ten. A launch is a
// line and not a point, because a simulator has no clock.

import { h, svg } from "./dom";
import type { Roof, Roofline } from "./machine";

const WIDTH = 520;
const HEIGHT = 300;
const EDGE = { left: 62, right: 28, top: 28, bottom: 44 };

interface Axis {
  from: number;
  to: number;
  /** The place of a power of ten. */
  at: (power: number) => number;
}

function axis(from: number, to: number, start: number, end: number): Axis {
  return { from, to, at: (power) => start + ((power - from) / (to - from)) * (end - start) };
}

/** A number with a prefix: `66.9 T`. */
export function prefixed(value: number): string {
  const prefixes = ["", "k", "M", "G", "T", "P"];
  let power = 0;
  while (value >= 1000 && power < prefixes.length - 1) {
    value /= 1000;
    power += 1;
  }
  return `${Number(value.toPrecision(3))} ${prefixes[power]}`.trim();
}

function powers(axis: Axis): number[] {
  const all = [];
  for (let power = Math.ceil(axis.from); power <= axis.to; power++) all.push(power);
  return all;
}

function grid(x: Axis, y: Axis): SVGElement[] {
  const bottom = HEIGHT - EDGE.bottom;
  const right = WIDTH - EDGE.right;
  const columns = powers(x).flatMap((power) => [
    svg("line", { class: "grid", x1: x.at(power), x2: x.at(power), y1: EDGE.top, y2: bottom }),
    svg("text", { class: "tick", x: x.at(power), y: bottom + 17, "text-anchor": "middle" },
      String(Number((10 ** power).toPrecision(1)))),
  ]);
  const rows = powers(y).flatMap((power) => [
    svg("line", { class: "grid", x1: EDGE.left, x2: right, y1: y.at(power), y2: y.at(power) }),
    svg("text", { class: "tick", x: EDGE.left - 6, y: y.at(power) + 5, "text-anchor": "end" },
      prefixed(10 ** power)),
  ]);
  return [...columns, ...rows,
    svg("text", { class: "tick", x: right, y: HEIGHT - 6, "text-anchor": "end" },
      "operations a byte of global memory"),
    svg("text", { class: "tick", x: 4, y: 14 }, "op/s")];
}

/** The roof of one precision, and the launch below it. */
function lines(of: Roofline, roof: Roof, x: Axis, y: Axis, index: number): SVGElement[] {
  const rate = (intensity: number) => Math.min(roof.peak_operations, intensity * of.peak_bytes);
  const point = (power: number) => `${x.at(power)},${y.at(Math.log10(rate(10 ** power)))}`;
  const ridge = Math.log10(roof.ridge);
  const at = x.at(Math.log10(roof.intensity));
  const top = y.at(Math.log10(rate(roof.intensity)));
  const name = `${roof.precision}, ${prefixed(roof.peak_operations)}op/s`;
  return [
    svg("polyline", { class: `roof roof-${index}`,
      points: [x.from, ridge, x.to].map(point).join(" ") }),
    svg("text", { class: "tick", x: x.at(x.to) - 4, y: y.at(Math.log10(roof.peak_operations)) - 5,
      "text-anchor": "end" }, name),
    svg("line", { class: `launch roof-${index}`, x1: at, x2: at, y1: top,
      y2: HEIGHT - EDGE.bottom }),
    svg("circle", { class: `launch roof-${index}`, cx: at, cy: top, r: 5 }),
  ];
}

function sentence(of: Roofline, roof: Roof): string {
  const { precision, operations, intensity, ridge, attainable } = roof;
  const percent = (attainable * 100).toPrecision(3);
  const limit = attainable < 1
    ? `Memory limits the launch to ${percent} % of the ${precision} peak.`
    : "Arithmetic is the limit.";
  return `${prefixed(operations)} ${precision} operations, ${prefixed(of.bytes)}B of global ` +
    `memory: ${Number(intensity.toPrecision(3))} operations a byte, without caches. ` +
    `${of.device} balances at ${ridge.toFixed(1)}. ${limit}`;
}

/** The picture, and the same in words. */
export function roofline(of: Roofline): HTMLElement {
  const marks = of.roofs.flatMap((roof) => [roof.intensity, roof.ridge]).map(Math.log10);
  const peaks = of.roofs.map((roof) => Math.log10(roof.peak_operations));
  const x = axis(Math.floor(Math.min(-1, ...marks)), Math.ceil(Math.max(2, ...marks) + 0.5),
    EDGE.left, WIDTH - EDGE.right);
  const lowest = Math.floor(x.from + Math.log10(of.peak_bytes));
  const y = axis(Math.min(lowest, ...peaks.map(Math.floor)),
    Math.ceil(Math.max(...peaks) + 0.2), HEIGHT - EDGE.bottom, EDGE.top);
  const words = of.roofs.map((roof) => sentence(of, roof));
  const picture = svg("svg", { id: "roofline", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img",
    "aria-label": `Roofline. ${words.join(" ")}` }, ...grid(x, y),
    ...of.roofs.flatMap((roof, index) => lines(of, roof, x, y, index)));
  return h("section", {}, h("h3", {}, "Roofline"), picture as unknown as HTMLElement,
    ...words.map((text) => h("p", {}, text)));
}

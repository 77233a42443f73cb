// What an atomic leaves in a cell, where the trace tells it.
//
// A trace holds the operands of each lane and, for `atom`, the old values. Lanes of one instruction
// are taken in lane order. The old values of the trace must agree with that order, or the result is
// unknown. Without old values the result is told only where no order of the lanes matters.

import { float32, float64 } from "./numbers";

export interface Lane {
  lane: number;
  /** The operands after the address. */
  operands: bigint[];
  /** The value that the trace says was there, where it says so. */
  old: bigint | null;
}

const OPERATIONS = ["add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"];

/** The operation of `atom.shared.add.u32`. */
export function operation(op: string): string | null {
  return op.split(".").find((part) => OPERATIONS.includes(part)) ?? null;
}

const view = new DataView(new ArrayBuffer(8));

function addFloats(a: bigint, b: bigint, type: string): bigint {
  if (type === "f32") {
    view.setFloat32(0, float32(Number(a)) + float32(Number(b)));
    return BigInt(view.getUint32(0));
  }
  view.setFloat64(0, float64(a) + float64(b));
  return view.getBigUint64(0);
}

function once(name: string, type: string, old: bigint, [b, c]: bigint[]): bigint | null {
  const width = Number(type.slice(1));
  const signed = (v: bigint) => (type[0] === "s" ? BigInt.asIntN(width, v) : v);
  if (type[0] === "f" && !["add", "exch", "cas"].includes(name)) return null;
  switch (name) {
    case "add":
      if (type === "f32" || type === "f64") return addFloats(old, b, type);
      return type[0] === "f" ? null : BigInt.asUintN(width, old + b);
    case "min":
      return signed(b) < signed(old) ? b : old;
    case "max":
      return signed(b) > signed(old) ? b : old;
    case "and":
      return old & b;
    case "or":
      return old | b;
    case "xor":
      return old ^ b;
    case "exch":
      return b;
    case "cas":
      return old === b ? c : old;
    case "inc":
      return old >= b ? 0n : old + 1n;
    case "dec":
      return old === 0n || old > b ? b : old - 1n;
  }
  return null;
}

/** The value after all lanes that meet at one cell, or null where the trace does not tell it. */
export function fold(
  name: string,
  type: string,
  before: bigint | null,
  lanes: Lane[],
): bigint | null {
  let now = before ?? lanes[0].old;
  if (now === null) return name === "exch" && lanes.length === 1 ? lanes[0].operands[0] : null;
  const isAnyOrder =
    type[0] !== "f" && ["add", "min", "max", "and", "or", "xor"].includes(name);
  for (const lane of lanes) {
    if (lane.old !== null && lane.old !== now) return null;
    if (lane.old === null && lanes.length > 1 && !isAnyOrder) return null;
    now = once(name, type, now, lane.operands);
    if (now === null) return null;
  }
  return now;
}

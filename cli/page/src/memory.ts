// Shared memory, rebuilt from the trace: what each byte of a block holds after a step, and who
// wrote it last.
//
// Stores give values from the registers and literals that the trace names. Atomics give values as
// `atomics.ts` says. Other writes (asynchronous copies, mbarriers) leave a value that the trace
// does not hold: such bytes are `HIDDEN`. A load tells the value of a byte that the page did not
// know: such bytes are `SEEN`. The page gives a byte no value that the trace does not tell.
// Of lanes that store to one byte in one instruction, the lowest wins, as in the simulator.

import { fold, operation } from "./atomics";
import type { Lane } from "./atomics";
import { Bytes, Events, HIDDEN, KNOWN, SEEN } from "./bytes";
import type { Value } from "./bytes";
import { addressAt, bitsAt, hasLane } from "./data";
import type { Lanes, Register, Step, Touch, Triple } from "./data";
import { literal, typesOf, widthOf } from "./numbers";
import { elements, operands } from "./operands";
import type { Trace } from "./trace";

/** Bytes of shared memory beyond this belong to no block of this page: they are left out. */
const LIMIT = 1 << 20;

export class Memory {
  private readonly blocks = new Map<string, Events>();
  /** Touches of shared memory that belong to no block of this page. */
  outside = 0;
  private view: { block: string; next: number; bytes: Bytes } | null = null;

  constructor(private readonly trace: Trace) {
    const now = new Map<string, Bytes>();
    trace.steps.forEach((step, i) => {
      for (const touch of step.memory) {
        if (touch.space === "shared") this.touch(step, i, touch, now);
      }
    });
  }

  private touch(step: Step, i: number, touch: Touch, now: Map<string, Bytes>): void {
    const block = step.block.join();
    let events = this.blocks.get(block);
    if (!events) this.blocks.set(block, (events = new Events()));
    const first = events.step.length;
    const lanes: { lane: number; address: number }[] = [];
    for (let lane = 0; lane < 32; lane++) {
      if (!hasLane(this.trace.active[i], lane)) continue;
      const address = addressAt(touch.addresses, lane);
      if (address === null) continue;
      if (address + touch.bytes > LIMIT) this.outside++;
      else lanes.push({ lane, address });
    }
    if (lanes.length === 0) return;
    const end = Math.max(...lanes.map(({ address }) => address + touch.bytes));
    let bytes = now.get(block) ?? new Bytes(256);
    if (end > bytes.size) bytes = bytes.grow(2 ** Math.ceil(Math.log2(end)));
    now.set(block, bytes);
    const parts = partsOf(step, touch.bytes);
    if (touch.kind === "read") seen(step, i, lanes, parts, bytes, events);
    else if (touch.kind === "write") stored(step, i, lanes, parts, touch, events);
    else atomic(step, i, lanes, touch, bytes, events);
    for (let e = first; e < events.step.length; e++) bytes.apply(events, e);
  }

  /** The bytes of a block after a step; -1 is before the first. */
  at(block: Triple, step: number): Bytes {
    const name = block.join();
    const events = this.blocks.get(name) ?? new Events();
    let view = this.view;
    const isBack = view !== null && view.next > 0 && events.step[view.next - 1] > step;
    if (!view || view.block !== name || isBack) {
      view = this.view = { block: name, next: 0, bytes: new Bytes(events.end) };
    }
    while (view.next < events.step.length && events.step[view.next] <= step) {
      view.bytes.apply(events, view.next++);
    }
    return view.bytes;
  }

  /** How far shared memory is touched in a block. */
  end(block: Triple): number {
    return this.blocks.get(block.join())?.end ?? 0;
  }
}

interface Parts {
  type: string;
  size: number;
  names: string[];
}

const known = new Map<string, Parts | null>();

/** The elements that a load or a store moves, and their names; null where the text is no such. */
function partsOf(step: Step, bytes: number): Parts | null {
  const name = `${bytes} ${step.text}`;
  let parts = known.get(name);
  if (parts === undefined) known.set(name, (parts = parse(step, bytes)));
  return parts;
}

function parse(step: Step, bytes: number): Parts | null {
  const isLoad = step.op.startsWith("ld.");
  if (!isLoad && !(step.op.startsWith("st.") && !/^st\.(async|bulk)/.test(step.op))) return null;
  const list = operands(step.text);
  const names = elements(list[isLoad ? 0 : 1] ?? "");
  const type = typesOf(step.op).pop() ?? "";
  const size = widthOf(type) / 8;
  return size >= 1 && size * names.length === bytes ? { type, size, names } : null;
}

function value(registers: Register[], name: string, lane: number, type: string): Value {
  const register = registers.find((r) => r.register === name);
  if (!register) return small(literal(name, type), type);
  const width = widthOf(type);
  const own = widthOf(register.type);
  if (own > 32) return small(bitsAt(register.bits, lane, own), type);
  const bits = smallBitsAt(register.bits, lane);
  return bits === null || width > 32 ? null : width === 32 ? bits : bits & (2 ** width - 1);
}

/** Bits in a type: a number where they fit. */
function small(bits: bigint | null, type: string): Value {
  if (bits === null) return null;
  const width = widthOf(type);
  const own = BigInt.asUintN(width, bits);
  return width <= 32 ? Number(own) : own;
}

/** The bits of a lane, of a register of at most 32 bits. */
function smallBitsAt(lanes: Lanes<string>, lane: number): number | null {
  if (typeof lanes === "string") return Number(lanes);
  if (!Array.isArray(lanes)) return (Number(lanes.from) + lanes.by * lane) >>> 0;
  const bits = lanes[lane] ?? null;
  return bits === null ? null : Number(bits);
}

type Place = { lane: number; address: number };

function stored(step: Step, i: number, lanes: Place[], parts: Parts | null, touch: Touch,
  events: Events): void {
  // The lowest lane comes last, and stays.
  for (const { lane, address } of [...lanes].reverse()) {
    if (!parts) {
      events.push(i, lane, address, touch.bytes, null, HIDDEN);
      continue;
    }
    parts.names.forEach((name, part) => {
      const bits = value(step.reads, name, lane, parts.type);
      const status = bits === null ? HIDDEN : KNOWN;
      events.push(i, lane, address + part * parts.size, parts.size, bits, status);
    });
  }
}

/** A load tells what was there, where the page did not know it. */
function seen(step: Step, i: number, lanes: Place[], parts: Parts | null, bytes: Bytes,
  events: Events): void {
  if (!parts) return;
  for (const { lane, address } of lanes) {
    parts.names.forEach((name, part) => {
      const bits = value(step.writes, name, lane, parts.type);
      const at = address + part * parts.size;
      if (bits === null || !step.writes.some((r) => r.register === name)) return;
      if (bytes.read(at, parts.size) === bits) return;
      events.push(i, lane, at, parts.size, bits, SEEN);
      bytes.apply(events, events.step.length - 1);
    });
  }
}

function atomic(step: Step, i: number, lanes: Place[], touch: Touch, bytes: Bytes,
  events: Events): void {
  const type = typesOf(step.op).pop() ?? "";
  const name = operation(step.op);
  const isAtom = step.op.startsWith("atom.");
  const isRed = step.op.startsWith("red.") && !step.op.startsWith("red.async");
  const list = operands(step.text);
  const inputs = list.slice(isAtom ? 2 : 1);
  const isPlain = (isAtom || isRed) && name !== null && widthOf(type) === touch.bytes * 8;
  const cells = new Map<number, Lane[]>();
  let isTold = isPlain && inputs.length > 0;
  const bits = (of: Value) => (of === null ? null : BigInt(of));
  for (const { lane, address } of lanes) {
    const given = inputs.map((input) => bits(value(step.reads, input, lane, type)));
    if (given.some((input) => input === null)) isTold = false;
    const old = isAtom && list[0] !== "_" ? bits(value(step.writes, list[0], lane, type)) : null;
    const at = cells.get(address) ?? [];
    at.push({ lane, operands: given as bigint[], old });
    cells.set(address, at);
  }
  for (const [address, meeting] of cells) {
    const last = meeting[meeting.length - 1].lane;
    const before = bits(bytes.read(address, touch.bytes));
    const folded = isTold && name ? fold(name, type, before, meeting) : null;
    const after = small(folded, type);
    events.push(i, last, address, touch.bytes, after, after === null ? HIDDEN : KNOWN);
  }
}

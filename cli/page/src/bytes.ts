// The bytes of shared memory of one block: the value of each byte, whether the value is known, and
// the step and the lane of the last access that told it.

export const NEVER = 0;
export const KNOWN = 1;
export const HIDDEN = 2;
export const SEEN = 3;

/** Bits: a number where four bytes hold them, which is fast; null where they are unknown. */
export type Value = number | bigint | null;

/** What happened to bytes of one block, in order of steps. */
export class Events {
  step: number[] = [];
  lane: number[] = [];
  address: number[] = [];
  bytes: number[] = [];
  status: number[] = [];
  value: Value[] = [];
  end = 0;

  push(step: number, lane: number, address: number, bytes: number, value: Value,
    status: number): void {
    this.step.push(step);
    this.lane.push(lane);
    this.address.push(address);
    this.bytes.push(bytes);
    this.value.push(value);
    this.status.push(status);
    this.end = Math.max(this.end, address + bytes);
  }
}

/** What the bytes of one block hold after a step. */
export class Bytes {
  value: Uint8Array;
  status: Uint8Array;
  step: Int32Array;
  lane: Uint8Array;
  constructor(readonly size: number) {
    this.value = new Uint8Array(size);
    this.status = new Uint8Array(size);
    this.step = new Int32Array(size);
    this.lane = new Uint8Array(size);
  }

  apply(events: Events, i: number): void {
    const { address, bytes, value, status } = events;
    let rest = value[i];
    for (let at = address[i]; at < address[i] + bytes[i]; at++) {
      if (typeof rest === "number") {
        this.value[at] = rest & 0xff;
        rest >>>= 8;
      } else if (rest !== null) {
        this.value[at] = Number(rest & 0xffn);
        rest >>= 8n;
      }
      this.status[at] = status[i];
      this.step[at] = events.step[i];
      this.lane[at] = events.lane[i];
    }
  }

  grow(size: number): Bytes {
    const larger = new Bytes(size);
    larger.value.set(this.value);
    larger.status.set(this.status);
    larger.step.set(this.step);
    larger.lane.set(this.lane);
    return larger;
  }

  /** The value of some bytes, or null where one of them is unknown. */
  read(address: number, bytes: number): Value {
    if (bytes <= 4) {
      let value = 0;
      for (let at = address + bytes - 1; at >= address; at--) {
        if (at >= this.size || this.status[at] === NEVER || this.status[at] === HIDDEN) return null;
        value = value * 256 + this.value[at];
      }
      return value;
    }
    let value = 0n;
    for (let at = address + bytes - 1; at >= address; at--) {
      if (at >= this.size || this.status[at] === NEVER || this.status[at] === HIDDEN) return null;
      value = (value << 8n) | BigInt(this.value[at]);
    }
    return value;
  }
}

export interface Cell {
  status: number;
  /** The bits, or null where they are unknown. */
  bits: bigint | null;
  /** How many of the bytes are known. */
  known: number;
  /** The last write or, of a value that was only seen, the read; -1 where there is none. */
  step: number;
  lane: number;
}

/** What a cell of some bytes holds. */
export function cellOf(bytes: Bytes, address: number, size: number): Cell {
  const cell: Cell = { status: NEVER, bits: null, known: 0, step: -1, lane: 0 };
  for (let at = address; at < Math.min(address + size, bytes.size); at++) {
    const status = bytes.status[at];
    if (status === NEVER) continue;
    if (status !== HIDDEN) cell.known++;
    if (bytes.step[at] >= cell.step) {
      cell.step = bytes.step[at];
      cell.lane = bytes.lane[at];
      cell.status = status;
    }
  }
  const bits = bytes.read(address, size);
  cell.bits = bits === null ? null : BigInt(bits);
  return cell;
}

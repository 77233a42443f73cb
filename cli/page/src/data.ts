// The document that the page shows: its types (schema 1), and how to take it from the page.
//
// The command writes the document into the page as JSON. Values of 32 lanes come in one of three
// forms (`Lanes`). The views do not look at the form: they ask `addressAt` and `bitsAt`.

import type { Machine } from "./machine";

export type Triple = [number, number, number];

/** One value for all active lanes, or one for each of 32, or a line `from + by * lane`. */
export type Lanes<T> = T | (T | null)[] | { from: T; by: number };

export interface Register {
  register: string;
  type: string;
  bits: Lanes<string>;
}

export interface Touch {
  kind: string;
  space: string;
  bytes: number;
  addresses: Lanes<number>;
}

export interface Source {
  file: string;
  line: number;
}

export interface Step {
  step: number;
  block: Triple;
  warp: number;
  mask: string;
  active: string;
  op: string;
  text: string;
  ptx_file?: string;
  ptx_line: number;
  source?: Source | null;
  reads: Register[];
  writes: Register[];
  memory: Touch[];
}

export interface Access {
  op: string;
  thread: Triple;
  block: Triple;
  warp: number;
  lane: number;
  ptx_file?: string;
  ptx_line: number;
  source?: Source | null;
}

export interface Place {
  file?: string;
  line: number;
  side: string;
}

export interface Remedy {
  statement: string;
  ptx_statement: string;
  source?: Place[];
  ptx?: Place[];
}

export interface Finding {
  severity: string;
  code: string;
  hazard?: string;
  space?: string;
  address?: number;
  object?: string;
  accesses: Access[];
  count: number;
  message: string;
  notes?: string[];
  chain?: string[];
  help?: string;
  remedy?: Remedy;
  replay?: string;
  /** Where it was found, unless that is the launch of the page. */
  elsewhere?: string;
}

export interface Variable {
  name: string;
  address: number;
  bytes: number;
  type: string;
}

export interface Buffer {
  param: number;
  type: string;
  values: (number | string | boolean | null)[];
}

export interface Text {
  name: string;
  text: string;
}

export interface Run {
  schedule: string;
  steps: Step[];
  cut: number | null;
  buffers: Buffer[];
  outcome?: string;
}

/** The program whose launch the page shows. */
export interface Program {
  name: string;
  /** The number of the launch in its process, from 1. */
  launch?: number;
  /** How many launches the program began. */
  launches: number;
  launched_by?: string;
}

export interface Document {
  schema: number;
  command: string;
  version: string;
  kernel: string;
  program?: Program;
  launch: {
    grid: Triple;
    block: Triple;
    shared: number;
    model: string;
    schedule: string;
    device: string;
  };
  ptx: Text;
  sources: Text[];
  steps: Step[];
  cut: number | null;
  outcome: string;
  machine?: Machine;
  shared: Variable[];
  buffers: Buffer[];
  findings: Finding[];
  other?: Run;
}

/** The document, or a sentence that says why there is none. */
export function take(text: string): Document | string {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return "This page holds no trace. `warpsim trace` writes pages with one.";
  }
  if (typeof read !== "object" || read === null) return "This page holds no trace.";
  const document = read as Document;
  if (document.schema !== 1) {
    return `This page reads documents of schema 1. This one says schema ${document.schema}.`;
  }
  if (!Array.isArray(document.steps)) return "The document of this page has no steps.";
  document.sources ??= [];
  document.shared ??= [];
  document.buffers ??= [];
  document.findings ??= [];
  document.cut ??= null;
  return document;
}

/** The address of a lane, which is active; null where it takes no part. */
export function addressAt(lanes: Lanes<number>, lane: number): number | null {
  if (typeof lanes === "number") return lanes;
  if (Array.isArray(lanes)) return lanes[lane] ?? null;
  return lanes.from + lanes.by * lane;
}

/** The bits of a lane, which is active, as a number of `width` bits; null where there are none. */
export function bitsAt(lanes: Lanes<string>, lane: number, width: number): bigint | null {
  if (typeof lanes === "string") return BigInt(lanes);
  if (Array.isArray(lanes)) {
    const bits = lanes[lane] ?? null;
    return bits === null ? null : BigInt(bits);
  }
  const sum = BigInt(lanes.from) + BigInt(lanes.by) * BigInt(lane);
  return BigInt.asUintN(Math.max(width, 1), sum);
}

/** Whether a mask, which is a hex string, holds a lane. */
export function hasLane(mask: number, lane: number): boolean {
  return ((mask >>> lane) & 1) === 1;
}

/** The lanes of a mask. */
export function lanesOf(mask: number): number[] {
  const lanes = [];
  for (let lane = 0; lane < 32; lane++) if (hasLane(mask, lane)) lanes.push(lane);
  return lanes;
}

/** A triple as people write it. */
export function triple(of: Triple): string {
  return `(${of.join(",")})`;
}

/** Lanes in words: `0-3, 8`. */
export function laneList(mask: number): string {
  const lanes = lanesOf(mask);
  const runs: string[] = [];
  for (let i = 0; i < lanes.length; ) {
    let end = i;
    while (end + 1 < lanes.length && lanes[end + 1] === lanes[end] + 1) end++;
    runs.push(end > i ? `${lanes[i]}-${lanes[end]}` : `${lanes[i]}`);
    i = end + 1;
  }
  return runs.length ? runs.join(", ") : "none";
}

/** A source position as people write it. */
export function position(source: Source | null | undefined): string {
  return source ? `${source.file}:${source.line}` : "";
}

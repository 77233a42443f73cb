// What the simulator answers (cli/playground/src). An answer with `error` says why there is no
// other.

import type { Document, Finding } from "../../../page/src/data";

export interface Refusal {
  kind: "request" | "usage" | "text" | "unsupported" | "bug";
  message: string;
  drawn?: string;
  line?: number;
  column?: number;
  length?: number;
}

export interface Program {
  name: string;
  summary: string;
  forms: string[];
  variants: { name: string; kernel: string; note: string; soundness: string }[];
  story: boolean;
}

export interface Launch {
  grid: string;
  block: string;
  shared: number | string;
  args: string[];
}

export interface Example {
  program: string;
  variant: string;
  form: string;
  summary: string;
  note: string;
  soundness: string;
  source: { name: string; text: string };
  ptx: { name: string; text: string };
  launch: Launch & { kernel: string };
}

export interface Kernel {
  name: string;
  parameters: string[];
  suggestion: Launch;
}

export interface Verdict {
  right: boolean;
  promised: string;
  why?: string;
  input?: number;
  at?: number | null;
  found?: string[];
  expected?: string[];
}

export interface Buffer {
  param: number;
  type: string;
  len: number;
  values: (number | string)[];
}

export interface Ran {
  kernel: string;
  outcome: string;
  printed: string;
  findings: Finding[];
  buffers: Buffer[];
  counts: Record<string, number>;
  rewritten: string | null;
  remarks: number;
  verdict?: Verdict;
  checked?: {
    every_schedule: boolean;
    schedules: string[];
    unfinished: string[];
    /** The steps that were too few for several schedules. */
    limit: number | null;
  };
}

export interface Explored {
  kernel: string;
  findings: Finding[];
  explored: {
    seed: number;
    schedules: number;
    unfinished: number;
    complete: boolean;
    results: { outcome: string; count: number; schedule: string }[];
    difference: {
      schedules: [string, string];
      outcomes: [string, string];
      turns: number;
      cells: number;
    } | null;
  };
}

export interface Answers {
  programs: { programs: Program[] };
  program: Example;
  story: { story: string };
  kernels: { kernels: Kernel[] };
  run: Ran;
  check: Ran;
  explore: Explored;
  trace: Document;
}

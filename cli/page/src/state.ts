// The state of the page: which step is shown, of which schedule, and what is chosen.
// Everything that changes goes through `set`, which tells the views.

import type { Document, Finding } from "./data";
import { link } from "./links";
import type { Link } from "./links";
import { Memory } from "./memory";
import { Trace } from "./trace";

export type Tab = "memory" | "lanes" | "findings" | "steps" | "results" | "machine";

export interface State {
  /** 0 is the schedule of the document, 1 the other one. */
  run: number;
  step: number;
  isPlaying: boolean;
  tab: Tab;
  /** The chosen finding, or -1. */
  finding: number;
}

type View = (state: State, before: State | null) => void;

export class Store {
  state: State;
  readonly traces: Trace[];
  private readonly memories: (Memory | undefined)[] = [];
  private readonly linked: Link[][] = [];
  private readonly views: View[] = [];

  constructor(readonly document: Document) {
    const { steps, cut, buffers, outcome, launch, other } = document;
    const own = { schedule: launch.schedule, steps, cut, buffers, outcome };
    this.traces = [own, ...(other ? [other] : [])].map((run) => new Trace(run, launch.block));
    const hasMemory = document.shared.length > 0 || this.memory(0).end(steps[0]?.block) > 0;
    const tab = hasMemory ? "memory" : "lanes";
    this.state = { run: 0, step: 0, isPlaying: false, tab, finding: -1 };
  }

  get trace(): Trace {
    return this.traces[this.state.run];
  }

  /** The step that is shown. */
  get step(): number {
    return Math.min(this.state.step, this.trace.length - 1);
  }

  memory(run: number): Memory {
    return (this.memories[run] ??= new Memory(this.traces[run]));
  }

  /** Where the accesses of a finding are in the trace that is shown. */
  links(finding: number): Link {
    const links = (this.linked[this.state.run] ??= []);
    return (links[finding] ??= link(this.document.findings[finding] as Finding, this.trace));
  }

  watch(view: View): void {
    this.views.push(view);
  }

  set(change: Partial<State>): void {
    const before = this.state;
    const next = { ...before, ...change };
    const length = this.traces[next.run].length;
    next.step = Math.max(0, Math.min(next.step, length - 1));
    this.state = next;
    for (const view of this.views) view(next, before);
  }

  start(): void {
    for (const view of this.views) view(this.state, null);
  }

  go(step: number): void {
    this.set({ step });
  }

  move(by: number): void {
    this.go(this.step + by);
  }

  /** Chooses a finding, shows it, and goes to its latest access. */
  choose(finding: number): void {
    const change: Partial<State> = { finding, tab: "findings", isPlaying: false };
    const before = this.state;
    this.state = { ...before, finding };
    const at = this.links(finding).steps.find((step) => step >= 0);
    this.state = before;
    if (at !== undefined) change.step = at;
    this.set(change);
  }

  nextFinding(): void {
    const { findings } = this.document;
    if (findings.length > 0) this.choose((this.state.finding + 1) % findings.length);
  }
}

// Calls to the simulator in its worker. A worker that is stopped, or in which a bug was met, is
// replaced by a new one.

import type { Answers, Refusal } from "./answers";

/** The simulator refuses, and says why. */
export class Refused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.message);
  }
}

/** Somebody has stopped the work. */
export class Stopped extends Error {}

interface Waiting {
  resolve(found: { answer: unknown; milliseconds: number }): void;
  reject(error: Error): void;
}

interface Told {
  id: number;
  answer?: { error?: Refusal };
  milliseconds?: number;
  failed?: string;
}

let worker: Worker | null = null;
let next = 0;
const waiting = new Map<number, Waiting>();

function begin(): Worker {
  const made = new Worker("worker.js");
  made.onmessage = ({ data }: MessageEvent<Told>) => told(data);
  made.onerror = (event) => end(new Error(event.message || "the worker cannot start"));
  return made;
}

function told({ id, answer, milliseconds, failed }: Told): void {
  const one = waiting.get(id);
  waiting.delete(id);
  if (failed !== undefined) {
    const error = new Refused({ kind: "bug", message: failed });
    one?.reject(error);
    // What it holds may be broken.
    end(error);
  } else if (answer?.error) {
    one?.reject(new Refused(answer.error));
  } else {
    one?.resolve({ answer, milliseconds: milliseconds ?? 0 });
  }
}

function end(why: Error): void {
  worker?.terminate();
  worker = null;
  const all = [...waiting.values()];
  waiting.clear();
  for (const one of all) one.reject(why);
}

/** Ends all work. */
export function stop(): void {
  end(new Stopped("stopped"));
}

/** Asks the simulator. `milliseconds` is how long it took there. */
export function call<D extends keyof Answers>(
  what: D,
  request: object = {},
): Promise<{ answer: Answers[D]; milliseconds: number }> {
  worker ??= begin();
  const id = next++;
  const found = new Promise<{ answer: unknown; milliseconds: number }>((resolve, reject) => {
    waiting.set(id, { resolve, reject });
  });
  worker.postMessage({ id, request: { do: what, ...request } });
  return found as Promise<{ answer: Answers[D]; milliseconds: number }>;
}

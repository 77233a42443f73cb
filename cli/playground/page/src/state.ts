// All that a reader can set, and the link that holds it.

/** What the page is set to. */
export interface State {
  /** The built-in program that the text comes from; empty for none. */
  program: string;
  variant: string;
  form: string;
  text: string;
  kernel: string;
  grid: string;
  block: string;
  shared: string;
  args: string[];
  cache: boolean;
  schedule: string;
  count: string;
  model: string;
}

/** A kernel to begin with where no program is chosen. */
const EMPTY = `.version 7.0
.target sm_70
.address_size 64

.visible .entry twice(.param .u64 numbers)
{
  .reg .u64 %a, %o;
  .reg .u32 %t, %v;
  ld.param.u64 %a, [numbers];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %o, %t, 4;
  add.u64 %a, %a, %o;
  ld.global.u32 %v, [%a];
  add.u32 %v, %v, %v;
  st.global.u32 [%a], %v;
  ret;
}
`;

export function initial(): State {
  return {
    program: "", variant: "", form: "", text: EMPTY, kernel: "twice", grid: "1", block: "32",
    shared: "0", args: ["u32[32]=iota"], cache: false, schedule: "", count: "100",
    model: "independent",
  };
}

/** The longest state that a link may unfold to. */
const LONGEST = 4 << 20;

async function through(bytes: Uint8Array<ArrayBuffer>, by: GenericTransformStream, most: number) {
  const reader = new Blob([bytes]).stream().pipeThrough(by).getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const part = value as Uint8Array;
    length += part.length;
    if (length > most) throw new Error("the link holds too much");
    parts.push(part);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The state as the part of a link behind `#`. */
export async function toLink(state: State): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  const packed = await through(bytes, new CompressionStream("deflate-raw"), Infinity);
  let text = "";
  for (const byte of packed) text += String.fromCharCode(byte);
  return `#1.${btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** The state of a link; null where it holds none. A link may be anybody's: it can be wrong. */
export async function fromLink(hash: string): Promise<State | null> {
  if (!hash.startsWith("#1.")) return null;
  const text = atob(hash.slice(3).replaceAll("-", "+").replaceAll("_", "/"));
  const packed = Uint8Array.from(text, (character) => character.charCodeAt(0));
  const bytes = await through(packed, new DecompressionStream("deflate-raw"), LONGEST);
  const read: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (typeof read !== "object" || read === null) throw new Error("the link holds no state");
  return taken(read as Record<string, unknown>);
}

/** A state with what has the right type; everything else as at the beginning. */
function taken(from: Record<string, unknown>): State {
  const state = initial();
  const { args, cache } = from;
  for (const key of ["program", "variant", "form", "text", "kernel", "grid", "block", "shared",
    "schedule", "count", "model"] as const) {
    const value = from[key];
    if (typeof value === "string") state[key] = value;
  }
  if (Array.isArray(args)) state.args = args.map(String);
  if (typeof cache === "boolean") state.cache = cache;
  return state;
}

/** What a launch of the state asks for. */
export function workOf(state: State): object {
  const { text, kernel, grid, block, args, schedule, model, program, variant } = state;
  return {
    text, kernel, grid, block, args, schedule, model,
    shared: whole(state.shared, "shared bytes", 0xffffffff),
    passes: state.cache ? ["register-cache"] : [],
    program: program || null,
    variant: variant || null,
  };
}

/** A whole number of a field. */
export function whole(text: string, what: string, most: number): number {
  const value = Number(text.trim() || "0");
  if (!Number.isInteger(value) || value < 0 || value > most) {
    throw new Error(`${what}: ${JSON.stringify(text)} is no whole number from 0 to ${most}`);
  }
  return value;
}

// Makes a sample document from what `warpsim trace` and `warpsim check` write. Only the samples of
// test/data are made by it: the command itself writes such documents.
//
// node test/document.mjs OUT [--other SCHEDULE] [--shared name:address:bytes:type]... -- ARGUMENTS
// The environment variable WARPSIM names the command. Sources lie beside the PTX.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const warpsim = process.env.WARPSIM ?? "warpsim";

function output(...args) {
  try {
    return execFileSync(warpsim, args, { encoding: "utf8", maxBuffer: 1 << 30, stdio: "pipe" });
  } catch (failed) {
    return failed.stdout;
  }
}

/** The short form of the values of 32 lanes. `from` and `by` are hex strings and numbers. */
export function compact(values, active, number, text) {
  const lanes = [...Array(32).keys()].filter((lane) => (active >>> lane) & 1);
  const isHere = (lane) => values[lane] !== null && values[lane] !== undefined;
  const isExact = lanes.every(isHere) && values.every((v, lane) => !isHere(lane) ||
    lanes.includes(lane));
  if (!isExact || lanes.length === 0) return values;
  const of = lanes.map((lane) => number(values[lane]));
  if (of.every((value) => value === of[0])) return values[lanes[0]];
  const step = (of[1] - of[0]) / (number(String(lanes[1])) - number(String(lanes[0])));
  const by = number(String(step));
  const from = of[0] - by * number(String(lanes[0]));
  const isLine = lanes.every((lane, i) => of[i] === from + by * number(String(lane)));
  if (!isLine || from < 0 || by < 0) return values;
  return { from: text(from), by: Number(by) };
}

function shorten(step) {
  const active = parseInt(step.active, 16) >>> 0;
  const bits = (v) => compact(v, active, BigInt, (n) => `0x${n.toString(16)}`);
  const numbers = (v) => compact(v, active, Number, (n) => n);
  const registers = (list) => list.map((r) => ({ ...r, bits: bits(r.bits) }));
  const memory = step.memory.map((m) => ({ ...m, addresses: numbers(m.addresses) }));
  return { ...step, reads: registers(step.reads), writes: registers(step.writes), memory };
}

function trace(args, schedule) {
  const more = schedule ? ["--schedule", schedule] : [];
  const lines = output("trace", ...args, "--format", "json", ...more).trim().split("\n");
  const rows = lines.map((line) => JSON.parse(line));
  const end = rows.pop();
  return { steps: rows.map(shorten), outcome: end.outcome };
}

function buffers(run) {
  return run.buffers.map(({ param, type, values }) => ({ param, type, values }));
}

export function document(args, { other, shared }) {
  const ptx = args[0];
  const check = JSON.parse(output("check", ...args, "--format", "json").trim().split("\n")[0]);
  const run = JSON.parse(output("run", ...args, "--format", "json").trim().split("\n")[0]);
  const { steps, outcome } = trace(args);
  const files = new Set(steps.map((step) => step.source?.file).filter(Boolean));
  const sources = [...files]
    .map((name) => ({ name, path: join(dirname(ptx), name) }))
    .filter(({ path }) => existsSync(path))
    .map(({ name, path }) => ({ name, text: readFileSync(path, "utf8") }));
  const shown = [basename(ptx), ...args.slice(1)].map((a) => (/[[\]*,]/.test(a) ? `'${a}'` : a));
  const findings = check.findings.map(({ replay, ...rest }) => ({
    ...rest,
    replay: replay?.replaceAll(ptx, basename(ptx)),
  }));
  const made = {
    schema: 1,
    command: `warpsim trace ${shown.join(" ")}`,
    version: "0.1.0",
    kernel: check.kernel,
    launch: check.launch,
    ptx: { name: basename(ptx), text: readFileSync(ptx, "utf8") },
    sources,
    steps,
    cut: null,
    outcome,
    shared,
    buffers: buffers(run),
    findings,
  };
  if (other) {
    const second = output("run", ...args, "--format", "json", "--schedule", other);
    made.other = {
      schedule: other,
      steps: trace(args, other).steps,
      cut: null,
      buffers: buffers(JSON.parse(second.trim().split("\n")[0])),
    };
  }
  return made;
}

if (process.argv[1] === import.meta.filename) {
  const [out, ...rest] = process.argv.slice(2);
  const split = rest.indexOf("--");
  const options = { shared: [] };
  for (let i = 0; i < split; i += 2) {
    if (rest[i] === "--other") options.other = rest[i + 1];
    if (rest[i] === "--shared") {
      const [name, address, bytes, type] = rest[i + 1].split(":");
      options.shared.push({ name, address: Number(address), bytes: Number(bytes), type });
    }
  }
  const text = JSON.stringify(document(rest.slice(split + 1), options));
  writeFileSync(out, `${text}\n`);
  console.log(`${out}: ${text.length} bytes`);
}

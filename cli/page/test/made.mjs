// Documents made by the tests: small ones for single facts, and a large one for speed.

const all = 0xffffffff;
const mask = (bits) => `0x${(bits >>> 0).toString(16).padStart(8, "0")}`;
const lanes = (bits, value) =>
  [...Array(32).keys()].map((lane) => ((bits >>> lane) & 1 ? value(lane) : null));

/** A register of some lanes. */
export function register(name, type, value, active = all) {
  return { register: name, type, bits: lanes(active, (lane) => `0x${value(lane).toString(16)}`) };
}

/** A touch of memory by some lanes. */
export function touch(kind, bytes, address, active = all, space = "shared") {
  return { kind, space, bytes, addresses: lanes(active, address) };
}

export function step(number, text, more = {}) {
  const active = more.active ?? all;
  return {
    step: number,
    block: more.block ?? [0, 0, 0],
    warp: more.warp ?? 0,
    mask: mask(more.mask ?? active),
    active: mask(active),
    op: text.split(" ")[0],
    text,
    ptx_line: more.line ?? number + 1,
    source: null,
    reads: more.reads ?? [],
    writes: more.writes ?? [],
    memory: more.memory ?? [],
  };
}

export function document(steps, more = {}) {
  return {
    schema: 1,
    command: "warpsim trace made.ptx",
    version: "0.1.0",
    kernel: "made",
    launch: { grid: [1, 1, 1], block: [32, 1, 1], shared: 0, model: "independent",
      schedule: "in-order", device: "h200" },
    ptx: { name: "made.ptx", text: steps.map((s) => `${s.text};`).join("\n") },
    sources: [],
    steps,
    cut: null,
    outcome: "completed",
    shared: [{ name: "cells", address: 0, bytes: 128, type: "u32" }],
    buffers: [],
    findings: [],
    ...more,
  };
}

/** Many steps: warps of two blocks take turns to store, to load, and to meet at barriers. */
export function large(count) {
  const steps = [];
  for (let i = 0; i < count; i++) {
    const turn = i >> 4;
    const more = { block: [turn % 2, 0, 0], warp: (turn >> 1) % 8, line: (i % 3000) + 1 };
    const from = more.warp * 128;
    const addresses = { from, by: 4 };
    if (i % 16 === 15) steps.push(step(i, "bar.sync 0", more));
    else if (i % 4 === 1) {
      more.reads = [{ register: "%r1", type: "b32", bits: { from: `0x${i.toString(16)}`, by: 1 } }];
      more.memory = [{ kind: "write", space: "shared", bytes: 4, addresses }];
      steps.push(step(i, "st.shared.u32 [%r9], %r1", more));
    } else if (i % 4 === 2) {
      const was = `0x${(i - 1).toString(16)}`;
      more.writes = [{ register: "%r2", type: "b32", bits: { from: was, by: 1 } }];
      more.memory = [{ kind: "read", space: "shared", bytes: 4, addresses }];
      steps.push(step(i, "ld.shared.u32 %r2, [%r9]", more));
    } else {
      if (i % 16 === 8) Object.assign(more, { active: 0x0000ffff, mask: all });
      more.reads = [register("%r2", "b32", (lane) => lane * i)];
      more.writes = [register("%r3", "b32", (lane) => lane * i + 1)];
      steps.push(step(i, "add.u32 %r3, %r2, 1", more));
    }
  }
  const text = Array.from({ length: 3000 }, (_, i) => `\tadd.u32 \t%r${i}, %r2, 1;`).join("\n");
  return document(steps, {
    kernel: "large",
    launch: { grid: [2, 1, 1], block: [256, 1, 1], shared: 0, model: "independent",
      schedule: "in-order", device: "h200" },
    ptx: { name: "large.ptx", text },
    shared: [{ name: "cells", address: 0, bytes: 1024, type: "u32" }],
  });
}

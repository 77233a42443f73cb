// The page in a browser: keys, memory, races, schedules, speed, access for all, screenshots.
// What is expected comes from the meaning of the programs, never from the code of the page.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { document, large, register, step, touch } from "./made.mjs";
import { launch, sample, show } from "./page.mjs";

const shots = process.env.SHOTS;
let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const alone = ({ other, ...rest }) => rest;
const current = (page) => page.locator("#slider").evaluate((slider) => Number(slider.value));
const go = (page, to) =>
  page.locator("#slider").evaluate((slider, value) => {
    slider.value = value;
    slider.dispatchEvent(new Event("input"));
  }, String(to));
const cells = (page) => page.locator(".cells .cell b").allTextContents();
const press = async (page, ...keys) => {
  for (const key of keys) await page.keyboard.press(key);
};

test("every sample opens without an error, and says nothing senseless", async () => {
  for (const name of ["scan8", "reduce", "divergence", "atomics"]) {
    const { page, faults, close } = await show(browser, name, sample(name));
    for (const tab of ["1", "2", "3", "4", "5", "6"]) {
      await press(page, tab, "ArrowRight", "ArrowRight", "f", "j");
      const text = await page.locator("#page").innerText();
      assert.doesNotMatch(text, /undefined|\[object|NaN/, name);
    }
    assert.deepEqual(faults, [], name);
    await close();
  }
});

test("a page without a document says so", async () => {
  const built = readFileSync(join(import.meta.dirname, "..", "dist", "page.html"), "utf8");
  assert.equal(built.split("/*WARPSIM-DATA*/null/*END*/").length, 2);
  assert.ok(Buffer.byteLength(built) < 200_000);
  assert.doesNotMatch(built, /https?:\/\/(?!www\.w3\.org)/);
  const { page, faults, close } = await show(browser, "empty", built);
  assert.match(await page.locator("#page").innerText(), /holds no trace/);
  assert.deepEqual(faults, []);
  await close();
});

test("a launch of a program says which, and findings of other launches have no steps", async () => {
  const { findings, ...rest } = sample("scan8");
  const program = { name: "./scan", launch: 2, launches: 5, launched_by: "main at scan.cu:31" };
  const other = { ...findings[0], elsewhere: "kernel `sum`, launch 4" };
  const made = { ...rest, program, findings: [findings[0], other] };
  const { page, faults, close } = await show(browser, "program", made);
  const about = await page.locator("#launch").innerText();
  assert.ok(about.startsWith("./scan · launch 2 of 5, by main at scan.cu:31 · grid"), about);
  await page.locator("#tab-findings").click();
  const detail = page.locator("#finding-detail");
  const choose = (index) => page.locator("#finding-list button").nth(index).click();
  await choose(0);
  assert.equal(await detail.locator("button", { hasText: "Go to" }).count(), 2);
  assert.doesNotMatch(await detail.innerText(), /another launch/);
  const shown = await current(page);
  await choose(1);
  assert.equal(await detail.locator("button", { hasText: "Go to" }).count(), 0);
  assert.match(await detail.innerText(), /shows another launch\. .* found in kernel `sum`, launch 4/);
  assert.equal(await current(page), shown, "a step of this launch is none of the other");
  assert.deepEqual(faults, []);
  await close();
});

test("a program without a traced launch has a page with its findings", async () => {
  const { findings, ...rest } = sample("scan8");
  const program = { name: "./copies", launches: 0 };
  const { message } = findings[0];
  const other = { ...findings[0], elsewhere: "between copies or acts of the host" };
  const made = { ...rest, steps: [], program, findings: [other] };
  const { page, faults, close } = await show(browser, "copies", made);
  const text = await page.locator("#page").innerText();
  assert.match(text, /No launch of \.\/copies was traced\./);
  assert.ok(text.includes(message) && text.includes("between copies or acts of the host"), text);
  assert.deepEqual(faults, []);
  await close();
});

test("keys move through the trace", async () => {
  const { page, faults, close } = await show(browser, "keys", sample("reduce"));
  const { steps } = sample("reduce");
  await press(page, "ArrowRight", "ArrowRight", "ArrowLeft");
  assert.equal(await current(page), 1);
  await press(page, "End");
  assert.equal(await current(page), steps.length - 1);
  await press(page, "Home");
  assert.equal(await current(page), 0);
  const same = (a, b) => a.warp === b.warp && a.block.join() === b.block.join();
  for (let i = 0; i < 20; i++) await press(page, "j");
  const own = steps.map((s, i) => (same(s, steps[0]) ? i : -1)).filter((i) => i >= 0);
  assert.equal(await current(page), own[20]);
  await press(page, "k");
  assert.equal(await current(page), own[19]);
  await press(page, "?");
  assert.ok(await page.locator("#help").isVisible());
  await press(page, "ArrowRight");
  assert.equal(await current(page), own[19], "help takes the keys");
  await press(page, "Escape");
  assert.ok(!(await page.locator("#help").isVisible()));
  await page.locator("#speed").selectOption("fast");
  await page.locator("#counter").click();
  await press(page, "Home", "Space");
  await page.waitForFunction(() => Number(document.getElementById("slider").value) >= 3);
  await press(page, "Space");
  const stopped = await current(page);
  await page.waitForTimeout(400);
  assert.equal(await current(page), stopped);
  await page.locator("#warp").selectOption("3");
  const there = steps[await current(page)];
  assert.deepEqual([there.block[0], there.warp], [1, 1]);
  assert.deepEqual(faults, []);
  await close();
});

test("Tab reaches every control, and focus is seen", async () => {
  const { page, close } = await show(browser, "tab", sample("scan8"));
  for (const tab of ["memory", "lanes", "findings", "steps", "results"]) {
    await page.locator(`#tab-${tab}`).click();
    await page.evaluate(() => document.activeElement.blur());
    const wanted = await page.evaluate(() => {
      const controls = document.querySelectorAll("button, select, input, [tabindex='0']");
      const seen = [...controls].filter((control) => control.offsetParent !== null);
      seen.forEach((control, i) => (control.dataset.seen = String(i)));
      return seen.length;
    });
    const reached = new Set();
    for (let i = 0; i < wanted + 5; i++) {
      await press(page, "Tab");
      const [seen, outline] = await page.evaluate(() => {
        const at = document.activeElement;
        return [at.dataset.seen, getComputedStyle(at).outlineWidth];
      });
      if (seen === undefined) continue;
      reached.add(seen);
      assert.equal(outline, "3px");
    }
    assert.equal(reached.size, wanted, tab);
  }
  await close();
});

/** The cells of scan8 after each of its stores, when the lanes move together. */
function scan() {
  const n = 8;
  const held = Array(2 * n).fill("–");
  const states = [[...held]];
  const all = [...Array(n).keys()];
  for (const t of all) held[t] = 0;
  states.push([...held]);
  for (const t of all) held[t + n] = t + 1;
  states.push([...held]);
  for (const back of [1, 2, 4]) {
    const read = all.map((t) => held[t + n - back]);
    for (const t of all) held[t + n] += read[t];
    states.push([...held]);
  }
  return states.map((state) => state.map(String));
}

test("the memory of the scan is that of a scan", async () => {
  const data = sample("scan8");
  const { page, close } = await show(browser, "scan", data);
  const stores = [38, 48, 61, 74, 87].map((line) =>
    data.steps.findIndex((s) => s.ptx_line === line));
  const states = scan();
  // Forward, then back: what is undone must be what was.
  for (const order of [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [4, 0, 3, 1, 2]]) {
    for (const i of order) {
      await go(page, stores[i] - 1);
      assert.deepEqual(await cells(page), states[i], `before store ${i}`);
      await go(page, stores[i]);
      assert.deepEqual(await cells(page), states[i + 1], `after store ${i}`);
    }
  }
  const sums = [...Array(8).keys()].map((t) => String(((t + 1) * (t + 2)) / 2));
  await press(page, "End");
  assert.deepEqual((await cells(page)).slice(8), sums);
  // A cell tells its last writer.
  await page.locator("[data-cell='11']").hover();
  const told = await page.locator("#cell-detail").textContent();
  assert.match(told, /cells\[11\]: 10 .*warp 0, lane 3, at step \d+ \(scan8\.cu:11, PTX line 87\)/);
  // Under the other schedule, each thread keeps the sum that it stored at the end.
  await page.getByRole("button", { name: "Schedule random:1" }).click();
  await press(page, "End");
  assert.deepEqual((await cells(page)).slice(8), data.other.buffers[1].values.map(String));
  await close();
});

test("reads and writes of a step are marked, and not by colour alone", async () => {
  const data = sample("scan8");
  const { page, close } = await show(browser, "marks", data);
  await go(page, data.steps.findIndex((s) => s.ptx_line === 54));
  const marked = () => page.locator(".cells .cell").evaluateAll((all) =>
    all.map((cell) => [cell.querySelector("em").textContent, getComputedStyle(cell).borderStyle]));
  const reads = await marked();
  reads.forEach(([letter, border], i) => {
    assert.equal(letter, i >= 7 && i <= 14 ? "R" : "");
    assert.equal(border, i >= 7 && i <= 14 ? "dashed" : "solid");
  });
  await go(page, data.steps.findIndex((s) => s.ptx_line === 61));
  const writes = await marked();
  writes.forEach(([letter, border], i) => {
    assert.equal(letter, i >= 8 ? "W" : "");
    assert.equal(border, i >= 8 ? "double" : "solid");
  });
  await close();
});

test("the memory of the reduction is a tree of sums, in each block", async () => {
  const data = sample("reduce");
  const { page, close } = await show(browser, "tree", data);
  for (const block of [0, 1]) {
    const tree = [...Array(64).keys()].map((t) => 64 * block + t + 1);
    for (let half = 32; half > 0; half >>= 1) {
      for (let t = 0; t < half; t++) tree[t] += tree[t + half];
    }
    const last = data.steps.findLastIndex((s) => s.block[0] === block);
    await go(page, last);
    const shown = await cells(page);
    assert.deepEqual(shown.slice(0, 64), tree.map(String));
    assert.ok(shown.slice(64).every((text) => text === "–"), "never written is unknown");
    assert.equal(shown[0], String(data.buffers[1].values[block]));
  }
  await close();
});

test("atomics leave what the program's author expects", async () => {
  const { page, close } = await show(browser, "atomics", sample("atomics"));
  await press(page, "End");
  // Three times 64 threads add 1; thread t adds t; 64 threads count up.
  assert.deepEqual(await cells(page), ["192", "2016", "64", "0"]);
  await close();
});

test("values of all widths, and values that the trace does not hold", async () => {
  const one = 1;
  const at = (address) => [touch("write", 4, () => address, one)];
  const steps = [
    step(0, "st.shared.f32 [cells], 0f3FC00000", { active: one, memory: at(0) }),
    step(1, "st.shared.u8 [cells+4], 7", { active: one,
      memory: [touch("write", 1, () => 4, one)] }),
    step(2, "st.shared.v2.u32 [cells+8], {%r1, -1}", { active: one,
      reads: [register("%r1", "b32", () => 5, one)], memory: [touch("write", 8, () => 8, one)] }),
    step(3, "mbarrier.init.shared.b64 [cells+16], 2", { active: one,
      memory: [touch("write", 8, () => 16, one)] }),
    step(4, "ld.shared.u32 %r2, [cells+24]", { active: one,
      writes: [register("%r2", "b32", () => 9, one)], memory: [touch("read", 4, () => 24, one)] }),
    step(5, "st.shared.u32 [cells+28], %r1", { reads: [register("%r1", "b32", (lane) => lane + 40)],
      memory: [touch("write", 4, () => 28)] }),
    step(6, "atom.shared.cas.b32 %r3, [cells+28], 40, 3", { active: one,
      writes: [register("%r3", "b32", () => 40, one)],
      memory: [touch("atomic", 4, () => 28, one)] }),
    step(7, "atom.shared.exch.b32 %r3, [cells+28], %r1", {
      reads: [register("%r1", "b32", (lane) => lane)],
      writes: [register("%r3", "b32", (lane) => (lane ? lane - 1 : 3))],
      memory: [touch("atomic", 4, () => 28)] }),
    step(8, "red.shared.add.f32 [cells], 0f3F000000", { active: one,
      memory: [touch("atomic", 4, () => 0, one)] }),
    step(9, "red.shared.add.f32 [cells], 0f3F000000", { memory: [touch("atomic", 4, () => 0)] }),
    step(10, "ld.shared.u32 %r2, [cells+24]", { active: one,
      writes: [register("%r2", "b32", () => 10, one)], memory: [touch("read", 4, () => 24, one)] }),
  ];
  const { page, faults, close } = await show(browser, "widths", document(steps));
  const shown = async (at) => {
    await go(page, at);
    return cells(page);
  };
  assert.equal((await shown(0))[0], String(0x3fc00000));
  await page.locator("#cell-type").selectOption("f32");
  assert.equal((await shown(0))[0], "1.5");
  await page.locator("#cell-type").selectOption("");
  assert.equal((await shown(1))[1], "?", "one byte of four is known");
  await page.locator("[data-cell='1']").focus();
  assert.match(await page.locator("#cell-detail").textContent(), /1 of 4 bytes are known/);
  assert.deepEqual((await shown(2)).slice(2, 4), ["5", "4294967295"]);
  assert.deepEqual((await shown(3)).slice(4, 6), ["?", "?"]);
  assert.equal((await shown(3))[6], "–");
  assert.equal((await shown(4))[6], "(9)", "seen by a load");
  assert.equal((await shown(5))[7], "40", "the lowest lane wins");
  assert.equal((await shown(6))[7], "3");
  assert.equal((await shown(7))[7], "31", "each lane gave what the next one took");
  await page.locator("#cell-type").selectOption("f32");
  assert.equal((await shown(8))[0], "2.0");
  assert.equal((await shown(9))[0], "?", "the order of the additions is not told");
  await page.locator("#cell-type").selectOption("");
  assert.equal((await shown(10))[6], "(10)", "something else wrote");
  assert.deepEqual(faults, []);
  await close();
});

test("lanes say what they do", async () => {
  const steps = [
    step(0, "bra out", { active: 0x0000ffff, mask: 0xffffffff }),
    step(1, "bar.warp.sync 0xffffffff", { active: 0x0000ff00 }),
    step(2, "exit", { active: 0x000000ff }),
    step(3, "ret", { active: 0xffff0000 }),
    step(4, "ret", { active: 0x0000ff00 }),
  ];
  const strip = (page) => page.locator("#strip .lane").evaluateAll((all) =>
    all.map((lane) => lane.dataset.state));
  const half = (state) => Array(16).fill(state);
  const quarter = (state) => Array(8).fill(state);
  const { page, close } = await show(browser, "lanes", document(steps));
  assert.deepEqual(await strip(page), [...half("active"), ...half("guarded")]);
  await go(page, 2);
  assert.deepEqual(await strip(page),
    [...quarter("active"), ...quarter("waiting"), ...half("elsewhere")]);
  await go(page, 4);
  assert.deepEqual(await strip(page),
    [...quarter("ended"), ...quarter("active"), ...half("ended")]);
  await press(page, "2");
  assert.match(await page.locator("#lane-table").innerText(), /has exited/);
  await close();
  // A trace that was cut does not prove that `ret` ended a thread.
  const cut = await show(browser, "cut", document(steps, { cut: 12, outcome: "limit reached" }));
  await go(cut.page, 4);
  await press(cut.page, "2");
  const rows = await cut.page.locator("#lane-table tbody tr").allInnerTexts();
  assert.match(rows[0], /has exited/);
  assert.match(rows[31], /has no later step in this trace/);
  const notice = await cut.page.locator("#notices").innerText();
  assert.match(notice, /was cut. This page holds 5 steps. 12 steps were left out./);
  assert.match(notice, /Outcome: limit reached/);
  await cut.close();
});

test("registers are shown in hex and in their type, and equal ones once", async () => {
  const steps = [
    step(0, "add.s32 %r3, %r1, %r2", { reads: [register("%r1", "b32", () => 0xfffffffe),
      register("%r2", "b32", (lane) => lane)],
      writes: [{ register: "%r3", type: "b32", bits: { from: "0xfffffffe", by: 1 } }] }),
    step(1, "mul.f32 %f2, %f1, %f1", { reads: [register("%f1", "f32", () => 0x3f000000)],
      writes: [{ register: "%f2", type: "f32", bits: "0x3e800000" }] }),
  ];
  const { page, close } = await show(browser, "registers", document(steps));
  await press(page, "2");
  assert.match(await page.locator("#lane-equal").innerText(), /reads %r1 -2\s+0xfffffffe/);
  const row = (lane) => page.locator("#lane-table tbody tr").nth(lane).innerText();
  assert.match(await row(0), /0\s+0x00000000\s+-2\s+0xfffffffe/);
  assert.match(await row(5), /5\s+0x00000005\s+3\s+0x00000003/, "a line wraps at 32 bits");
  await page.locator("#lane-all").check();
  assert.equal(await page.locator("#lane-equal").innerText(), "");
  assert.match(await row(5), /-2\s+0xfffffffe\s+5/);
  await page.locator("#lane-all").uncheck();
  await page.locator("#counter").click();
  await press(page, "ArrowRight");
  assert.match(await page.locator("#lane-equal").innerText(), /0\.5\s+0x3f000000[^]*0\.25/);
  await close();
});

/** The cells that a thread of scan8 touches at a line of its source, by operation. */
const touched = {
  7: { st: (t) => [t] },
  8: { st: (t) => [t + 8] },
  9: { ld: (t) => [t + 7, t + 8], st: (t) => [t + 8] },
  10: { ld: (t) => [t + 6, t + 8], st: (t) => [t + 8] },
  11: { ld: (t) => [t + 4, t + 8], st: (t) => [t + 8] },
};

test("a race is two arrows from the right threads into the right cell", async () => {
  const data = alone(sample("scan8"));
  const { page, close } = await show(browser, "race", data);
  for (const [index, finding] of data.findings.entries()) {
    await press(page, "f");
    const [late, early] = finding.accesses;
    const texts = await page.locator(".race text").allTextContents();
    const cell = Number(/^cells\[(\d+)\]$/.exec(texts.at(-1))[1]);
    for (const access of [late, early]) {
      const at = touched[access.source.line][access.op.slice(0, 2)](access.thread[0]);
      assert.ok(at.includes(cell), `finding ${index}: thread ${access.thread} and cell ${cell}`);
    }
    assert.ok(texts.includes("nothing orders these"));
    const boxes = await page.locator(".race .thread").allTextContents();
    assert.match(boxes[0], new RegExp(`^1thread \\(${early.thread.join(",")}\\)`));
    assert.match(boxes[1], new RegExp(`^2thread \\(${late.thread.join(",")}\\)`));
    const kinds = await page.locator(".race .arrow").evaluateAll((all) =>
      all.map((arrow) => arrow.getAttribute("class")));
    const kind = (access) => `arrow ${access.op.startsWith("ld") ? "read" : "write"}`;
    assert.deepEqual(kinds, [kind(early), kind(late)]);
    // The page is at the later access, and the other one is a step of the right lane and line.
    const now = data.steps[await current(page)];
    assert.equal(now.ptx_line, late.ptx_line);
    await page.getByRole("button", { name: /^Go to \(1\)/ }).click();
    assert.equal(data.steps[await current(page)].ptx_line, early.ptx_line);
    if (finding.help) assert.match(await page.locator(".help").innerText(),
      new RegExp(finding.help.slice(0, 20).replace(/[()]/g, "\\$&")));
    await page.locator("#counter").click();
  }
  const marked = await page.locator("#source-lines button.mark").evaluateAll((all) =>
    all.map((mark) => Number(mark.parentElement.querySelector(".no").textContent)));
  assert.deepEqual(marked, [7, 8, 9, 10, 11]);
  await close();
});

test("two schedules: the first difference, and the results that differ", async () => {
  const data = sample("scan8");
  const { page, close } = await show(browser, "two", data);
  const { steps } = data.other;
  const first = data.steps.findIndex((s, i) =>
    ["warp", "active", "ptx_line"].some((key) => s[key] !== steps[i][key]));
  await page.locator("#to-difference").click();
  assert.equal(await current(page), first);
  assert.match(await page.locator("#difference").innerText(), new RegExp(`step ${first}: other`));
  await press(page, "5");
  const rows = await page.locator("#differences tbody tr").allInnerTexts();
  const [mine, theirs] = [data.buffers[1].values, data.other.buffers[1].values];
  const differing = mine.map((v, i) => [i, v, theirs[i]]).filter(([, a, b]) => a !== b);
  assert.equal(rows.length, differing.length);
  differing.forEach(([i, a, b], n) => assert.equal(rows[n], `parameter 1 [${i}]\t${a}\t${b}`));
  // The first load that differs is a load, of the same thread in both.
  await page.locator("#to-value").click();
  const at = data.steps[await current(page)];
  assert.match(at.op, /^ld/);
  await close();
});

/** A sum of two vectors of 1000 singles on an H200, by hand: 12 bytes an operation. */
const machine = {
  metrics: [
    { what: "fp32 operations", value: 1000 },
    { what: "  additions", value: 1000,
      ncu: "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum" },
    { what: "threads an instruction", value: 31.25,
      ncu: "smsp__thread_inst_executed_per_inst_executed.ratio" },
  ],
  roofline: { device: "h200", bytes: 12_000, peak_bytes: 4.916736e12, roofs: [{
    precision: "fp32", operations: 1000, peak_operations: 6.690816e13, intensity: 1 / 12,
    ridge: 13.608, attainable: 0.006124 }] },
  lines: [],
  advice: [{ kind: "uncoalesced", at: { file: "sum.cu", line: 7, ptx_line: 20 }, cost: 3,
    message: "8 sectors a request" }],
};

test("the roofline puts a launch below the roof, in a picture and in words", async () => {
  const made = document([step(0, "add.rn.f32 %f3, %f1, %f2")], { machine });
  const { page, faults, close } = await show(browser, "machine", made);
  await press(page, "6");
  const text = await page.locator("#panel-machine").innerText();
  assert.match(text, /Memory limits the launch to 0\.612 % of the fp32 peak/);
  assert.match(text, /h200 balances at 13\.6/);
  assert.match(text, /sum\.cu:7: 8 sectors a request/);
  assert.match(text, /op_fadd_pred_on\.sum/);
  assert.match(text, /31\.25/);
  const label = await page.locator("#roofline").getAttribute("aria-label");
  assert.match(label, /0\.0833 operations a byte/);
  // The roof rises by a decade a decade up to the ridge, and is flat behind it.
  const points = (await page.locator("#roofline .roof").getAttribute("points"))
    .split(" ").map((point) => point.split(",").map(Number));
  const [start, ridge, end] = points;
  assert.ok(Math.abs(ridge[1] - end[1]) < 0.01 && start[1] > ridge[1]);
  const ticks = await page.locator("#roofline line.grid").evaluateAll((all) =>
    all.map((line) => [line.x1, line.y1].map((length) => length.baseVal.value)));
  const columns = ticks.filter(([, y]) => y === ticks[0][1]).map(([x]) => x);
  const rows = ticks.slice(columns.length).map(([, y]) => y);
  const decade = [columns[1] - columns[0], rows[0] - rows[1]];
  const slope = (start[1] - ridge[1]) / decade[1] / ((ridge[0] - start[0]) / decade[0]);
  assert.ok(Math.abs(slope - 1) < 0.001, `slope ${slope}`);
  // The launch: a twelfth is between the first and the second power of ten from 0.01 or 0.1.
  const at = await page.locator("#roofline line.launch").evaluate((line) => ({
    x: line.x1.baseVal.value, y: line.y1.baseVal.value }));
  const below = (at.x - start[0]) / (ridge[0] - start[0]);
  assert.ok(Math.abs(at.y - (start[1] + below * (ridge[1] - start[1]))) < 0.01, "on the roof");
  const decades = Math.log10(13.608 * 12);
  assert.ok(Math.abs((ridge[0] - at.x) / decade[0] - decades) < 0.001, "by log10 of the quotient");
  assert.deepEqual(faults, []);
  if (shots) await page.screenshot({ path: join(shots, "machine.png") });
  await close();
});

test("text of a document is text", async () => {
  const data = alone(sample("scan8"));
  const evil = "</script><script>document.title='taken'</script><b>x</b> <!-- /*SCRIPT*/ $& $1";
  data.sources[0].text = `${evil}\n${data.sources[0].text}`;
  data.findings[0].message = evil;
  const { page, faults, close } = await show(browser, "text", data);
  await press(page, "f");
  assert.ok((await page.locator("#source-lines").innerText()).includes(evil));
  assert.ok((await page.locator("#finding-detail").innerText()).includes(evil));
  assert.equal(await page.title(), "scan8 · warpsim");
  assert.deepEqual(faults, []);
  await close();
});

test("20,000 steps open in 2 s, and a step takes less than 50 ms", async () => {
  // Time is that of the page's own thread: what else runs on the machine does not count.
  let client;
  const prepare = async (page) => {
    client = await page.context().newCDPSession(page);
    await client.send("Performance.enable", { timeDomain: "threadTicks" });
  };
  const busy = async () => {
    const { metrics } = await client.send("Performance.getMetrics");
    return 1000 * metrics.find((metric) => metric.name === "TaskDuration").value;
  };
  const { page, faults, close } = await show(browser, "large", large(20_000), {}, prepare);
  const frame = () => page.evaluate(() =>
    new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  await frame();
  const opened = await busy();
  const wall = await page.evaluate(() => performance.now());
  console.log(`20,000 steps: open ${opened.toFixed(0)} ms, ${wall.toFixed(0)} ms by the clock`);
  assert.ok(opened < 2000, `${opened} ms`);
  const times = async (keys) => {
    const measured = [];
    for (const key of keys) {
      const from = await busy();
      await press(page, key);
      await frame();
      measured.push((await busy()) - from);
    }
    return measured.sort((x, y) => x - y);
  };
  // One in ten may meet a collection of garbage.
  const most = (list) => list[Math.floor(0.9 * (list.length - 1))];
  const told = (list) => `${list[list.length >> 1].toFixed(1)} ms (nine of ten at most ` +
    `${most(list).toFixed(1)} ms)`;
  const moves = [...Array(20).fill("ArrowRight"), ...Array(10).fill("ArrowLeft"), "j", "k"];
  for (const tab of ["1", "2", "4"]) {
    await press(page, tab);
    await go(page, 10_000);
    await frame();
    const steps = await times(moves);
    const jumps = await times(["Home", "End", "Home", "End"]);
    console.log(`  tab ${tab}: a step takes ${told(steps)}; a jump over all ${told(jumps)}`);
    assert.ok(most(steps) < 50, `${most(steps)} ms`);
  }
  await press(page, "0", "1");
  await frame();
  const steps = await times(moves);
  console.log(`  all steps in view: a step takes ${told(steps)}`);
  assert.ok(most(steps) < 50, `${most(steps)} ms`);
  assert.deepEqual(faults, []);
  await close();
});

test("axe finds no serious fault, in light and in dark", async () => {
  const require = createRequire(import.meta.url);
  const axe = readFileSync(join(dirname(require.resolve("axe-core")), "axe.min.js"), "utf8");
  for (const colorScheme of ["light", "dark"]) {
    for (const name of ["scan8", "reduce", "divergence"]) {
      const { page, close } = await show(browser, `axe-${name}`, sample(name), { colorScheme });
      await page.evaluate(axe);
      for (const key of ["1", "2", "3", "f", "4", "5", "?"]) {
        await press(page, key, "ArrowRight");
        await page.waitForTimeout(600);
        const found = await page.evaluate(() => window.axe.run());
        const grave = found.violations.filter((v) => ["serious", "critical"].includes(v.impact));
        const told = grave.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(" ")}`);
        assert.deepEqual(told, [], `${name}, ${colorScheme}, after ${key}`);
      }
      await close();
    }
  }
});

test("no text is smaller than 14px, and motion can be refused", async () => {
  const still = { reducedMotion: "reduce" };
  const { page, close } = await show(browser, "sizes", sample("scan8"), still);
  for (const key of ["1", "2", "f", "4", "5", "?"]) {
    await press(page, key);
    const small = await page.evaluate(() => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const found = [];
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const parent = node.parentElement;
        if (!node.data.trim() || parent.closest("script, style")) continue;
        if (parseFloat(getComputedStyle(parent).fontSize) < 14) found.push(parent.outerHTML);
      }
      return found;
    });
    assert.deepEqual(small, []);
  }
  await press(page, "Escape", "1");
  await go(page, 9);
  const moving = await page.locator(".cells .is-W").first().evaluate((cell) =>
    getComputedStyle(cell).animationName);
  assert.equal(moving, "none");
  await close();
});

test("nothing is cut off at 1280x720; screenshots", async () => {
  const keys = {
    scan8: [["memory", "1", 30], ["race", "f", 0], ["lanes", "2", 1], ["results", "5", 0],
      ["help", "?", 0]],
    reduce: [["memory", "1", 60], ["lanes", "2", 3], ["steps", "4", 0]],
    divergence: [["lanes", "2", 18]],
    one: [["memory", "1", 31], ["race", "f", 0]],
  };
  for (const colorScheme of ["light", "dark"]) {
    for (const [name, list] of Object.entries(keys)) {
      const data = name === "one" ? alone(sample("scan8")) : sample(name);
      const { page, close } = await show(browser, `shot-${name}`, data, { colorScheme });
      for (const [what, key, moves] of list) {
        await press(page, key, ...Array(moves).fill("ArrowRight"));
        await page.waitForTimeout(600);
        const [wide, tall] = await page.evaluate(() =>
          [document.documentElement.scrollWidth, document.documentElement.scrollHeight]);
        assert.deepEqual([wide, tall], [1280, 720], `${name} ${what}`);
        if (!shots) continue;
        mkdirSync(shots, { recursive: true });
        await page.screenshot({ path: join(shots, `${name}-${what}-${colorScheme}.png`) });
      }
      await close();
    }
  }
});

// The playground in a browser: each button for each built-in program, the volatile story, links,
// faults in the text, the keyboard, accessibility, sizes and times.
//
// PLAYGROUND names the folder that scripts/playground.sh made; SHOTS a folder for screenshots.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { choose, ended, folder, launch, open, press, ready, serve, settled, timed, type }
  from "./served.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** The volatile story is told, and each of its runs done, in less than this, in milliseconds. */
const STORY = 1000;
const shots = process.env.SHOTS;

let browser;
let server;
before(async () => {
  server = await serve();
  browser = await launch();
});
after(async () => {
  await browser.close();
  await server.close();
});

async function shot(page, name) {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
}

const text = (page, selector) => page.locator(selector).innerText();

/** Serious and critical faults. */
async function faultsOf(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { iframes: false }));
  const bad = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  return bad.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);
}

test("the files are few and small", () => {
  let compressed = 0;
  for (const name of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, name));
    const short = gzipSync(bytes).length;
    compressed += short;
    console.log(`${name}: ${bytes.length} bytes, ${short} compressed`);
  }
  console.log(`together: ${compressed} bytes compressed`);
  assert.ok(compressed < 4 << 20, `${compressed} bytes`);
});

test("the page begins with the volatile story, and every button works on it", async () => {
  const started = performance.now();
  const { page, faults, close } = await open(browser, server.at);
  console.log(`ready after ${(performance.now() - started).toFixed(0)} ms`);
  assert.equal(await page.inputValue("#program"), "volatile");
  assert.match(await text(page, "#cuda-text"), /__global__/);
  await shot(page, "begin");
  assert.equal(await press(page, "run"), "run");
  assert.match(await text(page, ".verdict"), /The result is right/);
  await shot(page, "run");
  assert.equal(await press(page, "check"), "check");
  assert.match(await text(page, "#results"), /Findings \([1-9]/);
  await shot(page, "check");
  assert.equal(await press(page, "explore"), "explore");
  assert.match(await text(page, "#results"), /100 schedules/);
  await shot(page, "explore");
  assert.equal(await press(page, "step"), "trace");
  await page.frameLocator("iframe").locator("html[data-ready=yes]").waitFor();
  assert.deepEqual(faults, []);
  await close();
});

test("the volatile story is told, and comes out, in less than a second", async () => {
  const { page, faults, close } = await open(browser, server.at);
  const said = async (what, button) => {
    const taken = await timed(page, button);
    console.log(`${what}: ${taken.toFixed(0)} ms`);
    return taken;
  };
  const all = await said("the story in words", "story");
  assert.match(await text(page, "#results pre"), /volatile/);
  await shot(page, "story");
  let together = all;
  const run = async (what, right) => {
    together += await said(what, "run");
    const found = await text(page, ".verdict");
    assert.match(found, right ? /The result is right/ : /The result is wrong/, what);
  };
  await run("plain, as written", true);
  await page.check("#cache");
  await run("plain, with the pass", false);
  await shot(page, "wrong");
  await page.selectOption("#variant", "volatile");
  await settled(page);
  assert.ok(await page.isChecked("#cache"), "the toggle stays");
  await run("volatile, with the pass", true);
  await page.uncheck("#cache");
  await run("volatile, as written", true);
  console.log(`the whole story: ${together.toFixed(0)} ms`);
  assert.ok(together < STORY, `${together} ms`);
  assert.deepEqual(faults, []);
  await close();
});

test("each button works for each variant of each program", async () => {
  const { page, faults, close } = await open(browser, server.at);
  const names = await page.evaluate(() =>
    [...document.querySelectorAll("#program option")].map((one) => one.value).filter(Boolean));
  assert.ok(names.length >= 16, names.join());
  await page.fill("#count", "4");
  for (const name of names) {
    await page.selectOption("#program", name);
    await page.waitForFunction((of) => decodeURIComponent(document.querySelector("#about")
      .textContent).length > 0 && document.querySelector("#program").value === of, name);
    await settled(page);
    const variants = await page.evaluate(() =>
      [...document.querySelectorAll("#variant option")].map((one) => one.value));
    assert.ok(variants.length > 0, name);
    for (const variant of variants) {
      await choose(page, name, variant);
      for (const [button, comes] of [["run", "run"], ["check", "check"], ["explore", "explore"],
        ["step", "trace"]]) {
        const started = performance.now();
        const came = await press(page, button);
        const taken = performance.now() - started;
        const where = `${name} ${variant} ${button}`;
        assert.equal(came, comes, `${where}: ${await text(page, "#results")}`);
        if (taken > 1000) console.log(`${where}: ${taken.toFixed(0)} ms`);
      }
    }
  }
  assert.deepEqual(faults, []);
  await close();
});

test("the steps go forward and back, with the values of the run", async () => {
  const { page, faults, close } = await open(browser, server.at);
  await press(page, "step");
  const frame = page.frameLocator("iframe");
  await frame.locator("html[data-ready=yes]").waitFor();
  const counter = () => frame.locator("#counter").innerText();
  const first = await counter();
  await frame.locator("#forward").click();
  assert.notEqual(await counter(), first);
  await frame.locator("#back").click();
  assert.equal(await counter(), first);
  await frame.locator("#last").click();
  await frame.locator("#tab-results").click();
  assert.match(await frame.locator("#panel-results").innerText(), /528/);
  assert.match(await frame.locator("#source-lines").innerText(), /__global__/);
  await page.evaluate(() => document.querySelector("iframe").scrollIntoView());
  await shot(page, "steps");
  assert.deepEqual(faults, []);
  await close();
});

test("a fault in the text is shown with its line, and goes when it is mended", async () => {
  const { page, faults, close } = await open(browser, server.at);
  const wrong = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n  ret\n}\n";
  await type(page, wrong);
  await page.waitForFunction(() => /^Line \d/.test(document.getElementById("fault").innerText));
  assert.match(await text(page, "#fault"), /^Line 6: /);
  assert.equal(await page.locator(".cm-wrong").innerText(), "  ret");
  await shot(page, "fault");
  assert.equal(await press(page, "run"), "error");
  assert.match(await text(page, "#results .fault"), /playground\.ptx:6/);
  await page.click("#results .fault button");
  assert.equal(await page.locator(".cm-shown").innerText(), "  ret");
  await type(page, wrong.replace("ret", "ret;"));
  await page.waitForFunction(() => document.getElementById("fault").innerText === "" &&
    document.getElementById("kernel").value === "k");
  await page.selectOption("#program", "");
  await settled(page);
  await type(page, wrong.replace("ret", "ret;"));
  await page.waitForFunction(() => document.getElementById("kernel").value === "k");
  assert.equal(await press(page, "run"), "run");
  await page.fill("#grid", "0");
  assert.equal(await press(page, "run"), "error");
  assert.match(await text(page, "#results .fault"), /grid/);
  assert.deepEqual(faults, []);
  await close();
});

test("a link holds everything that is set", async () => {
  const { page, faults, close } = await open(browser, server.at);
  await page.selectOption("#program", "");
  await settled(page);
  await page.fill("#block", "8");
  await page.fill("#schedule", "reverse");
  await page.fill("#count", "17");
  await page.selectOption("#model", "lockstep");
  await page.check("#cache");
  await page.fill("#arg-0", "u32[32]=iota:5");
  await page.click("#link");
  await settled(page);
  const fields = (of) => of.evaluate(() => JSON.stringify([
    ...[...document.querySelectorAll("main input, main select")].map((field) =>
      field.type === "checkbox" ? field.checked : field.value),
    document.querySelector("#ptx-text .cm-content").innerText]));
  const hash = await page.evaluate(() => location.hash);
  assert.ok(hash.length > 20 && hash.length < 4000, hash);
  const expected = await fields(page);
  const second = await open(browser, server.at, hash);
  assert.equal(await fields(second.page), expected);
  assert.equal(await press(second.page, "run"), "run");
  assert.match(await text(second.page, "[data-part=buffers]"), /10 12 14/);
  assert.deepEqual(second.faults, []);
  await second.close();
  const damaged = await open(browser, server.at, "#1.AAAA");
  assert.match(await text(damaged.page, "#status"), /damaged/);
  assert.deepEqual(damaged.faults, []);
  await damaged.close();
  assert.deepEqual(faults, []);
  await close();
});

test("a kernel that goes on is stopped by the button, and the page works on", async () => {
  const { page, faults, close } = await open(browser, server.at);
  await choose(page, "volatile", "plain");
  await page.fill("#count", "1000000");
  await page.click("#explore");
  await page.waitForFunction(() => !document.getElementById("stop").disabled);
  await page.click("#stop");
  await page.waitForFunction(() => document.getElementById("status").innerText === "Stopped.");
  await page.fill("#count", "3");
  assert.equal(await press(page, "explore"), "explore");
  assert.deepEqual(faults, []);
  await close();
});

test("everything can be done with the keyboard", async () => {
  const { page, faults, close } = await open(browser, server.at);
  const seen = new Set();
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press("Tab");
    const id = await page.evaluate(() => {
      const now = document.activeElement;
      return now.id || (now.closest("#ptx-text") ? "ptx-text" : now.closest("#cuda-text")
        ? "cuda-text" : now.tagName);
    });
    if (id === "ptx-text") await page.keyboard.press("Escape");
    seen.add(id);
    if (id === "step") break;
  }
  for (const id of ["program", "variant", "form", "story", "cuda-text", "ptx-text", "kernel",
    "grid", "block", "cache", "arg-0", "arg-1", "suggest", "run", "check", "explore", "step"]) {
    assert.ok(seen.has(id), `${id} is not reached: ${[...seen].join(" ")}`);
  }
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  assert.equal(await ended(page), "explore");
  await page.focus("#ptx-text .cm-content");
  await page.keyboard.press("Control+Enter");
  await page.waitForFunction(() => document.getElementById("results").dataset.of === "run");
  assert.deepEqual(faults, []);
  await close();
});

test("axe finds no serious fault, in light and in dark", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const { page, faults, close } = await open(browser, server.at, "", { colorScheme });
    assert.deepEqual(await faultsOf(page), []);
    for (const button of ["story", "run", "check", "explore", "step"]) {
      await press(page, button);
      assert.deepEqual(await faultsOf(page), [], `${button} in ${colorScheme}`);
    }
    await press(page, "check");
    await shot(page, colorScheme);
    await type(page, "wrong");
    await page.waitForFunction(() => document.getElementById("fault").innerText !== "");
    assert.deepEqual(await faultsOf(page), [], `a fault in ${colorScheme}`);
    assert.deepEqual(faults, []);
    await close();
  }
});

test("a narrow page is not cut off", async () => {
  const { page, faults, close } =
    await open(browser, server.at, "", { viewport: { width: 400, height: 800 } });
  await press(page, "check");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 400, `${wide} pixels`);
  await shot(page, "narrow");
  await ready(page);
  assert.deepEqual(faults, []);
  await close();
});

// Serves the built folder, opens it in the Chromium of the machine, and gathers what goes wrong.

import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { chromium } from "playwright-core";

/** How long work may take on a busy machine, in milliseconds: it is about what comes of it. */
const LONG = 600_000;

/** The folder that scripts/playground.sh made. */
export const folder = resolve(process.env.PLAYGROUND ??
  join(import.meta.dirname, "../../../../target/playground"));

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css",
  ".wasm": "application/wasm" };

/** A server of static files. */
export async function serve() {
  const server = createServer((request, response) => {
    const name = new URL(request.url, "http://x").pathname.slice(1) || "index.html";
    try {
      if (!/^[\w.]+$/.test(name)) throw new Error(name);
      const body = readFileSync(join(folder, name));
      response.writeHead(200, { "content-type": TYPES[extname(name)] ?? "text/plain" });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const at = `http://127.0.0.1:${server.address().port}/`;
  return { at, close: () => new Promise((done) => server.close(done)) };
}

export function launch() {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const ignoreDefaultArgs = ["--hide-scrollbars"];
  return chromium.launch({ executablePath, args: ["--no-sandbox"], ignoreDefaultArgs });
}

/** Opens the page; `faults` gathers errors of the console and requests to other servers. */
export async function open(browser, at, hash = "", options = {}) {
  const viewport = { width: 1280, height: 900 };
  const context = await browser.newContext({ viewport, ...options });
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(at) && !/^(data|blob|about):/.test(url)) faults.push(`a request: ${url}`);
  });
  await page.goto(at + hash);
  await ready(page);
  return { page, faults, close: () => context.close() };
}

export function ready(page) {
  return page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
}

/** Presses a button and waits for what comes of it: `run`, `trace`, `error`. */
export async function press(page, id) {
  await page.evaluate(() => delete document.getElementById("results").dataset.of);
  await page.click(`#${id}`);
  return ended(page);
}

/**
 * Presses a button. Gives the milliseconds from the click to the painted result, by the clock of
 * the page: the questions of this test to the browser take time, too, and a reader asks none.
 */
export function timed(page, id) {
  return page.evaluate((button) => new Promise((done) => {
    const results = document.getElementById("results");
    const stop = document.getElementById("stop");
    delete results.dataset.of;
    const started = performance.now();
    const watch = new MutationObserver(() => {
      if (!results.dataset.of || !stop.disabled) return;
      watch.disconnect();
      const painted = () => done(performance.now() - started);
      requestAnimationFrame(() => requestAnimationFrame(painted));
    });
    watch.observe(results, { attributes: true });
    watch.observe(stop, { attributes: true });
    document.getElementById(button).click();
  }), id);
}

export async function ended(page) {
  await page.waitForFunction(() =>
    document.getElementById("results").dataset.of && document.getElementById("stop").disabled,
  undefined, { timeout: LONG });
  return page.evaluate(() => document.getElementById("results").dataset.of);
}

/** Chooses a program and a variant, and waits until their launch is there. */
export async function choose(page, program, variant) {
  await page.selectOption("#program", program);
  await page.waitForFunction((name) =>
    [...document.querySelectorAll("#variant option")].some((one) => one.value === name) &&
    document.getElementById("kernel").value !== "", variant);
  await settled(page);
  await page.selectOption("#variant", variant);
  await settled(page);
}

/** Waits until the page asks nothing of its worker. */
export async function settled(page) {
  let before = "";
  for (let same = 0; same < 3;) {
    await page.waitForTimeout(60);
    const now = await page.evaluate(() => [location.hash,
      ...[...document.querySelectorAll("input, select")].map((field) => field.value)].join("\n"));
    same = now === before ? same + 1 : 0;
    before = now;
  }
}

/** Puts a text into the PTX editor, as a reader does. */
export async function type(page, text) {
  await page.focus("#ptx-text .cm-content");
  await page.keyboard.press("Control+a");
  await page.evaluate(async (all) => {
    const data = new DataTransfer();
    data.setData("text/plain", all);
    document.querySelector("#ptx-text .cm-content").dispatchEvent(
      new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
}

// Opens the built page with a document, in the Chromium of the machine.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const here = import.meta.dirname;
const placeholder = "/*WARPSIM-DATA*/null/*END*/";
const folder = join(tmpdir(), "warpsim-page-test");

export const sample = (name) =>
  JSON.parse(readFileSync(join(here, "data", `${name}.json`), "utf8"));

/** The page with a document, as the command writes it. */
export function filled(document) {
  const text = JSON.stringify(document).replaceAll("<", "\\u003c");
  const page = readFileSync(join(here, "..", "dist", "page.html"), "utf8");
  return page.replace(placeholder, () => text);
}

export function launch() {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  // Scroll bars take room, as they do for a reader.
  const ignoreDefaultArgs = ["--hide-scrollbars"];
  return chromium.launch({ executablePath, args: ["--no-sandbox"], ignoreDefaultArgs });
}

/**
 * Opens a document; `prepare` sees the page before it opens. `faults` gathers the errors of the
 * console, and requests to a network.
 */
export async function show(browser, name, document, options = {}, prepare = null) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.html`);
  writeFileSync(file, typeof document === "string" ? document : filled(document));
  const viewport = { width: 1280, height: 720 };
  const context = await browser.newContext({ viewport, ...options });
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    if (!/^(file|data):/.test(request.url())) faults.push(`a request: ${request.url()}`);
  });
  if (prepare) await prepare(page);
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
  return { page, faults, close: () => context.close() };
}

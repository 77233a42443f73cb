// The book as a site, in a browser: links, errors, search, embedded pages, access for all.
// `scripts/site.sh` builds the site. SITE names its folder; without it these tests are skipped.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { dirname, extname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "./page.mjs";

const site = process.env.SITE && resolve(process.env.SITE);
const shots = process.env.SHOTS;
const skip = site ? false : "SITE does not name a built site";
const root = join(import.meta.dirname, "..", "..", "..");
const repository = /^repository = "(.*)"$/m.exec(readFileSync(join(root, "Cargo.toml"), "utf8"))[1];
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css",
  ".svg": "image/svg+xml", ".png": "image/png", ".woff2": "font/woff2", ".json": "text/json" };

let browser;
let server;
let origin;
before(async () => {
  if (!site) return;
  server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://site").pathname);
    try {
      const body = readFileSync(join(site, path.endsWith("/") ? `${path}index.html` : path));
      response.writeHead(200, { "content-type": types[extname(path)] ?? "text/plain" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  origin = `http://127.0.0.1:${server.address().port}/`;
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.close();
});

const chapters = () =>
  readdirSync(site).filter((name) => /\.html$/.test(name) && name !== "toc.html");

/** Opens a page. `faults` gathers what the console says, and requests to other places. */
async function open(path, options = {}) {
  const viewport = { width: 1280, height: 720 };
  const context = await browser.newContext({ viewport, ...options });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith("data:")) faults.push(`a request: ${url}`);
  });
  // print.html opens the dialog for printing.
  await page.addInitScript(() => (window.print = () => {}));
  await page.goto(origin + path);
  return { page, faults, close: () => context.close() };
}

/** The embedded page, once it is ready. */
async function embedded(page, locator) {
  await locator.scrollIntoViewIfNeeded();
  const frame = await (await locator.elementHandle()).contentFrame();
  await frame.locator(":root[data-ready=yes]").waitFor();
  return frame;
}

/** Opens the search, and waits for what it finds. */
async function search(page, word) {
  await page.keyboard.press("/");
  await page.keyboard.type(word);
  await page.locator("#mdbook-searchresults a").first().waitFor();
}

test("every link and anchor leads somewhere, and no page has an error", { skip }, async () => {
  const found = new Map();
  const { page, faults, close } = await open("index.html");
  for (const name of chapters()) {
    await page.goto(origin + name);
    found.set(name, await page.evaluate(() => {
      const all = [...document.querySelectorAll("a[href], link[href], img[src], iframe[src]")];
      return {
        links: [...new Set(all.map((element) => element.href || element.src))],
        ids: [...document.querySelectorAll("[id], a[name]")].map((e) => e.id || e.name),
      };
    }));
    assert.deepEqual(faults, [], name);
  }
  await close();
  assert.ok(found.size > 40, `only ${found.size} pages`);
  const dead = [];
  const checked = { internal: 0, anchors: 0, repository: 0, elsewhere: 0 };
  for (const [name, { links }] of found) {
    for (const link of links) {
      const url = new URL(link);
      const anchor = decodeURIComponent(url.hash.slice(1));
      const below = link.startsWith(`${repository}/`) ? url.pathname : "";
      const inRepository = /\/(blob|tree|edit)\/main\/(.*)/.exec(below);
      if (inRepository) {
        checked.repository += 1;
        const path = decodeURIComponent(inRepository[2]);
        if (!existsSync(join(root, path))) dead.push(`${name}: ${link}`);
      } else if (link.startsWith(origin)) {
        checked.internal += 1;
        const path = decodeURIComponent(url.pathname.slice(1)) || "index.html";
        if (!existsSync(join(site, path))) dead.push(`${name}: ${path}`);
        else if (anchor && found.has(path)) {
          checked.anchors += 1;
          if (!found.get(path).ids.includes(anchor)) dead.push(`${name}: ${path}#${anchor}`);
        }
      } else {
        checked.elsewhere += 1;
        if (!/^(https:|data:)/.test(link)) dead.push(`${name}: ${link}`);
      }
    }
  }
  console.log(found.size, "pages; links:", checked);
  assert.deepEqual(dead, []);
});

test("files of the repository that are no chapters are in the site", { skip }, () => {
  for (const name of ["warpsim.schema.json", "warpsim-exec.schema.json", "debugger/hist.cu"]) {
    const own = readFileSync(join(root, "docs", name));
    assert.ok(own.equals(readFileSync(join(site, name))), name);
  }
});

test("every chapter of the book is in the site", { skip }, () => {
  const docs = readdirSync(join(root, "docs")).filter((name) => /\.md$/.test(name));
  const missing = docs
    .filter((name) => name !== "SUMMARY.md")
    .filter((name) => !existsSync(join(site, name.replace(/md$/, "html"))));
  assert.deepEqual(missing, [], "docs/SUMMARY.md does not name them");
});

test("search finds a chapter", { skip }, async () => {
  const { page, faults, close } = await open("quick-start.html");
  await page.keyboard.press("/");
  await page.keyboard.type("volatile");
  const results = page.locator("#mdbook-searchresults a");
  await results.first().waitFor();
  const links = await results.evaluateAll((all) => all.map((a) => new URL(a.href).pathname));
  assert.ok(links.some((path) => path === "/volatile.html"), links.join(" "));
  await results.first().click();
  await page.locator("mark").first().waitFor();
  assert.deepEqual(faults, []);
  await close();
});

test("embedded pages load, and have the colours of the book", { skip }, async () => {
  const pages = readdirSync(join(site, "pages"));
  assert.ok(pages.length >= 4, pages.join(" "));
  const shown = [];
  for (const name of chapters().filter((name) => name !== "print.html")) {
    if (!readFileSync(join(site, name), "utf8").includes("<iframe title=")) continue;
    for (const colorScheme of ["light", "dark"]) {
      const { page, faults, close } = await open(name, { colorScheme });
      assert.equal(await page.evaluate(() => scrollY), 0, `${name} begins at its top`);
      for (const locator of await page.locator(".page-of-a-run iframe").all()) {
        assert.ok((await locator.getAttribute("title")).length > 10);
        const frame = await embedded(page, locator);
        const theme = () => frame.evaluate(() => document.documentElement.dataset.theme);
        assert.equal(await theme(), colorScheme, name);
        assert.ok((await frame.locator(".cells .cell").count()) > 0, name);
        const cut = await frame.evaluate(() => {
          const { scrollWidth, clientWidth } = document.documentElement;
          return scrollWidth - clientWidth;
        });
        assert.equal(cut, 0, `${name}: the page is wider than its frame`);
        const before = await frame.locator("#counter").innerText();
        await frame.locator("#forward").click();
        assert.notEqual(await frame.locator("#counter").innerText(), before);
        if (colorScheme === "light") {
          shown.push(new URL(frame.url()).pathname.split("/").at(-1));
          await page.evaluate(() => document.documentElement.classList.replace("light", "coal"));
          await frame.locator(":root[data-theme=dark]").waitFor();
        }
      }
      assert.deepEqual(faults, [], name);
      await close();
    }
  }
  assert.deepEqual(shown.sort(), pages.sort(), "each page is embedded once");
});

test("axe finds no serious fault, in light and in dark", { skip }, async () => {
  const require = createRequire(import.meta.url);
  const axe = readFileSync(join(dirname(require.resolve("axe-core")), "axe.min.js"), "utf8");
  const sample = ["index", "quick-start", "read-a-finding", "volatile", "cli", "memory-model",
    "testing-without-a-gpu", "barriers", "exec", "isa"];
  const told = [];
  for (const colorScheme of ["light", "dark"]) {
    for (const name of sample) {
      const { page, close } = await open(`${name}.html`, { colorScheme });
      if (name === "quick-start") await search(page, "volatile");
      await page.evaluate(axe);
      const found = await page.evaluate(() => window.axe.run(document, { iframes: false }));
      for (const v of found.violations) {
        if (!["serious", "critical"].includes(v.impact)) continue;
        const [{ html, any }] = v.nodes;
        const what = `${v.id}, ${v.nodes.length} times: ${html.slice(0, 80)}`;
        told.push(`${name}, ${colorScheme}: ${what} ${any[0]?.message ?? ""}`);
      }
      await close();
    }
  }
  assert.deepEqual(told, []);
});

test("a narrow screen need not be scrolled sideways", { skip }, async () => {
  for (const name of ["index", "quick-start", "read-a-finding", "volatile", "cli"]) {
    const { page, close } = await open(`${name}.html`, { viewport: { width: 390, height: 780 } });
    const wide = await page.evaluate(() => {
      document.documentElement.scrollLeft = 1000;
      return document.documentElement.scrollLeft;
    });
    assert.equal(wide, 0, name);
    await close();
  }
});

const noShots = shots ? false : "SHOTS does not name a folder";
test("screenshots", { skip: skip || noShots }, async () => {
  mkdirSync(shots, { recursive: true });
  for (const colorScheme of ["light", "dark"]) {
    const shoot = async (name, path, prepare) => {
      const { page, close } = await open(path, { colorScheme });
      await prepare?.(page);
      await page.waitForTimeout(300);
      await page.screenshot({ path: join(shots, `site-${name}-${colorScheme}.png`) });
      await close();
    };
    const toPage = async (page) => {
      const figure = page.locator(".page-of-a-run").first();
      const frame = await embedded(page, figure.locator("iframe"));
      await frame.locator("#next-finding").click();
      await figure.evaluate((element) => element.scrollIntoView());
    };
    await shoot("start", "index.html");
    await shoot("quick-start", "quick-start.html");
    await shoot("volatile", "volatile.html");
    await shoot("volatile-page", "volatile.html", toPage);
    await shoot("barriers-page", "barriers.html", toPage);
    await shoot("reduce-tail-page", "reduce-tail.html", toPage);
    await shoot("last-block-page", "last-block.html", toPage);
    await shoot("finding", "read-a-finding.html", (page) =>
      page.locator("#the-two-accesses").evaluate((element) => element.scrollIntoView()));
    await shoot("finding-page", "read-a-finding.html", toPage);
    await shoot("cli", "cli.html");
    await shoot("cli-table", "cli.html", (page) =>
      page.locator("table").nth(1).evaluate((element) => element.scrollIntoView()));
    await shoot("search", "quick-start.html", (page) => search(page, "volatile"));
  }
});

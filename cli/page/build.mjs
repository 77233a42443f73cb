// Builds dist/page.html: one file, with the style and the script inside it.
// `--check` builds in memory, and fails if dist/page.html is not what the build gives.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "dist", "page.html");
const placeholder = "/*WARPSIM-DATA*/null/*END*/";

async function bundle(entry) {
  const built = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
  });
  return built.outputFiles[0].text.trimEnd();
}

async function page() {
  const [script, style] = await Promise.all([bundle("src/page.ts"), bundle("src/page.css")]);
  const template = readFileSync(join(here, "src", "page.html"), "utf8");
  const text = template.replace("/*STYLE*/", () => style).replace("/*SCRIPT*/", () => script);
  if (text.split(placeholder).length !== 2) throw new Error("the placeholder must appear once");
  if (/<\/script/i.test(script)) throw new Error("the script must not hold </script");
  return text;
}

const text = await page();
if (process.argv.includes("--check")) {
  let old = "";
  try {
    old = readFileSync(target, "utf8");
  } catch {
    // A file that is not there differs.
  }
  if (old !== text) {
    console.error("dist/page.html is not what the build gives: run `npm run build`");
    process.exit(1);
  }
  console.log("dist/page.html is what the build gives");
} else {
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
  console.log(`dist/page.html: ${Buffer.byteLength(text)} bytes`);
}

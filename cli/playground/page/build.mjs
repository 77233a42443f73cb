// Builds the page into a folder of static files: `node build.mjs OUT WASM`.
// WASM is the simulator, compiled by scripts/playground.sh. The viewer of steps is the page of
// `warpsim trace`, as cli/page/dist has it.

import { copyFileSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const [out, wasm] = process.argv.slice(2);
if (!out || !wasm) {
  console.error("usage: node build.mjs OUT WASM");
  process.exit(2);
}
const folder = resolve(out);
mkdirSync(folder, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: { app: "src/app.ts", worker: "src/worker.ts", style: "src/style.css" },
  outdir: folder,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "eof",
});
copyFileSync(join(here, "src", "index.html"), join(folder, "index.html"));
copyFileSync(join(here, "..", "..", "page", "dist", "page.html"), join(folder, "steps.html"));
copyFileSync(resolve(wasm), join(folder, "warpsim.wasm"));
for (const name of readdirSync(folder).sort()) {
  const file = join(folder, name);
  const compressed = gzipSync(readFileSync(file)).length;
  console.log(`${name}: ${statSync(file).size} bytes, ${compressed} compressed`);
}

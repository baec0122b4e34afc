// Builds the page into OUT (default: dist), the same bytes from the same sources on every machine: index.html is the page
// of `koridor serve`, and page.html that of `koridor page`, which asks the worker.
import { build } from "esbuild";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";

const out = process.argv[2] ?? "dist";
const options = { outdir: out, bundle: true, minify: true, format: "esm", target: ["es2022"], legalComments: "none" };
await mkdir(out, { recursive: true });
await build({
  ...options,
  entryPoints: { app: "src/main.tsx" },
  jsx: "automatic",
  jsxImportSource: "preact",
  banner: { js: "/* Koridor, Apache-2.0; contains Preact, MIT, (c) 2015-present Jason Miller */" },
});
await build({ ...options, entryPoints: { worker: "engine/worker.js" }, banner: { js: "/* Koridor, Apache-2.0 */" } });
for (const name of ["index.html", "icon.svg"]) await copyFile(`src/${name}`, `${out}/${name}`);

// A host of static files sends no headers of ours, so the page itself says that nothing from elsewhere is loaded or run.
const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const index = await readFile("src/index.html", "utf8");
const metas = [
  `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
  '<meta name="referrer" content="no-referrer">',
  '<meta name="koridor-page" content="page.json">',
];
await writeFile(`${out}/page.html`, index.replace("<title>", `${metas.join("\n")}\n<title>`));

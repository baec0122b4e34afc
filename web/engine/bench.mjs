// Positions a second of one model: this package against onnxruntime-web on the same network, on one thread of Node, or
// with --browser of Chromium (which web/'s packages drive: cd web && npm ci).
//
//   npm install --no-save onnxruntime-web
//   node bench.mjs [--browser] MODEL.koridor MODEL-f32.onnx MODEL-int8.onnx     (koridor export MODEL --format onnx
//                                                                                [--precision int8])
//
// Each figure is the best of five runs of half a second, in turns. The engine encodes positions and reads the policy of
// the legal actions besides; onnxruntime-web is given encoded positions.
import { readFile, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { measure } from "./bench_core.js";

const words = process.argv.slice(2);
const browser = words[0] === "--browser";
const [path, single, quantized] = browser ? words.slice(1) : words;
const wasm = new URL("koridor-engine.wasm", import.meta.url);
console.log(`module ${(await stat(wasm)).size} bytes, model ${(await stat(path)).size} bytes`);

async function inNode() {
  const ort = await import("onnxruntime-web");
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = "error";
  const [module, modelBytes, first, second] = await Promise.all([wasm, path, single, quantized].map((file) => readFile(file)));
  return measure({ wasm: module, modelBytes, ort, single: first, quantized: second });
}

// The page of a server that sends the package, onnxruntime-web and the models.
async function inBrowser() {
  const http = await import("node:http");
  const { openBrowser } = await import("../tests/browser.mjs");
  const ort = new URL(".", import.meta.resolve("onnxruntime-web"));
  const files = { "/model": path, "/single": single, "/quantized": quantized };
  const server = http.createServer(async ({ url }, response) => {
    const engine = url.startsWith("/engine/") && fileURLToPath(new URL(url.slice("/engine/".length), import.meta.url));
    const file = files[url] ?? (engine || fileURLToPath(new URL(url.slice("/ort/".length), ort)));
    const type = /js$/.test(url) ? "text/javascript" : url.endsWith("wasm") ? "application/wasm" : "application/octet-stream";
    const body = url === "/" ? "" : await readFile(file).catch(() => null);
    response.writeHead(body === null ? 404 : 200, { "Content-Type": url === "/" ? "text/html" : type });
    response.end(body ?? "");
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const chromium = await openBrowser();
  try {
    const page = await chromium.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    return await page.evaluate(async () => {
      const load = async (name) => new Uint8Array(await (await fetch(name)).arrayBuffer());
      const { measure: inPage } = await import("/engine/bench_core.js");
      const runtime = await import("/ort/ort.wasm.min.mjs");
      runtime.env.wasm.numThreads = 1;
      runtime.env.wasm.wasmPaths = "/ort/";
      runtime.env.logLevel = "error";
      return inPage({
        wasm: await load("/engine/koridor-engine.wasm"),
        modelBytes: await load("/model"),
        ort: runtime,
        single: await load("/single"),
        quantized: await load("/quantized"),
      });
    });
  } finally {
    await chromium.close();
    server.close();
  }
}

for (const line of await (browser ? inBrowser() : inNode())) console.log(line);

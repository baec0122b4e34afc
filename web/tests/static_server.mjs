// The folder that `koridor page` has written, as a host of static files shows it: below a path of its own, with no
// headers but the type.
import { readFile } from "node:fs/promises";
import http from "node:http";
import { join, normalize } from "node:path";

const TYPES = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml", wasm: "application/wasm", json: "application/json" };
const PREFIX = "/some/where/";

export async function startStatic(folder) {
  const asked = new Set();
  const strays = [];
  const server = http.createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://host");
    const name = normalize(pathname.slice(PREFIX.length) || "index.html");
    try {
      if (!pathname.startsWith(PREFIX) || name.startsWith("..")) throw new Error("no such file");
      const body = await readFile(join(folder, name));
      asked.add(name);
      response.writeHead(200, { "Content-Type": TYPES[name.split(".").at(-1)] ?? "application/octet-stream" });
      response.end(body);
    } catch {
      strays.push(pathname);
      response.writeHead(404);
      response.end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    base: `http://127.0.0.1:${server.address().port}${PREFIX.slice(0, -1)}`,
    /** Files that were asked for, and requests for anything else. */
    asked,
    strays,
    stop: () => new Promise((done) => server.close(done) && server.closeAllConnections()),
  };
}

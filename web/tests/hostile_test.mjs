// Thousands of hostile requests to `koridor serve`: it must refuse each by a status, or drop its connection, and neither
// crash nor grow nor keep anybody else waiting.
//
//   node tests/hostile_test.mjs KORIDOR [NUMBER (default 10000)] [MODEL|RUN...] [--list]
import assert from "node:assert/strict";
import net from "node:net";
import { startServer } from "./server.mjs";

const [koridor, count = "10000", ...paths] = process.argv.slice(2).filter((word) => word !== "--list");
const server = await startServer(koridor, ["--slots", "2", ...paths]);
const host = `127.0.0.1:${server.port}`;

let seed = 1;
const random = (below) => {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
  return (seed >>> 8) % below;
};
const pick = (list) => list[random(list.length)];
const text = (length, letters = "abc/%.\\\"{}[]:,0 ") => Array.from({ length }, () => letters[random(letters.length)]).join("");

/** Sends bytes and returns what came back before the connection's end, or its first 4 KiB. */
function send(bytes, { leaveAfter = 0, slow = false } = {}) {
  return new Promise((resolve) => {
    const socket = net.connect(server.port, "127.0.0.1");
    let answer = "";
    const done = () => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(15000, done);
    socket.on("data", (data) => {
      answer += data.toString("latin1");
      if (answer.length > 4096 || /\r\n\r\n/.test(answer)) done();
    });
    socket.on("error", done);
    socket.on("close", done);
    socket.on("connect", () => {
      if (slow) socket.write(bytes.slice(0, bytes.length / 2));
      else socket.write(bytes);
      if (leaveAfter) setTimeout(done, leaveAfter);
    });
  });
}

const head = (first, headers = {}) =>
  `${first} HTTP/1.1\r\n${Object.entries({ Host: host, ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n`;
const post = (path, body, headers = {}) => {
  const bytes = Buffer.from(body);
  return Buffer.concat([
    Buffer.from(head(`POST ${path}`, { "Content-Type": "application/json", "Content-Length": bytes.length, Connection: "close", ...headers })),
    bytes,
  ]);
};
/** The keys of each path's requests, as in docs/serve.md. */
const LINE = ["game", "moves", "ply", "start"];
const KEYS = {
  "/api/models": ["game"],
  "/api/position": [...LINE, "play", "reasons"],
  "/api/choose": [...LINE, "player", "model", "level"],
  "/api/analyze": [...LINE, "model", "visits", "seconds", "lines", "ownership"],
  "/api/read": ["text", "game"],
  "/api/write": [...LINE, "names", "resigned"],
  "/api/run": ["run", "since"],
  "/api/run/games": ["run", "generation", "board"],
  "/api/run/game": ["run", "generation", "board", "number"],
};
const API = Object.keys(KEYS);
const GAMES = ["quoridor:5x5,walls=3", "go:5x5", "quoridor4", "blockade", "chess", "go:19x19", "quoridor:999999x3", ""];
const odd = () => pick([null, true, -1, 1e308, 0.5, 2 ** 53, "", "\u0000", "\ud800", [], {}, [[]], text(300), ["c4"], "m0", "r0g0", "../../etc/passwd", "gtp:reboot"]);

/** Each kind: the request, and what its answer's status may be. */
const KINDS = {
  path: () => [head(`GET ${pick(["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..\\..\\", "//", "/app.js/../index.html", "/x" + text(random(300)).replace(/ /g, "")])}`), [400, 404, 405]],
  "long path": () => [head(`GET /${"a".repeat(10 + random(30000))}`), [404, 431]],
  "many headers": () => [head("GET /", Object.fromEntries(Array.from({ length: random(3000) }, (_, i) => [`X-${i}`, text(8, "ab")]))), [200, 431]],
  "other host": () => [head("GET /", { Host: pick(["evil.example", `evil.example:${server.port}`, "127.0.0.1", "[::1]", "localhost:1", `127.0.0.1.evil:${server.port}`]) }), [421]],
  "other origin": () => [post(pick(API), "{}", { Origin: pick(["http://evil.example", "null", `http://evil.example:${server.port}`, `https://${host}`]) }), [403]],
  "a form": () => [post(pick(API), "game=go", { "Content-Type": pick(["text/plain", "application/x-www-form-urlencoded"]) }), [415]],
  "too large": () => [head(`POST ${pick(API)}`, { "Content-Type": "application/json", "Content-Length": 262145 + random(1e9) }), [413]],
  "wrong length": () => [head(`POST ${pick(API)}`, { "Content-Type": "application/json", "Content-Length": pick(["-1", "1e9", "99999999999999999999", "0x10", "1,2"]) }), [400, 413]],
  chunked: () => {
    const start = head(`POST ${pick(API)}`, { "Content-Type": "application/json", "Transfer-Encoding": "chunked" });
    const [body, allowed] = pick([
      ["2\r\n{}\r\n0\r\n\r\n", [200, 400, 503]],
      ["1\r\n{\r\n1;a=b\r\n}\r\n0\r\nX: y\r\n\r\n", [200, 400, 503]],
      [`${pick(["x", "-1", "", "g".repeat(2000)])}\r\n{}\r\n`, [400]],
      [`2;${"a".repeat(2000 + random(9000))}`, [400]],
      [`0\r\nX: ${"a".repeat(2000 + random(9000))}`, [400]],
      [`${pick(["40001", "fffffffff", "f".repeat(30)])}\r\n`, [400, 413]],
      ["1\r\na\r\n".repeat(100000), [400, 413]],
    ]);
    return [start + body, allowed];
  },
  coded: () => {
    const headers = { "Content-Type": "application/json", "Transfer-Encoding": pick(["gzip", "gzip, chunked", "x"]) };
    return [head(`POST ${pick(API)}`, headers) + "0\r\n\r\n", [400, 501]];
  },
  expects: () => {
    const headers = { "Content-Type": "application/json", "Content-Length": "2", Expect: pick(["200-ok", "", "100-continue, x"]) };
    return [head(`POST ${pick(API)}`, headers) + "{}", [417]];
  },
  bytes: () => [Buffer.from(Array.from({ length: 4 + random(400) }, () => random(256))).toString("latin1") + "\r\n\r\n", [400, 405, 431, 505]],
  "no JSON": () => [post(pick(API), text(random(400))), [400, 404]],
  "deep JSON": () => [post(pick(API), "[".repeat(random(100000))), [400]],
  "deep object": () => [post(pick(API), '{"game":'.repeat(random(20000)) + "1" + "}".repeat(random(20000))), [400]],
  "odd members": () => {
    const path = pick(API);
    const members = KEYS[path].map((key) => [key, key === "game" ? pick([...GAMES, odd()]) : odd()]);
    return [post(path, JSON.stringify(Object.fromEntries(members))), [200, 400, 503]];
  },
  "unknown members": () => [post(pick(API), JSON.stringify({ game: pick(GAMES), [`x${text(random(300))}`]: odd() })), [400]],
  "odd start": () => {
    const game = pick(GAMES);
    const start = game.startsWith("go")
      ? { mover: odd(), stones: [{ seat: random(3), at: [random(20), random(20)] }] }
      : { mover: odd(), pawns: [{ seat: random(5), at: [random(12), random(12)] }, odd()], walls: [{ kind: "horizontal", at: [random(9), random(9)] }], stocks: [odd()] };
    return [post("/api/position", JSON.stringify({ game, start })), [200, 400]];
  },
  "many moves": () => [post("/api/position", JSON.stringify({ game: "go:19x19", moves: Array(random(4000)).fill("pass") })), [200, 400]],
  "a record": () => [post("/api/read", JSON.stringify({ text: pick(["(;", '[Game "', "(;GM[1]SZ[19]"]).repeat(random(2000)) })), [400]],
  method: () => [head(`${pick(["PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get"])} /`), [405]],
  version: () => [`GET / HTTP/${pick(["1.0", "2.0", "3", "1.11"])}\r\nHost: ${host}\r\n\r\n`, [505]],
};

const seen = {};
async function one(kind) {
  const [bytes, allowed] = KINDS[kind]();
  const answer = await send(bytes);
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
  seen[`${kind} ${status}`] = (seen[`${kind} ${status}`] ?? 0) + 1;
  assert.ok(allowed.includes(status), `${kind}: status ${status}, expected ${allowed}: ${bytes.slice(0, 300)} -> ${answer.slice(0, 300)}`);
}

/** Another client's request is answered at once, whatever goes on. */
async function fine() {
  const begin = Date.now();
  const answer = await send(post("/api/position", JSON.stringify({ game: "quoridor:5x5,walls=3" })));
  assert.match(answer, /^HTTP\/1\.1 200/);
  return Date.now() - begin;
}

await fine();
const kinds = Object.keys(KINDS);
const total = Number(count);
let memory = 0;
let slowest = 0;
for (let done = 0; done < total; ) {
  await Promise.all(Array.from({ length: Math.min(20, total - done) }, () => one(pick(kinds))));
  done += 20;
  if (done % 500 < 20) slowest = Math.max(slowest, await fine());
  if (memory === 0 && done >= total / 4) memory = server.memory();
}
// Requests that never end, and clients that leave in the middle of a search.
await Promise.all(Array.from({ length: 50 }, () => send(post("/api/position", "{}"), { slow: true, leaveAfter: 300 })));
await new Promise((resolve) => setTimeout(resolve, 1500));
const after = server.memory();
if (paths.length > 0) {
  for (let i = 0; i < 20; i++) await send(post("/api/analyze", JSON.stringify({ game: "quoridor:5x5,walls=3", model: "m0", seconds: 600 })), { leaveAfter: 50 });
  await new Promise((resolve) => setTimeout(resolve, 2000));  // their searches end
  const answers = await Promise.all(Array.from({ length: 6 }, () => send(post("/api/analyze", JSON.stringify({ game: "quoridor:5x5,walls=3", model: "m0", seconds: 2 })))));
  const busy = answers.filter((answer) => /^HTTP\/1\.1 503/.test(answer)).length;
  assert.equal(busy, 4, "two slots take two of six searches");
}
// Connections that say nothing, more than there may be.
const silent = Array.from({ length: 200 }, () => net.connect(server.port, "127.0.0.1").on("error", () => {}));
await new Promise((resolve) => setTimeout(resolve, 500));
slowest = Math.max(slowest, await fine());
for (const socket of silent) socket.destroy();
await new Promise((resolve) => setTimeout(resolve, 1500));
const descriptors = await server.descriptors();
assert.ok(server.alive());
assert.ok(after < memory * 1.3 + 8, `memory grew from ${memory.toFixed(0)} to ${after.toFixed(0)} MiB`);
assert.ok(descriptors < 60, `${descriptors} descriptors are open`);
await server.stop();
console.log(`${total} hostile requests: all refused; the slowest answer to somebody else took ${slowest} ms; ` +
  `${memory.toFixed(0)} MiB after a quarter, ${after.toFixed(0)} MiB at the end, ${descriptors} descriptors`);
if (process.argv.includes("--list")) for (const [what, times] of Object.entries(seen).sort()) console.log(`${String(times).padStart(6)} ${what}`);

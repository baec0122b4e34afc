// The engine behind messages: a page's worker, or a thread of Node. The page's side is client.js.
//
//   { id, method, arguments } -> { id, result } or { id, error: { status, message } }, and { id, report } before it
//   { cancel: id } ends a search: nothing more is said of it
//
// It answers the requests of `koridor serve` (docs/serve.md) by the same code. Like the server it keeps nothing of a
// game: every question names the whole line of moves. A search goes on in parts, between which messages are read and
// other searches have their turn.
import { KoridorError, loadEngine } from "./index.js";

const PART_SECONDS = 0.05;
const STATUS = { 400: "KORIDOR_INVALID_ARGUMENT", 404: "KORIDOR_INVALID_ARGUMENT", 503: "KORIDOR_BUSY" };
const DONE = 200;
const GOES_ON = 202;

// Lets waiting messages in. A browser's timers wait for some milliseconds, a message to oneself does not.
const turns = [];
const channel = typeof setImmediate === "function" ? null : new MessageChannel();
if (channel) channel.port1.onmessage = () => turns.shift()();
const pause = () =>
  new Promise((done) => {
    if (!channel) return setImmediate(done);
    turns.push(done);
    channel.port2.postMessage(null);
  });

export class EngineServer {
  /** `post` sends a message to the page. */
  constructor(post) {
    this.post = post;
    this.started = null;
    this.starting = false; // or started
    this.answering = new Set();
    this.cancelled = new Set();
    this.searches = new Map(); // their numbers, by question
  }

  receive(message) {
    const { cancel } = message;
    if (cancel === undefined) return void this.answer(message);
    if (!this.answering.has(cancel)) return;
    this.cancelled.add(cancel);
    this.end(cancel); // the next question finds its slot free
  }

  get engine() {
    if (!this.started) throw new KoridorError("KORIDOR_INVALID_ARGUMENT", "the engine is asked before it was started: await start() first");
    return this.started;
  }

  async answer({ id, method, arguments: given }) {
    this.answering.add(id);
    try {
      const allowed = ["start", "addModel", "ask"];
      if (!allowed.includes(method)) throw new KoridorError("KORIDOR_INVALID_ARGUMENT", `no method ${method}`);
      const result = await this[method](...given, id);
      if (!this.cancelled.has(id)) this.post({ id, result });
    } catch (error) {
      this.post({ id, error: { status: error.status ?? "KORIDOR_INTERNAL", message: error.message } });
    } finally {
      this.answering.delete(id);
      this.cancelled.delete(id);
    }
  }

  /** `seed`: of the players' random choices, below 2^32; by default another one each time. */
  async start(source, { seed = crypto.getRandomValues(new Uint32Array(1))[0] } = {}) {
    if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32) {
      throw new KoridorError("KORIDOR_INVALID_ARGUMENT", `seed is ${seed}; it is a whole number from 0 to 2^32 - 1`);
    }
    if (this.starting) throw new KoridorError("KORIDOR_INVALID_ARGUMENT", "the engine is started once");
    this.starting = true;
    let engine;
    try {
      engine = await loadEngine(source);
    } catch (error) {
      this.starting = false;
      if (!(error instanceof WebAssembly.CompileError)) throw error;
      const needs = "WebAssembly with SIMD and exceptions (Chrome 95, Firefox 100, Safari 16.4 or newer)";
      throw new KoridorError("KORIDOR_INTERNAL", `this browser cannot run the engine, which needs ${needs}`);
    }
    engine.exports.koridor_page_begin(seed);
    this.started = engine;
    return { version: engine.version, backends: engine.backends };
  }

  addModel(name, bytes) {
    const { engine } = this;
    const data = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
    return engine.withString(name, (title) =>
      engine.with(data.length, (at) => {
        new Uint8Array(engine.exports.memory.buffer, at, data.length).set(data);
        return { id: this.said(engine.exports.koridor_page_add_model(at, data.length, title)).text };
      }),
    );
  }

  /** The answer to a request, as an object. */
  async ask(path, body, id) {
    const { engine } = this;
    const x = engine.exports;
    const call = (at, text) => this.said(x.koridor_page_ask(at, text));
    const first = engine.withString(path, (at) => engine.withString(JSON.stringify(body), (text) => call(at, text)));
    if (first.status === DONE) return JSON.parse(first.text);
    const number = Number(first.text);
    this.searches.set(id, number);
    try {
      while (!this.cancelled.has(id)) {
        const { status, text } = this.said(x.koridor_page_go_on(number, PART_SECONDS));
        if (status === DONE) return JSON.parse(text);
        if (text) this.post({ id, report: JSON.parse(text) });
        await pause();
      }
      return null;
    } finally {
      this.end(id);
    }
  }

  /** Ends the search of this question, where it has one. */
  end(id) {
    const number = this.searches.get(id);
    if (number === undefined) return;
    this.searches.delete(id);
    this.engine.exports.koridor_page_end(number);
  }

  /** What a function of the page's requests has said; an error where it is one. */
  said(status) {
    const text = this.engine.string(this.engine.exports.koridor_page_answer());
    if (status !== DONE && status !== GOES_ON) throw new KoridorError(STATUS[status] ?? "KORIDOR_INTERNAL", text);
    return { status, text };
  }
}

// In a worker of a page; Node's tests make an EngineServer themselves.
if (typeof WorkerGlobalScope !== "undefined" && self instanceof WorkerGlobalScope) {
  const server = new EngineServer((message) => self.postMessage(message));
  self.onmessage = (event) => server.receive(event.data);
}

// The page's side of worker.js: questions as promises.
import { KoridorError } from "./index.js";

export class EngineClient {
  /** `worker`: new Worker(new URL("worker.js", import.meta.url), { type: "module" }), or what looks like one. */
  constructor(worker) {
    this.worker = worker;
    this.waiting = new Map();
    this.next = 1;
    this.ended = null; // why there is nobody to ask any more
    worker.onmessage = ({ data }) => this.hear(data);
    worker.onerror = (event) => this.end(event.message || "the engine's worker cannot be started");
  }

  /** Whoever waits, and whoever asks from now on, hears why there is no answer. */
  end(why) {
    this.ended ??= new KoridorError("KORIDOR_INTERNAL", why);
    for (const asked of this.waiting.values()) {
      asked.settled();
      asked.fail(this.ended);
    }
    this.waiting.clear();
  }

  hear({ id, result, error, report }) {
    const asked = this.waiting.get(id);
    if (!asked) return;
    if (report !== undefined) {
      asked.report?.(report);
      return;
    }
    this.waiting.delete(id);
    asked.settled();
    if (error) asked.fail(new KoridorError(error.status, error.message));
    else asked.done(result);
  }

  call(method, given, { report, signal } = {}) {
    const id = this.next++;
    return new Promise((done, fail) => {
      if (signal?.aborted || this.ended) {
        fail(signal?.aborted ? signal.reason : this.ended);
        return;
      }
      const leave = () => {
        if (!this.waiting.delete(id)) return;
        this.worker.postMessage({ cancel: id });
        fail(signal.reason);
      };
      // One signal may serve all questions of a game: it must not keep a listener of each.
      const settled = () => signal?.removeEventListener("abort", leave);
      this.waiting.set(id, { done, fail, report, settled });
      signal?.addEventListener("abort", leave, { once: true });
      this.worker.postMessage({ id, method, arguments: given });
    });
  }

  start(source, options = {}) {
    return this.call("start", [source, options]);
  }
  addModel(name, bytes) {
    return this.call("addModel", [name, bytes]);
  }

  // The requests of docs/serve.md.
  ask(path, body, options) {
    return this.call("ask", [path, body], options);
  }
  info() {
    return this.ask("/api/info", {});
  }
  async modelsFor(game, signal) {
    return (await this.ask("/api/models", { game }, { signal })).models;
  }
  async position(line, signal) {
    return (await this.ask("/api/position", line, { signal })).picture;
  }
  play(line, text) {
    return this.ask("/api/position", { ...line, play: text });
  }
  choose(line, chooser, signal) {
    return this.ask("/api/choose", { ...line, ...chooser }, { signal });
  }
  async analyze(line, model, limits = {}, report = () => {}, signal = undefined) {
    const heard = ({ analysis }) => report(analysis);
    return (await this.ask("/api/analyze", { ...line, model, ...limits }, { report: heard, signal })).analysis;
  }
  async read(text, game) {
    return (await this.ask("/api/read", game ? { text, game } : { text })).games;
  }
  write(line, names, resigned = null, result = undefined) {
    return this.ask("/api/write", { ...line, names, resigned, result });
  }
  close() {
    this.worker.terminate?.();
    this.end("the engine is closed");
  }
}

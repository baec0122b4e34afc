// The page's side of worker.js: questions as promises.
import { KoridorError } from "./index.js";

export class EngineClient {
  /** `worker`: new Worker(new URL("worker.js", import.meta.url), { type: "module" }), or what looks like one. */
  constructor(worker) {
    this.worker = worker;
    this.waiting = new Map();
    this.next = 1;
    worker.onmessage = ({ data }) => this.hear(data);
  }

  hear({ id, result, error, report }) {
    const asked = this.waiting.get(id);
    if (!asked) return;
    if (report !== undefined) {
      asked.report?.(report);
      return;
    }
    this.waiting.delete(id);
    if (error) asked.fail(new KoridorError(error.status, error.message));
    else asked.done(result);
  }

  ask(method, given, { report, signal, transfer } = {}) {
    const id = this.next++;
    return new Promise((done, fail) => {
      this.waiting.set(id, { done, fail, report });
      const cancel = () => this.worker.postMessage({ cancel: id });
      if (signal?.aborted) {
        this.waiting.delete(id);
        fail(signal.reason);
        return;
      }
      signal?.addEventListener("abort", cancel, { once: true });
      this.worker.postMessage({ id, method, arguments: given }, transfer ?? []);
    });
  }

  start(source) {
    return this.ask("start", [source]);
  }
  addModel(name, bytes) {
    return this.ask("addModel", [name, bytes]);
  }
  info() {
    return this.ask("info", []);
  }
  position(line) {
    return this.ask("position", [line]);
  }
  play(line, text) {
    return this.ask("play", [line, text]);
  }
  choose(line, chooser) {
    return this.ask("choose", [line, chooser]);
  }
  analyze(line, model, limits, report, signal) {
    return this.ask("analyze", [line, model, limits], { report, signal });
  }
  close() {
    this.worker.terminate?.();
  }
}

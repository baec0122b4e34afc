// The Backend of a static page: the engine as WebAssembly in a worker (web/engine). No question leaves the browser.
import { EngineClient } from "../engine/client.js";
import { KoridorError } from "../engine/index.js";
import type { Backend, Chooser, Info, Line, SearchLimits } from "./backend";
import { BackendError } from "./backend";
import type { Analysis } from "./picture";

/** What `koridor page` has written beside the page. */
interface PageList {
  models: { name: string; file: string }[];
}

/** A file beside the page. */
async function fetched(name: string): Promise<Response> {
  const response = await fetch(name).catch(() => null);
  if (!response?.ok) throw new BackendError(`${name} could not be loaded${response ? `: status ${response.status}` : ""}.`);
  return response;
}

export class WorkerBackend implements Backend {
  private readonly client = new EngineClient(new Worker("worker.js", { type: "module" }));
  private readonly ready: Promise<void>;

  /** `list`: the address of page.json. */
  constructor(list: string) {
    this.ready = this.load(list);
    this.ready.catch(() => {}); // whoever asks hears of it
  }

  private async load(list: string): Promise<void> {
    const start = this.client.start(new URL("koridor-engine.wasm", document.baseURI).href);
    start.catch(() => {});
    const { models } = (await (await fetched(list)).json()) as PageList;
    const files = models.map(async ({ file }) => (await fetched(file)).arrayBuffer());
    files.forEach((file) => file.catch(() => {}));
    await start;
    for (const [i, { name }] of models.entries()) await this.client.addModel(name, await files[i]!);
  }

  /** What the client answers once everything is there. */
  private async asked<T>(question: (client: EngineClient) => Promise<T>): Promise<T> {
    try {
      await this.ready;
      return await question(this.client);
    } catch (error) {
      if (error instanceof KoridorError) throw new BackendError(error.message, error.status === "KORIDOR_BUSY");
      throw error;
    }
  }

  info(): Promise<Info> {
    return this.asked((client) => client.info());
  }
  modelsFor(game: string, signal?: AbortSignal) {
    return this.asked((client) => client.modelsFor(game, signal));
  }
  position(line: Line, signal?: AbortSignal) {
    return this.asked((client) => client.position(line, signal));
  }
  play(line: Line, text: string) {
    return this.asked((client) => client.play(line, text));
  }
  choose(line: Line, chooser: Chooser, signal?: AbortSignal) {
    return this.asked((client) => client.choose(line, chooser, signal));
  }
  analyze(line: Line, model: string, limits: SearchLimits, report: (analysis: Analysis) => void, signal?: AbortSignal) {
    return this.asked((client) => client.analyze(line, model, limits, report, signal));
  }
  read(text: string, game?: string) {
    return this.asked((client) => client.read(text, game));
  }
  write(line: Line, names: string[], resigned: number | null, result?: string) {
    return this.asked((client) => client.write(line, names, resigned, result));
  }
}

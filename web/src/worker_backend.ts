// The Backend of a static page: the engine as WebAssembly in a worker (web/engine). No question leaves the browser.
import { EngineClient } from "../engine/client.js";
import { KoridorError } from "../engine/index.js";
import type { Backend, Chooser, Info, Line, SearchLimits } from "./backend";
import { BackendError } from "./backend";
import type { Analysis } from "./picture";

/** What `koridor page` has written beside the page. */
interface PageList {
  /** Of the page's own files: their addresses end with it, so that the browser takes none of another version. */
  stamp: string;
  models: { name: string; file: string }[];
}

/** A file beside the page. */
async function fetched(name: string, cache: RequestCache = "default"): Promise<Response> {
  const response = await fetch(name, { cache }).catch(() => null);
  if (!response?.ok) throw new BackendError(`${name.split("?")[0]} could not be loaded${response ? `: status ${response.status}` : ""}.`);
  return response;
}

export class WorkerBackend implements Backend {
  private readonly ready: Promise<EngineClient>;

  /** `list`: the address of page.json. */
  constructor(list: string) {
    this.ready = this.load(list);
    this.ready.catch(() => {}); // whoever asks hears of it
  }

  private async load(list: string): Promise<EngineClient> {
    const { stamp, models } = (await (await fetched(list, "no-cache")).json()) as PageList;
    // The beginning of the page may be older than its list, where the browser has kept it.
    const own = new URL(import.meta.url).search.slice(1);
    if (own && own !== stamp) throw new BackendError("This page has been written anew; load it again.");
    const files = models.map(async ({ file }) => (await fetched(file)).arrayBuffer());
    files.forEach((file) => file.catch(() => {}));
    const client = new EngineClient(new Worker(`worker.js?${stamp}`, { type: "module" }));
    await client.start(new URL(`koridor-engine.wasm?${stamp}`, document.baseURI).href);
    for (const [i, { name }] of models.entries()) await client.addModel(name, await files[i]!);
    return client;
  }

  /** What the client answers once everything is there. */
  private async asked<T>(question: (client: EngineClient) => Promise<T>): Promise<T> {
    try {
      return await question(await this.ready);
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

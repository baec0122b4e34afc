// The Backend that `koridor serve` answers; docs/serve.md has its requests.
import type {
  Backend,
  Choice,
  Chooser,
  Info,
  Line,
  RunFigures,
  RunGame,
  RunGameEntry,
  SavedGame,
  SearchLimits,
} from "./backend";
import { BackendError, isAbort } from "./backend";
import type { Analysis, Picture } from "./picture";

/** What a failed connection is to the page: the same question may be asked again when the server is back. */
function lost(error: unknown): never {
  if (error instanceof BackendError || isAbort(error)) throw error;
  throw new BackendError("The server does not answer. Is `koridor serve` still running?", true);
}

/** The response, where it is none of an error. */
async function answered(asked: Promise<Response>): Promise<Response> {
  const response = await asked.catch(lost);
  if (!response.ok) {
    const { error } = (await response.json().catch(() => ({}))) as { error?: string };
    throw new BackendError(error ?? `The server says ${response.status}.`, response.status === 503);
  }
  return response;
}

function post(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const headers = { "Content-Type": "application/json" };
  return answered(fetch(path, { method: "POST", headers, body: JSON.stringify(body), ...(signal ? { signal } : {}) }));
}

async function ask<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return (await (await post(path, body, signal)).json().catch(lost)) as T;
}

/** The lines of a response as they come. */
async function* lines(response: Response): AsyncGenerator<string> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const parts = (rest + value).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
}

export class HttpBackend implements Backend {
  async info(): Promise<Info> {
    return (await (await answered(fetch("/api/info"))).json().catch(lost)) as Info;
  }

  async modelsFor(game: string, signal?: AbortSignal): Promise<string[]> {
    return (await ask<{ models: string[] }>("/api/models", { game }, signal)).models;
  }

  async position(line: Line, signal?: AbortSignal): Promise<Picture> {
    return (await ask<{ picture: Picture }>("/api/position", line, signal)).picture;
  }

  play(line: Line, text: string) {
    return ask<Awaited<ReturnType<Backend["play"]>>>("/api/position", { ...line, play: text });
  }

  choose(line: Line, chooser: Chooser, signal?: AbortSignal): Promise<Choice> {
    return ask<Choice>("/api/choose", { ...line, ...chooser }, signal);
  }

  async analyze(
    line: Line,
    model: string,
    limits: SearchLimits,
    report: (analysis: Analysis) => void,
    signal?: AbortSignal,
  ): Promise<Analysis> {
    const response = await post("/api/analyze", { ...line, model, ...limits }, signal);
    let last: Analysis | undefined;
    try {
      for await (const text of lines(response)) {
        const said = JSON.parse(text) as { analysis?: Analysis; error?: string };
        if (said.error) throw new BackendError(said.error);
        if (!said.analysis) continue;
        last = said.analysis;
        report(last);
      }
    } catch (error) {
      lost(error);
    }
    if (!last) throw new BackendError("The search ended without a result.");
    return last;
  }

  async read(text: string, game?: string): Promise<SavedGame[]> {
    return (await ask<{ games: SavedGame[] }>("/api/read", { text, ...(game ? { game } : {}) })).games;
  }

  write(line: Line, names: string[], resigned: number | null, result?: string) {
    return ask<{ text: string; ending: string }>("/api/write", { ...line, names, resigned, result });
  }

  run = {
    figures: (run: number, since: string, signal?: AbortSignal) =>
      ask<RunFigures>("/api/run", { run, since }, signal),
    games: async (run: number, generation: number, board: number) =>
      (await ask<{ games: RunGameEntry[] }>("/api/run/games", { run, generation, board })).games,
    game: (run: number, generation: number, board: number, number: number) =>
      ask<RunGame>("/api/run/game", { run, generation, board, number }),
  };
}

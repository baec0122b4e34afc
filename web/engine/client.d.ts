/** The page's side of worker.js. */
export interface Line {
  game: string;
  /** As text. The first `ply` of them led to the position. */
  moves: string[];
  ply: number;
}
export interface Chooser {
  player?: "model" | "random";
  model?: string;
  visits?: number;
}
export interface SearchLimits {
  /** Of the position, those of earlier searches included. */
  visits?: number;
  seconds?: number;
  lines?: number;
  ownership?: boolean;
}
interface WorkerLike {
  postMessage(message: unknown, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent) => unknown) | null;
  terminate?(): void;
}
/** Pictures and analyses are those of docs/picture.md. Promises fail with KoridorError. */
export class EngineClient {
  constructor(worker: WorkerLike);
  /** Before anything else: the module's bytes or its address. */
  start(source: ArrayBuffer | Uint8Array | string): Promise<{ version: string; backends: string[] }>;
  addModel(name: string, bytes: ArrayBuffer | Uint8Array): Promise<{ name: string; game: string; generation: number }>;
  info(): Promise<{
    version: string;
    games: { id: string; title: string; variant: string; family: string; players: number; rules: Record<string, string> }[];
    models: { id: string; name: string; game: string }[];
  }>;
  position(line: Line): Promise<unknown>;
  play(line: Line, text: string): Promise<{ picture: unknown } | { refusal: { reason: string; message: string } }>;
  choose(line: Line, chooser: Chooser): Promise<{ text: string; resigns: boolean; value?: number }>;
  /** Calls `report` as the search goes on; the signal ends it, and the result is what was found. */
  analyze(
    line: Line,
    model: string,
    limits: SearchLimits,
    report?: (analysis: unknown) => void,
    signal?: AbortSignal,
  ): Promise<unknown>;
  close(): void;
}

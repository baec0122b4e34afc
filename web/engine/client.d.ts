/** The page's side of worker.js: the requests of `koridor serve` (docs/serve.md), which the worker answers by the same
 * code. Who answers keeps nothing of a game: every question names the whole line of moves. */
import type { Analysis, Picture } from "./picture.js";

/** A game with its moves. The first `ply` of them led to the position; the others were taken back. */
export interface Line {
  game: string;
  moves: string[];
  ply: number;
  /** A position set up by hand from which the moves begin. */
  start?: Start;
}

export interface Start {
  mover: number;
  /** "wall": the mover has moved and owes a wall, in games in which one follows a move. */
  phase?: string;
  pawns?: { seat: number; at: readonly [number, number] }[];
  walls?: { kind: "horizontal" | "vertical"; at: readonly [number, number] }[];
  stocks?: { any?: number; horizontal?: number; vertical?: number }[];
  stones?: { seat: number; at: readonly [number, number] }[];
}

export interface GameEntry {
  id: string;
  title: string;
  variant: string;
  family: string;
  players: number;
  rules: Record<string, string>;
}
export interface ModelEntry {
  id: string;
  name: string;
  game: string;
  /** What it learned at once, where these are several. */
  games?: string[];
}
export interface Info {
  version: string;
  /** Of the sources; "unknown" where they were no checkout. */
  commit: string;
  games: GameEntry[];
  models: ModelEntry[];
  levels: { name: string; visits: number }[];
  /** Players that need no model. */
  players: string[];
  /** Labels of the runs that can be watched. */
  runs: string[];
  slots: number;
}

/** Who chooses for a seat. */
export interface Chooser {
  /** "model", or one of Info.players. */
  player: string;
  model?: string;
  level?: string;
}
export interface Choice {
  /** Empty where it resigns. */
  text: string;
  /** The action's number; absent where it resigns. */
  action?: number;
  resigns: boolean;
  /** The points that who moves expects, where the player has an opinion. */
  value?: number;
}
export interface Refusal {
  reason: string;
  message: string;
  nearest?: string;
}
export interface SavedGame {
  game: string;
  /** A position of Go that was set up by hand, from which the moves begin. */
  start?: Start;
  moves: string[];
  names: string[];
  result: string;
  notes: string[];
}
export interface SearchLimits {
  visits?: number;
  seconds?: number;
  lines?: number;
  ownership?: boolean;
}

interface WorkerLike {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => unknown) | null;
  onerror: ((event: ErrorEvent) => unknown) | null;
  terminate?(): void;
}

/** Promises fail with KoridorError, whose status is KORIDOR_BUSY where two searches are at work already and the question
 * may be asked again; where a signal is aborted, with its reason, and the search has ended. */
export class EngineClient {
  constructor(worker: WorkerLike);
  /** Before anything else, and once: the module's bytes or its address. `seed`, below 2^32, is that of the players'
   * random choices; by default it is another one each time. */
  start(
    source: ArrayBuffer | Uint8Array | string,
    options?: { seed?: number },
  ): Promise<{ version: string; backends: string[] }>;
  addModel(name: string, bytes: ArrayBuffer | Uint8Array): Promise<{ id: string }>;
  info(): Promise<Info>;
  /** The ids of the models that can play a game. */
  modelsFor(game: string, signal?: AbortSignal): Promise<string[]>;
  position(line: Line, signal?: AbortSignal): Promise<Picture>;
  /** Plays a text as a person types it. */
  play(line: Line, text: string): Promise<{ picture: Picture } | { refusal: Refusal }>;
  choose(line: Line, chooser: Chooser, signal?: AbortSignal): Promise<Choice>;
  /** Calls `report` as the search goes on; the result is the last report. */
  analyze(
    line: Line,
    model: string,
    limits?: SearchLimits,
    report?: (analysis: Analysis) => void,
    signal?: AbortSignal,
  ): Promise<Analysis>;
  read(text: string, game?: string): Promise<SavedGame[]>;
  /** `resigned`: the seat that gave the game up; else `result`: what a record says of this very game. */
  write(
    line: Line,
    names: string[],
    resigned?: number | null,
    result?: string,
  ): Promise<{ text: string; ending: string }>;
  /** Ends the worker. Questions that wait, and later ones, fail with KORIDOR_INTERNAL. */
  close(): void;
}

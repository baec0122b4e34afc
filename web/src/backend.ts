// What the page asks of whoever knows the rules and the models: `koridor serve` over HTTP, or the same code as
// WebAssembly in a worker. The page must not know which it has. Whoever answers keeps nothing of a game: every question
// names the whole line of moves.
import type { Choice, Chooser, Info, Line, Refusal, SavedGame, SearchLimits } from "../engine/client";
import type { Analysis, Picture } from "./picture";

export type {
  Choice,
  Chooser,
  GameEntry,
  Info,
  Line,
  ModelEntry,
  Refusal,
  SavedGame,
  SearchLimits,
  Start,
} from "../engine/client";

export interface Series {
  key: string;
  title: string;
  unit: string;
  /** [generation, value, half the 95% interval or 0] */
  points: [number, number, number][];
}
export interface RatedPlayer {
  name: string;
  generation: number;
  elo: number;
  error95: number;
  games: number;
  score: Record<string, number>;
  value_kept?: number;
}
export interface RunFigures {
  stamp: string;
  label: string;
  /** Models that are there, that of generation 0 among them. */
  generations: number;
  finished: boolean;
  progress: Record<string, Record<string, unknown>> | null;
  unchanged?: boolean;
  series?: Series[];
  ratings?: RatedPlayer[];
  seconds?: [number, number][];
  games?: string[];
  config?: string;
  damaged?: string[];
}
export interface RunGameEntry {
  number: number;
  plies: number;
  values: number[];
}
export interface RunGame {
  game: string;
  number: number;
  plies: { text: string; kind: string; values: number[]; policy: [number, number][] }[];
}

/** What a question was answered with where there is no answer: one line for a person. */
export class BackendError extends Error {
  constructor(
    message: string,
    /** Nothing is wrong with the question: all slots are taken, or nobody answers. It may be asked again. */
    readonly busy = false,
  ) {
    super(message);
  }
}

/** What a question fails with whose signal has ended it. */
export const isAbort = (error: unknown) => error instanceof DOMException && error.name === "AbortError";

/** Asks again until there is a slot, or the server is back. `waiting` hears why it has to. */
export async function patiently<T>(ask: () => Promise<T>, signal: AbortSignal, waiting?: (why: string) => void): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof BackendError && error.busy)) throw error;
      signal.throwIfAborted();
      waiting?.(error.message);
      await new Promise((resolve) => setTimeout(resolve, 500));
      signal.throwIfAborted();
    }
  }
}

export interface Backend {
  info(): Promise<Info>;
  /** The ids of the models that can play a game. */
  modelsFor(game: string, signal?: AbortSignal): Promise<string[]>;
  position(line: Line, signal?: AbortSignal): Promise<Picture>;
  /** Plays a text as a person types it. */
  play(line: Line, text: string): Promise<{ picture: Picture } | { refusal: Refusal }>;
  choose(line: Line, chooser: Chooser, signal?: AbortSignal): Promise<Choice>;
  /** Calls `report` as the search goes on; the result is the last report. The signal ends the search. */
  analyze(
    line: Line,
    model: string,
    limits: SearchLimits,
    report: (analysis: Analysis) => void,
    signal?: AbortSignal,
  ): Promise<Analysis>;
  read(text: string, game?: string): Promise<SavedGame[]>;
  /** `resigned`: the seat that gave the game up; else `result`: what a record says of this very game. */
  write(
    line: Line,
    names: string[],
    resigned: number | null,
    result?: string,
  ): Promise<{ text: string; ending: string }>;
  /** Absent where there are no runs. */
  run?: {
    figures(run: number, since: string, signal?: AbortSignal): Promise<RunFigures>;
    games(run: number, generation: number, board: number): Promise<RunGameEntry[]>;
    game(run: number, generation: number, board: number, number: number): Promise<RunGame>;
  };
}

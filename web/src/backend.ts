// What the page asks of whoever knows the rules and the models: `koridor serve` over HTTP, or the same code as
// WebAssembly in a worker. The page must not know which it has. Whoever answers keeps nothing of a game: every question
// names the whole line of moves.
import type { Analysis, Picture } from "./picture";

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
}
export interface Info {
  version: string;
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
  text: string;
  resigns: boolean;
  value?: number;
}
export interface Refusal {
  reason: string;
  message: string;
  nearest?: string;
}
export interface SavedGame {
  game: string;
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
  generations: number;
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
    /** Nothing is wrong with the question; it may be asked again. */
    readonly busy = false,
  ) {
    super(message);
  }
}

export interface Backend {
  info(): Promise<Info>;
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
  write(line: Line, names: string[]): Promise<{ text: string; ending: string }>;
  /** Absent where there are no runs. */
  run?: {
    figures(run: number, since: string, signal?: AbortSignal): Promise<RunFigures>;
    games(run: number, generation: number, board: number): Promise<RunGameEntry[]>;
    game(run: number, generation: number, board: number, number: number): Promise<RunGame>;
  };
}

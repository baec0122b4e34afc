/** libkoridor (library/koridor.h) as WebAssembly. Values are points: 1 a win, 0 a loss, 1 / players a draw. */

/** What the library refuses: its code ("KORIDOR_ILLEGAL_ACTION") and one line for a person. */
export class KoridorError extends Error {
  readonly status: string;
}
export type Notation = "standard" | "modern";
export const NO_ACTION: -1;

/** Compiles and starts the module: from its bytes, an address to fetch (in Node also a file's path or its
 * file: address), a Response or a compiled module. */
export function loadEngine(source: BufferSource | Response | WebAssembly.Module | URL | string): Promise<Engine>;

export class Engine {
  readonly version: string;
  readonly backends: string[];
  games(): { id: string; title: string; variant: string }[];
  /** "quoridor:5x5,walls=3" */
  game(name: string): Game;
  /** A model from the bytes of its file; `name` names it in messages. */
  model(bytes: ArrayBuffer | Uint8Array, name?: string): Model;
}

/** Objects of the library are freed with their JavaScript object, or at once by free(). */
interface Freed {
  free(): void;
}

export class Game implements Freed {
  readonly name: string;
  readonly family: string;
  readonly rules: Record<string, string>;
  readonly players: number;
  readonly rows: number;
  readonly columns: number;
  readonly numActions: number;
  readonly maxPlies: number;
  readonly numSymmetries: number;
  readonly packedSize: number;
  start(): State;
  /** Features: 1 distances, 2 shortest ways, 4 effects of walls, added up; 1 where it is left out. */
  encoding(features?: number): Encoding;
  free(): void;
}
export interface Encoding {
  version: number;
  planes: number;
  rows: number;
  columns: number;
  scalars: number;
  policySize: number;
  valueSize: number;
}
export interface Outcome {
  /** null: a draw */
  winner: number | null;
  values: number[];
}

export class State implements Freed {
  readonly game: Game;
  readonly ply: number;
  /** null where the game is over */
  readonly player: number | null;
  /** null while it goes on */
  readonly outcome: Outcome | null;
  copy(): State;
  /** In rising order; none where the game is over. */
  legal(): Int32Array;
  /** Plays an action, or what a text names. */
  apply(action: number | string): void;
  read(text: string, notation?: Notation): number;
  text(action: number, notation?: Notation): string;
  /** The board for a terminal. */
  board(notation?: Notation): string;
  free(): void;
}

export class Model implements Freed {
  /** The variant that it was trained on last. */
  readonly game: string;
  readonly family: string;
  readonly encodingVersion: number;
  /** What it wants of an encoding. */
  readonly features: number;
  readonly players: number;
  readonly generation: number;
  readonly blocks: number;
  readonly channels: number;
  /** Whether it can be computed in int8. */
  readonly calibrated: boolean;
  free(): void;
}

export interface EvaluationOptions {
  backend?: string;
  /** "auto", the default: int8 where the model is calibrated */
  precision?: "auto" | "f32" | "int8";
  maxBatch?: number;
  cacheMebibytes?: number;
}
export class Evaluator implements Freed {
  constructor(model: Model, game: Game, options?: EvaluationOptions);
  readonly game: Game;
  readonly encoding: Encoding;
  /** "simd int8" */
  readonly description: string;
  /** policy [states, numActions], probabilities of the legal actions; values [states, players]. */
  evaluate(states: State[]): { policy: Float32Array; values: Float32Array };
  free(): void;
}

export interface SearchLimits {
  visits?: number;
  seconds?: number;
  /** Visits of the position, those of earlier searches included. */
  nodes?: number;
  /** Only `progress`, which there must be, ends it. */
  infinite?: boolean;
  /** So many candidates have a line of play. */
  lines?: number;
  ownership?: boolean;
  /** Called every `reportSeconds`; true ends the search. */
  progress?: (soFar: Analysis) => boolean | void;
  reportSeconds?: number;
}
export interface Analysis {
  player: number;
  values: number[];
  rawValues: number[];
  proven: boolean;
  best: number;
  visits: number;
  nodes: number;
  evaluations: number;
  seconds: number;
}
export interface Candidate {
  action: number;
  visits: number;
  /** Its share of the search's policy, and of the network's. */
  policy: number;
  prior: number;
  values: number[];
  proven: boolean;
  plies: number;
}
export interface SessionOptions extends EvaluationOptions {
  memoryMebibytes?: number;
  notation?: Notation;
  /** 0 to 2^53 - 1. */
  seed?: number;
}
/** One game with moves back and forth, and a search that keeps what it learns. */
export class Session implements Freed {
  constructor(game: Game, model?: Model | null, options?: SessionOptions);
  readonly game: Game;
  readonly moves: Int32Array;
  readonly ply: number;
  play(action: number | string): void;
  goTo(ply: number): void;
  restart(state?: State | null): void;
  state(): State;
  /** The JSON of docs/picture.md. */
  picture(): import("./picture.js").Picture;
  analysisPicture(): import("./picture.js").Analysis;
  /** Searches the position; 400 visits where there is no limit. It returns when it is done: use a worker in a page. */
  search(limits?: SearchLimits): Analysis;
  /** The action that a level of play takes here: "beginner", "easy", "casual", "medium", "hard", "expert" or "full".
   * What was searched of the position before is forgotten, and the analysis of it is that of this search. The lower
   * ones draw by the session's seed. */
  choose(level?: string): number;
  candidates(): Candidate[];
  line(number?: number): Int32Array;
  ownership(): Float32Array | null;
  free(): void;
}

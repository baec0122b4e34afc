// The picture of a position and of an analysis, as docs/picture.md describes them.

/** [row, column] from 0; row 0 is at the top as player one sees the board. */
export type Place = readonly [number, number];
export type Seat = number;
export type ActionKind = "pawn" | "horizontal" | "vertical" | "stone" | "pass";

export interface Located {
  action: number;
  kind?: ActionKind;
  at?: Place;
  from?: Place;
  pawn?: number;
}
export interface Action extends Located {
  text: string;
}
export interface Move extends Action {
  seat: Seat;
}
export interface IllegalAction extends Located {
  reason: string;
  message: string;
  wall?: number;
  players?: Seat[];
}

export interface BoardShape {
  columns: number;
  rows: number;
  column_labels: string[];
  row_labels: string[];
  lattice: "squares" | "points";
  goals?: Place[][];
  stars?: Place[];
  wall_row_labels?: string[];
}

export interface Wall {
  kind: "horizontal" | "vertical";
  at: Place;
  action: number;
  seat: Seat | null;
}
export interface Stock {
  any?: number;
  horizontal?: number;
  vertical?: number;
}

export interface Picture {
  format: 1;
  game: string;
  family: string;
  players: number;
  seats: { title: string; turns: number }[];
  /** Plies played from the first position on. */
  ply: number;
  /** The game's own count, after `max_plies` of which it ends. */
  game_ply: number;
  max_plies: number;
  mover: Seat | null;
  phase?: string;
  /** `reason`: the rule that ended the game. */
  outcome: {
    winner: Seat | null;
    values: number[];
    reason: "goal" | "ply_cap" | "repetition" | "passes" | "supply";
  } | null;
  moves: Move[];
  last: Move | null;
  legal?: Action[];
  illegal?: IllegalAction[];
  text: string;
  board: BoardShape;
  pawns?: { seat: Seat; pawn: number; at: Place }[];
  walls?: Wall[];
  stocks?: Stock[];
  distances?: number[];
  stones?: { seat: Seat; at: Place }[];
  ko?: Place;
  prisoners?: number[];
  stones_left?: number[];
  /** Passes in a row. */
  passes?: number;
  komi?: number;
  score?: { lead: number; area: number[]; territory: number[] };
  owners?: number[];
}

export interface Candidate extends Action {
  policy: number;
  prior: number;
  visits: number;
  value: number;
  values: number[];
  proven: boolean;
  plies?: number;
  line?: Move[];
}

export interface Analysis {
  format: 1;
  seat: Seat;
  values: number[];
  raw_values: number[];
  proven: boolean;
  visits: number;
  nodes: number;
  seconds: number;
  /** Positions that the network computed in this search. */
  evaluations: number;
  /** Plies below the position at which the simulations of this search ended. */
  mean_depth: number;
  candidates: Candidate[];
  line: Move[];
  ownership?: number[];
}

// From places on the board to places on the screen and back, for a board that is turned so that somebody sits at the
// bottom. Lengths are in hundredths of the distance between two squares (or points).
import type { ActionKind, BoardShape, Place } from "./picture";

export const PITCH = 100;
export const SQUARE = 82;
export const GROOVE = PITCH - SQUARE;

/** A place in a lattice of `rows` x `columns` after `turns` quarter turns counter-clockwise (docs/formats.md). */
function turn([row, column]: Place, rows: number, columns: number, turns: number): Place {
  switch (((turns % 4) + 4) % 4) {
    case 1:
      return [columns - 1 - column, row];
    case 2:
      return [rows - 1 - row, columns - 1 - column];
    case 3:
      return [column, rows - 1 - row];
    default:
      return [row, column];
  }
}

export interface Spot {
  kind: ActionKind;
  at: Place;
}

/** Whether it is the kind of an action that places a wall. */
export const isWall = (kind: string): kind is "horizontal" | "vertical" => kind === "horizontal" || kind === "vertical";

export class View {
  /** Of the board as it is shown. */
  readonly rows: number;
  readonly columns: number;

  constructor(
    readonly board: BoardShape,
    readonly turns: number,
  ) {
    const sideways = turns % 2 === 1;
    this.rows = sideways ? board.columns : board.rows;
    this.columns = sideways ? board.rows : board.columns;
  }

  toScreen(at: Place): Place {
    return turn(at, this.board.rows, this.board.columns, this.turns);
  }
  toBoard(shown: Place): Place {
    return turn(shown, this.rows, this.columns, 4 - this.turns);
  }

  private otherKind(kind: ActionKind): ActionKind {
    if (this.turns % 2 === 0) return kind;
    return kind === "horizontal" ? "vertical" : kind === "vertical" ? "horizontal" : kind;
  }

  /** A wall or anything else on the board, as it lies on the screen. */
  spotToScreen({ kind, at }: Spot): Spot {
    const wall = isWall(kind);
    return wall
      ? { kind: this.otherKind(kind), at: turn(at, this.board.rows - 1, this.board.columns - 1, this.turns) }
      : { kind, at: this.toScreen(at) };
  }
  spotToBoard({ kind, at }: Spot): Spot {
    const wall = isWall(kind);
    return wall
      ? { kind: this.otherKind(kind), at: turn(at, this.rows - 1, this.columns - 1, 4 - this.turns) }
      : { kind, at: this.toBoard(at) };
  }

  /** The middle of a square or point of the screen. */
  centre([row, column]: Place): { x: number; y: number } {
    return { x: column * PITCH + PITCH / 2, y: row * PITCH + PITCH / 2 };
  }

  /** The rectangle of a wall of the screen. */
  wallBox({ kind, at: [row, column] }: Spot): { x: number; y: number; width: number; height: number } {
    const long = 2 * SQUARE + GROOVE;
    const inset = GROOVE / 2;
    return kind === "horizontal"
      ? { x: column * PITCH + inset, y: (row + 1) * PITCH - inset, width: long, height: GROOVE }
      : { x: (column + 1) * PITCH - inset, y: row * PITCH + inset, width: GROOVE, height: long };
  }

  /** The square under a place of the screen; null beside the board. */
  squareAt(x: number, y: number): Place | null {
    const row = Math.floor(y / PITCH);
    const column = Math.floor(x / PITCH);
    return row >= 0 && row < this.rows && column >= 0 && column < this.columns ? [row, column] : null;
  }

  /** The wall of this kind whose middle is nearest. */
  wallNear(x: number, y: number, kind: "horizontal" | "vertical"): Spot {
    const clamp = (value: number, most: number) => Math.max(0, Math.min(most, value));
    const row = clamp(Math.round(y / PITCH) - 1, this.rows - 2);
    const column = clamp(Math.round(x / PITCH) - 1, this.columns - 2);
    return { kind, at: [row, column] };
  }

  /** The wall whose groove is under a place of the screen; null on squares. `reach`: half of the groove's width. */
  wallAt(x: number, y: number, reach: number): Spot | null {
    const toRow = Math.abs(y - Math.round(y / PITCH) * PITCH);
    const toColumn = Math.abs(x - Math.round(x / PITCH) * PITCH);
    const inside = (value: number, count: number) => value > PITCH / 2 && value < (count - 0.5) * PITCH;
    const horizontal = toRow <= reach && inside(y, this.rows);
    const vertical = toColumn <= reach && inside(x, this.columns);
    if (!horizontal && !vertical) return null;
    // Where two grooves cross, the one whose line is nearer.
    return this.wallNear(x, y, horizontal && (!vertical || toRow <= toColumn) ? "horizontal" : "vertical");
  }

  columnLabel(column: number): string {
    const [row, at] = this.toBoard([0, column]);
    return this.turns % 2 === 1 ? this.board.row_labels[row]! : this.board.column_labels[at]!;
  }
  rowLabel(row: number): string {
    const [at, column] = this.toBoard([row, 0]);
    return this.turns % 2 === 1 ? this.board.column_labels[column]! : this.board.row_labels[at]!;
  }
}

/** A place as moves name it. */
export function placeName(board: BoardShape, kind: ActionKind, at: Place): string {
  const wall = isWall(kind);
  const rows = wall ? (board.wall_row_labels ?? board.row_labels) : board.row_labels;
  return `${board.column_labels[at[1]]}${rows[at[0]]}`;
}

/** What two actions have in common that are at one place. */
export function spotKey(kind: ActionKind | undefined, at: Place | undefined): string {
  return at ? `${kind}:${at[0]}:${at[1]}` : `${kind}`;
}

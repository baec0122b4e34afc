// The board, and what a person points at on it. It plays nothing; it says which action was meant. How things look is in
// board_layers.tsx, what the mouse, fingers and keys do in use_pointer.ts and use_cursor.ts.
import type { Ref } from "preact";
import { useMemo } from "preact/hooks";
import type { Action, ActionKind, Analysis, IllegalAction, Picture, Place, Seat } from "./picture";
import {
  Cursor,
  Destinations,
  Ghost,
  Heat,
  Labels,
  LineMarks,
  Owners,
  Pieces,
  Points,
  Squares,
} from "./board_layers";
import { useCursor } from "./use_cursor";
import { usePointer } from "./use_pointer";
import { useTarget } from "./use_target";
import { PITCH, type Spot, View } from "./view";

/** How a person points: at whatever is nearest, at squares alone, or at walls of one kind (as they lie on the screen). */
export type Tool = "any" | "pawn" | "horizontal" | "vertical";

export interface BoardProps {
  /** Gets the element that has the keyboard's focus. */
  root?: Ref<HTMLDivElement>;
  picture: Picture;
  /** The seat at the bottom. */
  bottom: Seat;
  /** Whether a person may act now. */
  active: boolean;
  tool: Tool;
  /** A wall is being dragged here from beside the board: letting it go plays it. */
  carrying?: boolean;
  /** Absent where the board is only looked at, or set up. */
  onPlay?: (action: Action) => void;
  /** What is pointed at that cannot be played, and why; null: nothing. */
  onObjection?: (illegal: IllegalAction | null) => void;
  /** What is announced to a reader who sees no picture. */
  onCursor: (text: string) => void;
  /** The share of each action, and for some what it is worth. */
  analysis?: Pick<Analysis, "candidates"> | null;
  heat?: "none" | "search" | "network";
  /** Actions drawn with numbers, in order. */
  line?: readonly { kind?: ActionKind; at?: Place; seat: Seat }[];
  owners?: readonly number[] | null;
  /** In place of playing: something was pointed at, for setting up a position. Says what changed there. */
  onPoint?: (spot: Spot) => string;
}

/** How the keyboard serves a board. */
function labelOf({ picture, onPlay, onPoint }: BoardProps): string {
  const kinds = picture.board.lattice === "squares" ? ", H and V make it a wall, P a pawn" : "";
  const enter = onPoint ? ", Enter places or removes" : onPlay ? ", Enter plays" : "";
  return `Board. Arrow keys move a cursor${kinds}${enter}.`;
}

export function Board(props: BoardProps) {
  const { picture, bottom, active } = props;
  const view = useMemo(
    () => new View(picture.board, picture.seats[bottom]?.turns ?? 0),
    [picture.game, picture.seats[bottom]?.turns],
  );
  const squares = picture.board.lattice === "squares";
  const pointed = useTarget(props);
  const { target, chosenPawn } = pointed;
  const { svg, dragged, ...pointer } = usePointer(props, view, pointed);
  const { cursor, ...keyboard } = useCursor(props, view, pointed);

  const margin = 46;
  const width = view.columns * PITCH + 2 * margin;
  const height = view.rows * PITCH + 2 * margin;
  const mapped = props.analysis && props.heat && props.heat !== "none";
  return (
    <div
      ref={props.root ?? null}
      class="board"
      tabIndex={0}
      role="application"
      aria-roledescription="board"
      aria-label={labelOf(props)}
      {...keyboard}
    >
      <svg
        ref={svg}
        viewBox={`${-margin} ${-margin} ${width} ${height}`}
        style={{ "--shape": width / height }}
        class={active ? "live" : ""}
        aria-hidden="true"
        {...pointer}
      >
        <Labels view={view} />
        {squares ? <Squares picture={picture} view={view} /> : <Points picture={picture} view={view} />}
        <Pieces picture={picture} view={view} chosen={chosenPawn} dragged={dragged} active={active} />
        {props.owners && <Owners owners={props.owners} picture={picture} view={view} />}
        {active && squares && !mapped && <Destinations picture={picture} view={view} chosen={chosenPawn} />}
        <Heat {...props} view={view} />
        {target && active && <Ghost target={target} picture={picture} view={view} />}
        {props.line && <LineMarks line={props.line} view={view} />}
        {cursor && <Cursor spot={cursor} view={view} />}
      </svg>
    </div>
  );
}

// The board under the keyboard: a cursor that arrows move, and what a reader who sees no picture hears of it.
import { useState } from "preact/hooks";
import type { BoardProps } from "./board";
import type { Target } from "./board_layers";
import type { Picture, Place } from "./picture";
import type { Pointed } from "./use_target";
import { isWall, placeName, type Spot, spotKey, type View } from "./view";

const STEPS: Record<string, Place> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};
const KINDS: Record<string, "pawn" | "horizontal" | "vertical"> = { p: "pawn", h: "horizontal", v: "vertical" };

/** Where the first arrow puts the cursor. */
function startOf(picture: Picture, view: View): Spot {
  const pawn = picture.pawns?.find((p) => p.seat === (picture.mover ?? 0));
  const at = pawn ? pawn.at : view.toBoard([Math.floor(view.rows / 2), Math.floor(view.columns / 2)]);
  return { kind: picture.board.lattice === "squares" ? "pawn" : "stone", at };
}

/** Where a key leads the cursor: `cursor` itself where the board ends; null: the key is none of the cursor's. */
function cursorAfter(key: string, cursor: Spot | null, view: View, picture: Picture): Spot | null {
  const now = view.spotToScreen(cursor ?? startOf(picture, view));
  const step = STEPS[key];
  if (step) {
    const at: Place = cursor ? [now.at[0] + step[0], now.at[1] + step[1]] : now.at;
    const cut = isWall(now.kind) ? 1 : 0;
    if (at[0] < 0 || at[1] < 0 || at[0] >= view.rows - cut || at[1] >= view.columns - cut) return cursor;
    return view.spotToBoard({ kind: now.kind, at });
  }
  const kind = picture.board.lattice === "squares" ? KINDS[key.toLowerCase()] : undefined;
  if (!kind) return null;
  const inner: Place = [Math.min(now.at[0], view.rows - 2), Math.min(now.at[1], view.columns - 2)];
  return view.spotToBoard({ kind, at: kind === "pawn" ? now.at : inner });
}

/** A place in words; of a wall how it lies on the screen, which is how the keys and tools name it. */
function describe(picture: Picture, view: View, spot: Spot, target: Target): string {
  const wall = isWall(spot.kind);
  const name = placeName(picture.board, spot.kind, spot.at);
  const what = wall ? `${view.spotToScreen(spot).kind} wall ${name}` : name;
  const pawn = !wall && picture.pawns?.find((p) => spotKey("pawn", p.at) === spotKey("pawn", spot.at));
  const built = wall && picture.walls?.find((w) => spotKey(w.kind, w.at) === spotKey(spot.kind, spot.at));
  const stone = !wall && picture.stones?.find((s) => spotKey("stone", s.at) === spotKey("stone", spot.at));
  if (pawn) return `${what}: ${picture.seats[pawn.seat]!.title}'s pawn`;
  if (stone) return `${what}: ${picture.seats[stone.seat]!.title}`;
  if (built) return `${what}: stands here`;
  if (target.legal.length > 0) return `${what}: can be played`;
  return `${what}: ${target.illegal?.message ?? "empty"}`;
}

/** The cursor, null where there is none, and the board's handlers. */
export function useCursor(props: BoardProps, view: View, { choosePawn, lookAt, show, play, ownPawn }: Pointed) {
  const { picture, active } = props;
  const [cursor, setCursor] = useState<Spot | null>(null);
  const leave = () => {
    setCursor(null);
    show(null);
  };

  const enter = (spot: Spot) => {
    if (props.onPoint) {
      return props.onCursor(`${placeName(picture.board, spot.kind, spot.at)}: ${props.onPoint(spot)}`);
    }
    if (!active) return;
    const pawn = ownPawn(spot);
    if (!pawn) return play(lookAt(spot));
    choosePawn(pawn.pawn);
    props.onCursor("This pawn is chosen.");
  };

  const onKeyDown = (event: KeyboardEvent) => {
    // These are the browser's.
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") return leave();
    if ((event.key === "Enter" || event.key === " ") && cursor) {
      event.preventDefault();
      return enter(cursor);
    }
    const next = cursorAfter(event.key, cursor, view, picture);
    if (!next) return;
    event.preventDefault();
    if (next === cursor) return;
    setCursor(next);
    const looked = lookAt(next);
    if (active) show(looked);
    props.onCursor(describe(picture, view, next, looked));
  };

  // What a finger or the mouse has shown stays: a message that went away would move the button under the finger.
  const onBlur = () => cursor && leave();
  return { cursor, onKeyDown, onBlur };
}

// The board, and what a person points at on it. It plays nothing; it says which action was meant. How things look is in
// board_layers.tsx.
import type { Ref } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
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
  type Target,
} from "./board_layers";
import { GROOVE, PITCH, placeName, type Spot, spotKey, View } from "./view";

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
  onPlay: (action: Action) => void;
  /** What is pointed at that cannot be played, and why; null: nothing. */
  onObjection: (illegal: IllegalAction | null) => void;
  /** What is announced to a reader who sees no picture. */
  onCursor: (text: string) => void;
  /** The share of each action, and for some what it is worth. */
  analysis?: Pick<Analysis, "candidates"> | null;
  heat?: "none" | "search" | "network";
  /** Actions drawn with numbers, in order. */
  line?: readonly { kind?: ActionKind; at?: Place; seat: Seat }[];
  owners?: readonly number[] | null;
  /** In place of playing: something was pointed at, for setting up a position. */
  onPoint?: (spot: Spot) => void;
}

/** All actions by their place on the board. */
function actionsByPlace(picture: Picture) {
  const legal = new Map<string, Action[]>();
  const illegal = new Map<string, IllegalAction[]>();
  for (const action of picture.legal ?? []) {
    const key = spotKey(action.kind, action.at);
    legal.set(key, [...(legal.get(key) ?? []), action]);
  }
  for (const action of picture.illegal ?? []) {
    const key = spotKey(action.kind, action.at);
    illegal.set(key, [...(illegal.get(key) ?? []), action]);
  }
  return { legal, illegal };
}

export function Board(props: BoardProps) {
  const { picture, bottom, active, tool } = props;
  const view = useMemo(
    () => new View(picture.board, picture.seats[bottom]?.turns ?? 0),
    [picture.board.rows, picture.board.columns, picture.seats[bottom]?.turns],
  );
  const places = useMemo(() => actionsByPlace(picture), [picture]);
  const squares = picture.board.lattice === "squares";
  const [target, setTarget] = useState<Target | null>(null);
  const [chosenPawn, setChosenPawn] = useState<number | null>(null);
  const [dragged, setDragged] = useState<{ pawn: number; x: number; y: number } | null>(null);
  const [cursor, setCursor] = useState<Spot | null>(null);
  const svg = useRef<SVGSVGElement>(null);
  const pending = useRef<string | null>(null);

  useEffect(() => {
    setTarget(null);
    setChosenPawn(null);
    setDragged(null);
    pending.current = null;
  }, [picture]);

  const lookAt = (spot: Spot): Target => {
    const key = spotKey(spot.kind, spot.at);
    const meant = (action: Action | IllegalAction) => chosenPawn === null || (action.pawn ?? chosenPawn) === chosenPawn;
    return {
      spot,
      legal: (places.legal.get(key) ?? []).filter(meant),
      illegal: places.illegal.get(key)?.find(meant),
    };
  };

  const show = (next: Target | null) => {
    setTarget(next);
    if (!next) pending.current = null;
    props.onObjection(next && next.legal.length === 0 ? (next.illegal ?? null) : null);
  };

  const place = (event: PointerEvent) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.current!.getScreenCTM()!.inverse());
    return { x: point.x, y: point.y };
  };

  const spotUnder = (event: PointerEvent): Spot | null => {
    const { x, y } = place(event);
    if (!squares) {
      const at = view.squareAt(x, y);
      return at && { kind: "stone", at: view.toBoard(at) };
    }
    if (tool === "horizontal" || tool === "vertical") {
      return view.squareAt(x, y) && view.spotToBoard(view.wallNear(x, y, tool));
    }
    const reach = event.pointerType === "mouse" ? GROOVE / 2 + 3 : GROOVE;
    const wall = tool === "any" && !dragged ? view.wallAt(x, y, reach) : null;
    if (wall && view.squareAt(x, y)) return view.spotToBoard(wall);
    const at = view.squareAt(x, y);
    return at && { kind: "pawn", at: view.toBoard(at) };
  };

  const play = (next: Target) => {
    pending.current = null;
    if (next.legal.length === 1) return props.onPlay(next.legal[0]!);
    if (next.legal.length > 1) {
      props.onCursor("Both pawns can go there: choose one of them first.");
      return;
    }
    show(next);
  };

  const ownPawn = (spot: Spot) =>
    spot.kind === "pawn"
      ? picture.pawns?.find((p) => p.seat === picture.mover && spotKey("pawn", p.at) === spotKey("pawn", spot.at))
      : undefined;

  const onDown = (event: PointerEvent) => {
    if (event.button !== 0 || !event.isPrimary) return;
    const spot = spotUnder(event);
    if (!spot) return;
    if (props.onPoint) return props.onPoint(spot);
    if (!active) return;
    const pawn = ownPawn(spot);
    if (pawn) {
      setChosenPawn(pawn.pawn);
      setDragged({ pawn: pawn.pawn, ...place(event) });
      svg.current!.setPointerCapture(event.pointerId);
      return;
    }
    const next = lookAt(spot);
    // A finger hides what it points at: a wall is shown first and played by a second touch.
    const touched = event.pointerType !== "mouse" && spot.kind !== "pawn";
    const key = spotKey(spot.kind, spot.at);
    if (touched && pending.current !== key) {
      pending.current = key;
      show(next);
      if (next.legal.length > 0) props.onCursor(`${next.legal[0]!.text}: touch again to play it`);
      return;
    }
    play(next);
  };

  const onMove = (event: PointerEvent) => {
    if (dragged) setDragged({ ...dragged, ...place(event) });
    const touch = event.pointerType !== "mouse";
    if (!active || (touch && !dragged && !props.carrying && !pending.current)) return;
    const spot = spotUnder(event);
    if (spot && target && spotKey(spot.kind, spot.at) === spotKey(target.spot.kind, target.spot.at)) return;
    // A finger drags the wall that it has put down; another touch plays it.
    const held = touch && pending.current;
    show(spot && !ownPawn(spot) ? lookAt(spot) : null);
    if (held && spot) pending.current = spotKey(spot.kind, spot.at);
  };

  const onUp = (event: PointerEvent) => {
    if (active && props.carrying) {
      const under = spotUnder(event);
      if (under) play(lookAt(under));
      return;
    }
    if (!dragged) return;
    const spot = spotUnder(event);
    setDragged(null);
    if (spot && !ownPawn(spot)) play(lookAt(spot));
  };

  const onKey = (event: KeyboardEvent) => {
    // These are the browser's.
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps: Record<string, Place> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
    };
    const start: Spot = { kind: squares ? "pawn" : "stone", at: startPlace(picture, view) };
    const now = cursor ? view.spotToScreen(cursor) : view.spotToScreen(start);
    const wall = now.kind === "horizontal" || now.kind === "vertical";
    const rows = view.rows - (wall ? 1 : 0);
    const columns = view.columns - (wall ? 1 : 0);
    let next: Spot | null = null;
    const step = steps[event.key];
    const key = event.key.toLowerCase();
    if (step) {
      const at: Place = cursor ? [now.at[0] + step[0], now.at[1] + step[1]] : now.at;
      if (at[0] < 0 || at[1] < 0 || at[0] >= rows || at[1] >= columns) {
        event.preventDefault();
        return;
      }
      next = { kind: now.kind, at };
    } else if (squares && (key === "h" || key === "v" || key === "p")) {
      const kind = key === "p" ? "pawn" : key === "h" ? "horizontal" : "vertical";
      next = {
        kind,
        at: kind === "pawn" ? now.at : [Math.min(now.at[0], view.rows - 2), Math.min(now.at[1], view.columns - 2)],
      };
    } else if ((event.key === "Enter" || event.key === " ") && cursor) {
      event.preventDefault();
      if (props.onPoint) return props.onPoint(cursor);
      if (!active) return;
      const pawn = ownPawn(cursor);
      if (pawn) {
        setChosenPawn(pawn.pawn);
        return props.onCursor("This pawn is chosen.");
      }
      return play(lookAt(cursor));
    } else if (event.key === "Escape") {
      setCursor(null);
      show(null);
      return;
    } else {
      return;
    }
    event.preventDefault();
    const spot = view.spotToBoard(next);
    setCursor(spot);
    const looked = lookAt(spot);
    if (active) show(looked);
    props.onCursor(describe(picture, spot, looked));
  };

  const margin = 46;
  const box = `${-margin} ${-margin} ${view.columns * PITCH + 2 * margin} ${view.rows * PITCH + 2 * margin}`;
  const mapped = props.analysis && props.heat && props.heat !== "none";
  const ghost = target && active ? target : null;
  return (
    <div
      ref={props.root ?? null}
      class="board"
      tabIndex={0}
      role="application"
      aria-roledescription="board"
      aria-label={
        squares
          ? "Board. Arrow keys move a cursor, H and V make it a wall, P a pawn, Enter plays."
          : "Board. Arrow keys move a cursor, Enter plays."
      }
      onKeyDown={onKey}
      onBlur={() => {
        // What a finger or the mouse has shown stays: a message that went away would move the button under the finger.
        if (!cursor) return;
        setCursor(null);
        show(null);
      }}
    >
      <svg
        ref={svg}
        viewBox={box}
        class={active ? "live" : ""}
        aria-hidden="true"
        onPointerDown={onDown}
        onPointerMove={onMove}
        onPointerUp={onUp}
        // A finger that is lifted leaves, too, and the wall that it has shown waits for the second touch.
        onPointerLeave={(event) => event.pointerType === "mouse" && !dragged && show(null)}
        onPointerCancel={() => setDragged(null)}
      >
        <Labels view={view} />
        {squares ? <Squares picture={picture} view={view} /> : <Points picture={picture} view={view} />}
        <Pieces picture={picture} view={view} chosen={chosenPawn} dragged={dragged} active={active} />
        {props.owners && <Owners owners={props.owners} picture={picture} view={view} />}
        {active && squares && !mapped && <Destinations picture={picture} view={view} chosen={chosenPawn} />}
        <Heat {...props} view={view} />
        {ghost && <Ghost target={ghost} picture={picture} view={view} />}
        {props.line && <LineMarks line={props.line} view={view} />}
        {cursor && <Cursor spot={cursor} view={view} />}
      </svg>
    </div>
  );
}

function startPlace(picture: Picture, view: View): Place {
  const pawn = picture.pawns?.find((p) => p.seat === (picture.mover ?? 0));
  return pawn ? pawn.at : view.toBoard([Math.floor(view.rows / 2), Math.floor(view.columns / 2)]);
}

/** A place in words. */
function describe(picture: Picture, spot: Spot, target: Target): string {
  const wall = spot.kind === "horizontal" || spot.kind === "vertical";
  const name = placeName(picture.board, spot.kind, spot.at);
  const what = wall ? `${spot.kind} wall ${name}` : name;
  const pawn = !wall && picture.pawns?.find((p) => spotKey("pawn", p.at) === spotKey("pawn", spot.at));
  const stone = !wall && picture.stones?.find((s) => spotKey("stone", s.at) === spotKey("stone", spot.at));
  if (pawn) return `${what}: ${picture.seats[pawn.seat]!.title}'s pawn`;
  if (stone) return `${what}: ${picture.seats[stone.seat]!.title}`;
  if (target.legal.length > 0) return `${what}: can be played`;
  return `${what}: ${target.illegal?.message ?? "empty"}`;
}

// The board: what stands on it, what the search thinks of it, and what a person points at. It plays nothing; it says
// which action was meant.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Action, ActionKind, Analysis, IllegalAction, Picture, Place, Seat } from "./picture";
import { GROOVE, PITCH, SQUARE, type Spot, spotKey, View } from "./view";

/** How a person points: at whatever is nearest, at squares alone, or at walls of one kind (as they lie on the screen). */
export type Tool = "any" | "pawn" | "horizontal" | "vertical";

export interface BoardProps {
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
  analysis?: Analysis | null;
  heat?: "none" | "search" | "network";
  /** Actions drawn with numbers, in order. */
  line?: readonly { kind?: ActionKind; at?: Place; seat: Seat }[];
  owners?: readonly number[] | null;
  /** In place of playing: something was pointed at, for setting up a position. */
  onPoint?: (spot: Spot) => void;
}

type Target = { spot: Spot; legal: Action[]; illegal: IllegalAction | undefined };

/** All actions by their place on the board. */
function actionsByPlace(picture: Picture) {
  const legal = new Map<string, Action[]>();
  const illegal = new Map<string, IllegalAction>();
  for (const action of picture.legal ?? []) {
    const key = spotKey(action.kind, action.at);
    legal.set(key, [...(legal.get(key) ?? []), action]);
  }
  for (const action of picture.illegal ?? []) {
    const key = spotKey(action.kind, action.at);
    if (!illegal.has(key)) illegal.set(key, action);
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
    let legal = places.legal.get(key) ?? [];
    if (chosenPawn !== null && legal.length > 1) legal = legal.filter((action) => action.pawn === chosenPawn);
    return { spot, legal, illegal: places.illegal.get(key) };
  };

  const show = (next: Target | null) => {
    setTarget(next);
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
    show(spot && !ownPawn(spot) ? lookAt(spot) : null);
    // A finger drags the wall that it has put down; another touch plays it.
    if (touch && pending.current && spot) pending.current = spotKey(spot.kind, spot.at);
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
        onPointerLeave={() => !dragged && show(null)}
        onPointerCancel={() => setDragged(null)}
      >
        <Labels view={view} />
        {squares ? <Squares picture={picture} view={view} /> : <Points picture={picture} view={view} />}
        {props.owners && <Owners owners={props.owners} picture={picture} view={view} />}
        <Pieces picture={picture} view={view} chosen={chosenPawn} dragged={dragged} active={active} />
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
  const { board } = picture;
  const wall = spot.kind === "horizontal" || spot.kind === "vertical";
  const labels = wall ? (board.wall_row_labels ?? board.row_labels) : board.row_labels;
  const name = `${board.column_labels[spot.at[1]]}${labels[spot.at[0]]}`;
  const what = wall ? `${spot.kind} wall ${name}` : name;
  const pawn = !wall && picture.pawns?.find((p) => spotKey("pawn", p.at) === spotKey("pawn", spot.at));
  const stone = !wall && picture.stones?.find((s) => spotKey("stone", s.at) === spotKey("stone", spot.at));
  if (pawn) return `${what}: ${picture.seats[pawn.seat]!.title}'s pawn`;
  if (stone) return `${what}: ${picture.seats[stone.seat]!.title}`;
  if (target.legal.length > 0) return `${what}: can be played`;
  return `${what}: ${target.illegal?.message ?? "empty"}`;
}

function Labels({ view }: { view: View }) {
  const columns = Array.from({ length: view.columns }, (_, i) => i);
  const rows = Array.from({ length: view.rows }, (_, i) => i);
  const right = view.columns * PITCH;
  const low = view.rows * PITCH;
  return (
    <g class="labels">
      {columns.map((i) => (
        <>
          <text x={i * PITCH + 50} y={-14}>{view.columnLabel(i)}</text>
          <text x={i * PITCH + 50} y={low + 36}>{view.columnLabel(i)}</text>
        </>
      ))}
      {rows.map((i) => (
        <>
          <text x={-24} y={i * PITCH + 60}>{view.rowLabel(i)}</text>
          <text x={right + 24} y={i * PITCH + 60}>{view.rowLabel(i)}</text>
        </>
      ))}
    </g>
  );
}

function Squares({ picture, view }: { picture: Picture; view: View }) {
  const goals = new Map<string, Seat[]>();
  picture.board.goals?.forEach((squares, seat) => {
    for (const at of squares) goals.set(spotKey("pawn", at), [...(goals.get(spotKey("pawn", at)) ?? []), seat]);
  });
  const squares = [];
  for (let row = 0; row < view.rows; row++) {
    for (let column = 0; column < view.columns; column++) {
      const seats = goals.get(spotKey("pawn", view.toBoard([row, column]))) ?? [];
      const x = column * PITCH + GROOVE / 2;
      const y = row * PITCH + GROOVE / 2;
      squares.push(<rect class="square" x={x} y={y} width={SQUARE} height={SQUARE} rx={10} />);
      seats.forEach((seat, i) => {
        const width = (SQUARE - 24) / seats.length;
        squares.push(<rect class={`goal seat${seat}`} x={x + 12 + i * width} y={y + 36} width={width} height={10} rx={5} />);
      });
    }
  }
  return (
    <g>
      <rect class="ground" x={-8} y={-8} width={view.columns * PITCH + 16} height={view.rows * PITCH + 16} rx={18} />
      {squares}
    </g>
  );
}

function Points({ picture, view }: { picture: Picture; view: View }) {
  const lines = [];
  for (let row = 0; row < view.rows; row++) {
    lines.push(<path d={`M50 ${row * PITCH + 50}H${view.columns * PITCH - 50}`} />);
  }
  for (let column = 0; column < view.columns; column++) {
    lines.push(<path d={`M${column * PITCH + 50} 50V${view.rows * PITCH - 50}`} />);
  }
  return (
    <g>
      <rect class="goban" x={-8} y={-8} width={view.columns * PITCH + 16} height={view.rows * PITCH + 16} rx={8} />
      <g class="lines">{lines}</g>
      {picture.board.stars?.map((at) => {
        const { x, y } = view.centre(view.toScreen(at));
        return <circle class="star" cx={x} cy={y} r={8} />;
      })}
    </g>
  );
}

/** The middle of a wall alone: whole walls would lie on each other. */
function shortened({ x, y, width, height }: ReturnType<View["wallBox"]>) {
  const cut = 58;
  return width > height
    ? { x: x + cut, y, width: width - 2 * cut, height }
    : { x, y: y + cut, width, height: height - 2 * cut };
}

/** Shares of the policy as colours, and win rates of the first candidates. */
function Heat({ analysis, heat = "none", picture, view, line }: BoardProps & { view: View }) {
  if (!analysis || heat === "none") return null;
  const share = (c: Analysis["candidates"][number]) => (heat === "network" ? c.prior : c.policy);
  const most = Math.max(...analysis.candidates.map(share), 1e-6);
  const squares = picture.board.lattice === "squares";
  return (
    <g class="heat">
      {analysis.candidates
        .filter((c) => c.at && share(c) > 0.004)
        .map((c) => {
          const spot = view.spotToScreen({ kind: c.kind!, at: c.at! });
          const opacity = 0.15 + 0.75 * (share(c) / most);
          if (spot.kind === "horizontal" || spot.kind === "vertical") {
            return <rect {...shortened(view.wallBox(spot))} rx={6} style={{ opacity }} />;
          }
          const { x, y } = view.centre(spot.at);
          return squares ? (
            <rect x={x - SQUARE / 2} y={y - SQUARE / 2} width={SQUARE} height={SQUARE} rx={10} style={{ opacity }} />
          ) : (
            <circle cx={x} cy={y} r={42} style={{ opacity }} />
          );
        })}
      {analysis.candidates.slice(0, 3).map((c) => {
        if (!c.at || c.visits === 0 || line) return null;
        const spot = view.spotToScreen({ kind: c.kind!, at: c.at });
        const wall = spot.kind === "horizontal" || spot.kind === "vertical";
        const box = wall ? view.wallBox(spot) : null;
        const { x, y } = box ? { x: box.x + box.width / 2, y: box.y + box.height / 2 } : view.centre(spot.at);
        return <text x={x} y={y + 9}>{Math.round(100 * c.value)}</text>;
      })}
    </g>
  );
}

/** Who owns the points at the end; `owners` from 1 (black) to 0 (white). */
function Owners({ owners, picture, view }: { owners: readonly number[]; picture: Picture; view: View }) {
  return (
    <g class="owners">
      {owners.map((owner, i) => {
        if (Math.abs(owner - 0.5) < 0.1) return null;
        const at: Place = [Math.floor(i / picture.board.columns), i % picture.board.columns];
        const { x, y } = view.centre(view.toScreen(at));
        const side = 44 * Math.abs(2 * owner - 1);
        return <rect class={owner > 0.5 ? "seat0" : "seat1"} x={x - side / 2} y={y - side / 2} width={side} height={side} />;
      })}
    </g>
  );
}

interface PiecesProps {
  picture: Picture;
  view: View;
  chosen: number | null;
  dragged: { pawn: number; x: number; y: number } | null;
  active: boolean;
}

function Pieces({ picture, view, chosen, dragged, active }: PiecesProps) {
  const { last } = picture;
  const isLast = (kind: ActionKind, at: Place) => last?.at !== undefined && spotKey(last.kind, last.at) === spotKey(kind, at);
  return (
    <g>
      {picture.walls?.map((wall) => (
        <rect
          {...view.wallBox(view.spotToScreen(wall))}
          rx={6}
          class={`wall ${wall.seat === null ? "" : `seat${wall.seat}`} ${isLast(wall.kind, wall.at) ? "last" : ""}`}
        />
      ))}
      {last?.kind === "pawn" && last.from && <Trail from={last.from} view={view} />}
      {picture.pawns?.map((pawn) => {
        const moving = dragged && pawn.seat === picture.mover && pawn.pawn === dragged.pawn;
        const { x, y } = moving ? dragged : view.centre(view.toScreen(pawn.at));
        const own = active && pawn.seat === picture.mover;
        const marked = isLast("pawn", pawn.at) || (own && chosen === pawn.pawn);
        return (
          <g class={`pawn seat${pawn.seat} ${marked ? "last" : ""} ${own ? "own" : ""}`} transform={`translate(${x} ${y})`}>
            <circle r={31} />
            <text y={12}>{pawn.seat + 1}</text>
          </g>
        );
      })}
      {picture.stones?.map((stone) => {
        const { x, y } = view.centre(view.toScreen(stone.at));
        return (
          <g class={`stone seat${stone.seat}`} transform={`translate(${x} ${y})`}>
            <circle r={46} />
            {isLast("stone", stone.at) && <circle class="mark" r={15} />}
          </g>
        );
      })}
      {picture.ko && <Ko at={picture.ko} view={view} />}
    </g>
  );
}

function Trail({ from, view }: { from: Place; view: View }) {
  const { x, y } = view.centre(view.toScreen(from));
  return <circle class="trail" cx={x} cy={y} r={14} />;
}

function Ko({ at, view }: { at: Place; view: View }) {
  const { x, y } = view.centre(view.toScreen(at));
  return <rect class="ko" x={x - 18} y={y - 18} width={36} height={36} />;
}

function Destinations({ picture, view, chosen }: { picture: Picture; view: View; chosen: number | null }) {
  const seen = new Set<string>();
  return (
    <g class={`destinations seat${picture.mover}`}>
      {(picture.legal ?? [])
        .filter((action) => action.kind === "pawn" && (chosen === null || action.pawn === chosen))
        .map((action) => {
          const key = spotKey(action.kind, action.at);
          if (seen.has(key)) return null;
          seen.add(key);
          const { x, y } = view.centre(view.toScreen(action.at!));
          return <circle cx={x} cy={y} r={11} />;
        })}
    </g>
  );
}

function Ghost({ target, picture, view }: { target: Target; picture: Picture; view: View }) {
  const shown = view.spotToScreen(target.spot);
  const fine = target.legal.length > 0;
  const look = `ghost seat${picture.mover} ${fine ? "" : "bad"}`;
  if (shown.kind === "horizontal" || shown.kind === "vertical") {
    return <rect {...view.wallBox(shown)} rx={6} class={look} />;
  }
  if (!fine && shown.kind !== "stone") return null;
  const { x, y } = view.centre(shown.at);
  return <circle cx={x} cy={y} r={shown.kind === "stone" ? 42 : 27} class={look} />;
}

function LineMarks({ line, view }: { line: NonNullable<BoardProps["line"]>; view: View }) {
  return (
    <g class="line">
      {line.slice(0, 12).map((move, i) => {
        if (!move.at || !move.kind) return null;
        const spot = view.spotToScreen({ kind: move.kind, at: move.at });
        const wall = spot.kind === "horizontal" || spot.kind === "vertical";
        const box = wall ? view.wallBox(spot) : null;
        const { x, y } = box ? { x: box.x + box.width / 2, y: box.y + box.height / 2 } : view.centre(spot.at);
        return (
          <g class={`seat${move.seat} ${spot.kind}`}>
            {box && <rect {...box} rx={6} />}
            <circle cx={x} cy={y} r={19} />
            <text x={x} y={y + 8}>{i + 1}</text>
          </g>
        );
      })}
    </g>
  );
}

function Cursor({ spot, view }: { spot: Spot; view: View }) {
  const shown = view.spotToScreen(spot);
  if (shown.kind === "horizontal" || shown.kind === "vertical") {
    const { x, y, width, height } = view.wallBox(shown);
    return <rect class="cursor" x={x - 5} y={y - 5} width={width + 10} height={height + 10} rx={8} />;
  }
  const { x, y } = view.centre(shown.at);
  return <rect class="cursor" x={x - 46} y={y - 46} width={92} height={92} rx={12} />;
}

// What is drawn on the board, a layer a function, from below to above as board.tsx puts them: squares or points, pieces,
// what the search thinks, and what is pointed at.
import type { BoardProps } from "./board";
import type { Action, ActionKind, Analysis, IllegalAction, Picture, Place, Seat } from "./picture";
import { GROOVE, isWall, PITCH, SQUARE, type Spot, spotKey, type View } from "./view";

/** What is pointed at, and the actions that it may mean. */
export type Target = { spot: Spot; legal: Action[]; illegal: IllegalAction | undefined };

export function Labels({ view }: { view: View }) {
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

export function Squares({ picture, view }: { picture: Picture; view: View }) {
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

export function Points({ picture, view }: { picture: Picture; view: View }) {
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
export function Heat({ analysis, heat = "none", picture, view, line }: BoardProps & { view: View }) {
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
          if (isWall(spot.kind)) {
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
        const wall = isWall(spot.kind);
        const box = wall ? view.wallBox(spot) : null;
        const { x, y } = box ? { x: box.x + box.width / 2, y: box.y + box.height / 2 } : view.centre(spot.at);
        return <text x={x} y={y + 9}>{Math.round(100 * c.value)}%</text>;
      })}
    </g>
  );
}

/** Who owns the points at the end; `owners` from 1 (black) to 0 (white). On stones they show which of them are dead. */
export function Owners({ owners, picture, view }: { owners: readonly number[]; picture: Picture; view: View }) {
  const stones = new Map(picture.stones?.map((stone) => [spotKey("stone", stone.at), stone.seat]));
  return (
    <g class="owners">
      {owners.map((owner, i) => {
        const at: Place = [Math.floor(i / picture.board.columns), i % picture.board.columns];
        const alive = stones.get(spotKey("stone", at)) === (owner > 0.5 ? 0 : 1);
        if (alive || Math.abs(owner - 0.5) < 0.1) return null;
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

export function Pieces({ picture, view, chosen, dragged, active }: PiecesProps) {
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

export function Destinations({ picture, view, chosen }: { picture: Picture; view: View; chosen: number | null }) {
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

export function Ghost({ target, picture, view }: { target: Target; picture: Picture; view: View }) {
  const shown = view.spotToScreen(target.spot);
  const fine = target.legal.length > 0;
  const look = `ghost seat${picture.mover} ${fine ? "" : "bad"}`;
  if (isWall(shown.kind)) {
    return <rect {...view.wallBox(shown)} rx={6} class={look} />;
  }
  if (!fine && shown.kind !== "stone") return null;
  const { x, y } = view.centre(shown.at);
  return <circle cx={x} cy={y} r={shown.kind === "stone" ? 42 : 27} class={look} />;
}

export function LineMarks({ line, view }: { line: NonNullable<BoardProps["line"]>; view: View }) {
  return (
    <g class="line">
      {line.slice(0, 12).map((move, i) => {
        if (!move.at || !move.kind) return null;
        const spot = view.spotToScreen({ kind: move.kind, at: move.at });
        const wall = isWall(spot.kind);
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

export function Cursor({ spot, view }: { spot: Spot; view: View }) {
  const shown = view.spotToScreen(spot);
  if (isWall(shown.kind)) {
    const { x, y, width, height } = view.wallBox(shown);
    return <rect class="cursor" x={x - 5} y={y - 5} width={width + 10} height={height + 10} rx={8} />;
  }
  const { x, y } = view.centre(shown.at);
  return <rect class="cursor" x={x - 46} y={y - 46} width={92} height={92} rx={12} />;
}

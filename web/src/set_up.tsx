// Setting up a position by hand: pieces come and go where one points.
import { useState } from "preact/hooks";
import type { Start } from "./backend";
import { Board } from "./board";
import type { Picture } from "./picture";
import { useLeave } from "./use_leave";
import { type Spot, spotKey } from "./view";

interface SetUpProps {
  picture: Picture;
  bottom: number;
  /** Fails where the position is refused. `signal`: the form is gone. */
  onDone: (start: Start, signal: AbortSignal) => Promise<void>;
}

export function SetUp({ picture, bottom, onDone }: SetUpProps) {
  const go = picture.family === "go";
  const [seat, setSeat] = useState(0);
  const [pawn, setPawn] = useState(0);
  const [mover, setMover] = useState(picture.mover ?? 0);
  const [pawns, setPawns] = useState(picture.pawns ?? []);
  const [walls, setWalls] = useState(picture.walls ?? []);
  const [stocks, setStocks] = useState(picture.stocks ?? []);
  const [phase, setPhase] = useState(picture.phase ?? "turn");
  const [stones, setStones] = useState(picture.stones ?? []);
  const [message, setMessage] = useState("");
  const leave = useLeave();
  const pawnsEach = (picture.pawns?.length ?? 0) / picture.players;

  const point = (spot: Spot) => {
    const key = spotKey(undefined, spot.at);
    if (go) {
      const there = stones.find((s) => spotKey(undefined, s.at) === key);
      const others = stones.filter((s) => s !== there);
      setStones(there?.seat === seat ? others : [...others, { seat, at: spot.at }]);
    } else if (spot.kind === "pawn") {
      setPawns(pawns.map((p) => (p.seat === seat && p.pawn === pawn ? { ...p, at: spot.at } : p)));
    } else if (spot.kind === "horizontal" || spot.kind === "vertical") {
      const kind = spot.kind;
      const there = walls.find((w) => w.kind === kind && spotKey(undefined, w.at) === key);
      const from = there?.seat ?? seat;
      setWalls(there ? walls.filter((w) => w !== there) : [...walls, { kind, at: spot.at, action: -1, seat }]);
      // A wall on the board is one less in its player's hand.
      setStocks(
        stocks.map((stock, s) => {
          const which = stock.any === undefined ? kind : "any";
          return s === from ? { ...stock, [which]: Math.max(0, (stock[which] ?? 0) + (there ? 1 : -1)) } : stock;
        }),
      );
    }
  };

  const start: Start = go
    ? { mover, stones }
    : { mover, phase, pawns: pawns.map(({ seat: s, at }) => ({ seat: s, at })), walls: walls.map(({ kind, at }) => ({ kind, at })), stocks };
  const use = () => {
    setMessage("");
    onDone(start, leave).catch((error) => setMessage((error as Error).message));
  };
  const { ko: _, ...rest } = picture;
  const shown: Picture = { ...rest, last: null, legal: [], illegal: [], ...(go ? { stones } : { pawns, walls, stocks }) };
  return (
    <section class="card form" aria-label="Set up a position">
      <h2>Set up a position</h2>
      <div class="row wrap">
        <label>
          {go ? "Stones of" : "Pawn of"}
          <select
            value={`${seat}/${pawn}`}
            onChange={(event) => {
              const [s, p] = event.currentTarget.value.split("/").map(Number);
              setSeat(s!);
              setPawn(p!);
            }}
          >
            {picture.seats.flatMap((one, s) =>
              Array.from({ length: go ? 1 : pawnsEach }, (_, p) => (
                <option value={`${s}/${p}`}>
                  {one.title}
                  {pawnsEach > 1 ? `, pawn ${p + 1}` : ""}
                </option>
              )),
            )}
          </select>
        </label>
        <label>
          To move
          <select value={mover} onChange={(event) => setMover(Number(event.currentTarget.value))}>
            {picture.seats.map((one, s) => (
              <option value={s}>{one.title}</option>
            ))}
          </select>
        </label>
        {(picture.phase === "move" || picture.phase === "wall") && (
          <label>
            Next
            <select value={phase} onChange={(event) => setPhase(event.currentTarget.value)}>
              <option value="move">moves a pawn</option>
              <option value="wall">has moved, places a wall</option>
            </select>
          </label>
        )}
      </div>
      <Board picture={shown} bottom={bottom} active={false} tool="any" onPlay={() => {}} onObjection={() => {}} onCursor={() => {}} onPoint={point} />
      {!go && (
        <div class="row wrap">
          {stocks.map((stock, s) =>
            (Object.keys(stock) as (keyof typeof stock)[]).map((kind) => (
              <label>
                {picture.seats[s]!.title}: {kind === "any" ? "" : `${kind} `}walls left
                <input
                  type="number"
                  min={0}
                  max={31}
                  value={stock[kind] ?? 0}
                  onInput={(event) => {
                    const value = Number(event.currentTarget.value);
                    setStocks(stocks.map((old, i) => (i === s ? { ...old, [kind]: value } : old)));
                  }}
                />
              </label>
            )),
          )}
        </div>
      )}
      <div class="row">
        <button class="main" onClick={use}>Use this position</button>
        <button onClick={() => (go ? setStones([]) : setWalls([]))}>{go ? "Clear the board" : "No walls"}</button>
      </div>
      {message && <p class="objection" role="alert">{message}</p>}
    </section>
  );
}

// A position that is set up by hand: what is on the board, and what pointing at it changes.
import { useEffect, useState } from "preact/hooks";
import type { Start } from "./backend";
import type { Picture, Stock } from "./picture";
import { isWall, type Spot, spotKey } from "./view";

/** Begins with the position of the picture. */
export function useSetUp(picture: Picture) {
  const go = picture.family === "go";
  /** Whose pieces come and go, and which of its pawns. */
  const [hand, setHand] = useState({ seat: 0, pawn: 0 });
  const [mover, setMover] = useState(picture.mover ?? 0);
  const [pawns, setPawns] = useState(picture.pawns ?? []);
  const [walls, setWalls] = useState(picture.walls ?? []);
  const [stocks, setStocks] = useState(picture.stocks ?? []);
  const [phase, setPhase] = useState(picture.phase ?? "turn");
  const [stones, setStones] = useState(picture.stones ?? []);
  /** Why nothing has come where one has pointed last; empty where something has. */
  const [refusal, setRefusal] = useState("");
  useEffect(() => setRefusal(""), [hand, pawns, walls, stocks]);
  const { seat, pawn } = hand;

  const setStock = (of: number, kind: keyof Stock, count: (now: number) => number) =>
    setStocks(stocks.map((stock, s) => (s === of ? { ...stock, [kind]: count(stock[kind] ?? 0) } : stock)));

  /** Of which kind of a stock a wall is. */
  const stockKind = (stock: Stock | undefined, wall: "horizontal" | "vertical") => (stock?.any === undefined ? wall : "any");

  /** Changes what is there, and says how. */
  const point = (spot: Spot): string => {
    const key = spotKey(undefined, spot.at);
    if (go) {
      const there = stones.find((s) => spotKey(undefined, s.at) === key);
      const others = stones.filter((s) => s !== there);
      const taken = there?.seat === seat;
      setStones(taken ? others : [...others, { seat, at: spot.at }]);
      return taken ? "taken away" : "placed";
    }
    if (spot.kind === "pawn") {
      setPawns(pawns.map((p) => (p.seat === seat && p.pawn === pawn ? { ...p, at: spot.at } : p)));
      return "the pawn is here";
    }
    if (isWall(spot.kind)) {
      const kind = spot.kind;
      const there = walls.find((w) => w.kind === kind && spotKey(undefined, w.at) === key);
      const from = there?.seat ?? seat;
      const stocked = stockKind(stocks[from], kind);
      if (!there && (stocks[from]?.[stocked] ?? 0) <= 0) {
        // Placed all the same, it would be one wall more as soon as it is taken away again.
        const why = `${picture.seats[from]!.title} has no ${stocked === "any" ? "" : `${stocked} `}walls left`;
        setRefusal(why);
        return why;
      }
      setWalls(there ? walls.filter((w) => w !== there) : [...walls, { kind, at: spot.at, action: -1, seat }]);
      // A wall on the board is one less in its player's hand.
      setStock(from, stocked, (now) => now + (there ? 1 : -1));
      return there ? "taken away" : "placed";
    }
    return "unchanged";
  };

  const start: Start = go
    ? { mover, stones }
    : { mover, phase, pawns: pawns.map(({ seat: s, at }) => ({ seat: s, at })), walls: walls.map(({ kind, at }) => ({ kind, at })), stocks };
  const { ko: _, ...rest } = picture;
  const shown: Picture = { ...rest, last: null, legal: [], illegal: [], ...(go ? { stones } : { pawns, walls, stocks }) };
  const clear = () => {
    if (go) return setStones([]);
    setWalls([]);
    // All walls are in their players' hands again.
    setStocks(
      stocks.map((stock, s) => {
        const back = { ...stock };
        for (const wall of walls.filter((one) => (one.seat ?? seat) === s)) {
          const kind = stockKind(stock, wall.kind);
          back[kind] = (back[kind] ?? 0) + 1;
        }
        return back;
      }),
    );
  };
  return { go, hand, setHand, mover, setMover, phase, setPhase, stocks, setStock, point, refusal, clear, start, shown };
}

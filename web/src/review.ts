// A review: every position of a game searched one after the other, and the moves that cost the most.
import { useEffect, useRef, useState } from "preact/hooks";
import { type Backend, type Line, patiently } from "./backend";
import type { Picture } from "./picture";

export interface Review {
  /** By ply: expected points of each seat; null: not searched yet. */
  values: (number[] | null)[];
  /** By ply: the move that the search would have played. */
  best: (string | null)[];
  done: boolean;
  message: string;
}

export interface BadMove {
  ply: number;
  seat: number;
  text: string;
  best: string | null;
  /** Points that the mover expected before and lost by it. */
  loss: number;
}

const WORST = 3;
const SMALLEST_LOSS = 0.05;

/** No further position is searched while `paused`. */
export function useReview(backend: Backend, line: Line, model: string | null, visits: number, paused: boolean): Review | null {
  const held = useRef(paused);
  held.current = paused;
  const [review, setReview] = useState<Review | null>(null);
  const key = JSON.stringify([line.game, line.start ?? null, line.moves, model, visits]);
  useEffect(() => {
    setReview(null);
    if (!model || visits === 0) return;
    const leave = new AbortController();
    const count = line.moves.length + 1;
    let now: Review = { values: Array(count).fill(null), best: Array(count).fill(null), done: false, message: "" };
    const change = (next: Partial<Review>) => {
      now = { ...now, ...next };
      if (!leave.signal.aborted) setReview(now);
    };
    const say = (why: string) => change({ message: why });
    const work = async () => {
      change({});
      for (let ply = 0; ply < count && !leave.signal.aborted; ply++) {
        while (held.current && !leave.signal.aborted) await new Promise((resolve) => setTimeout(resolve, 100));
        const there = { ...line, ply };
        const picture = await patiently(() => backend.position(there, leave.signal), leave.signal, say);
        if (picture.outcome) {
          change({ values: now.values.map((v, i) => (i === ply ? picture.outcome!.values : v)) });
          continue;
        }
        const search = () => backend.analyze(there, model, { visits, lines: 1 }, () => {}, leave.signal);
        const analysis = await patiently(search, leave.signal, say);
        change({
          message: "",
          values: now.values.map((v, i) => (i === ply ? analysis.values : v)),
          best: now.best.map((b, i) => (i === ply ? (analysis.candidates[0]?.text ?? null) : b)),
        });
      }
      change({ done: true });
    };
    work().catch((error) => leave.signal.aborted || change({ done: true, message: (error as Error).message }));
    return () => leave.abort();
  }, [backend, key]);
  return review;
}

/** The moves that cost their players the most. */
export function badMoves(review: Review, picture: Picture): BadMove[] {
  const bad: BadMove[] = [];
  picture.moves.forEach((move, ply) => {
    const before = review.values[ply]?.[move.seat];
    const after = review.values[ply + 1]?.[move.seat];
    if (before === undefined || after === undefined) return;
    const best = review.best[ply] ?? null;
    if (before - after >= SMALLEST_LOSS && best !== move.text) {
      bad.push({ ply, seat: move.seat, text: move.text, best, loss: before - after });
    }
  });
  return bad.sort((a, b) => b.loss - a.loss).slice(0, WORST);
}

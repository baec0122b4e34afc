// A review: every position of a game searched one after the other, and the moves that cost the most.
import { useEffect, useRef, useState } from "preact/hooks";
import { type Backend, type Line, patiently } from "./backend";
import type { Picture } from "./picture";
import { messageOf } from "./use_message";

export interface Review {
  /** By ply: expected points of each seat; null: not searched yet. */
  values: (number[] | null)[];
  /** By ply: the move that the search would have played. */
  best: (string | null)[];
  message: string;
}

/** What a search has found of a position. */
interface Found {
  values: number[];
  best: string | null;
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
  // By the moves that led to each position, so that a game which goes on is not searched from its beginning again.
  const known = useRef({ subject: "", found: new Map<string, Found>() });
  const subject = JSON.stringify([line.game, line.start ?? null, model, visits]);
  const moves = line.moves.join(" ");
  useEffect(() => {
    setReview(null);
    if (!model || visits === 0) return;
    const leave = new AbortController();
    if (known.current.subject !== subject) known.current = { subject, found: new Map() };
    const { found } = known.current;
    const prefixes = Array.from({ length: line.moves.length + 1 }, (_, ply) => line.moves.slice(0, ply).join(" "));
    const tell = (message: string) => {
      if (leave.signal.aborted) return;
      const all = prefixes.map((prefix) => found.get(prefix));
      setReview({ values: all.map((one) => one?.values ?? null), best: all.map((one) => one?.best ?? null), message });
    };
    const search = async (ply: number): Promise<Found> => {
      const there = { ...line, ply };
      const picture = await patiently(() => backend.position(there, leave.signal), leave.signal, tell);
      if (picture.outcome) return { values: picture.outcome.values, best: null };
      const analyze = () => backend.analyze(there, model, { visits, lines: 1 }, () => {}, leave.signal);
      const analysis = await patiently(analyze, leave.signal, tell);
      return { values: analysis.values, best: analysis.candidates[0]?.text ?? null };
    };
    const work = async () => {
      tell("");
      for (const [ply, prefix] of prefixes.entries()) {
        if (found.has(prefix)) continue;
        while (held.current && !leave.signal.aborted) await new Promise((resolve) => setTimeout(resolve, 100));
        if (leave.signal.aborted) return;
        found.set(prefix, await search(ply));
        tell("");
      }
    };
    work().catch((error) => tell(messageOf(error)));
    return () => leave.abort();
  }, [backend, subject, moves]);
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

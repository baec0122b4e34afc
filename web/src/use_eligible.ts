// Who can play a game: the server checks which models fit it, by the check of a choice.
import { useEffect, useState } from "preact/hooks";
import { type Backend, type Info, type ModelEntry, patiently } from "./backend";
import type { Eligible } from "./seats";
import { byKnowledge } from "./variant";

/** The run of a model that is a generation of one, as the server names them. */
const runOf = (id: string) => /^(r\d+)g\d+$/.exec(id)?.[1];

/** `byHand`: from a position that was set up, from which players without a model do not play. Fails where there is no
 * such game. */
export async function eligibleFor(
  backend: Backend,
  info: Info,
  game: string,
  byHand: boolean,
  signal?: AbortSignal,
): Promise<Eligible> {
  const able = await backend.modelsFor(game, signal);
  // The server judges the newest generation of a run. What it says is so of those that the page has known before, too.
  const runs = new Set(able.map(runOf));
  runs.delete(undefined);
  const fits = (model: ModelEntry) => able.includes(model.id) || runs.has(runOf(model.id));
  const models = byKnowledge(game, info.models.filter(fits));
  return { game, models, players: byHand ? [] : info.players };
}

/** The answer that came last, which may still be about the game before; null: none yet. */
export function useEligible(backend: Backend, info: Info, game: string, byHand: boolean): Eligible | null {
  const [eligible, setEligible] = useState<Eligible | null>(null);
  useEffect(() => {
    const leave = new AbortController();
    patiently(() => eligibleFor(backend, info, game, byHand, leave.signal), leave.signal).then(
      (found) => leave.signal.aborted || setEligible(found),
      () => {}, // While a variant is typed it may be none; whoever begins it hears why.
    );
    return () => leave.abort();
  }, [backend, info, game, byHand]);
  return eligible;
}

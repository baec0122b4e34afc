// How a game ended, besides what its rules say: somebody gave it up, or a record has another result.
import type { Picture } from "./picture";

/** How the game ended behind all its moves, besides what its rules say of the position there. */
export interface Ending {
  /** The seat that gave the game up. */
  resigned: number | null;
  /** Else the result that the record has which was loaded; empty where there is none. */
  recorded: string;
  /** The rules end that game, too: nobody can go on from there, whoever sits at the table. */
  settled: boolean;
}
export const GOES_ON: Ending = { resigned: null, recorded: "", settled: false };

/** Whether a person or a record has ended the game. "?" and "Void" are results of games that may go on. */
export const isOver = ({ resigned, recorded }: Ending) => resigned !== null || !/^(|\?|void)$/i.test(recorded);

export const resignation = (seat: number | null): Ending => ({ ...GOES_ON, resigned: seat });

/** What a record's result means: "B+R" and "0-1" name who won, "W+T" and "B+3.5" more than the page can show. Where the
 * rules end the game, nobody has given it up, and players of Go may have agreed on another count. */
export function endingOf(result: string, { players, outcome }: Picture): Ending {
  const winner = /^(B\+R(esign)?|1-0)$/i.test(result) ? 0 : /^(W\+R(esign)?|0-1)$/i.test(result) ? 1 : null;
  if (players === 2 && winner !== null && !outcome) return resignation(1 - winner);
  return { resigned: null, recorded: result, settled: outcome !== null };
}

// What the page says of a game: whose turn it is, what was played, what may be typed.
import type { Info } from "./backend";
import { type Ending, isOver } from "./ending";
import type { Move, Picture } from "./picture";
import { type Sitter, sitterName } from "./seats";
import type { GameState } from "./use_game";
import { placeName } from "./view";

/** "1 wall", "2 walls". */
export const counted = (count: number, one: string, many = `${one}s`) =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** Of a share. */
export const percent = (share: number) => `${(100 * share).toFixed(1)}%`;

const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const PHASES: Record<string, string> = {
  wall: " places a wall",
  // No rule takes dead stones off here: whoever wants them gone captures them.
  cleanup: " to move, capture dead stones now, then pass",
};

const seatName = (picture: Picture, seat: number) => capital(picture.seats[seat]!.title);

/** Whether a record's result is that of the rules; only in Go it can be another one. */
function isRules(recorded: string, winner: number | null, score: Picture["score"]): boolean {
  if (!score) return true;
  if (winner === null) return /^(0|draw)$/i.test(recorded);
  const [who, margin] = recorded.split("+");
  return who!.toUpperCase() === "BW"[winner] && Number(margin) === Math.abs(score.lead);
}

/** Why a game is drawn, where the board does not show it. */
function drawReason({ outcome, game_ply, score }: Picture): string {
  if (outcome?.reason === "repetition") return ": this position has come up as often as makes one";
  if (outcome?.reason === "ply_cap" && !score) return `: no game goes on after ${counted(game_ply, "ply", "plies")}`;
  return "";
}

/** How the rules end the game, beside what a record may say. */
function outcomeText(picture: Picture, winner: number | null, recorded: string): string {
  const lead = picture.score ? ` by ${counted(Math.abs(picture.score.lead), "point")}` : "";
  const text = winner === null ? `A draw${drawReason(picture)}` : `${seatName(picture, winner)} wins${lead}`;
  if (!recorded || recorded === "?" || isRules(recorded, winner, picture.score)) return text;
  return `The record's result is ${recorded}; as the rules count this board: ${text}`;
}

export function resultText(picture: Picture, ending: Ending): string {
  const { resigned, recorded } = ending;
  if (resigned !== null) return `${seatName(picture, resigned)} gives the game up`;
  if (picture.outcome) return outcomeText(picture, picture.outcome.winner, recorded);
  return isOver(ending) ? `The record ends here, with the result ${recorded}` : "";
}

export function statusText(picture: Picture, game: GameState, info: Info): string {
  const result = resultText(picture, game.endingHere);
  if (result) return result;
  const mover = picture.mover!;
  const who = `${capital(picture.seats[mover]!.title)}${PHASES[picture.phase ?? ""] ?? " to move"}`;
  const sitter = game.sitters[mover] ?? null;
  if (!sitter) return who;
  const name = sitterName(sitter, info);
  if (game.refused) return `${who}: ${name} cannot play here, choose another`;
  return `${who}: ${name} ${game.line.ply < game.line.moves.length ? "waits until you go on" : "is thinking"}`;
}

/** The moves that led here and that nobody at the page has made, from the mover's last turn on; passes in any case,
 * since the board does not show them. */
function movesToTell(picture: Picture, sitters: Sitter[]): Move[] {
  const before = picture.moves.slice(0, picture.ply);
  const last = before.at(-1);
  const news: Move[] = [];
  for (const move of before.reverse()) {
    const heard = !sitters[move.seat] && !(move === last && move.kind === "pass");
    const earlier = picture.mover === null ? move.seat !== last!.seat : move.seat === picture.mover;
    if (heard || earlier) break;
    news.unshift(move);
  }
  return news;
}

/** "Player 2 played e3", "White passed"; empty where the person knows what was played. */
export function playedText(picture: Picture, sitters: Sitter[]): string {
  const turns: Move[][] = [];
  for (const move of movesToTell(picture, sitters)) {
    if (turns.at(-1)?.[0]!.seat === move.seat) turns.at(-1)!.push(move);
    else turns.push([move]);
  }
  return turns
    .map((moves) => {
      const what = moves[0]!.kind === "pass" ? "passed" : `played ${moves.map((move) => move.text).join(" and ")}`;
      return `${capital(picture.seats[moves[0]!.seat]!.title)} ${what}`;
    })
    .join(", ");
}

/** A hint of how moves are written, by the first legal one of each kind. */
export function exampleText(picture: Picture): string {
  const first = (...kinds: string[]) => picture.legal?.find((action) => kinds.includes(action.kind!))?.text;
  const words = [first("pawn", "stone"), first("horizontal", "vertical"), first("pass")].filter((text) => text);
  return words.length > 0 ? `a move, as ${words.join(" or ")}` : "a move";
}

/** The action that a typed text means: a square alone is enough where one pawn can go there. */
export function meantText(picture: Picture, text: string): string {
  const square = text.toLowerCase();
  const pawns = picture.legal?.filter((action) => action.kind === "pawn") ?? [];
  const there = pawns.filter((action) => placeName(picture.board, "pawn", action.at!) === square);
  return there.length === 1 ? there[0]!.text : text;
}

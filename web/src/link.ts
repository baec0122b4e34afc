// A game as an address: the game, its moves and who sits where, behind "#play?".
import type { Line, Start } from "./backend";
import { parseSitter, type Sitter, sitterKey } from "./seats";

/** The plies that a link shows, of so many moves; all of them where it says no number of these. */
function plyOfLink(text: string | null, moves: number): number {
  return text !== null && /^\d+$/.test(text) ? Math.min(Number(text), moves) : moves;
}

function startOfLink(text: string): Start {
  try {
    return JSON.parse(text) as Start;
  } catch {
    throw new Error("The link is damaged: the position that it names cannot be read.");
  }
}

/** The game that a link names; null where it names none. Fails where it is damaged. */
export function lineOfLink(query: URLSearchParams): { line: Line; sitters: Sitter[] | null } | null {
  const game = query.get("game");
  if (!game) return null;
  const moves = (query.get("moves") ?? "").split(" ").filter((move) => move !== "");
  const sitters = query.get("seats")?.split(" ").filter((seat) => seat !== "").map(parseSitter) ?? null;
  const line: Line = { game, moves, ply: plyOfLink(query.get("ply"), moves.length) };
  const start = query.get("start");
  if (start) line.start = startOfLink(start);
  return { line, sitters };
}

/** The part behind the page's own address. */
export function hashOf(line: Line, sitters: Sitter[]): string {
  const seats = sitters.map(sitterKey).join(" ");
  const query = new URLSearchParams({ game: line.game, moves: line.moves.join(" "), seats });
  if (line.ply < line.moves.length) query.set("ply", String(line.ply));
  if (line.start) query.set("start", JSON.stringify(line.start));
  return `#play?${query}`;
}

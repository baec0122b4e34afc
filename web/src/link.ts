// A game as an address: the game, its moves and who sits where, behind "#play?".
import type { Line } from "./backend";
import { parseSitter, type Sitter, sitterKey } from "./seats";

/** The game that a link names; null where it names none. */
export function lineOfLink(query: URLSearchParams): { line: Line; sitters: Sitter[] | null } | null {
  const game = query.get("game");
  if (!game) return null;
  const moves = (query.get("moves") ?? "").split(" ").filter((move) => move !== "");
  const sitters = query.get("seats")?.split(" ").filter((seat) => seat !== "").map(parseSitter) ?? null;
  const line: Line = { game, moves, ply: Number(query.get("ply") ?? moves.length) };
  try {
    const start = query.get("start");
    if (start) line.start = JSON.parse(start);
  } catch {
    return null;
  }
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

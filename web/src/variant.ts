// Variant strings out of what a form says: "quoridor:5x5,walls=3".
import type { GameEntry, ModelEntry } from "./backend";

export interface GameChoice {
  id: string;
  columns: number;
  rows: number;
  walls: number;
  /** Further settings, as they are written: "repetition=3,komi=5.5". */
  more: string;
  rules: string;
  players: number;
}

export function defaults(game: GameEntry): GameChoice {
  return {
    id: game.id,
    columns: Number(game.rules.columns),
    rows: Number(game.rules.rows),
    walls: Number(game.rules.walls ?? 0),
    players: game.players,
    more: "",
    rules: "",
  };
}

/** What a variant string says, over the game's own values. */
export function parseVariant(variant: string, games: readonly GameEntry[]): GameChoice | null {
  const [id, rest = ""] = variant.split(":", 2) as [string, string?];
  const game = games.find((g) => g.id === id);
  if (!game) return null;
  const choice = defaults(game);
  const more: string[] = [];
  for (const part of rest.split(",").filter((p) => p !== "")) {
    const size = /^(\d+)x(\d+)$/.exec(part);
    const [key, value] = part.split("=");
    if (size) {
      choice.columns = Number(size[1]);
      choice.rows = Number(size[2]);
    } else if (key === "walls") choice.walls = Number(value);
    else if (key === "players") choice.players = Number(value);
    else if (value === undefined) choice.rules = part;
    else more.push(part);
  }
  choice.more = more.join(",");
  return choice;
}

/** Those first that know the game best: they learned this variant, alone or among others, or it on other boards. */
export function byKnowledge(variant: string, models: readonly ModelEntry[]): ModelEntry[] {
  const id = (name: string) => name.split(":")[0];
  const distance = (model: ModelEntry) => {
    if (learned(variant, model)) return model.games ? 1 : 0;
    return id(model.game) === id(variant) ? 2 : 3;
  };
  return [...models].sort((a, b) => distance(a) - distance(b));
}

/** Whether the model was trained on just this variant, which it therefore can play. */
export function learned(variant: string, model: ModelEntry): boolean {
  return model.game === variant || (model.games?.includes(variant) ?? false);
}

export function variantOf(choice: GameChoice, game: GameEntry): string {
  const parts: string[] = [];
  if (choice.columns !== Number(game.rules.columns) || choice.rows !== Number(game.rules.rows)) {
    parts.push(`${choice.columns}x${choice.rows}`);
  }
  if (choice.rules) parts.push(choice.rules);
  if (game.rules.walls !== undefined && choice.walls !== Number(game.rules.walls)) parts.push(`walls=${choice.walls}`);
  if (game.family === "wall" && choice.players !== game.players) parts.push(`players=${choice.players}`);
  if (choice.more.trim()) parts.push(choice.more.trim());
  return parts.length ? `${game.id}:${parts.join(",")}` : game.id;
}

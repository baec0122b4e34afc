// Who sits where: a person, a model at a level, or a player without a model.
import type { Chooser, Info, ModelEntry } from "./backend";

/** null: a person. */
export type Sitter = Chooser | null;

/** Who can play a game, besides persons. */
export interface Eligible {
  game: string;
  /** The one that knows the game best comes first. */
  models: ModelEntry[];
  /** Those without a model. */
  players: string[];
}

/** As one word, for a form's options and links. */
export function sitterKey(sitter: Sitter): string {
  if (!sitter) return "person";
  return sitter.player === "model" ? `model/${sitter.model}/${sitter.level}` : sitter.player;
}

export function parseSitter(key: string): Sitter {
  if (key === "person") return null;
  const [player, model, level = "hard"] = key.split("/");
  if (player !== "model") return { player: player! };
  return model ? { player, model, level } : null;
}

export function sitterName(sitter: Sitter, info: Info): string {
  if (!sitter) return "You";
  if (sitter.player !== "model") return sitter.player;
  const model = info.models.find((m) => m.id === sitter.model);
  return `${model?.name ?? sitter.model}, ${sitter.level}`;
}

export function canSit(sitter: Sitter, { models, players }: Eligible): boolean {
  if (!sitter) return true;
  return sitter.player === "model" ? models.some((m) => m.id === sitter.model) : players.includes(sitter.player);
}

/** The best model, else the player without a model that is worth playing against, else a person. */
export function opponent({ models, players }: Pick<Eligible, "models" | "players">, level = "hard"): Sitter {
  const model = models[0];
  if (model) return { player: "model", model: model.id, level };
  return players.includes("greedy") ? { player: "greedy" } : null;
}

/** The sitter where it can play the game, else who comes nearest to it. */
export function seatable(sitter: Sitter, eligible: Eligible): Sitter {
  return canSit(sitter, eligible) ? sitter : opponent(eligible, sitter?.level);
}

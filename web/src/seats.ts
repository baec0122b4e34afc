// Who sits where: a person, a model at a level, or a player without a model.
import type { Chooser, Info } from "./backend";

/** null: a person. */
export type Sitter = Chooser | null;

/** As one word, for a form's options and links. */
export function sitterKey(sitter: Sitter): string {
  if (!sitter) return "person";
  return sitter.player === "model" ? `model/${sitter.model}/${sitter.level}` : sitter.player;
}

export function parseSitter(key: string): Sitter {
  if (key === "person") return null;
  const [player, model, level] = key.split("/");
  return player === "model" ? { player, model: model!, level: level! } : { player: player! };
}

export function sitterName(sitter: Sitter, info: Info): string {
  if (!sitter) return "You";
  if (sitter.player !== "model") return sitter.player;
  const model = info.models.find((m) => m.id === sitter.model);
  return `${model?.name ?? sitter.model}, ${sitter.level}`;
}

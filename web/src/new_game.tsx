// The form of a new game: which game, how large, who sits where.
import { useState } from "preact/hooks";
import type { Backend, Info } from "./backend";
import { opponent, seatable, type Sitter } from "./seats";
import { SitterSelect } from "./sitter_select";
import { eligibleFor, useEligible } from "./use_eligible";
import { useLeave } from "./use_leave";
import { messageOf } from "./use_message";
import { defaults, type GameChoice, learned, parseVariant, variantOf } from "./variant";

const MOST_PLAYERS = 4;

/** The variant of a fresh page: the first model's own. */
export function firstVariant(info: Info): string {
  return info.models[0]?.game ?? "quoridor:5x5,walls=3";
}

/** A person and opponents that can certainly play this variant, as many as any game may have. */
export function firstSitters(info: Info, variant: string): Sitter[] {
  const models = info.models.filter((model) => learned(variant, model));
  return against(opponent({ models, players: info.players }));
}

function against(other: Sitter): Sitter[] {
  return [null, ...Array<Sitter>(MOST_PLAYERS - 1).fill(other)];
}

interface VariantFieldsProps {
  info: Info;
  choice: GameChoice;
  /** It is a game of walls. */
  walls: boolean;
  onChange: (choice: GameChoice) => void;
  /** Another game is chosen. */
  onTake: (id: string) => void;
}

/** Which game, how large, and by which rules. */
function VariantFields({ info, choice, walls, onChange, onTake }: VariantFieldsProps) {
  const number = (key: "columns" | "rows" | "walls" | "players", label: string, low: number, high: number) => (
    <label>
      {label}
      <input
        type="number"
        min={low}
        max={high}
        required
        value={choice[key]}
        onInput={(event) => onChange({ ...choice, [key]: Number(event.currentTarget.value) })}
      />
    </label>
  );
  return (
    <>
      <label>
        Game
        <select value={choice.id} onChange={(event) => onTake(event.currentTarget.value)}>
          {info.games.map((g) => (
            <option value={g.id}>{g.title}</option>
          ))}
        </select>
      </label>
      <div class="row">
        {number("columns", "Columns", walls ? 3 : 1, walls ? 11 : 19)}
        {number("rows", "Rows", walls ? 3 : 1, walls ? 14 : 19)}
        {walls && number("walls", "Walls each", 0, 31)}
        {walls && number("players", "Players", 2, 4)}
      </div>
      {!walls && (
        <label>
          Rules
          <select value={choice.rules} onChange={(event) => onChange({ ...choice, rules: event.currentTarget.value })}>
            {["", "chinese", "japanese", "leaflet", "leaflet-strict"].map((name) => (
              <option value={name}>{name || "tromp-taylor"}</option>
            ))}
          </select>
        </label>
      )}
      <label>
        Further rules
        <input
          type="text"
          placeholder={walls ? "repetition=3" : "komi=5.5,handicap=2"}
          value={choice.more}
          onInput={(event) => onChange({ ...choice, more: event.currentTarget.value })}
        />
      </label>
    </>
  );
}

interface NewGameProps {
  backend: Backend;
  info: Info;
  variant: string;
  sitters: Sitter[];
  /** Fails where the game is refused. `signal`: the form is gone, and nobody wants the game any more. */
  onBegin: (variant: string, sitters: Sitter[], signal: AbortSignal) => Promise<void>;
  onCancel: () => void;
}

export function NewGame({ backend, info, variant, sitters, onBegin, onCancel }: NewGameProps) {
  const [choice, setChoice] = useState<GameChoice>(
    () => parseVariant(variant, info.games) ?? defaults(info.games[0]!),
  );
  const [seated, setSeated] = useState<Sitter[]>(sitters);
  const [message, setMessage] = useState("");
  const leave = useLeave();
  const game = info.games.find((g) => g.id === choice.id)!;
  const walls = game.family === "wall";
  // While a number is typed it may be anything. A further player is of the kind of the last one.
  const players = Math.min(Math.max(choice.players, 2), MOST_PLAYERS);
  const wanted = Array.from({ length: players }, (_, i) => seated[Math.min(i, seated.length - 1)] ?? null);
  const eligible = useEligible(backend, info, variantOf(choice, game), false);
  const seats = eligible ? wanted.map((sitter) => seatable(sitter, eligible)) : wanted;
  const take = (id: string) => {
    const next = info.games.find((g) => g.id === id)!;
    // A model's own board, where there is one of this game.
    const known = info.models.find((m) => m.game.split(":")[0] === id);
    const chosen = (known && parseVariant(known.game, info.games)) ?? defaults(next);
    setChoice(chosen);
    // Where this model cannot play, who comes nearest to it sits there.
    setSeated(against({ player: "model", model: known?.id ?? "", level: "hard" }));
  };
  const begin = async () => {
    const next = variantOf(choice, game);
    // What is shown may still be about the variant that was typed before.
    const able = await eligibleFor(backend, info, next, false, leave);
    await onBegin(next, wanted.map((sitter) => seatable(sitter, able)), leave);
  };
  return (
    <form
      class="card form"
      aria-label="New game"
      onSubmit={(event) => {
        event.preventDefault();
        setMessage("");
        begin().catch((error) => setMessage(messageOf(error)));
      }}
    >
      <h2>New game</h2>
      <VariantFields info={info} choice={choice} walls={walls} onChange={setChoice} onTake={take} />
      {seats.map((sitter, seat) => (
        <SitterSelect
          info={info}
          eligible={eligible}
          value={sitter}
          label={walls ? `Player ${seat + 1}` : seat === 0 ? "Black" : "White"}
          onChange={(next) => setSeated(wanted.map((old, i) => (i === seat ? next : old)))}
        />
      ))}
      <div class="row">
        <button class="main" type="submit">Begin</button>
        <button type="button" onClick={onCancel}>Cancel</button>
      </div>
      {message && <p class="objection" role="alert">{message}</p>}
    </form>
  );
}

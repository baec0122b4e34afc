// The form of a new game: which game, how large, who sits where.
import { useState } from "preact/hooks";
import type { Info } from "./backend";
import { parseSitter, type Sitter, sitterKey } from "./seats";
import { defaults, type GameChoice, modelFor, parseVariant, variantOf } from "./variant";

/** The variant of a fresh page: the first model's own. */
export function firstVariant(info: Info): string {
  return info.models[0]?.game ?? "quoridor:5x5,walls=3";
}

export function firstSitters(info: Info, players: number): Sitter[] {
  const model = info.models[0];
  const other: Sitter = model ? { player: "model", model: model.id, level: "hard" } : { player: "greedy" };
  return Array.from({ length: players }, (_, seat) => (seat === 0 ? null : other));
}

/** Models of the game's family first know the game; others are refused by the server with a reason. */
function sitterOptions(info: Info, family: string) {
  const models = info.models.filter((m) => (m.game.startsWith("go") ? "go" : "wall") === family);
  return (
    <>
      <option value="person">A person</option>
      {models.map((model) => (
        <optgroup label={`${model.name} (${model.game})`}>
          {info.levels.map((level) => (
            <option value={`model/${model.id}/${level.name}`}>
              {model.name}, {level.name}
            </option>
          ))}
        </optgroup>
      ))}
      <optgroup label="Without a model">
        {info.players.map((player) => (
          <option value={player}>{player}</option>
        ))}
      </optgroup>
    </>
  );
}

export function SitterSelect(props: { info: Info; family: string; value: Sitter; label: string; onChange: (s: Sitter) => void }) {
  return (
    <label>
      {props.label}
      <select
        value={sitterKey(props.value)}
        onChange={(event) => props.onChange(parseSitter(event.currentTarget.value))}
      >
        {sitterOptions(props.info, props.family)}
      </select>
    </label>
  );
}

interface NewGameProps {
  info: Info;
  variant: string;
  sitters: Sitter[];
  /** Fails where the game is refused. */
  onBegin: (variant: string, sitters: Sitter[]) => Promise<void>;
  onCancel: () => void;
}

export function NewGame({ info, variant, sitters, onBegin, onCancel }: NewGameProps) {
  const [choice, setChoice] = useState<GameChoice>(
    () => parseVariant(variant, info.games) ?? defaults(info.games[0]!),
  );
  const [seated, setSeated] = useState<Sitter[]>(sitters);
  const [message, setMessage] = useState("");
  const game = info.games.find((g) => g.id === choice.id)!;
  const walls = game.family === "wall";
  // While a number is typed it may be anything. A further player is of the kind of the last one.
  const players = Math.min(Math.max(choice.players, 2), 4);
  const seats = Array.from({ length: players }, (_, i) => seated[Math.min(i, seated.length - 1)] ?? null);
  const number = (key: "columns" | "rows" | "walls" | "players", label: string, low: number, high: number) => (
    <label>
      {label}
      <input
        type="number"
        min={low}
        max={high}
        required
        value={choice[key]}
        onInput={(event) => setChoice({ ...choice, [key]: Number(event.currentTarget.value) })}
      />
    </label>
  );
  const take = (id: string) => {
    const next = info.games.find((g) => g.id === id)!;
    // A model's own board, where there is one of this game.
    const known = info.models.find((m) => m.game.split(":")[0] === id);
    const chosen = (known && parseVariant(known.game, info.games)) ?? defaults(next);
    setChoice(chosen);
    const model = known ?? modelFor(id, info.models);
    const other: Sitter = model ? { player: "model", model: model.id, level: "hard" } : { player: "greedy" };
    setSeated(Array.from({ length: 4 }, (_, i) => (i === 0 ? null : other)));
  };
  return (
    <form
      class="card form"
      aria-label="New game"
      onSubmit={(event) => {
        event.preventDefault();
        setMessage("");
        onBegin(variantOf(choice, game), seats).catch((error) => setMessage((error as Error).message));
      }}
    >
      <h2>New game</h2>
      <label>
        Game
        <select value={choice.id} onChange={(event) => take(event.currentTarget.value)}>
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
          <select value={choice.rules} onChange={(event) => setChoice({ ...choice, rules: event.currentTarget.value })}>
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
          onInput={(event) => setChoice({ ...choice, more: event.currentTarget.value })}
        />
      </label>
      {seats.map((sitter, seat) => (
        <SitterSelect
          info={info}
          family={game.family}
          value={sitter}
          label={walls ? `Player ${seat + 1}` : seat === 0 ? "Black" : "White"}
          onChange={(next) => setSeated(seats.map((old, i) => (i === seat ? next : old)))}
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

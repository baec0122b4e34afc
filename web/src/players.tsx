// Who sits where, what each player has left, and what each may expect.
import type { Info } from "./backend";
import type { Picture } from "./picture";
import type { Eligible, Sitter } from "./seats";
import { SitterSelect } from "./sitter_select";
import { counted, percent } from "./words";

function stockText(picture: Picture, seat: number): string {
  const stock = picture.stocks?.[seat];
  const parts: string[] = [];
  if (stock?.any !== undefined) parts.push(counted(stock.any, "wall"));
  if (stock?.horizontal !== undefined) {
    parts.push(`${stock.horizontal} horizontal, ${counted(stock.vertical!, "vertical wall")}`);
  }
  if (picture.distances) parts.push(`${picture.distances[seat]} to go`);
  if (picture.prisoners) parts.push(counted(picture.prisoners[seat]!, "prisoner"));
  if (picture.stones_left) parts.push(`${counted(picture.stones_left[seat]!, "stone")} left`);
  return parts.join(", ");
}

interface PlayersProps {
  picture: Picture;
  sitters: Sitter[];
  info: Info;
  /** null: not known yet. */
  eligible: Eligible | null;
  thinking: number | null;
  values: number[] | null;
  onSit: (seat: number, sitter: Sitter) => void;
}

export function Players({ picture, sitters, info, eligible, thinking, values, onSit }: PlayersProps) {
  return (
    <ul class="players" aria-label="Players">
      {picture.seats.map((seat, i) => (
        <li class={picture.mover === i ? "mover" : ""}>
          <span class={`chip seat${i} ${picture.family}`} aria-hidden="true">{picture.family === "go" ? "" : i + 1}</span>
          <span class="who">
            <SitterSelect
              info={info}
              eligible={eligible}
              value={sitters[i] ?? null}
              label={<strong>{seat.title}</strong>}
              onChange={(sitter) => onSit(i, sitter)}
            />
            {thinking === i && <span class="thinking"> is thinking</span>}
            <small>{stockText(picture, i)}</small>
          </span>
          {values && (
            <span class="chance" title="expected points by the search">
              <meter min={0} max={1} value={values[i]} aria-label={`${seat.title}'s expected points`} class={`seat${i}`} />
              {percent(values[i]!)}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** One bar, divided among the players by what the search expects. */
export function WinBar({ picture, values }: { picture: Picture; values: number[] }) {
  const sum = values.reduce((a, b) => a + b, 0) || 1;
  const words = picture.seats.map((seat, i) => `${seat.title} ${percent(values[i]!)}`).join(", ");
  return (
    <div class="winbar" role="img" aria-label={`Expected points: ${words}`}>
      {picture.seats.map((_, i) => (
        <span class={`seat${i} ${picture.family}`} style={{ width: `${(100 * values[i]!) / sum}%` }} />
      ))}
    </div>
  );
}

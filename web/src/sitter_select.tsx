// The choice of who sits in a seat.
import type { ComponentChildren } from "preact";
import type { Info } from "./backend";
import { canSit, type Eligible, parseSitter, type Sitter, sitterKey, sitterName } from "./seats";

interface SitterSelectProps {
  info: Info;
  /** null: not known yet. */
  eligible: Eligible | null;
  value: Sitter;
  label: ComponentChildren;
  onChange: (sitter: Sitter) => void;
}

export function SitterSelect({ info, eligible, value, label, onChange }: SitterSelectProps) {
  const known = !value || value.player !== "model" || info.levels.some((level) => level.name === value.level);
  const listed = !value || (known && eligible && canSit(value, eligible));
  return (
    <label>
      {label}
      <select
        value={sitterKey(value)}
        title={value ? sitterName(value, info) : undefined}
        onChange={(event) => onChange(parseSitter(event.currentTarget.value))}
      >
        <option value="person">A person</option>
        {!listed && <option value={sitterKey(value)}>{sitterName(value, info)}</option>}
        {eligible?.models.map((model) => (
          <optgroup key={model.id} label={`${model.name} (${model.game})`}>
            {info.levels.map((level) => (
              <option value={`model/${model.id}/${level.name}`}>
                {model.name}, {level.name}
              </option>
            ))}
          </optgroup>
        ))}
        {eligible && eligible.players.length > 0 && (
          <optgroup key="plain" label="Without a model">
            {eligible.players.map((player) => (
              <option value={player}>{player}</option>
            ))}
          </optgroup>
        )}
      </select>
    </label>
  );
}

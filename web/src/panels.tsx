// What is beside the board: players and their chances, the moves, what the search says, the course of a game.
import { useEffect, useRef } from "preact/hooks";
import type { Info } from "./backend";
import type { Analysis, Move, Picture } from "./picture";
import type { Eligible, Sitter } from "./seats";
import { SitterSelect } from "./sitter_select";

const percent = (value: number) => `${(100 * value).toFixed(1)}%`;

function stockText(picture: Picture, seat: number): string {
  const stock = picture.stocks?.[seat];
  const parts: string[] = [];
  if (stock?.any !== undefined) parts.push(`${stock.any} wall${stock.any === 1 ? "" : "s"}`);
  if (stock?.horizontal !== undefined) parts.push(`${stock.horizontal} horizontal, ${stock.vertical} vertical walls`);
  if (picture.distances) parts.push(`${picture.distances[seat]} to go`);
  if (picture.prisoners) parts.push(`${picture.prisoners[seat]} prisoner${picture.prisoners[seat] === 1 ? "" : "s"}`);
  if (picture.stones_left) parts.push(`${picture.stones_left[seat]} stones left`);
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

interface MovesProps {
  picture: Picture;
  ply: number;
  marks: ReadonlyMap<number, string>;
  onGoTo: (ply: number) => void;
}

/** All moves; `marks` has, by ply, what is to be said of a move. */
export function Moves({ picture, ply, marks, onGoTo }: MovesProps) {
  const { moves, family } = picture;
  const list = useRef<HTMLOListElement>(null);
  // By the list's own scroll position, since scrollIntoView() would move the page, too.
  useEffect(() => {
    const all = list.current;
    if (!all) return;
    const here = all.querySelector(".here")?.getBoundingClientRect();
    const frame = all.getBoundingClientRect();
    if (!here) all.scrollTop = 0;
    else if (here.top < frame.top) all.scrollTop -= frame.top - here.top;
    else if (here.bottom > frame.bottom) all.scrollTop += here.bottom - frame.bottom;
  }, [ply, moves.length]);
  if (moves.length === 0) return <p class="quiet">No move yet.</p>;
  return (
    <ol ref={list} class={`moves ${family}`} aria-label="Moves">
      {moves.map((move, i) => (
        <li>
          <button
            class={`seat${move.seat} ${i + 1 === ply ? "here" : ""} ${i + 1 > ply ? "undone" : ""} ${marks.has(i) ? "bad" : ""}`}
            aria-current={i + 1 === ply ? "step" : undefined}
            title={marks.get(i) ?? ""}
            onClick={() => onGoTo(i + 1)}
          >
            <span class="number">{i + 1}</span> {move.text}
            {marks.has(i) && <span class="visually-hidden"> ({marks.get(i)})</span>}
          </button>
        </li>
      ))}
    </ol>
  );
}

interface CandidatesProps {
  analysis: Analysis;
  onPlay: ((text: string) => void) | null;
  onLook: (line: readonly Move[] | null) => void;
}

export function Candidates({ analysis, onPlay, onLook }: CandidatesProps) {
  // A row that goes away under the mouse sends no mouseleave.
  useEffect(() => () => onLook(null), []);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Candidates">
      <table class="candidates">
        <caption>
          {analysis.nodes.toLocaleString("en")} visits{analysis.proven ? ", proven" : ""}
        </caption>
        <thead>
          <tr>
            <th scope="col">Move</th>
            <th scope="col">Wins</th>
            <th scope="col">Visits</th>
            <th scope="col">Network</th>
            <th scope="col">Expected play</th>
          </tr>
        </thead>
        <tbody>
          {analysis.candidates.slice(0, 5).map((candidate) => (
            <tr
              onMouseEnter={() => onLook(candidate.line ?? null)}
              onMouseLeave={() => onLook(null)}
              onFocusIn={() => onLook(candidate.line ?? null)}
              onFocusOut={() => onLook(null)}
            >
              <th scope="row">
                {onPlay ? (
                  <button class="link" onClick={() => onPlay(candidate.text)}>{candidate.text}</button>
                ) : (
                  candidate.text
                )}
              </th>
              <td>{candidate.visits > 0 || candidate.proven ? percent(candidate.value) : "-"}</td>
              <td>{candidate.visits}</td>
              <td>{percent(candidate.prior)}</td>
              <td class="line">{candidate.line?.slice(1, 7).map((move) => move.text).join(" ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface GraphProps {
  picture: Picture;
  /** By ply: expected points of each seat; null where it is not known yet. */
  values: readonly (readonly number[] | null)[];
  ply: number;
  marks: ReadonlyMap<number, string>;
  onGoTo: (ply: number) => void;
}

/** The expected points of each seat over the game. */
export function Graph({ picture, values, ply, marks, onGoTo }: GraphProps) {
  const width = 600;
  const height = 150;
  const x = (at: number) => (values.length < 2 ? 0 : (at / (values.length - 1)) * width);
  const y = (value: number) => height - value * height;
  const seats = picture.players === 2 ? [0] : picture.seats.map((_, i) => i);
  const path = (seat: number) =>
    values
      .map((value, at) => (value ? `${at === 0 || !values[at - 1] ? "M" : "L"}${x(at).toFixed(1)} ${y(value[seat]!).toFixed(1)}` : ""))
      .join("");
  const known = values.filter((value) => value !== null).length;
  return (
    <svg
      class="graph"
      viewBox={`-4 -6 ${width + 8} ${height + 12}`}
      role="img"
      aria-label={`Expected points over ${values.length - 1} plies, ${known} known, ${marks.size} marked as bad moves`}
      onClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        onGoTo(Math.round(((event.clientX - box.left) / box.width) * (values.length - 1)));
      }}
    >
      <path class="middle" d={`M0 ${height / 2}H${width}`} />
      <path class="frame" d={`M0 0H${width}V${height}H0Z`} />
      {seats.map((seat) => (
        <path class={`course seat${seat} ${picture.family}`} d={path(seat)} />
      ))}
      {[...marks.keys()].map((at) => {
        const value = values[at + 1] ?? values[at];
        const seat = picture.players === 2 ? 0 : (picture.moves[at]?.seat ?? 0);
        return value && <circle class="bad" cx={x(at + 1)} cy={y(value[seat]!)} r={6} />;
      })}
      <path class="now" d={`M${x(ply)} 0V${height}`} />
    </svg>
  );
}

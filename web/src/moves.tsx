// The list of moves, and the course of the game over them.
import { useEffect, useRef } from "preact/hooks";
import type { Picture } from "./picture";
import { counted } from "./words";

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
      aria-label={`Expected points over ${counted(values.length - 1, "ply", "plies")}, ${known} known, ${marks.size} marked as bad moves`}
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

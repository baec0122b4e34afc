// A chart of one figure of several runs: a line for each, with its 95% interval where there is one.
import { useState } from "preact/hooks";

export interface ChartPoint {
  x: number;
  y: number;
  /** Half the 95% interval; 0: unknown. */
  error: number;
}
export interface ChartLine {
  name: string;
  /** Its colour and dashes, which a run has in all charts. */
  style: number;
  /** At least one. */
  points: ChartPoint[];
}

/** Round numbers that divide [low, high] into four to eight parts, or fewer of at least `least` each. */
function ticks(low: number, high: number, least = 0): number[] {
  const span = high - low || 1;
  const power = 10 ** Math.floor(Math.log10(span / 4));
  const step = Math.max([1, 2, 5, 10].map((m) => m * power).find((s) => span / s <= 6) ?? 10 * power, least);
  const result = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-9; at += step) result.push(Math.abs(at) < step * 1e-9 ? 0 : at);
  return result;
}

export function numberText(value: number): string {
  const size = Math.abs(value);
  if (size >= 10_000) return value.toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 });
  if (size >= 100 || Number.isInteger(value)) return value.toLocaleString("en", { maximumFractionDigits: 0 });
  return String(Number(value.toPrecision(3)));
}

const COLOURS = 6;

/** Its colour, and where all colours are taken, other dashes in the same ones. */
function styleName(style: number): string {
  const further = Math.floor(style / COLOURS) % 2 === 1;
  return `series${style % COLOURS}${further ? " further" : ""}`;
}

/** A piece of a line, for legends. */
export function Swatch({ style }: { style: number }) {
  return (
    <svg class={`swatch ${styleName(style)}`} viewBox="0 0 36 8" aria-hidden="true">
      <path class="course" d="M0 4H36" />
    </svg>
  );
}

const WIDTH = 420;
const HEIGHT = 222;
const LEFT = 52;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 40;

export function Chart({ title, unit, xTitle, lines }: { title: string; unit: string; xTitle: string; lines: ChartLine[] }) {
  const [near, setNear] = useState<number | null>(null);
  const points = lines.flatMap((line) => line.points);
  if (points.length === 0) return null;
  const xs = points.map((p) => p.x);
  const lowX = Math.min(...xs);
  const highX = Math.max(...xs, lowX + 1e-9);
  let lowY = Math.min(...points.map((p) => p.y - p.error));
  let highY = Math.max(...points.map((p) => p.y + p.error));
  if (lowY >= 0 && lowY < 0.5 * highY) lowY = 0;
  if (highY - lowY < 1e-12) [lowY, highY] = lowY < 0 ? [lowY, 0] : [0, highY || 1];  // all values are equal: one end is zero
  const x = (value: number) => LEFT + ((value - lowX) / (highX - lowX || 1)) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => HEIGHT - BOTTOM - ((value - lowY) / (highY - lowY)) * (HEIGHT - TOP - BOTTOM);
  const course = (line: ChartLine) => line.points.map((p, i) => `${i ? "L" : "M"}${x(p.x).toFixed(1)} ${y(p.y).toFixed(1)}`).join("");
  const band = (line: ChartLine) => {
    const known = line.points.filter((p) => p.error > 0);
    // The interval of a single point is a bar.
    if (known.length < 2) return known.map((p) => `M${x(p.x) - 3} ${y(p.y - p.error)}h6V${y(p.y + p.error)}h-6Z`).join("");
    const upper = known.map((p) => `${x(p.x).toFixed(1)} ${y(p.y + p.error).toFixed(1)}`);
    const lower = known.map((p) => `${x(p.x).toFixed(1)} ${y(p.y - p.error).toFixed(1)}`).reverse();
    return `M${upper.join("L")}L${lower.join("L")}Z`;
  };
  const shown = near === null ? [] : lines.map((line) => ({ line, point: nearest(line.points, near) }));
  const last = lines.map((line) => `${line.name} ${numberText(line.points.at(-1)?.y ?? NaN)}`).join(", ");
  return (
    <figure class="chart">
      <figcaption>
        {title} {unit && <small>{unit}</small>}
        {lines.length > 1 && (
          <span class="legend">
            {lines.map((line) => <span><Swatch style={line.style} /> {line.name} </span>)}
          </span>
        )}
        <span class="readout">
          {shown.map(({ line, point }) => (
            <span>{lines.length > 1 ? `${line.name}: ` : ""}{numberText(point.y)}{point.error > 0 ? ` ± ${numberText(point.error)}` : ""} at {numberText(point.x)} </span>
          ))}
        </span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${title} by ${xTitle}, from ${numberText(lowY)} to ${numberText(highY)}; last: ${last}`}
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          const at = ((event.clientX - box.left) / box.width) * WIDTH;
          setNear(lowX + ((at - LEFT) / (WIDTH - LEFT - RIGHT)) * (highX - lowX));
        }}
        onPointerLeave={() => setNear(null)}
      >
        {ticks(lowY, highY).map((value) => (
          <g class="grid">
            <path d={`M${LEFT} ${y(value)}H${WIDTH - RIGHT}`} />
            <text x={LEFT - 6} y={y(value) + 4} text-anchor="end">{numberText(value)}</text>
          </g>
        ))}
        {ticks(lowX, highX, 1).map((value) => (
          <text class="tick" x={x(value)} y={HEIGHT - 24} text-anchor="middle">{numberText(value)}</text>
        ))}
        <text x={(LEFT + WIDTH - RIGHT) / 2} y={HEIGHT - 7} text-anchor="middle">{xTitle}</text>
        {lines.map((line) => (
          <g class={styleName(line.style)}>
            <path class="band" d={band(line)} />
            <path class="course" d={course(line)} />
            {line.points.length < 40 && line.points.map((p) => <circle cx={x(p.x)} cy={y(p.y)} r={2.4} />)}
          </g>
        ))}
        {shown.map(({ line, point }) => <circle class={`near ${styleName(line.style)}`} cx={x(point.x)} cy={y(point.y)} r={4.5} />)}
      </svg>
    </figure>
  );
}

function nearest(points: ChartPoint[], at: number): ChartPoint {
  return points.reduce((best, point) => (Math.abs(point.x - at) < Math.abs(best.x - at) ? point : best));
}

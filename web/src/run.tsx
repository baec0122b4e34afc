// The page on which runs are watched: figures by generation, ratings, progress, and games of any generation.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Backend, Info, RunFigures, Series } from "./backend";
import { Chart, type ChartLine, numberText, Swatch } from "./chart";
import { RunGames } from "./run_games";
import { messageOf } from "./use_message";

const LOOK_EVERY = 2000; // milliseconds

/** A run's figures, looked at again and again while the page is open. */
function useFigures(backend: Backend, run: number): { figures: RunFigures | null; message: string } {
  const [figures, setFigures] = useState<RunFigures | null>(null);
  const [message, setMessage] = useState("");
  const known = useRef<RunFigures | null>(null);
  useEffect(() => {
    known.current = null;
    setFigures(null);
    const leave = new AbortController();
    let timer = 0;
    const look = async () => {
      try {
        const next = await backend.run!.figures(run, known.current?.stamp ?? "", leave.signal);
        // Where nothing changed, the figures are those that are here.
        known.current = next.unchanged ? { ...known.current, ...next } : next;
        setFigures(known.current);
        setMessage("");
      } catch (error) {
        if (leave.signal.aborted) return;
        setMessage(messageOf(error));
      }
      timer = window.setTimeout(look, document.hidden ? 5 * LOOK_EVERY : LOOK_EVERY);
    };
    void look();
    return () => {
      leave.abort();
      clearTimeout(timer);
    };
  }, [backend, run]);
  return { figures, message };
}

function Progress({ figures }: { figures: RunFigures }) {
  const selfplay = figures.progress?.selfplay;
  const trainer = figures.progress?.trainer;
  const number = (from: Record<string, unknown> | undefined, key: string) =>
    typeof from?.[key] === "number" ? (from[key] as number) : null;
  const games = number(selfplay, "games");
  const wanted = number(selfplay, "games_wanted");
  const step = number(trainer, "step");
  const steps = number(trainer, "steps");
  // Whoever leads the run gives signs of life also while it rates, or waits for workers elsewhere.
  const age = Math.min(...[selfplay, trainer, figures.progress?.loop].map((one) => number(one, "age") ?? Infinity));
  const live = age < 15 && !figures.finished;
  const made = Math.max(0, figures.generations - 1);
  const rows: [string, string][] = [];
  const rate = (label: string, value: number | null, unit: string) => value !== null && rows.push([label, `${numberText(value)}${unit}`]);
  rate("Positions a second", number(selfplay, "positions_per_second"), "");
  rate("Evaluations a second", number(selfplay, "evaluations_per_second"), "");
  const share = number(selfplay, "network_share");
  rate("Time in the network", share === null ? null : 100 * share, "%");
  const cache = number(selfplay, "cache_hit_share");
  rate("Predictions from the cache", cache === null ? null : 100 * cache, "%");
  rate("Mean batch", number(selfplay, "mean_batch"), "");
  rate("Mean length of a game", number(selfplay, "mean_plies"), " plies");
  rate("Samples a second", number(trainer, "samples_per_second"), "");
  return (
    <section class="card" aria-label={`Progress of ${figures.label}`}>
      <div class="row wrap">
        <h2>{figures.label}</h2>
        <span class={`live ${live ? "on" : ""}`} data-testid="live">{figures.finished ? "finished" : live ? "running" : "not running"}</span>
        <span class="quiet" data-testid="generations">{made} {made === 1 ? "generation" : "generations"}</span>
      </div>
      {games !== null && wanted !== null && (
        <label class="progress">
          Games of generation {numberText(number(selfplay, "generation") ?? 0)}: {games} of {wanted}
          <progress max={wanted} value={games} />
        </label>
      )}
      {step !== null && steps !== null && (
        <label class="progress">
          Training of generation {numberText(number(trainer, "generation") ?? 0)}: step {step} of {steps}
          <progress max={steps} value={step} />
        </label>
      )}
      <dl class="ledger">
        {rows.map(([label, value]) => (
          <div>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {typeof selfplay?.evaluator === "string" && <p class="quiet">{selfplay.evaluator}; {String(selfplay.choice ?? "")}</p>}
      {figures.damaged?.map((message) => <p class="objection">{message}</p>)}
    </section>
  );
}

function Ratings({ figures }: { figures: RunFigures }) {
  const ratings = figures.ratings ?? [];
  const baselines = [...new Set(ratings.flatMap((player) => Object.keys(player.score)))];
  if (ratings.length === 0) return null;
  const kept = ratings.some((player) => player.value_kept !== undefined);
  return (
    <section class="card">
      <h2>Ratings of {figures.label}</h2>
      <div class="scroll whole" tabIndex={0} role="region" aria-label={`Table of ratings of ${figures.label}`}>
        <table>
          <thead>
            <tr>
              <th scope="col">Player</th>
              <th scope="col">Elo</th>
              <th scope="col">95%</th>
              <th scope="col">Games</th>
              {baselines.map((name) => <th scope="col">vs {name}</th>)}
              {kept && <th scope="col">Value kept</th>}
            </tr>
          </thead>
          <tbody>
            {ratings.map((player) => (
              <tr>
                <th scope="row">{player.name}</th>
                <td>{Math.round(player.elo) || 0}</td>
                <td>±{player.error95.toFixed(0)}</td>
                <td>{player.games}</td>
                {baselines.map((name) => <td>{player.score[name] === undefined ? "" : `${(100 * player.score[name]!).toFixed(1)}%`}</td>)}
                {kept && <td>{player.value_kept === undefined ? "" : `${(100 * player.value_kept).toFixed(1)}%`}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const GROUPS: [string, (key: string) => boolean][] = [
  ["Strength", (key) => key.startsWith("rating.elo") || key.startsWith("rating.value") || key.startsWith("rating.scores")],
  ["Losses", (key) => key.startsWith("training.loss") || key.startsWith("training.policy") || key.startsWith("training.value") || key === "training.top1"],
  ["Rates", (key) => key.endsWith("_per_second") || key.endsWith("cache_hit_share")],
  ["Self-play", (key) => key.startsWith("selfplay.")],
  ["The rest", () => true],
];

/** The figures of one of the server's runs. */
interface ShownRun {
  number: number;
  figures: RunFigures;
}

/** The figures of the chosen runs, one chart for each, grouped. */
function Charts({ figures, overTime }: { figures: ShownRun[]; overTime: boolean }) {
  const groups = useMemo(() => {
    const all = new Map<string, { series: Series; lines: ChartLine[] }>();
    for (const { number, figures: run } of figures) {
      const seconds = new Map(run.seconds ?? []);
      for (const series of run.series ?? []) {
        const chart = all.get(series.key) ?? { series, lines: [] };
        const points = series.points.flatMap(([generation, y, error]) => {
          const time = seconds.get(generation);
          if (overTime && time === undefined) return [];
          return [{ x: overTime ? time! / 60 : generation, y, error }];
        });
        if (points.length > 0) chart.lines.push({ name: run.label, style: number, points });
        all.set(series.key, chart);
      }
    }
    const rest = new Map(all);
    return GROUPS.map(([title, belongs]) => {
      const charts = [...rest].filter(([key]) => belongs(key));
      for (const [key] of charts) rest.delete(key);
      return { title, charts: charts.map(([, chart]) => chart).filter((chart) => chart.lines.length > 0) };
    }).filter((group) => group.charts.length > 0);
  }, [figures, overTime]);
  return (
    <>
      {groups.map((group, i) => (
        <details class="card" open={i < 3}>
          <summary><h2>{group.title}</h2></summary>
          <div class="charts">
            {group.charts.map(({ series, lines }) => (
              <Chart key={series.key} title={series.title} unit={series.unit} xTitle={overTime ? "minutes of work" : "generation"} lines={lines} />
            ))}
          </div>
        </details>
      ))}
    </>
  );
}

function OneRun({ backend, run, onFigures }: { backend: Backend; run: number; onFigures: (run: number, figures: RunFigures) => void }) {
  const { figures, message } = useFigures(backend, run);
  useEffect(() => {
    if (figures) onFigures(run, figures);
  }, [figures]);
  if (message) return <p class="card objection" role="alert">{message}</p>;
  return figures ? <Progress figures={figures} /> : <p class="quiet">Reading the run</p>;
}

export function Runs({ backend, info }: { backend: Backend; info: Info }) {
  const [chosen, setChosen] = useState<number[]>(info.runs.map((_, i) => i).slice(0, 6));
  const [all, setAll] = useState<Record<number, RunFigures>>({});
  const [overTime, setOverTime] = useState(false);
  const figures: ShownRun[] = chosen.flatMap((number) => (all[number] ? [{ number, figures: all[number] }] : []));
  const stamps = figures.map((one) => one.figures.stamp).join();
  const toggle = (run: number) =>
    setChosen(chosen.includes(run) ? chosen.filter((r) => r !== run) : [...chosen, run].sort((a, b) => a - b));
  const still = useMemo(() => figures, [stamps, chosen.join()]);
  return (
    <main class="runs">
      <div class="row wrap toolbar">
        {info.runs.length > 1 &&
          info.runs.map((label, run) => (
            <label class="check">
              <input type="checkbox" checked={chosen.includes(run)} onChange={() => toggle(run)} />
              <Swatch style={run} /> {label}
            </label>
          ))}
        <label class="check">
          <input type="checkbox" checked={overTime} onChange={(event) => setOverTime(event.currentTarget.checked)} />
          charts over minutes of work
        </label>
      </div>
      <div class="side">
        {chosen.map((run) => (
          <OneRun key={run} backend={backend} run={run} onFigures={(which, next) => setAll((before) => ({ ...before, [which]: next }))} />
        ))}
      </div>
      <Charts figures={still} overTime={overTime} />
      {chosen.map((run) => all[run] && <RunGames key={run} backend={backend} run={run} figures={all[run]} />)}
      {still.map((one) => <Ratings figures={one.figures} />)}
      {still.map(({ figures: one }) => (
        <details class="card">
          <summary><h2>Configuration of {one.label}</h2></summary>
          <pre>{one.config}</pre>
        </details>
      ))}
    </main>
  );
}

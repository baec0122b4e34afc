// Games that a generation played, replayed with what its searches said.
import { useEffect, useState } from "preact/hooks";
import { type Backend, patiently, type RunFigures, type RunGame, type RunGameEntry } from "./backend";
import { Board } from "./board";
import { GOES_ON } from "./ending";
import { Graph, Moves } from "./moves";
import type { Analysis, Picture } from "./picture";
import { WinBar } from "./players";
import { StepButton } from "./step_button";
import { messageOf } from "./use_message";
import { counted, resultText } from "./words";

export function RunGames({ backend, run, figures }: { backend: Backend; run: number; figures: RunFigures }) {
  const [generation, setGeneration] = useState(Math.max(figures.generations - 2, 0));
  const [board, setBoard] = useState(0);
  const [games, setGames] = useState<RunGameEntry[]>([]);
  const [number, setNumber] = useState<number | null>(null);
  const [message, setMessage] = useState("");
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (!open) return;
    const leave = new AbortController();
    setNumber(null);
    setGames([]);
    setMessage("");
    patiently(() => backend.run!.games(run, generation, board), leave.signal, setMessage).then(
      (found) => {
        if (leave.signal.aborted) return;
        setMessage("");
        setGames(found);
        setNumber(found[0]?.number ?? null);
        if (found.length === 0) setMessage("This generation has no finished games yet.");
      },
      (error) => leave.signal.aborted || setMessage(messageOf(error)),
    );
    return () => leave.abort();
  }, [backend, run, generation, board, open]);
  const boards = figures.games ?? [];
  return (
    <details class="card" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary><h2>Games of {figures.label}</h2></summary>
      <div class="row wrap form">
        <label>
          Generation
          <input
            type="number"
            min={0}
            max={Math.max(figures.generations - 1, 0)}
            value={generation}
            onChange={(event) => setGeneration(Number(event.currentTarget.value))}
          />
        </label>
        {boards.length > 1 && (
          <label>
            Board
            <select value={board} onChange={(event) => setBoard(Number(event.currentTarget.value))}>
              {boards.map((name, i) => <option value={i}>{name}</option>)}
            </select>
          </label>
        )}
        <label>
          Game
          <select value={number ?? ""} onChange={(event) => setNumber(Number(event.currentTarget.value))}>
            {games.map((game) => (
              <option value={game.number}>
                {game.number}: {counted(game.plies, "ply", "plies")}, {game.values.map((v) => (v === 1 ? "1" : v === 0 ? "0" : v.toFixed(2))).join("-")}
              </option>
            ))}
          </select>
        </label>
      </div>
      {message && <p class="quiet">{message}</p>}
      {number !== null && <Replay backend={backend} run={run} generation={generation} board={board} number={number} />}
    </details>
  );
}

/** The search's policy of a ply, as the board shows an analysis. */
function thoughtsOf(game: RunGame, picture: Picture): Pick<Analysis, "candidates"> | null {
  const ply = game.plies[picture.ply];
  if (!ply || ply.policy.length === 0 || picture.mover === null) return null;
  const byAction = new Map(picture.legal?.map((action) => [action.action, action]));
  const candidates = ply.policy.flatMap(([number, policy]) => {
    const action = byAction.get(number);
    return action ? [{ ...action, policy, prior: 0, visits: 0, value: 0, values: [], proven: false }] : [];
  });
  return { candidates };
}

interface ReplayProps {
  backend: Backend;
  run: number;
  generation: number;
  board: number;
  number: number;
}

function Replay({ backend, run, generation, board, number }: ReplayProps) {
  const [game, setGame] = useState<RunGame | null>(null);
  const [ply, setPly] = useState(0);
  const [picture, setPicture] = useState<Picture | null>(null);
  const [message, setMessage] = useState("");
  const [cursorText, setCursorText] = useState("");
  useEffect(() => {
    const leave = new AbortController();
    setGame(null);
    setPly(0);
    setPicture(null);
    patiently(() => backend.run!.game(run, generation, board, number), leave.signal, setMessage).then(
      (found) => leave.signal.aborted || (setGame(found), setMessage("")),
      (error) => leave.signal.aborted || setMessage(messageOf(error)),
    );
    return () => leave.abort();
  }, [backend, run, generation, board, number]);
  useEffect(() => {
    if (!game) return;
    const leave = new AbortController();
    const line = { game: game.game, moves: game.plies.map((p) => p.text), ply: Math.min(ply, game.plies.length) };
    patiently(() => backend.position(line, leave.signal), leave.signal, setMessage).then(
      (next) => leave.signal.aborted || (setPicture(next), setMessage("")),
      (error) => leave.signal.aborted || setMessage(messageOf(error)),
    );
    return () => leave.abort();
  }, [backend, game, ply]);
  if (!game || !picture) return <p class={message ? "objection" : "quiet"}>{message || "Reading the game"}</p>;
  const here = game.plies[picture.ply];
  const searched = (p: RunGame["plies"][number]) => p.values.some((value) => value > 0);
  // An opponent's ply has no values: the course goes on with the last that the network gave.
  let last: number[] | null = null;
  const course = game.plies.map((p) => (last = searched(p) ? p.values : last));
  const values = [...course, picture.outcome ? picture.outcome.values : null];
  const kinds: Record<string, string> = { opening: "drawn from the network's policy", cheap: "by a small search", full: "by a full search", opponent: "by an opponent" };
  const goTo = (next: number) => setPly(Math.max(0, Math.min(game.plies.length, next)));
  return (
    <div class="replay">
      <div class="table">
        <p role="status"><strong>{resultText(picture, GOES_ON) || `Ply ${picture.ply + 1}: ${here!.text}, ${kinds[here!.kind]}`}</strong></p>
        {here && searched(here) && <WinBar picture={picture} values={here.values} />}
        <Board
          picture={picture}
          bottom={0}
          active={false}
          tool="any"
          onCursor={setCursorText}
          analysis={thoughtsOf(game, picture)}
          heat="search"
        />
        <p class="visually-hidden" role="status">{cursorText}</p>
        {message && <p class="objection" role="alert">{message}</p>}
        <div class="row controls" role="group" aria-label="Back and forth">
          <StepButton onStep={() => goTo(0)} idle={ply === 0}>Start</StepButton>
          <StepButton onStep={() => goTo(ply - 1)} idle={ply === 0}>Back</StepButton>
          <StepButton onStep={() => goTo(ply + 1)} idle={ply >= game.plies.length}>On</StepButton>
          <StepButton onStep={() => goTo(game.plies.length)} idle={ply >= game.plies.length}>End</StepButton>
        </div>
      </div>
      <div>
        <Graph picture={picture} values={values} ply={picture.ply} marks={new Map()} onGoTo={goTo} />
        <Moves picture={picture} ply={picture.ply} marks={new Map()} onGoTo={goTo} />
      </div>
    </div>
  );
}

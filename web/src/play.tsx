// The page on which games are played and reviewed.
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Backend, Info, Line } from "./backend";
import { Board, type Tool } from "./board";
import { GameFiles } from "./game_files";
import { hashOf, lineOfLink } from "./link";
import { firstSitters, firstVariant, NewGame } from "./new_game";
import { Candidates, Graph, Moves, Players, WinBar } from "./panels";
import type { IllegalAction, Move, Picture } from "./picture";
import { badMoves, useReview } from "./review";
import { seatable, type Sitter, sitterName } from "./seats";
import { SetUp } from "./set_up";
import { StepButton } from "./step_button";
import { useAnalysis } from "./use_analysis";
import { eligibleFor, useEligible } from "./use_eligible";
import { messageOf, useGame } from "./use_game";
import { exampleText, meantText, playedText, statusText } from "./words";

type Heat = "none" | "search" | "network";
const ANALYSIS_SECONDS = 30;
const HINT_SECONDS = 2;
/** Safari takes a new address a hundred times in thirty seconds. */
const ADDRESS_EVERY = 300; // milliseconds

interface PlayProps {
  backend: Backend;
  info: Info;
  query: URLSearchParams;
  /** While another page is shown, the address is that page's. */
  visible: boolean;
  /** Hears of the address under which a reload finds the game again. */
  onAddress: (hash: string) => void;
  /** The list of models may be older than the newest generation of a run. */
  onNewGame: () => void;
}

export function Play({ backend, info, query, visible, onAddress, onNewGame }: PlayProps) {
  const first = useMemo(() => {
    const linked = lineOfLink(query);
    const line = linked?.line ?? { game: firstVariant(info), moves: [], ply: 0 };
    return { line, sitters: linked?.sitters ?? firstSitters(info, line.game) };
  }, []);
  const [game, act] = useGame(backend, first.line, first.sitters);
  const [dialog, setDialog] = useState<"none" | "new" | "files" | "set up">("none");
  const [tool, setTool] = useState<Tool>("any");
  const [carrying, setCarrying] = useState(false);
  const [heat, setHeat] = useState<Heat>("search");
  const [analysing, setAnalysing] = useState(false);
  const [hintFor, setHintFor] = useState<Line | null>(null);
  const [reviewVisits, setReviewVisits] = useState(0);
  const [objection, setObjection] = useState<IllegalAction | null>(null);
  const [cursorText, setCursorText] = useState("");
  const [looked, setLooked] = useState<readonly Move[] | null>(null);
  const [bottom, setBottom] = useState<number | null>(null);
  const [showOwners, setShowOwners] = useState(false);
  const typed = useRef<HTMLInputElement>(null);
  const board = useRef<HTMLDivElement>(null);

  const { picture, line, sitters } = game;
  const family = picture?.family ?? "wall";
  const answered = useEligible(backend, info, picture?.game ?? null, line.start !== undefined);
  const eligible = answered?.game === picture?.game ? answered : null;
  const models = eligible?.models ?? [];
  const [chosenModel, setChosenModel] = useState<string | null>(null);
  const thinker = (models.find((m) => m.id === chosenModel) ?? models[0])?.id ?? null;
  const hinted = hintFor === line;
  const seconds = analysing ? ANALYSIS_SECONDS : hinted ? HINT_SECONDS : 0;
  const open = picture !== null && !picture.outcome && game.resignedHere === null;
  // A player who waits for a slot comes before what the page itself asks: with one slot there is no other.
  const { analysis, running, message, again } = useAnalysis(backend, open && !game.waiting ? line : null, thinker, seconds, family === "go" && showOwners);
  const review = useReview(backend, line, thinker, reviewVisits, game.waiting);
  const bad = review && picture ? badMoves(review, picture) : [];
  const marks = new Map(bad.map((b) => [b.ply, `lost ${(100 * b.loss).toFixed(0)}% here${b.best ? `, ${b.best} was better` : ""}`]));

  const address = picture ? hashOf(line, sitters) : null;
  const opening = useRef(true);
  useEffect(() => {
    if (!address || !visible) return;
    if (opening.current) {
      opening.current = false; // a game in which nothing was done yet needs no address of its own
      return;
    }
    const timer = setTimeout(() => onAddress(address), ADDRESS_EVERY);
    return () => clearTimeout(timer);
  }, [address, visible]);
  // What was said of the position before is not about this one.
  useEffect(() => {
    setObjection(null);
    setCursorText("");
  }, [picture]);

  const onObjection = useCallback((illegal: IllegalAction | null) => {
    if (illegal) act.hush();
    setObjection(illegal);
  }, []);
  const onCursor = useCallback((text: string) => {
    act.hush();
    setCursorText(text);
  }, []);

  if (!picture) {
    return (
      <main class="play">
        {game.message ? (
          <div class="card" role="alert">
            <p>{game.message}</p>
            <button
              onClick={() =>
                act
                  .begin({ game: firstVariant(info), moves: [], ply: 0 }, firstSitters(info, firstVariant(info)))
                  .catch((error) => act.say(messageOf(error)))
              }
            >
              Begin another game
            </button>
          </div>
        ) : (
          <p class="quiet">Setting up the board</p>
        )}
      </main>
    );
  }
  const mover = picture.mover;
  const persons = sitters.indexOf(null);
  const atBottom = bottom !== null && bottom < picture.players ? bottom : Math.max(persons, 0);
  const active = open && mover !== null && !sitters[mover];
  const values = analysis?.values ?? review?.values[line.ply] ?? picture.outcome?.values ?? null;
  const begin = async (next: Line, nextSitters: Sitter[], signal: AbortSignal, notes: string[] = []) => {
    await act.begin(next, nextSitters, signal);
    setDialog("none");
    setBottom(null);
    if (next.moves.length === 0) setReviewVisits(0);
    act.say(notes.join("; "));
    board.current?.focus({ preventScroll: true });
    board.current?.scrollIntoView({ block: "nearest" });
  };
  const beginWithTheSame = async (next: Line, signal: AbortSignal, notes: string[] = []) => {
    const able = await eligibleFor(backend, info, next.game, next.start !== undefined, signal);
    await begin(next, sitters.map((sitter) => seatable(sitter, able)), signal, notes);
  };
  const openNewGame = () => {
    onNewGame();
    setDialog("new");
  };
  const carry = (kind: "horizontal" | "vertical") => {
    setTool(kind);
    setCarrying(true);
    // Heard from now on: a quick click has ended before an effect would run.
    const over = new AbortController();
    const drop = () => {
      setCarrying(false);
      over.abort();
    };
    addEventListener("pointerup", drop, { signal: over.signal });
    addEventListener("pointercancel", drop, { signal: over.signal });
  };
  const hint = () => {
    setHintFor(line);
    if (message && !running) again();
  };
  // The button goes away, and must not take the keyboard's focus with it.
  const resign = () => {
    act.resign();
    board.current?.focus({ preventScroll: true });
  };
  const said = game.message || message || objection?.message || cursorText;
  const owners = ownersOf(picture, showOwners, analysis?.ownership);

  return (
    <main class="play">
      <section class="table" aria-label="The game">
        <div class="status" role="status" aria-live="polite">
          <strong data-testid="status">{statusText(picture, game, info)}</strong>{" "}
          <span class="played" data-testid="played">{playedText(picture, sitters)}</span>
        </div>
        {values && <WinBar picture={picture} values={values} />}
        <Board
          root={board}
          picture={picture}
          bottom={atBottom}
          active={active}
          tool={tool}
          carrying={carrying}
          onPlay={(action) => void act.play(action.text)}
          onObjection={onObjection}
          onCursor={onCursor}
          analysis={analysis}
          heat={seconds > 0 ? heat : "none"}
          {...(looked ? { line: looked } : {})}
          owners={owners}
        />
        <p class={`said ${game.message || objection ? "objection" : ""}`} role="status" aria-live="polite" data-testid="said">
          {said || "\u00a0"}
        </p>
        <Controls
          picture={picture}
          line={line}
          tool={tool}
          active={active}
          onTool={setTool}
          onCarry={carry}
          onUndo={act.undo}
          onRedo={act.redo}
          onStart={() => act.goTo(0)}
          onEnd={() => act.goTo(line.moves.length)}
          onResign={game.resigner === null ? null : resign}
          undoable={line.ply > 0 || game.resignedHere !== null}
          onPass={() => void act.play(picture.legal!.find((a) => a.kind === "pass")!.text)}
          onTurn={() => setBottom((atBottom + 1) % picture.players)}
          onHint={thinker && open ? hint : null}
        />
        <form
          class="row typed"
          onSubmit={(event) => {
            event.preventDefault();
            const text = typed.current!.value.trim();
            if (!text) return;
            if (!active) return act.say(open ? "Another player is to move." : "The game is over.");
            void act.play(meantText(picture, text)).then((fine) => fine && typed.current && (typed.current.value = ""));
          }}
        >
          <label class="grow">
            <span class="visually-hidden">A move as text</span>
            <input ref={typed} type="text" placeholder={exampleText(picture)} autocomplete="off" />
          </label>
          <button type="submit" aria-disabled={!active}>Play</button>
        </form>
      </section>

      <aside aria-label="Beside the board">
        <div class="row wrap toolbar">
          <button
            class="main"
            onClick={() => (dialog === "new" ? setDialog("none") : openNewGame())}
            aria-expanded={dialog === "new"}
          >
            New game
          </button>
          <button onClick={() => setDialog(dialog === "files" ? "none" : "files")} aria-expanded={dialog === "files"}>Save, load, share</button>
          <button onClick={() => setDialog(dialog === "set up" ? "none" : "set up")} aria-expanded={dialog === "set up"}>Set up</button>
        </div>
        {dialog === "new" && (
          <NewGame
            backend={backend}
            info={info}
            variant={picture.game}
            sitters={sitters}
            onBegin={(variant, next, signal) => begin({ game: variant, moves: [], ply: 0 }, next, signal)}
            onCancel={() => setDialog("none")}
          />
        )}
        {dialog === "files" && (
          <GameFiles
            backend={backend}
            line={line}
            resigned={game.resigned}
            names={sitters.map((sitter) => sitterName(sitter, info))}
            link={`${location.origin}${location.pathname}${address}`}
            onLoad={beginWithTheSame}
          />
        )}
        {dialog === "set up" && (
          <SetUp
            picture={picture}
            bottom={atBottom}
            onDone={(start, signal) => beginWithTheSame({ game: picture.game, moves: [], ply: 0, start }, signal)}
          />
        )}
        <section class="card">
          <h2>{picture.game}</h2>
          <Players
            picture={picture}
            sitters={sitters}
            info={info}
            eligible={eligible}
            thinking={game.thinking}
            values={values}
            onSit={act.sit}
          />
        </section>
        {thinker && (
          <section class="card">
            <div class="row wrap">
              <h2>Analysis</h2>
              {running && <span class="quiet">searching</span>}
            </div>
            <div class="row wrap">
              <label class="check">
                <input type="checkbox" checked={analysing} onChange={(event) => setAnalysing(event.currentTarget.checked)} />
                Analyse while playing
              </label>
              <label>
                <span class="visually-hidden">Shown on the board</span>
                <select value={heat} onChange={(event) => setHeat(event.currentTarget.value as Heat)}>
                  <option value="search">map: the search's policy</option>
                  <option value="network">map: the network's policy</option>
                  <option value="none">no map</option>
                </select>
              </label>
              {models.length > 1 && (
                <label>
                  <span class="visually-hidden">The model that analyses</span>
                  <select value={thinker} onChange={(event) => setChosenModel(event.currentTarget.value)}>
                    {models.map((m) => (
                      <option value={m.id}>{m.name} ({m.game})</option>
                    ))}
                  </select>
                </label>
              )}
              {family === "go" && (
                <label class="check">
                  <input type="checkbox" checked={showOwners} onChange={(event) => setShowOwners(event.currentTarget.checked)} />
                  Territory
                </label>
              )}
            </div>
            {analysis && <Candidates analysis={analysis} onPlay={active ? (text) => void act.play(text) : null} onLook={setLooked} />}
          </section>
        )}
        <section class="card">
          <div class="row wrap">
            <h2>Moves</h2>
            {thinker && (
              <label>
                <span class="visually-hidden">Review of the game</span>
                <select value={reviewVisits} onChange={(event) => setReviewVisits(Number(event.currentTarget.value))} data-testid="review">
                  <option value={0}>no review</option>
                  <option value={50}>review, 50 visits a move</option>
                  <option value={400}>review, 400 visits a move</option>
                  <option value={2000}>review, 2000 visits a move</option>
                </select>
              </label>
            )}
          </div>
          {review && <Graph picture={picture} values={review.values} ply={line.ply} marks={marks} onGoTo={act.goTo} />}
          {review?.message && <p class="objection">{review.message}</p>}
          {bad.length > 0 && (
            <ul class="worst" aria-label="The worst moves">
              {bad.map((b) => (
                <li>
                  <button class="link" onClick={() => act.goTo(b.ply)}>
                    {b.ply + 1}. {b.text}
                  </button>{" "}
                  {marks.get(b.ply)}
                </li>
              ))}
            </ul>
          )}
          <Moves picture={picture} ply={line.ply} marks={marks} onGoTo={act.goTo} />
        </section>
        <details class="card">
          <summary>The board as text</summary>
          <pre>{picture.text}</pre>
        </details>
      </aside>
    </main>
  );
}

/** Who owns the points, from 1 (black) to 0 (white): at the end as it is counted, before it as the network expects. */
function ownersOf(picture: Picture, wanted: boolean, expected: number[] | undefined): number[] | null {
  if (picture.family !== "go") return null;
  if (picture.outcome) return picture.owners ?? null;
  if (!wanted) return null;
  return expected ? expected.map((owner) => (owner + 1) / 2) : (picture.owners ?? null);
}

interface ControlsProps {
  picture: Picture;
  line: Line;
  tool: Tool;
  active: boolean;
  onTool: (tool: Tool) => void;
  onCarry: (kind: "horizontal" | "vertical") => void;
  onUndo: () => void;
  onRedo: () => void;
  onStart: () => void;
  onEnd: () => void;
  onResign: (() => void) | null;
  undoable: boolean;
  onPass: () => void;
  onTurn: () => void;
  onHint: (() => void) | null;
}

function Controls(props: ControlsProps) {
  const { picture, line, tool } = props;
  const pass = props.active && picture.legal?.some((action) => action.kind === "pass");
  const tools: [Tool, string, string][] = [
    ["any", "Auto", "Pawns and walls, by where you point"],
    ["pawn", "Pawn", "Only pawns"],
    ["horizontal", "\u2501", "Lying walls: click, or drag one to the board"],
    ["vertical", "\u2503", "Standing walls: click, or drag one to the board"],
  ];
  return (
    <div class="row wrap controls">
      <div class="row" role="group" aria-label="Back and forth">
        <StepButton onStep={props.onStart} idle={line.ply === 0}>Start</StepButton>
        <StepButton onStep={props.onUndo} idle={!props.undoable}>Undo</StepButton>
        <StepButton onStep={props.onRedo} idle={line.ply === line.moves.length}>Redo</StepButton>
        <StepButton onStep={props.onEnd} idle={line.ply === line.moves.length}>End</StepButton>
      </div>
      {picture.walls && (
        <div class="row segmented" role="group" aria-label="What a click means">
          {tools.map(([value, label, title]) => (
            <button
              aria-pressed={tool === value}
              aria-label={/\w/.test(label) ? undefined : title}
              title={title}
              onClick={() => props.onTool(value)}
              onPointerDown={(event) => {
                if (value !== "horizontal" && value !== "vertical") return;
                event.currentTarget.releasePointerCapture(event.pointerId);
                props.onCarry(value);
              }}
            >
              {label}
            </button>
          ))}
        </div>
      )}
      {(pass || picture.family === "go") && <StepButton onStep={props.onPass} idle={!pass}>Pass</StepButton>}
      {props.onHint && <button onClick={props.onHint}>Hint</button>}
      {props.onResign && <button onClick={props.onResign}>Resign</button>}
      <button onClick={props.onTurn}>Turn the board</button>
    </div>
  );
}

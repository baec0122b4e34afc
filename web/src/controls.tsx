// What is below the board: the buttons of a game, and the field in which a move is typed.
import { useRef } from "preact/hooks";
import type { Line } from "./backend";
import type { Tool } from "./board";
import type { Picture } from "./picture";
import { StepButton } from "./step_button";
import { isWall } from "./view";
import { exampleText, meantText } from "./words";

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
  /** The analysis shows all that a hint would. */
  hinted: boolean;
}

export function Controls(props: ControlsProps) {
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
                if (!isWall(value)) return;
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
      {props.onHint && <StepButton onStep={props.onHint} idle={props.hinted}>Hint</StepButton>}
      {props.onResign && <button onClick={props.onResign}>Resign</button>}
      <button onClick={props.onTurn} aria-label="Turn the board" title="Turn the board">Turn</button>
    </div>
  );
}

interface TypedMoveProps {
  picture: Picture;
  /** Whether a person may act now; else `whyNot` is said. */
  active: boolean;
  whyNot: string;
  /** False where the move was refused. */
  onPlay: (text: string) => Promise<boolean>;
  onSay: (message: string) => void;
}

export function TypedMove({ picture, active, whyNot, onPlay, onSay }: TypedMoveProps) {
  const typed = useRef<HTMLInputElement>(null);
  const submit = (event: Event) => {
    event.preventDefault();
    const text = typed.current!.value.trim();
    if (!text) return;
    if (!active) return onSay(whyNot);
    void onPlay(meantText(picture, text)).then((fine) => fine && typed.current && (typed.current.value = ""));
  };
  return (
    <form class="row typed" onSubmit={submit}>
      <label class="grow">
        <span class="visually-hidden">A move as text</span>
        <input ref={typed} type="text" placeholder={exampleText(picture)} autocomplete="off" />
      </label>
      <button type="submit" aria-disabled={!active}>Play</button>
    </form>
  );
}

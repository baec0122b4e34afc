// The game itself: whose turn it is, the board, what is said of it, and what is below it.
import type { Ref } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Info } from "./backend";
import { Board, type Tool } from "./board";
import { Controls, TypedMove } from "./controls";
import type { IllegalAction, Move, Picture, Seat } from "./picture";
import { WinBar } from "./players";
import type { Advice } from "./use_advice";
import type { GameActions, GameState } from "./use_game";
import { playedText, statusText } from "./words";

/** How a person points, and whether a wall is on its way from beside the board. */
function useTool() {
  const [tool, setTool] = useState<Tool>("any");
  const [carrying, setCarrying] = useState(false);
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
  return { tool, setTool, carrying, carry };
}

/** What the board says of what is pointed at; it makes the game's own message give way. */
function useBoardWords(picture: Picture, hush: () => void) {
  const [objection, setObjection] = useState<IllegalAction | null>(null);
  const [cursorText, setCursorText] = useState("");
  // What was said of the position before is not about this one.
  useEffect(() => {
    setObjection(null);
    setCursorText("");
  }, [picture]);
  const onObjection = (illegal: IllegalAction | null) => {
    if (illegal) hush();
    setObjection(illegal);
  };
  const onCursor = (text: string) => {
    hush();
    setCursorText(text);
  };
  return { objection, cursorText, onObjection, onCursor };
}

interface TableProps {
  info: Info;
  picture: Picture;
  game: GameState;
  act: GameActions;
  advice: Advice;
  /** Gets the element of the board that has the keyboard's focus. */
  board: Ref<HTMLDivElement>;
  bottom: Seat;
  /** The game goes on in this position, and a person is to move. */
  open: boolean;
  active: boolean;
  /** The expected play that is drawn on the board; null: none. */
  looked: readonly Move[] | null;
  onTurn: () => void;
  onResign: () => void;
}

export function Table(props: TableProps) {
  const { info, picture, game, act, advice, open, active, looked } = props;
  const { line, sitters } = game;
  const { tool, setTool, carrying, carry } = useTool();
  const { objection, cursorText, onObjection, onCursor } = useBoardWords(picture, act.hush);
  const said = game.message || objection?.message || cursorText || advice.message;
  return (
    <section class="table" aria-label="The game">
      <div class="status" role="status" aria-live="polite">
        <strong data-testid="status">{statusText(picture, game, info)}</strong>{" "}
        <span class="played" data-testid="played">{playedText(picture, sitters)}</span>
      </div>
      {advice.values && <WinBar picture={picture} values={advice.values} />}
      <Board
        root={props.board}
        picture={picture}
        bottom={props.bottom}
        active={active}
        tool={tool}
        carrying={carrying}
        onPlay={(action) => void act.play(action.text)}
        onObjection={onObjection}
        onCursor={onCursor}
        analysis={advice.analysis}
        heat={advice.shownHeat}
        {...(looked ? { line: looked } : {})}
        owners={advice.owners}
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
        onResign={game.resigner === null ? null : props.onResign}
        undoable={line.ply > 0 || game.endingHere.resigned !== null}
        onPass={() => void act.play(picture.legal!.find((a) => a.kind === "pass")!.text)}
        onTurn={props.onTurn}
        onHint={advice.hint}
        hinted={advice.analysing}
      />
      <TypedMove
        picture={picture}
        active={active}
        whyNot={!open ? "The game is over." : game.current ? "Another player is to move." : "The position is on its way."}
        onPlay={act.play}
        onSay={act.say}
      />
    </section>
  );
}

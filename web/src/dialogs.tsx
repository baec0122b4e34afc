// The forms beside the board, of which one is open at most: a new game, files and links, a position by hand.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Backend, Info, Line, SavedGame } from "./backend";
import { GameFiles } from "./game_files";
import { NewGame } from "./new_game";
import type { Picture, Seat } from "./picture";
import { seatable, type Sitter, sitterName } from "./seats";
import { SetUp } from "./set_up";
import { eligibleFor } from "./use_eligible";
import type { GameActions, GameState } from "./use_game";

interface DialogsProps {
  backend: Backend;
  info: Info;
  picture: Picture;
  game: GameState;
  act: GameActions;
  /** The seat at the bottom of the board. */
  bottom: Seat;
  /** The part of an address behind "#" by which the game is found again. */
  address: string;
  /** The form of a new game opens. */
  onNewGame: () => void;
  /** Another game has begun. */
  onBegun: (line: Line) => void;
}

export function Dialogs({ backend, info, picture, game, act, bottom, address, onNewGame, onBegun }: DialogsProps) {
  const { line, sitters } = game;
  const [dialog, setDialog] = useState<"none" | "new" | "files" | "set up">("none");
  const form = useRef<HTMLDivElement>(null);
  const newGame = useRef<HTMLButtonElement>(null);
  // On a small screen the buttons may be the last that is seen of the page.
  useEffect(() => {
    if (dialog !== "none") form.current?.scrollIntoView({ block: "nearest" });
  }, [dialog]);
  const begin = async (next: Line, nextSitters: Sitter[], signal: AbortSignal, saved?: SavedGame) => {
    await act.begin(next, nextSitters, signal, saved);
    setDialog("none");
    act.say(saved?.notes.join("; ") ?? "");
    onBegun(next);
  };
  const beginWithTheSame = async (next: Line, signal: AbortSignal, saved?: SavedGame) => {
    const able = await eligibleFor(backend, info, next.game, next.start !== undefined, signal);
    await begin(next, sitters.map((sitter) => seatable(sitter, able)), signal, saved);
  };
  const toggle = (which: "new" | "files" | "set up") => {
    const opens = dialog !== which;
    if (opens && which === "new") onNewGame();
    setDialog(opens ? which : "none");
  };
  // The form's buttons go away, and must not take the keyboard's focus with them.
  const cancel = () => {
    setDialog("none");
    newGame.current?.focus();
  };
  return (
    <>
      <div class="row wrap toolbar">
        <button ref={newGame} class="main" onClick={() => toggle("new")} aria-expanded={dialog === "new"}>
          New game
        </button>
        <button onClick={() => toggle("files")} aria-expanded={dialog === "files"}>Save, load, share</button>
        <button onClick={() => toggle("set up")} aria-expanded={dialog === "set up"}>Set up</button>
      </div>
      <div ref={form}>
        {dialog === "new" && (
          <NewGame
            backend={backend}
            info={info}
            variant={picture.game}
            sitters={sitters}
            onBegin={(variant, next, signal) => begin({ game: variant, moves: [], ply: 0 }, next, signal)}
            onCancel={cancel}
          />
        )}
        {dialog === "files" && (
          <GameFiles
            backend={backend}
            line={line}
            ending={game.ending}
            names={game.recordNames ?? sitters.map((sitter) => sitterName(sitter, info))}
            link={`${location.origin}${location.pathname}${address}`}
            onLoad={beginWithTheSame}
          />
        )}
        {dialog === "set up" && (
          <SetUp
            picture={picture}
            bottom={bottom}
            onDone={(start, signal) => beginWithTheSame({ game: picture.game, moves: [], ply: 0, start }, signal)}
          />
        )}
      </div>
    </>
  );
}

// The page on which games are played and reviewed.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { AnalysisCard } from "./analysis_card";
import type { Backend, Info, Line } from "./backend";
import { Dialogs } from "./dialogs";
import { isOver } from "./ending";
import { hashOf, lineOfLink } from "./link";
import { MovesCard } from "./moves_card";
import { firstSitters, firstVariant } from "./new_game";
import type { Move, Picture } from "./picture";
import { Players } from "./players";
import { Table } from "./table";
import { useAddress } from "./use_address";
import { useAdvice } from "./use_advice";
import { type GameActions, type GameState, useGame } from "./use_game";
import { messageOf } from "./use_message";

/** The game of the link, or what is wrong with it; neither where it names none. */
function readLink(query: URLSearchParams) {
  try {
    return { linked: lineOfLink(query), damage: "" };
  } catch (error) {
    return { linked: null, damage: messageOf(error) };
  }
}

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

export function Play(props: PlayProps) {
  const { backend, info, query } = props;
  const fresh = (): Line => ({ game: firstVariant(info), moves: [], ply: 0 });
  const first = useMemo(() => {
    const { linked, damage } = readLink(query);
    const line = linked?.line ?? fresh();
    return { line, sitters: linked?.sitters ?? firstSitters(info, line.game), damage };
  }, []);
  const [game, act] = useGame(backend, first.line, first.sitters);
  useEffect(() => act.say(first.damage), []);
  const beginAnother = () => {
    const line = fresh();
    act.begin(line, firstSitters(info, line.game)).catch((error) => act.say(messageOf(error)));
  };
  return (
    <main class="play">
      {game.picture ? (
        <Game {...props} game={game} act={act} picture={game.picture} />
      ) : game.message ? (
        <div class="card" role="alert">
          <p>{game.message}</p>
          <button onClick={beginAnother}>Begin another game</button>
        </div>
      ) : (
        <p class="quiet">Setting up the board</p>
      )}
    </main>
  );
}

interface GameProps extends PlayProps {
  game: GameState;
  act: GameActions;
  picture: Picture;
}

/** A game, from the first picture of it on, and what is beside it. */
function Game({ backend, info, visible, onAddress, onNewGame, game, act, picture }: GameProps) {
  const { line, sitters } = game;
  const [turned, setTurned] = useState<number | null>(null);
  const [looked, setLooked] = useState<readonly Move[] | null>(null);
  const board = useRef<HTMLDivElement>(null);
  const open = !picture.outcome && !isOver(game.endingHere);
  const active = open && game.current && picture.mover !== null && !sitters[picture.mover];
  const advice = useAdvice(backend, info, game, picture, open);
  const address = hashOf(line, sitters);
  useAddress(address, visible, onAddress);

  const bottom = turned !== null && turned < picture.players ? turned : Math.max(sitters.indexOf(null), 0);
  const onBegun = (begun: Line) => {
    setTurned(null);
    if (begun.moves.length === 0) advice.setReviewVisits(0);
    board.current?.focus({ preventScroll: true });
    board.current?.scrollIntoView({ block: "nearest" });
  };
  // Buttons that go away by what they do must not take the keyboard's focus with them.
  const withFocus = (work: () => void) => {
    work();
    board.current?.focus({ preventScroll: true });
  };
  return (
    <>
      <Table
        {...{ info, picture, game, act, advice, board, bottom, open, active, looked }}
        onTurn={() => setTurned((bottom + 1) % picture.players)}
        onResign={() => withFocus(act.resign)}
      />
      <aside aria-label="Beside the board">
        <Dialogs {...{ backend, info, picture, game, act, bottom, address, onNewGame, onBegun }} />
        <section class="card">
          <h2>{picture.game}</h2>
          <Players
            {...{ picture, sitters, info }}
            eligible={advice.eligible}
            thinking={game.thinking}
            values={advice.values}
            onSit={act.sit}
          />
        </section>
        <AnalysisCard
          advice={advice}
          go={picture.family === "go"}
          onPlay={active ? (text) => withFocus(() => void act.play(text)) : null}
          onLook={setLooked}
        />
        <MovesCard picture={picture} ply={line.ply} advice={advice} onGoTo={act.goTo} />
        <details class="card">
          <summary>The board as text</summary>
          <pre>{picture.text}</pre>
        </details>
      </aside>
    </>
  );
}

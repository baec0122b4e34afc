// The form in which a position is set up by hand: pieces come and go where one points.
import { useState } from "preact/hooks";
import type { Start } from "./backend";
import { Board } from "./board";
import type { Picture, Stock } from "./picture";
import { useLeave } from "./use_leave";
import { messageOf } from "./use_message";
import { useSetUp } from "./use_set_up";

interface PartProps {
  picture: Picture;
  setUp: ReturnType<typeof useSetUp>;
}

/** Whose pieces come and go, who is to move, and what is next. */
function Choices({ picture, setUp }: PartProps) {
  const { go, hand, mover, phase } = setUp;
  const pawnsEach = (picture.pawns?.length ?? 0) / picture.players;
  return (
    <div class="row wrap">
      <label>
        {go ? "Stones of" : "Pawn of"}
        <select
          value={`${hand.seat}/${hand.pawn}`}
          onChange={(event) => {
            const [seat, pawn] = event.currentTarget.value.split("/").map(Number);
            setUp.setHand({ seat: seat!, pawn: pawn! });
          }}
        >
          {picture.seats.flatMap((one, s) =>
            Array.from({ length: go ? 1 : pawnsEach }, (_, p) => (
              <option value={`${s}/${p}`}>
                {one.title}
                {pawnsEach > 1 ? `, pawn ${p + 1}` : ""}
              </option>
            )),
          )}
        </select>
      </label>
      <label>
        To move
        <select value={mover} onChange={(event) => setUp.setMover(Number(event.currentTarget.value))}>
          {picture.seats.map((one, s) => (
            <option value={s}>{one.title}</option>
          ))}
        </select>
      </label>
      {(picture.phase === "move" || picture.phase === "wall") && (
        <label>
          Next
          <select value={phase} onChange={(event) => setUp.setPhase(event.currentTarget.value)}>
            <option value="move">moves a pawn</option>
            <option value="wall">has moved, places a wall</option>
          </select>
        </label>
      )}
    </div>
  );
}

function Stocks({ picture, setUp }: PartProps) {
  return (
    <div class="row wrap">
      {setUp.stocks.map((stock, s) =>
        (Object.keys(stock) as (keyof Stock)[]).map((kind) => (
          <label>
            {picture.seats[s]!.title}: {kind === "any" ? "" : `${kind} `}walls left
            <input
              type="number"
              min={0}
              max={31}
              value={stock[kind] ?? 0}
              onInput={(event) => {
                const value = Number(event.currentTarget.value);
                setUp.setStock(s, kind, () => value);
              }}
            />
          </label>
        )),
      )}
    </div>
  );
}

interface SetUpProps {
  picture: Picture;
  bottom: number;
  /** Fails where the position is refused. `signal`: the form is gone. */
  onDone: (start: Start, signal: AbortSignal) => Promise<void>;
}

export function SetUp({ picture, bottom, onDone }: SetUpProps) {
  const setUp = useSetUp(picture);
  const { go, shown, point, refusal } = setUp;
  const [message, setMessage] = useState("");
  const [cursorText, setCursorText] = useState("");
  const leave = useLeave();
  const use = () => {
    setMessage("");
    onDone(setUp.start, leave).catch((error) => setMessage(messageOf(error)));
  };
  return (
    <section class="card form" aria-label="Set up a position">
      <h2>Set up a position</h2>
      <Choices picture={picture} setUp={setUp} />
      <Board picture={shown} bottom={bottom} active={false} tool="any" onCursor={setCursorText} onPoint={point} />
      <p class="visually-hidden" role="status">{cursorText}</p>
      {refusal && <p class="objection">{refusal}</p>}
      {!go && <Stocks picture={picture} setUp={setUp} />}
      <div class="row">
        <button class="main" onClick={use}>Use this position</button>
        <button onClick={setUp.clear}>{go ? "Clear the board" : "No walls"}</button>
      </div>
      {message && <p class="objection" role="alert">{message}</p>}
    </section>
  );
}

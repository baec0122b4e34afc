// One game on the page: its line of moves, its position, and the players that are no persons, who move by themselves.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Backend, Line } from "./backend";
import { patiently } from "./backend";
import type { Picture } from "./picture";
import type { Sitter } from "./seats";

export interface GameState {
  line: Line;
  /** As many as the game has players, as soon as there is a picture. */
  sitters: Sitter[];
  picture: Picture | null;
  /** The seat whose player is choosing. */
  thinking: number | null;
  /** That player was refused a slot, or the server did not answer: the page asks again. */
  waiting: boolean;
  /** The player that is to move cannot: the message says why. */
  refused: boolean;
  /** The seat that gave the game up, behind all its moves. */
  resigned: number | null;
  /** The same where these are shown; null on the way there. */
  resignedHere: number | null;
  /** The seat of the person who may give the game up: the only one at the table, else the one who is to move. */
  resigner: number | null;
  message: string;
}

export interface GameActions {
  /** Another game, in which a person sits where no sitter is named. Where the line is refused it fails, and the game
   * that is there stays, as where `signal` ends the wait for an answer. */
  begin(line: Line, sitters: Sitter[], signal?: AbortSignal): Promise<void>;
  /** Plays an action by its name; false where it was refused, or something else was done before the answer came. */
  play(text: string): Promise<boolean>;
  goTo(ply: number): void;
  /** Gives a seat to somebody else. */
  sit(seat: number, sitter: Sitter): void;
  /** The `resigner` gives the game up. */
  resign(): void;
  /** Back or on to where a person is to move; ply by ply once the game is over, or where there is no person. The first
   * step back from a person's resignation takes that back alone. */
  undo(): void;
  redo(): void;
  say(message: string): void;
  /** What was said is about something before. Why the page has to ask again stays. */
  hush(): void;
}

const isAbort = (error: unknown) => error instanceof DOMException && error.name === "AbortError";

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function useGame(backend: Backend, first: Line, firstSitters: Sitter[]): [GameState, GameActions] {
  const [line, showLine] = useState(first);
  const [seated, setSeated] = useState(firstSitters);
  const [picture, setPicture] = useState<Picture | null>(null);
  // A link, a file or a form may name fewer or more than the game has players.
  const sitters = picture ? picture.seats.map((_, seat) => seated[seat] ?? null) : seated;
  const [thinking, setThinking] = useState<number | null>(null);
  const [waiting, setWaiting] = useState(false);
  const [refused, setRefused] = useState(false);
  const [resigned, setResigned] = useState<number | null>(null);
  const [message, setMessage] = useState("");
  const shown = useRef<Line | null>(null);
  // The moves of a game that is known to be over, also while one looks at an earlier ply.
  const finished = useRef<string[] | null>(null);
  // An answer about any other line comes too late. The signals of effects do not tell, since these are cleaned up only
  // after the page was drawn again.
  const latest = useRef(first);
  const setLine = (next: Line) => {
    latest.current = next;
    showLine(next);
  };

  // Why the page has to ask again is said for as long as it asks.
  const reason = useRef("");
  const wait = (why: string) => {
    reason.current = why;
    setMessage(why);
  };
  const answered = () => {
    const why = reason.current;
    reason.current = "";
    if (why) setMessage((now) => (now === why ? "" : now));
  };

  // The position of the line.
  useEffect(() => {
    if (shown.current === line) return;
    const leave = new AbortController();
    patiently(() => backend.position(line, leave.signal), leave.signal, wait).then(
      (next) => {
        if (latest.current !== line) return;
        shown.current = line;
        setPicture(next);
        answered();
      },
      (error) => isAbort(error) || setMessage(messageOf(error)),
    );
    return () => leave.abort();
  }, [backend, line]);

  // A player that is no person moves where the game goes on; among moves that were taken back it waits.
  const atEnd = line.ply === line.moves.length;
  const current = picture && shown.current === line ? picture : null;
  const mover = current?.mover ?? null;
  if (atEnd && (current?.outcome || resigned !== null)) finished.current = line.moves;
  const sitter = mover === null ? null : (sitters[mover] ?? null);
  useEffect(() => {
    setRefused(false);
    if (!sitter || mover === null || !atEnd || resigned !== null) return;
    const leave = new AbortController();
    setThinking(mover);
    const waits = (why: string) => {
      setWaiting(true);
      wait(why);
    };
    patiently(() => backend.choose(line, sitter, leave.signal), leave.signal, waits)
      .then((choice) => {
        if (latest.current !== line) return;
        answered();
        if (choice.resigns) setResigned(mover);
        else setLine({ ...line, moves: [...line.moves, choice.text], ply: line.ply + 1 });
      })
      .catch((error) => {
        if (leave.signal.aborted || latest.current !== line) return;
        setRefused(true);
        setMessage(messageOf(error));
      })
      .finally(() => {
        if (leave.signal.aborted) return;
        setThinking(null);
        setWaiting(false);
      });
    return () => {
      leave.abort();
      setThinking(null);
      setWaiting(false);
      answered();
    };
  }, [backend, line, current, sitter, mover, atEnd, resigned]);

  const begin = async (next: Line, nextSitters: Sitter[], signal?: AbortSignal) => {
    const found = await backend.position(next, signal);
    signal?.throwIfAborted();
    setPicture(found);
    shown.current = next;
    setLine(next);
    setSeated(nextSitters);
    setThinking(null);
    setResigned(null);
    setMessage("");
  };

  const goTo = (ply: number) => {
    if (ply < 0 || ply > line.moves.length || ply === line.ply) return;
    setMessage("");
    setLine({ ...line, ply });
  };

  const stepTo = (direction: 1 | -1) => {
    const moves = picture?.moves ?? [];
    const plyByPly = finished.current === line.moves || !sitters.includes(null);
    const rest = (at: number) => plyByPly || at <= 0 || at >= moves.length || !sitters[moves[at]!.seat];
    let ply = line.ply + direction;
    while (!rest(ply)) ply += direction;
    goTo(ply);
  };

  const sit = (seat: number, sitter: Sitter) => {
    setSeated(sitters.map((old, i) => (i === seat ? sitter : old)));
    setResigned((now) => (now === seat ? null : now));
    setMessage("");
  };

  // As in matches and records, a game of more than two players is not given up.
  const persons = sitters.flatMap((one, seat) => (one ? [] : [seat]));
  const person = mover !== null && !sitter ? mover : persons.length === 1 ? persons[0]! : null;
  const open = atEnd && mover !== null && resigned === null && current?.players === 2;
  const resigner = open ? person : null;
  const resign = () => {
    setMessage("");
    setResigned(resigner);
  };

  const undo = () => {
    if (!atEnd || resigned === null || sitters[resigned]) return stepTo(-1);
    finished.current = null;
    setResigned(null);
  };

  const play = async (text: string): Promise<boolean> => {
    const before = { ...line, moves: line.moves.slice(0, line.ply) };
    try {
      const answer = await backend.play(before, text);
      if (latest.current !== line) return false;
      if ("refusal" in answer) {
        const { message: why, nearest } = answer.refusal;
        setMessage(nearest ? `${why}; did you mean ${nearest}?` : why);
        return false;
      }
      const played = answer.picture.last!.text;
      const next = { ...before, moves: [...before.moves, played], ply: before.ply + 1 };
      shown.current = next;
      setMessage("");
      setResigned(null);
      setPicture(answer.picture);
      setLine(next);
      return true;
    } catch (error) {
      if (latest.current === line) setMessage(messageOf(error));
      return false;
    }
  };

  const state = { line, sitters, picture, thinking, waiting, refused, resigned, resignedHere: atEnd ? resigned : null, resigner, message };
  const actions = {
    begin,
    play,
    goTo,
    sit,
    resign,
    undo,
    redo: () => stepTo(1),
    say: setMessage,
    hush: () => setMessage((now) => (now === reason.current ? now : "")),
  };
  return [state, actions];
}

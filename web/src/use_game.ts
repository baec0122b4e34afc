// One game on the page: its line of moves, who sits where, and what a person does with them. Its position is asked for
// in use_position.ts, the moves of players that are no persons in use_chooser.ts.
import { useRef, useState } from "preact/hooks";
import type { Backend, Choice, Line, SavedGame } from "./backend";
import { type Ending, endingOf, GOES_ON, isOver, resignation } from "./ending";
import type { Move, Picture } from "./picture";
import type { Sitter } from "./seats";
import { useChooser } from "./use_chooser";
import { messageOf, useMessage } from "./use_message";
import { usePosition } from "./use_position";

export interface GameState {
  line: Line;
  /** As many as the game has players, as soon as there is a picture. */
  sitters: Sitter[];
  picture: Picture | null;
  /** The picture is the line's, and not yet that of the one before. */
  current: boolean;
  /** The seat whose player is choosing. */
  thinking: number | null;
  /** That player was refused a slot, or the server did not answer: the page asks again. */
  waiting: boolean;
  /** The player that is to move cannot: the message says why. */
  refused: boolean;
  ending: Ending;
  /** The same where the last move is shown; GOES_ON on the way there. */
  endingHere: Ending;
  /** The players of the record that was loaded; null once anybody has gone on with its game or sat down anew. */
  recordNames: string[] | null;
  /** The seat of the person who may give the game up: the only one at the table, else the one who is to move. */
  resigner: number | null;
  message: string;
}

export interface GameActions {
  /** Another game, in which a person sits where no sitter is named; `saved`: the record that it comes from. Where the
   * line is refused it fails, and the game that is there stays, as where `signal` ends the wait for an answer. */
  begin(line: Line, sitters: Sitter[], signal?: AbortSignal, saved?: SavedGame): Promise<void>;
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

/** The seat of the person who may give the game up: as in matches and records, nobody where it has more players. */
function resignerOf(picture: Picture | null, sitters: Sitter[]): number | null {
  if (picture?.players !== 2 || picture.mover === null) return null;
  if (!sitters[picture.mover]) return picture.mover;
  const persons = sitters.flatMap((one, seat) => (one ? [] : [seat]));
  return persons.length === 1 ? persons[0]! : null;
}

/** The next ply in a direction at which a person is to move, or the game begins or ends. */
function nextOfPersons(ply: number, direction: 1 | -1, moves: Move[], sitters: Sitter[]): number {
  let next = ply + direction;
  while (next > 0 && next < moves.length && sitters[moves[next]!.seat]) next += direction;
  return next;
}

/** The line after what a text plays on it, and its picture; or why that cannot be played. */
async function played(
  backend: Backend,
  line: Line,
  text: string,
): Promise<{ next: Line; picture: Picture } | { why: string }> {
  const before = { ...line, moves: line.moves.slice(0, line.ply) };
  const answer = await backend.play(before, text);
  if ("refusal" in answer) {
    const { message, nearest } = answer.refusal;
    return { why: nearest ? `${message}; did you mean ${nearest}?` : message };
  }
  const { picture } = answer;
  return { next: { ...before, moves: [...before.moves, picture.last!.text], ply: before.ply + 1 }, picture };
}

function useLine(first: Line) {
  const [line, showLine] = useState(first);
  // An answer about any other line comes too late. The signals of effects do not tell, since these are cleaned up only
  // after the page was drawn again.
  const latest = useRef(first);
  const setLine = (next: Line) => {
    latest.current = next;
    showLine(next);
  };
  return { line, latest, setLine };
}

function useSitters(picture: Picture | null, first: Sitter[]) {
  const [seated, setSitters] = useState(first);
  // A link, a file or a form may name fewer or more than the game has players.
  const sitters = picture ? picture.seats.map((_, seat) => seated[seat] ?? null) : seated;
  return { sitters, setSitters };
}

export function useGame(backend: Backend, first: Line, firstSitters: Sitter[]): [GameState, GameActions] {
  const { line, latest, setLine } = useLine(first);
  const words = useMessage();
  const { say } = words;
  const { picture, current, show } = usePosition(backend, line, latest, words);
  const { sitters, setSitters } = useSitters(picture, firstSitters);
  const [ending, setEnding] = useState(GOES_ON);
  const [recordNames, setRecordNames] = useState<string[] | null>(null);
  // What holds as soon as somebody resigns or sits down, where a render comes later. An answer may come between.
  const now = useRef({ sitters, ending });
  now.current = { sitters, ending };
  // What a record says of its game is not about one that goes on.
  const goOn = (next: Ending) => {
    now.current = { ...now.current, ending: next };
    setEnding(next);
    setRecordNames(null);
  };
  // The moves of a game that is known to be over, also while one looks at an earlier ply.
  const finished = useRef<string[] | null>(null);
  const atEnd = line.ply === line.moves.length;
  if (atEnd && (current?.outcome || isOver(ending))) finished.current = line.moves;

  // A player that is no person moves where the game goes on; among moves that were taken back it waits.
  const standing = atEnd && !isOver(ending) ? current : null;
  const mover = standing?.mover ?? null;
  const onChoice = (choice: Choice, seat: number) => {
    if (isOver(now.current.ending) || now.current.sitters[seat] !== sitters[seat]) return;
    goOn(choice.resigns ? resignation(seat) : GOES_ON);
    if (!choice.resigns) setLine({ ...line, moves: [...line.moves, choice.text], ply: line.ply + 1 });
  };
  const chooser = useChooser({ backend, line, latest, mover, sitters, words, onChoice });
  const resigner = resignerOf(standing, sitters);

  const begin = async (next: Line, nextSitters: Sitter[], signal?: AbortSignal, saved?: SavedGame) => {
    const found = await backend.position(next, signal);
    signal?.throwIfAborted();
    show(next, found);
    setLine(next);
    setSitters(nextSitters);
    setEnding(endingOf(saved?.result ?? "", found));
    setRecordNames(saved?.names ?? null);
    say("");
  };

  const play = async (text: string): Promise<boolean> => {
    const wasOver = isOver(now.current.ending);
    try {
      const answer = await played(backend, line, text);
      if (latest.current !== line || isOver(now.current.ending) !== wasOver) return false;
      if ("why" in answer) {
        say(answer.why);
        return false;
      }
      show(answer.next, answer.picture);
      setLine(answer.next);
      goOn(GOES_ON);
      say("");
      return true;
    } catch (error) {
      if (latest.current === line) say(messageOf(error));
      return false;
    }
  };

  const goTo = (ply: number) => {
    if (ply < 0 || ply > line.moves.length || ply === line.ply) return;
    say("");
    setLine({ ...line, ply });
  };
  const stepTo = (direction: 1 | -1) => {
    const plyByPly = finished.current === line.moves || !sitters.includes(null);
    goTo(plyByPly ? line.ply + direction : nextOfPersons(line.ply, direction, picture?.moves ?? [], sitters));
  };
  const undo = () => {
    if (!atEnd || ending.resigned === null || sitters[ending.resigned]) return stepTo(-1);
    finished.current = null;
    goOn(GOES_ON);
  };

  const sit = (seat: number, sitter: Sitter) => {
    const seated = sitters.map((old, i) => (i === seat ? sitter : old));
    now.current = { ...now.current, sitters: seated };
    setSitters(seated);
    // A game that the rules end stays what its record says, whoever sits there.
    if (!ending.settled) goOn(ending.resigned === seat || ending.recorded ? GOES_ON : ending);
    say("");
  };
  const resign = () => {
    say("");
    goOn(resignation(resigner));
  };

  const endingHere = atEnd ? ending : GOES_ON;
  const { message } = words;
  const state = { line, sitters, picture, current: current !== null, ...chooser, ending, endingHere, recordNames, resigner, message };
  return [state, { begin, play, goTo, sit, resign, undo, redo: () => stepTo(1), say, hush: words.hush }];
}

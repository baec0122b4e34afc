// What a model thinks of the game that is shown, where a person asks for it: analysis, hints and a review.
import { useState } from "preact/hooks";
import type { Backend, Info, Line } from "./backend";
import type { BoardProps } from "./board";
import type { Picture } from "./picture";
import { badMoves, useReview } from "./review";
import { useAnalysis } from "./use_analysis";
import { useEligible } from "./use_eligible";
import type { GameState } from "./use_game";

export type Heat = NonNullable<BoardProps["heat"]>;
const ANALYSIS_SECONDS = 30;
const HINT_SECONDS = 2;

/** Who owns the points, from 1 (black) to 0 (white): at the end as it is counted, before it as the network expects. */
function ownersOf(picture: Picture, wanted: boolean, expected: number[] | undefined): number[] | null {
  if (picture.family !== "go") return null;
  if (picture.outcome) return picture.owners ?? null;
  if (!wanted) return null;
  return expected ? expected.map((owner) => (owner + 1) / 2) : (picture.owners ?? null);
}

export type Advice = ReturnType<typeof useAdvice>;

/** `open`: the game goes on in this position. */
export function useAdvice(backend: Backend, info: Info, game: GameState, picture: Picture, open: boolean) {
  const { line } = game;
  const [chosenModel, chooseModel] = useState<string | null>(null);
  const [analysing, setAnalysing] = useState(false);
  const [hintFor, setHintFor] = useState<Line | null>(null);
  const [heat, setHeat] = useState<Heat>("search");
  const [showOwners, setShowOwners] = useState(false);
  const [reviewVisits, setReviewVisits] = useState(0);

  const answered = useEligible(backend, info, picture.game, line.start !== undefined);
  /** null: not known yet. */
  const eligible = answered?.game === picture.game ? answered : null;
  const models = eligible?.models ?? [];
  /** The model that is asked; null where none can play the game. */
  const thinker = (models.find((m) => m.id === chosenModel) ?? models[0])?.id ?? null;
  const seconds = analysing ? ANALYSIS_SECONDS : hintFor === line ? HINT_SECONDS : 0;
  // A player who waits for a slot comes before what the page itself asks: with one slot there is no other.
  const asked = open && !game.waiting ? line : null;
  const withOwners = picture.family === "go" && showOwners;
  const { analysis, running, message, again } = useAnalysis(backend, asked, thinker, seconds, withOwners);
  const review = useReview(backend, line, thinker, reviewVisits, game.waiting);
  const bad = review ? badMoves(review, picture) : [];
  const hint = () => {
    setHintFor(line);
    if (message && !running) again();
  };
  return {
    eligible,
    models,
    thinker,
    chooseModel,
    analysis,
    running,
    message,
    analysing,
    setAnalysing,
    hint: thinker && open ? hint : null,
    heat,
    setHeat,
    /** What the board shows of it. */
    shownHeat: seconds > 0 ? heat : "none",
    showOwners,
    setShowOwners,
    owners: ownersOf(picture, showOwners, analysis?.ownership),
    review,
    reviewVisits,
    setReviewVisits,
    bad,
    /** By ply, what is to be said of a bad move. */
    marks: new Map(bad.map((b) => [b.ply, `lost ${(100 * b.loss).toFixed(0)}% here${b.best ? `, ${b.best} was better` : ""}`])),
    /** Expected points of each seat; null: not known. */
    values: analysis?.values ?? review?.values[line.ply] ?? picture.outcome?.values ?? null,
  };
}

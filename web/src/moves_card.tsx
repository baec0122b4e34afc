// The card of the moves, with the review of the game.
import { Graph, Moves } from "./moves";
import type { Picture } from "./picture";
import type { Advice } from "./use_advice";

interface MovesCardProps {
  picture: Picture;
  ply: number;
  advice: Advice;
  onGoTo: (ply: number) => void;
}

export function MovesCard({ picture, ply, advice, onGoTo }: MovesCardProps) {
  const { review, bad, marks } = advice;
  return (
    <section class="card">
      <div class="row wrap">
        <h2>Moves</h2>
        {advice.thinker && (
          <label>
            <span class="visually-hidden">Review of the game</span>
            <select
              value={advice.reviewVisits}
              onChange={(event) => advice.setReviewVisits(Number(event.currentTarget.value))}
              data-testid="review"
            >
              <option value={0}>no review</option>
              <option value={50}>review, 50 visits a move</option>
              <option value={400}>review, 400 visits a move</option>
              <option value={2000}>review, 2000 visits a move</option>
            </select>
          </label>
        )}
      </div>
      {review && <Graph picture={picture} values={review.values} ply={ply} marks={marks} onGoTo={onGoTo} />}
      {review?.message && <p class="objection">{review.message}</p>}
      {bad.length > 0 && (
        <ul class="worst" aria-label="The worst moves">
          {bad.map((b) => (
            <li>
              <button class="link" onClick={() => onGoTo(b.ply)}>
                {b.ply + 1}. {b.text}
              </button>{" "}
              {marks.get(b.ply)}
            </li>
          ))}
        </ul>
      )}
      <Moves picture={picture} ply={ply} marks={marks} onGoTo={onGoTo} />
    </section>
  );
}

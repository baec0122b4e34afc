// The card of the analysis: whether there is one, by which model, what is shown of it, and its candidates.
import { Candidates } from "./candidates";
import type { Move } from "./picture";
import type { Advice, Heat } from "./use_advice";

interface AnalysisCardProps {
  advice: Advice;
  /** In Go it can also show who will own the points. */
  go: boolean;
  /** null: no person is to move. */
  onPlay: ((text: string) => void) | null;
  onLook: (line: readonly Move[] | null) => void;
}

export function AnalysisCard({ advice, go, onPlay, onLook }: AnalysisCardProps) {
  const { models, thinker, analysis } = advice;
  if (!thinker) return null;
  return (
    <section class="card">
      <div class="row wrap">
        <h2>Analysis</h2>
        {advice.running && <span class="quiet">searching</span>}
      </div>
      <div class="row wrap">
        <label class="check">
          <input type="checkbox" checked={advice.analysing} onChange={(event) => advice.setAnalysing(event.currentTarget.checked)} />
          Analyse while playing
        </label>
        <label>
          <span class="visually-hidden">Shown on the board</span>
          <select value={advice.heat} onChange={(event) => advice.setHeat(event.currentTarget.value as Heat)}>
            <option value="search">map: the search's policy</option>
            <option value="network">map: the network's policy</option>
            <option value="none">no map</option>
          </select>
        </label>
        {models.length > 1 && (
          <label>
            <span class="visually-hidden">The model that analyses</span>
            <select value={thinker} onChange={(event) => advice.chooseModel(event.currentTarget.value)}>
              {models.map((m) => (
                <option value={m.id}>{m.name} ({m.game})</option>
              ))}
            </select>
          </label>
        )}
        {go && (
          <label class="check">
            <input type="checkbox" checked={advice.showOwners} onChange={(event) => advice.setShowOwners(event.currentTarget.checked)} />
            Territory
          </label>
        )}
      </div>
      {analysis && <Candidates analysis={analysis} onPlay={onPlay} onLook={onLook} />}
    </section>
  );
}

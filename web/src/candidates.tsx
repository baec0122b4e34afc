// What a search says of the moves that may be played.
import { useEffect } from "preact/hooks";
import type { Analysis, Move } from "./picture";
import { counted, percent } from "./words";

interface CandidatesProps {
  analysis: Analysis;
  onPlay: ((text: string) => void) | null;
  onLook: (line: readonly Move[] | null) => void;
}

export function Candidates({ analysis, onPlay, onLook }: CandidatesProps) {
  // A row that goes away under the mouse sends no mouseleave.
  useEffect(() => () => onLook(null), []);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Candidates">
      <table class="candidates">
        <caption>
          {counted(analysis.nodes, "visit")}{analysis.proven ? ", proven" : ""}
        </caption>
        <thead>
          <tr>
            <th scope="col">Move</th>
            <th scope="col">Wins</th>
            <th scope="col">Visits</th>
            <th scope="col">Network</th>
            <th scope="col">Expected play</th>
          </tr>
        </thead>
        <tbody>
          {analysis.candidates.slice(0, 5).map((candidate) => (
            <tr
              onMouseEnter={() => onLook(candidate.line ?? null)}
              onMouseLeave={() => onLook(null)}
              onFocusIn={() => onLook(candidate.line ?? null)}
              onFocusOut={() => onLook(null)}
            >
              <th scope="row">
                {/* Also where nobody may play it: who has no mouse sees its line by the focus. */}
                <button class="link" aria-disabled={!onPlay} onClick={() => onPlay?.(candidate.text)}>
                  {candidate.text}
                </button>
              </th>
              <td>{candidate.visits > 0 || candidate.proven ? percent(candidate.value) : "-"}</td>
              <td>{candidate.visits}</td>
              <td>{percent(candidate.prior)}</td>
              <td class="line">{candidate.line?.slice(1, 7).map((move) => move.text).join(" ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Where two records differ: the place, the value in the proposal, and the value today. */
import { placeWords } from "../api/json-pointer.ts";
import { proposalTexts } from "../texts/votes-proposal.ts";
import type { Difference } from "./json-difference.ts";

/** Differences that are shown. */
const SHOWN = 50;

export function DifferenceTable({ differences }: { readonly differences: readonly Difference[] }) {
  return (
    <div className="stack tight">
      <h3>{proposalTexts.differences}</h3>
      <ul className="differences">
        {differences.slice(0, SHOWN).map(({ path, from, to }) => (
          <li key={path}>
            <code>{placeWords(path)}</code>
            <dl>
              <dt>{proposalTexts.inProposal}</dt>
              <dd>
                <Value value={from} />
              </dd>
              <dt>{proposalTexts.today}</dt>
              <dd>
                <Value value={to} />
              </dd>
            </dl>
          </li>
        ))}
      </ul>
      {differences.length > SHOWN && (
        <p className="muted small">{proposalTexts.moreDifferences(differences.length - SHOWN)}</p>
      )}
    </div>
  );
}

function Value({ value }: { readonly value: unknown }) {
  if (value === undefined) return <span className="muted">{proposalTexts.nothing}</span>;
  return <code>{typeof value === "string" ? value : JSON.stringify(value)}</code>;
}

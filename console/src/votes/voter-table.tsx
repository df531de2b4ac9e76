/** Voters with their power and its share of all, drawn. */
import { Age } from "../kit/age.tsx";
import { Badge } from "../kit/badge.tsx";
import { DidText } from "../kit/did-text.tsx";
import { ballotTexts } from "../texts/votes-ballot.ts";
import { rollTexts } from "../texts/votes-roll.ts";
import type { Voter } from "./proposal.ts";
import { shareText } from "./tally-bars.tsx";
import { grouped } from "../texts/number.ts";

export interface VoterTableProps {
  readonly voters: readonly Voter[];
  /** Of the whole roll. */
  readonly totalPower: number;
  readonly ownDid: string | undefined;
  readonly onEdit: (voter: Voter) => void;
  readonly onRemove: (voter: Voter) => void;
}

export function VoterTable({ voters, totalPower, ownDid, onEdit, onRemove }: VoterTableProps) {
  return (
    <ul className="voters">
      {voters.map((voter) => {
        const { did, label, weight, addedAt, warning } = voter;
        const named = label ?? did;
        return (
          <li key={did} className="voter">
            <div className="stack tight">
              <p className="row wrap">
                {label !== null && <strong>{label}</strong>}
                <DidText id={did} canCopy />
                {did === ownDid && <Badge>{ballotTexts.you}</Badge>}
                {warning !== null && <Badge tone="warn">{rollTexts.cannotVote}</Badge>}
              </p>
              <p className="muted small">
                {rollTexts.added} <Age at={addedAt} />
              </p>
              {warning !== null && <p className="small">{rollTexts.cannotVoteMore}</p>}
            </div>
            <div>
              <p className="row spread">
                <strong className="number">{grouped(weight)}</strong>
                <span className="muted number">{shareText(weight, totalPower)}</span>
              </p>
              <div className="tally-track" aria-hidden="true">
                <span
                  className="tally-part yes"
                  style={{ inlineSize: `${totalPower === 0 ? 0 : (100 * weight) / totalPower}%` }}
                />
              </div>
            </div>
            <p className="row">
              <button
                type="button"
                className="small"
                aria-label={rollTexts.named(rollTexts.edit, named)}
                onClick={() => onEdit(voter)}
              >
                {rollTexts.edit}
              </button>
              <button
                type="button"
                className="small"
                aria-label={rollTexts.named(rollTexts.remove, named)}
                onClick={() => onRemove(voter)}
              >
                {rollTexts.remove}
              </button>
            </p>
          </li>
        );
      })}
    </ul>
  );
}

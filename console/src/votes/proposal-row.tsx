/** One proposal in the list: what it asks, how it stands, how long it runs, and what the caller did. */
import { Link } from "wouter";
import { proposalHref } from "../kit/addresses.ts";
import { Age } from "../kit/age.tsx";
import { Badge } from "../kit/badge.tsx";
import { DidText } from "../kit/did-text.tsx";
import { Person } from "../kit/person.tsx";
import { votesTexts } from "../texts/votes.ts";
import { tallyTexts } from "../texts/votes-tally.ts";
import { YouVoted } from "./you-voted.tsx";
import type { OwnVote, Proposal } from "./proposal.ts";
import { standingOf } from "../../../shared/vote-tally.ts";
import { StateBadge } from "./state-badge.tsx";
import { CastBar } from "./tally-bars.tsx";
import { TimeLeft } from "./time-left.tsx";

export interface ProposalRowProps {
  readonly proposal: Proposal;
  readonly name: string | undefined;
  /** Null when the electorate does not have the caller; undefined while that is not known. */
  readonly own: OwnVote | null | undefined;
}

export function ProposalRow({ proposal, name, own }: ProposalRowProps) {
  const { id, title, kind, state, domainId, proposer, tally, totalPower, rules, votingEndsAt, decidedAt } = proposal;
  const { outcomeNow, missingForQuorum, quorumPower } = standingOf(tally, totalPower, rules);
  const isOpen = state === "open";
  return (
    <li className="card">
      <div className="row wrap spread">
        <h3>
          <Link href={proposalHref(id)}>{title}</Link>
        </h3>
        <span className="row wrap">
          <Badge tone={kind === "revoke" ? "warn" : "neutral"}>{votesTexts.kinds[kind]}</Badge>
          <StateBadge state={state} />
        </span>
      </div>
      <p className="row wrap muted small">
        <span>{name ?? votesTexts.unnamed}</span>
        <DidText id={domainId} />
        <span>
          {votesTexts.proposedBy} <Person did={proposer} />
        </span>
        {isOpen ? (
          <TimeLeft until={votingEndsAt} />
        ) : (
          <span>
            {votesTexts.ended} <Age at={decidedAt ?? votingEndsAt} />
          </span>
        )}
      </p>
      <CastBar tally={tally} totalPower={totalPower} rules={rules} />
      <p className="row wrap spread small">
        <span className="muted">
          {tallyTexts.tallyLead(tally.cast, totalPower)}{" "}
          {isOpen &&
            (missingForQuorum > 0
              ? tallyTexts.quorumMissing(missingForQuorum, quorumPower)
              : tallyTexts.endsNow[outcomeNow])}
        </span>
        <OwnPart own={own} isOpen={isOpen} />
      </p>
    </li>
  );
}

function OwnPart({ own, isOpen }: { readonly own: ProposalRowProps["own"]; readonly isOpen: boolean }) {
  if (own === undefined) return null;
  if (own === null) return <span className="muted">{votesTexts.notAVoter}</span>;
  if (own.vote !== null) return <YouVoted vote={own.vote} />;
  return isOpen ? (
    <Badge tone="info">{votesTexts.yourVoteWanted}</Badge>
  ) : (
    <span className="muted">{votesTexts.notVoted}</span>
  );
}

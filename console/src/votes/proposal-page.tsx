/** One proposal: what it asks, how it stands, the caller's vote, what is voted on beside the domain today, and all votes. */
import { Link } from "wouter";
import { domainHref } from "../kit/addresses.ts";
import { Age, ExactTime } from "../kit/age.tsx";
import { BackLink } from "../kit/back-link.tsx";
import { Fact } from "../kit/fact.tsx";
import { Badge } from "../kit/badge.tsx";
import { Person } from "../kit/person.tsx";
import { DataAge, Loaded } from "../kit/loaded.tsx";
import { ScreenHeader } from "../kit/screen-header.tsx";
import { votesTexts } from "../texts/votes.ts";
import { proposalTexts } from "../texts/votes-proposal.ts";
import { tallyTexts } from "../texts/votes-tally.ts";
import { Outcome } from "./outcome.tsx";
import { PackageCard } from "./package-card.tsx";
import type { Proposal } from "./proposal.ts";
import { RulesFacts } from "./rules-facts.tsx";
import { StateBadge } from "./state-badge.tsx";
import { TallyCard } from "./tally-card.tsx";
import { TimeLeft } from "./time-left.tsx";
import { useDomainNames } from "../api/use-domain-names.ts";
import { useProposal } from "./use-proposal.ts";
import { VoteList } from "./vote-list.tsx";
import { WithdrawButton } from "./withdraw-button.tsx";
import { YourVote } from "./your-vote.tsx";

const trail = <BackLink href="/votes">{proposalTexts.back}</BackLink>;

export function ProposalPage({ pid }: { readonly pid: string }) {
  const query = useProposal(pid);
  return (
    <>
      <ScreenHeader
        title={query.data?.proposal.title ?? votesTexts.title}
        trail={trail}
        {...(query.data !== undefined && {
          lead: <Standing proposal={query.data.proposal} />,
          actions: (
            <Link className="button" href={domainHref(query.data.proposal.domainId)}>
              {proposalTexts.viewDomain}
            </Link>
          ),
        })}
      />
      <Loaded query={query} showsAge={false}>
        {({ proposal }) => (
          <div className="stack loose">
            <Head proposal={proposal} />
            <Outcome proposal={proposal} />
            <div className="proposal">
              <div>
                <TallyCard proposal={proposal} />
              </div>
              <div className="stack loose">
                <YourVote proposal={proposal} />
                <Rules proposal={proposal} />
              </div>
              <div className="stack loose">
                <PackageCard proposal={proposal} />
                <VoteList pid={pid} />
                <WithdrawButton proposal={proposal} />
              </div>
            </div>
            <DataAge at={query.dataUpdatedAt} />
          </div>
        )}
      </Loaded>
    </>
  );
}

interface ProposalProps {
  readonly proposal: Proposal;
}

function Standing({ proposal: { state, kind, votingEndsAt } }: ProposalProps) {
  return (
    <span className="row wrap">
      <StateBadge state={state} />
      <Badge tone={kind === "revoke" ? "warn" : "neutral"}>{votesTexts.kinds[kind]}</Badge>
      {state === "open" && <TimeLeft until={votingEndsAt} />}
    </span>
  );
}

function Head({ proposal }: ProposalProps) {
  const { kind, domainId, summary, reason, proposer, proposerRole, createdAt } = proposal;
  const name = useDomainNames([domainId]).get(domainId) ?? domainId;
  return (
    <div className="stack">
      <p>
        <strong>{proposalTexts.asks[kind](name)}</strong> {proposalTexts.asksMore[kind]}
      </p>
      {summary !== "" && <p className="prose">{summary}</p>}
      {reason !== null && (
        <p className="prose">
          <strong>{proposalTexts.reason}:</strong> {reason}
        </p>
      )}
      <p className="row wrap small muted">
        {proposalTexts.proposedBy} <Person did={proposer} canCopy /> ({proposalTexts.roles[proposerRole]}),{" "}
        <Age at={createdAt} />
      </p>
    </div>
  );
}

function Rules({ proposal }: ProposalProps) {
  const words = tallyTexts.rule;
  return (
    <section className="card" aria-labelledby="rules">
      <h2 id="rules">{tallyTexts.rules}</h2>
      <RulesFacts rules={proposal.rules} totalPower={proposal.totalPower}>
        <Fact name={words.opened}>
          <ExactTime at={proposal.createdAt} />
        </Fact>
        <Fact name={words.ends}>
          <ExactTime at={proposal.votingEndsAt} />
        </Fact>
      </RulesFacts>
      <p className="muted small">{tallyTexts.rulesKept}</p>
    </section>
  );
}

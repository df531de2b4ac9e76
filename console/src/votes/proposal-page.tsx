/** One proposal: its question, its standing, the caller's vote, its subject compared with the current domain, and all votes. */
import { Link } from "wouter";
import { useDomainNamesOrWait } from "../api/use-domain-names.ts";
import { domainHref } from "../kit/addresses.ts";
import { Age, ExactTime } from "../kit/age.tsx";
import { Badge } from "../kit/badge.tsx";
import { Fact } from "../kit/fact.tsx";
import { DataAge, Loaded, Skeleton } from "../kit/loaded.tsx";
import { Person, useKnowsPeople } from "../kit/person.tsx";
import { BackLink, ScreenHeader } from "../kit/screen-header.tsx";
import { useOnce } from "../kit/use-once.ts";
import { useCaller, useRights } from "../session/use-caller.ts";
import { outcomeReasons } from "../texts/changes.ts";
import { grouped } from "../texts/number.ts";
import { ballotTexts, proposalTexts, tallyTexts, votesTexts } from "../texts/votes.ts";
import { PackageCard, useComparison } from "./package-card.tsx";
import { StateBadge, TimeLeft, YouVoted } from "./proposal-state.tsx";
import type { Proposal, ProposalDetail } from "./proposal.ts";
import { RulesFacts } from "./rules-facts.tsx";
import { TallyCard } from "./tally-card.tsx";
import { useOwnVotes, useProposal } from "./use-proposal.ts";
import { VoteForm } from "./vote-form.tsx";
import { VoteList } from "./vote-list.tsx";
import { WithdrawButton } from "./withdraw-button.tsx";

const asks = {
  verify: (name: string) => `Verify ${name}?`,
  revoke: (name: string) => `Revoke the verification of ${name}?`,
};

const asksMore = {
  verify:
    "If it passes, the domain is verified in the version below and may take part in the programme. Any change of its content ends this vote.",
  revoke:
    "If it passes, the domain loses its verification and its services are switched off. Until then, it stays verified, and changes of the domain do not end this vote.",
};

const roles = { compliance: "compliance", program: "programme" };

const outcomes = {
  passedVerify: "Passed: the domain was verified.",
  passedRevoke: "Passed: the verification was revoked.",
  rejected: "Rejected.",
  expired: "Expired without a decision.",
  withdrawn: "Withdrawn.",
  superseded: "Ended because the domain changed.",
};

const outcomeWhy = outcomeReasons;

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
              Open the domain
            </Link>
          ),
        })}
      />
      <Loaded query={query} showsAge={false}>
        {({ proposal }) => <Parts proposal={proposal} updatedAt={query.dataUpdatedAt} />}
      </Loaded>
    </>
  );
}

interface PartsProps {
  readonly proposal: ProposalDetail;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
}

/**
 * Rendered once the names and the caller's part are known; the parts below the package are rendered once the package is known.
 * This avoids layout shift.
 */
function Parts({ proposal, updatedAt }: PartsProps) {
  const { id, domainId, proposer, electorsWithoutKey } = proposal;
  const own = useOwnVotes([id]);
  const names = useDomainNamesOrWait([domainId]);
  const knowsPeople = useKnowsPeople([proposer, ...(electorsWithoutKey?.dids ?? [])]);
  const comparison = useComparison(proposal);
  const isDrawn = useOnce(own.isSettled && names !== undefined && knowsPeople);
  const isCompared = useOnce(comparison.isSettled);
  if (!isDrawn) return <Skeleton rows={8} />;
  return (
    <div className="stack loose">
      <Head proposal={proposal} name={names?.get(domainId) ?? domainId} />
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
          <PackageCard proposal={proposal} comparison={comparison} />
          {isCompared && (
            <>
              <VoteList pid={id} />
              <WithdrawButton proposal={proposal} />
            </>
          )}
        </div>
      </div>
      {isCompared && <DataAge at={updatedAt} />}
    </div>
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

function Head({ proposal, name }: ProposalProps & { readonly name: string }) {
  const { kind, summary, reason, proposer, proposerRole, createdAt } = proposal;
  return (
    <div className="stack">
      <p>
        <strong>{asks[kind](name)}</strong> {asksMore[kind]}
      </p>
      {summary !== "" && <p className="prose">{summary}</p>}
      {reason !== null && (
        <p className="prose">
          <strong>{proposalTexts.reason}:</strong> {reason}
        </p>
      )}
      <p className="row wrap small muted">
        Proposed by <Person did={proposer} canCopy /> ({roles[proposerRole]}), <Age at={createdAt} />
      </p>
    </div>
  );
}

function Rules({ proposal }: ProposalProps) {
  const words = tallyTexts.rule;
  return (
    <section className="card" aria-labelledby="rules">
      <h2 id="rules">Rules of this vote</h2>
      <RulesFacts rules={proposal.rules} totalPower={proposal.totalPower}>
        <Fact name={words.opened}>
          <ExactTime at={proposal.createdAt} />
        </Fact>
        <Fact name={words.ends}>
          <ExactTime at={proposal.votingEndsAt} />
        </Fact>
      </RulesFacts>
      <p className="muted small">These rules applied when the vote was opened.</p>
    </section>
  );
}

/** The caller's options in this vote: cast or change their vote, view it, or read why they cannot vote. */
function YourVote({ proposal }: { readonly proposal: Proposal }) {
  return (
    <section className="card" aria-labelledby="your-vote">
      <h2 id="your-vote">{ballotTexts.yourVote}</h2>
      <Content proposal={proposal} />
    </section>
  );
}

function Content({ proposal }: { readonly proposal: Proposal }) {
  const caller = useCaller();
  const rights = useRights();
  const own = useOwnVotes([proposal.id]).of(proposal.id);
  const isOpen = proposal.state === "open";
  // The owner of the key is still unknown. Without a key there is no proposal to show.
  if (rights === undefined) return <Loaded query={caller}>{() => null}</Loaded>;
  if (own === undefined) return null;
  if (own === null)
    return (
      <p>
        {isOpen
          ? "You cannot vote on this proposal: you were not on the voter roll when it was opened, or its rules exclude you."
          : votesTexts.notAVoter}
      </p>
    );
  const power = `You have ${grouped(own.power)} of ${grouped(proposal.totalPower)} power.`;
  const mayVote = isOpen && (own.vote === null || proposal.rules.allowRevote);
  return (
    <>
      {own.vote !== null && (
        <>
          <p>
            <strong>
              <YouVoted vote={own.vote} />
            </strong>{" "}
            {votesTexts.withPower(own.vote.power)}.
          </p>
          {own.vote.rationale !== null && <blockquote className="rationale">{own.vote.rationale}</blockquote>}
          {isOpen && !proposal.rules.allowRevote && <p className="muted">{ballotTexts.voteFinal}</p>}
        </>
      )}
      {own.vote === null && !isOpen && <p>{votesTexts.notVoted}</p>}
      {mayVote && <p>{power}</p>}
      {mayVote && !rights.mayVote && (
        <p>You have a vote here, but your API key does not have the scope verification:vote.</p>
      )}
      {mayVote && rights.mayVote && <VoteForm key={own.vote?.castAt ?? ""} proposal={proposal} own={own} />}
      {!isOpen && <p className="muted">The vote is over.</p>}
    </>
  );
}

const tones = { passed: "ok", rejected: "danger", expired: "warn", withdrawn: "", superseded: "warn" } as const;

/** How a finished proposal ended, and why. */
function Outcome({ proposal }: { readonly proposal: Proposal }) {
  const { state, decidedAt } = proposal;
  if (state === "open") return null;
  const [result, ...why] = outcomeSentences(proposal);
  return (
    <section className={`notice ${tones[state]}`} aria-labelledby="outcome">
      <div className="stack tight">
        <h2 id="outcome" className="hidden-visually">
          Outcome
        </h2>
        <p>
          <strong>{result}</strong>
        </p>
        {why.length > 0 && <p>{why.join(" ")}</p>}
        {decidedAt !== null && (
          <p className="small muted">
            <Age at={decidedAt} /> · <ExactTime at={decidedAt} />
          </p>
        )}
      </div>
    </section>
  );
}

function outcomeSentences(proposal: Proposal): readonly string[] {
  const { state, outcomeReason, decidedEarly, tally, totalPower } = proposal;
  if (state === "open") return [];
  const reason = outcomeReason === null ? [] : [outcomeWhy[outcomeReason]];
  if (state === "withdrawn") {
    return [outcomes.withdrawn, ...(outcomeReason === null ? [] : [`Reason: ${outcomeReason}`])];
  }
  if (state === "superseded") return [outcomes.superseded, ...defined(reason)];
  return [
    resultOf(proposal),
    ...defined(reason),
    `${grouped(tally.cast)} of ${grouped(totalPower)} power was cast.`,
    decidedEarly
      ? "It was decided early because the remaining votes could not change the result."
      : "It was decided at its end.",
  ];
}

function resultOf({ state, kind }: Proposal): string {
  if (state === "passed") return kind === "verify" ? outcomes.passedVerify : outcomes.passedRevoke;
  return state === "expired" ? outcomes.expired : outcomes.rejected;
}

function defined(texts: readonly (string | undefined)[]): readonly string[] {
  return texts.filter((text) => text !== undefined);
}

/** All proposals: open ones first, starting with those that wait for the caller's vote; finished ones below. */
import { keepPreviousData } from "@tanstack/react-query";
import { Link } from "wouter";
import { apiHooks } from "../api/api.ts";
import { useDomainNamesOrWait } from "../api/use-domain-names.ts";
import { proposalHref } from "../kit/addresses.ts";
import { Age } from "../kit/age.tsx";
import { Badge } from "../kit/badge.tsx";
import { CursorPages } from "../kit/cursor-pages.tsx";
import { FilterForm } from "../kit/filter-form.tsx";
import { Icon } from "../kit/icon.tsx";
import { DataAge, EmptyState, Loaded, Skeleton } from "../kit/loaded.tsx";
import { DidText, Person, useKnowsPeople } from "../kit/person.tsx";
import { ScreenHeader } from "../kit/screen-header.tsx";
import { useOnce } from "../kit/use-once.ts";
import { useUrlState } from "../kit/use-url-state.ts";
import { NeedsKey } from "../session/needs-key.tsx";
import { tallyTexts, votesTexts } from "../texts/votes.ts";
import { type FilterState, filterDefaults, proposalChoices, typedOfList } from "./proposal-filters.ts";
import { StateBadge, TimeLeft, YouVoted } from "./proposal-state.tsx";
import { type OwnVote, type Proposal, type ProposalState, finishedStates } from "./proposal.ts";
import { SectionTabs } from "./section-tabs.tsx";
import { standingOf } from "../../../shared/vote-tally.ts";
import { CastBar } from "./tally-bars.tsx";
import { useOwnVotes } from "./use-proposal.ts";

/** Proposals per page; one request loads at most 50 of the caller's votes. */
const OPEN_ROWS = 50;
const FINISHED_ROWS = 20;
/** Milliseconds: votes are not in the change feed, so the tallies of open ones are polled. */
const REFRESH = 5_000;

export function ProposalList() {
  const [filters, change] = useUrlState(filterDefaults);
  // A cursor belongs to the filters that it was created with.
  const narrow = (changed: Partial<FilterState>): void => change({ ...changed, open: "", done: "" });
  return (
    <>
      <ScreenHeader
        title={votesTexts.title}
        lead="A domain takes part in the programme once its voters have verified it. Open votes come first."
        actions={
          <Link className="button primary" href="/votes/new">
            <Icon name="plus" /> New proposal
          </Link>
        }
      />
      <div className="stack loose">
        <SectionTabs current="proposals" />
        <NeedsKey needs="apiKey">
          <FilterForm
            filters={filters}
            choices={proposalChoices}
            typed={typedOfList}
            more="Domain and proposer"
            onChange={narrow}
          >
            <label className="row vote-mine">
              <input
                type="checkbox"
                checked={filters.mine !== ""}
                onChange={(event) => narrow({ mine: event.target.checked ? "1" : "" })}
              />
              Only where I am a voter
            </label>
          </FilterForm>
          <Sections filters={filters} onChange={change} />
        </NeedsKey>
      </div>
    </>
  );
}

interface SectionsProps {
  readonly filters: FilterState;
  readonly onChange: (changed: Partial<FilterState>) => void;
}

/** Finished proposals are shown after the open ones above them have loaded, without layout shift. */
function Sections({ filters, onChange }: SectionsProps) {
  const { state } = filters;
  const finishedOnes = finishedStates.filter((each) => state === "" || each === state);
  const hasOpen = state === "" || state === "open";
  const open = useProposals({ states: ["open"], rows: OPEN_ROWS, filters, cursor: filters.open, isEnabled: hasOpen });
  const finished = useProposals({
    states: finishedOnes,
    rows: FINISHED_ROWS,
    filters,
    cursor: filters.done,
    isEnabled: finishedOnes.length > 0,
  });
  return (
    <>
      {hasOpen && <Section title="Open" shown={open} filters={filters} onCursor={(next) => onChange({ open: next })} />}
      {finishedOnes.length > 0 && (!hasOpen || open.isSettled) && (
        <Section title="Finished" shown={finished} filters={filters} onCursor={(next) => onChange({ done: next })} />
      )}
    </>
  );
}

interface Wanted {
  readonly states: readonly ProposalState[];
  readonly rows: number;
  readonly filters: FilterState;
  readonly cursor: string;
  readonly isEnabled: boolean;
}

/** Proposals in some states, with all data of their rows. */
function useProposals({ states, rows, filters, cursor, isEnabled }: Wanted) {
  const isOpen = states.includes("open");
  const query = apiHooks.useQuery(
    "get",
    "/v1/proposals",
    {
      params: {
        query: {
          limit: rows,
          state: [...states],
          ...(filters.kind === "verify" || filters.kind === "revoke" ? { kind: [filters.kind] } : {}),
          ...(filters.domain === "" ? {} : { domain: [filters.domain] }),
          ...(filters.proposer === "" ? {} : { proposer: [filters.proposer] }),
          ...(filters.mine === "" ? {} : { electorate: ["me" as const] }),
          ...(cursor === "" ? {} : { cursor }),
        },
      },
    },
    { enabled: isEnabled, ...(isOpen ? { refetchInterval: REFRESH } : {}), placeholderData: keepPreviousData },
  );
  const proposals = query.data?.data ?? [];
  const own = useOwnVotes(proposals.map(({ id }) => id));
  const names = useDomainNamesOrWait(proposals.map(({ domainId }) => domainId));
  const knowsPeople = useKnowsPeople(proposals.map(({ proposer }) => proposer));
  const areRowsKnown = useOnce(query.data !== undefined && own.isSettled && names !== undefined && knowsPeople);
  return {
    query,
    isOpen,
    cursor,
    own: own.of,
    names: names ?? new Map<string, string>(),
    areRowsKnown,
    isSettled: areRowsKnown || query.isError,
  };
}

type ShownProposals = ReturnType<typeof useProposals>;

interface SectionProps {
  readonly title: string;
  readonly shown: ShownProposals;
  readonly filters: FilterState;
  readonly onCursor: (cursor: string) => void;
}

function Section({ title, shown, filters, onCursor }: SectionProps) {
  const { query, cursor, areRowsKnown } = shown;
  return (
    <section className="stack" aria-label={title}>
      <h2>{title}</h2>
      <Loaded query={query} showsAge={false}>
        {({ data, page }) =>
          areRowsKnown ? (
            <>
              <Rows proposals={data} shown={shown} filters={filters} />
              <CursorPages cursor={cursor} next={page.nextCursor} isOld={query.isPlaceholderData} onChange={onCursor} />
              <DataAge at={query.dataUpdatedAt} />
            </>
          ) : (
            <Skeleton />
          )
        }
      </Loaded>
    </section>
  );
}

interface RowsProps {
  readonly proposals: readonly Proposal[];
  readonly shown: ShownProposals;
  readonly filters: FilterState;
}

function Rows({ proposals, shown: { isOpen, own, names }, filters }: RowsProps) {
  if (proposals.length === 0) return <NoRows isOpen={isOpen} filters={filters} />;
  const waits = ({ id }: Proposal): boolean => own(id)?.vote === null;
  const rank = (proposal: Proposal): number => (waits(proposal) ? 0 : 1);
  const ordered = isOpen
    ? proposals.toSorted((a, b) => rank(a) - rank(b) || Date.parse(a.votingEndsAt) - Date.parse(b.votingEndsAt))
    : proposals;
  return (
    <ul className="stack proposals">
      {ordered.map((proposal) => (
        <ProposalRow key={proposal.id} proposal={proposal} name={names.get(proposal.domainId)} own={own(proposal.id)} />
      ))}
    </ul>
  );
}

function NoRows({ isOpen, filters }: { readonly isOpen: boolean; readonly filters: FilterState }) {
  const isFiltered = Object.entries(filters).some(([, value]) => value !== "");
  if (isFiltered) {
    return (
      <EmptyState title="No proposal matches these filters">
        <Link className="button" href="/votes">
          Clear the filters
        </Link>
      </EmptyState>
    );
  }
  if (!isOpen) return <p className="muted">No vote has finished yet</p>;
  return (
    <EmptyState title="No vote is open">
      <p>A proposal to verify or to revoke a domain opens a vote on it.</p>
      <Link className="button" href="/votes/new">
        New proposal
      </Link>
    </EmptyState>
  );
}

interface ProposalRowProps {
  readonly proposal: Proposal;
  readonly name: string | undefined;
  /** Null if the electorate does not include the caller; undefined while unknown. */
  readonly own: OwnVote | null | undefined;
}

/** One proposal in the list: its question, its standing, its remaining time, and the caller's vote. */
function ProposalRow({ proposal, name, own }: ProposalRowProps) {
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
          proposed by <Person did={proposer} />
        </span>
        {isOpen ? (
          <TimeLeft until={votingEndsAt} />
        ) : (
          <span>
            ended <Age at={decidedAt ?? votingEndsAt} />
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
    <Badge tone="info">Waiting for your vote</Badge>
  ) : (
    <span className="muted">{votesTexts.notVoted}</span>
  );
}

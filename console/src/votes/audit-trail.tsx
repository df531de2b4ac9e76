/** The audit trail of all proposals: who proposed, voted and decided, and when; with filters, and export as CSV or JSON. */
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Link } from "wouter";
import { labelOf } from "../api/labels.ts";
import { useDomainNamesOrWait } from "../api/use-domain-names.ts";
import { domainHref, proposalHref } from "../kit/addresses.ts";
import { Age } from "../kit/age.tsx";
import { MoreButton } from "../kit/cursor-pages.tsx";
import { FilterForm } from "../kit/filter-form.tsx";
import { DataAge, EmptyState, ErrorPanel, Loaded, Skeleton } from "../kit/loaded.tsx";
import { Actor, useKnowsPeople } from "../kit/person.tsx";
import { saveFile } from "../kit/save-file.ts";
import { ScreenHeader } from "../kit/screen-header.tsx";
import { useOnce } from "../kit/use-once.ts";
import { useUrlState } from "../kit/use-url-state.ts";
import { useChanges } from "../live/live-changes.tsx";
import { NeedsKey } from "../session/needs-key.tsx";
import { useRights } from "../session/use-caller.ts";
import { reasonInWords } from "../texts/changes.ts";
import { grouped, plural } from "../texts/number.ts";
import { votesTexts } from "../texts/votes.ts";
import {
  type AuditEntry,
  type AuditFilter,
  type LabelledEntry,
  auditEntries,
  csvOf,
  isGovernance,
  matching,
} from "./audit-entries.ts";
import { type AuditPage, type AuditQuery, ITEMS, loadAll, loadPage, withoutRepeats } from "./load-audit.ts";
import { auditDefaults, proposalChoices, typedOfAudit } from "./proposal-filters.ts";
import { SectionTabs } from "./section-tabs.tsx";

const exports = { csv: "Export all as CSV", json: "Export all as JSON" };

const auditLimit = [
  "Changes of the voter roll: the registry lists them at GET /v1/voter-changes.",
  "Voters who did not vote: their total power is known, but not their names.",
  "Votes that were changed later, if the rules allow it: only the last vote is kept.",
  "Refused votes and proposals, and the API key that a DID used.",
];

const events = {
  opened: "opened the proposal",
  exported: "exported the trail",
  voted: (option: string) => `voted ${option}`,
  "proposal-withdrawn": "withdrew the proposal",
  "proposal-superseded": "changed the domain, which ended the vote",
  "proposal-expired": "the vote expired",
  verified: "the domain was verified",
  rejected: "the proposal was rejected",
  revoked: "the verification was revoked",
  "revocation-rejected": "the revocation was rejected",
  "verification-lost": "the domain lost its verification",
};

export function AuditTrail() {
  const [filters, change] = useUrlState(auditDefaults);
  const { domain, state, kind } = filters;
  const query = useAudit({ domain, state, kind });
  return (
    <>
      <ScreenHeader
        title="Audit trail"
        lead="All proposals, votes and decisions with their time: newest proposals first, each with the history of its domain."
      />
      <div className="stack loose">
        <SectionTabs current="audit" />
        <NeedsKey needs="apiKey">
          <div className="stack tight">
            <FilterForm
              filters={filters}
              choices={proposalChoices}
              typed={typedOfAudit}
              more="Domain, person and time"
              onChange={change}
            />
            <p className="hint">
              The registry filters by domain, kind and state. Person and time filter the loaded entries. An export reads
              all proposals first.
            </p>
          </div>
          <details>
            <summary>Not in this trail</summary>
            <ul>
              {auditLimit.map((limit) => (
                <li key={limit}>{limit}</li>
              ))}
            </ul>
          </details>
          <Loaded query={query} showsAge={false}>
            {({ pages }) => <Trail pages={pages} query={query} filters={filters} />}
          </Loaded>
        </NeedsKey>
      </div>
    </>
  );
}

interface TrailProps {
  readonly pages: readonly AuditPage[];
  readonly query: ReturnType<typeof useAudit>;
  readonly filters: Readonly<typeof auditDefaults>;
}

/** Rendered once its names are known, without layout shift. */
function Trail({ pages, query, filters }: TrailProps) {
  const loaded = auditEntries({
    proposals: pages.flatMap(({ proposals }) => proposals),
    votes: pages.flatMap(({ votes }) => votes),
    history: withoutRepeats(pages.flatMap(({ history }) => history)),
  });
  const shown = matching(loaded, filters);
  const names = useDomainNamesOrWait(shown.map(({ domainId }) => domainId));
  const knowsPeople = useKnowsPeople(shown.flatMap(({ actor }) => actor ?? []));
  const isDrawn = useOnce(names !== undefined && knowsPeople);
  const proposals = pages.reduce((sum, page) => sum + page.proposals.length, 0);
  if (!isDrawn) return <Skeleton />;
  return (
    <div className="stack">
      <div className="row wrap spread">
        <p className="muted small">{`${plural(shown.length, "entry", "entries")} of ${plural(proposals, "proposal", "proposals")} loaded.`}</p>
        <div className="row wrap">
          <button type="button" className="small" onClick={() => void query.refetch()}>
            Load again
          </button>
          <AuditExport filters={filters} />
        </div>
      </div>
      <Entries entries={shown} names={names} isEmpty={loaded.length === 0} />
      {pages.some(({ isCut }) => isCut) && (
        <p className="muted small">{`If a proposal has more than ${grouped(ITEMS)} votes, or a domain more than ${grouped(ITEMS)} changes, only ${grouped(ITEMS)} are listed. An export contains all of them.`}</p>
      )}
      <MoreButton query={query}>Load older proposals</MoreButton>
      <DataAge at={query.dataUpdatedAt} />
    </div>
  );
}

interface EntriesProps {
  readonly entries: readonly AuditEntry[];
  readonly names: ReadonlyMap<string, string> | undefined;
  readonly isEmpty: boolean;
}

function Entries({ entries, names, isEmpty }: EntriesProps) {
  if (entries.length === 0)
    return <EmptyState title={isEmpty ? "No proposals yet" : "No loaded entry matches these filters"} />;
  return (
    <ol className="audit">
      {entries.map((entry) => {
        const { at, actor, event, option, power, domainId, proposalId, title, note } = entry;
        return (
          <li key={`${at} ${event} ${actor} ${proposalId ?? domainId}`}>
            <span className="muted small">
              <Age at={at} />
            </span>
            <div className="stack tight">
              <p>
                <Who actor={actor} />
                {": "}
                <strong>
                  {event === "voted" ? events.voted(votesTexts.options[option ?? "abstain"]) : events[event]}
                </strong>{" "}
                {power !== null && <span className="muted">{votesTexts.withPower(power)}</span>}
              </p>
              <p className="row wrap small">
                {proposalId !== null && title !== null && <Link href={proposalHref(proposalId)}>{title}</Link>}
                <Link href={domainHref(domainId)}>{names?.get(domainId) ?? domainId}</Link>
              </p>
              {reasonInWords(note) !== undefined && <p className="muted small">{reasonInWords(note)}</p>}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

function Who({ actor }: Pick<AuditEntry, "actor">) {
  if (actor === null) return "unknown (the loaded history does not go back that far)";
  return <Actor did={actor} />;
}

/** Loads the audit trail, a page of proposals at a time, each with its votes and the history of its domain. */
function useAudit(filter: AuditQuery) {
  const queries = useQueryClient();
  useChanges((changes) => {
    if (changes.some(({ action }) => action === "proposal-opened" || isGovernance(action)))
      void queries.invalidateQueries({ queryKey: ["audit trail"] });
  });
  return useInfiniteQuery({
    // Not invalidated by its path: a change of any domain would reload everything.
    queryKey: ["audit trail", filter],
    queryFn: ({ pageParam, signal }) => loadPage(filter, pageParam, { signal, isWhole: false }),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // The cached data lacks changes that arrived while it was not shown.
    refetchOnMount: "always",
  });
}

/** Exports the whole audit trail as CSV or JSON: every proposal that matches the filters, not only those on the screen. */
function AuditExport({ filters }: { readonly filters: AuditQuery & AuditFilter }) {
  const rights = useRights();
  const running = useRef<AbortController>(undefined);
  const [read, setRead] = useState<number>();
  const [failure, setFailure] = useState<unknown>();
  const save = async (format: "csv" | "json"): Promise<void> => {
    if (running.current !== undefined) return;
    const stopping = new AbortController();
    running.current = stopping;
    setFailure(undefined);
    setRead(0);
    try {
      const { isCut, ...source } = await loadAll(filters, stopping.signal, setRead);
      const count = source.proposals.length;
      const entries = matching(auditEntries(source), filters);
      const note = auditTexts.holds({ entries: entries.length, proposals: count, isCut, filters: { ...filters } });
      const labelled = await withLabels([exported(rights?.did ?? null, note), ...entries]);
      const name = `audit-trail-${isCut ? "newest" : "all"}-${count}-proposals`;
      if (format === "csv") saveFile(`${name}.csv`, "text/csv", csvOf(labelled));
      else saveFile(`${name}.json`, "application/json", `${JSON.stringify(labelled, null, 2)}\n`);
    } catch (error) {
      if (!stopping.signal.aborted) setFailure(error);
    }
    running.current = undefined;
    setRead(undefined);
  };
  return (
    <div className="stack tight">
      <div className="row wrap">
        {(["csv", "json"] as const).map((format) => (
          <button
            key={format}
            type="button"
            className="small"
            aria-disabled={read !== undefined}
            onClick={() => void save(format)}
          >
            {exports[format]}
          </button>
        ))}
        {read !== undefined && (
          <>
            <span className="muted small" role="status">
              {`Reading: ${plural(read, "proposal", "proposals")} so far…`}
            </span>
            <button type="button" className="small" onClick={() => running.current?.abort()}>
              Stop
            </button>
          </>
        )}
      </div>
      {failure !== undefined && <ErrorPanel error={failure} />}
    </div>
  );
}

/** The first entry of a file states its extent for later readers. */
function exported(actor: string | null, note: string): AuditEntry {
  const at = new Date().toISOString();
  return { at, event: "exported", actor, domainId: "", proposalId: null, title: null, option: null, power: null, note };
}

async function withLabels(entries: readonly AuditEntry[]): Promise<readonly LabelledEntry[]> {
  const dids = [...new Set(entries.flatMap(({ actor }) => (actor === null || actor === "system" ? [] : [actor])))];
  const labels = new Map(await Promise.all(dids.map(async (did) => [did, await labelOf(did)] as const)));
  return entries.map((entry) => ({ ...entry, actorLabel: labels.get(entry.actor ?? "") ?? null }));
}

interface ExportFacts {
  readonly entries: number;
  readonly proposals: number;
  /** Whether there are more proposals than a file contains. */
  readonly isCut: boolean;
  readonly filters: Readonly<Record<string, string>>;
}

/** Words of the audit trail of votes. */
const auditTexts = {
  /** The first entry of the file. */
  holds: ({ entries, proposals, isCut, filters }: ExportFacts) => {
    const used = Object.entries(filters).filter(([, value]) => value !== "");
    const what = isCut
      ? `the newest ${plural(proposals, "proposal", "proposals")}; there are more`
      : `all ${plural(proposals, "proposal", "proposals")}`;
    const by =
      used.length === 0 ? "No filters." : `Filters: ${used.map(([name, value]) => `${name} ${value}`).join(", ")}.`;
    return `${plural(entries, "entry", "entries")} of ${what}. ${by} Times are in UTC.`;
  },
};

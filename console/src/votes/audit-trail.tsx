/** The audit trail over all proposals: who proposed, voted and decided, when; to filter, and to take away as CSV or JSON. */
import { Link } from "wouter";
import { useDomainNames } from "../api/use-domain-names.ts";
import { domainHref, proposalHref } from "../kit/addresses.ts";
import { Age } from "../kit/age.tsx";
import { EmptyState } from "../kit/empty-state.tsx";
import { FilterForm } from "../kit/filter-form.tsx";
import { DataAge, Loaded } from "../kit/loaded.tsx";
import { MoreButton } from "../kit/more-button.tsx";
import { Actor } from "../kit/person.tsx";
import { ScreenHeader } from "../kit/screen-header.tsx";
import { useUrlState } from "../kit/use-url-state.ts";
import { NeedsKey } from "../session/needs-key.tsx";
import { reasonInWords } from "../texts/changes.ts";
import { votesTexts } from "../texts/votes.ts";
import { auditTexts } from "../texts/votes-audit.ts";
import { auditEntries, matching, type AuditEntry } from "./audit-entries.ts";
import { AuditExport } from "./audit-export.tsx";
import { ITEMS, withoutRepeats } from "./load-audit.ts";
import { auditDefaults, proposalChoices, typedOfAudit } from "./proposal-filters.ts";
import { SectionTabs } from "./section-tabs.tsx";
import { useAudit } from "./use-audit.ts";

export function AuditTrail() {
  const [filters, change] = useUrlState(auditDefaults);
  const { domain, state, kind } = filters;
  const query = useAudit({ domain, state, kind });
  return (
    <>
      <ScreenHeader title={auditTexts.auditTitle} lead={auditTexts.auditLead} />
      <div className="stack loose">
        <SectionTabs current="audit" />
        <NeedsKey needs="apiKey">
          <div className="stack tight">
            <FilterForm
              filters={filters}
              choices={proposalChoices}
              typed={typedOfAudit}
              more={votesTexts.moreAuditFilters}
              onChange={change}
            />
            <p className="hint">{auditTexts.auditFilterNote}</p>
          </div>
          <Loaded query={query} showsAge={false}>
            {({ pages }) => {
              const loaded = auditEntries({
                proposals: pages.flatMap(({ proposals }) => proposals),
                votes: pages.flatMap(({ votes }) => votes),
                history: withoutRepeats(pages.flatMap(({ history }) => history)),
              });
              const shown = matching(loaded, filters);
              const proposals = pages.reduce((sum, page) => sum + page.proposals.length, 0);
              return (
                <div className="stack">
                  <div className="row wrap spread">
                    <p className="muted small">{auditTexts.auditShown(shown.length, proposals)}</p>
                    <div className="row wrap">
                      <button type="button" className="small" onClick={() => void query.refetch()}>
                        {auditTexts.refresh}
                      </button>
                      <AuditExport filters={filters} />
                    </div>
                  </div>
                  <Entries entries={shown} isEmpty={loaded.length === 0} />
                  {pages.some(({ isCut }) => isCut) && <p className="muted small">{auditTexts.auditCut(ITEMS)}</p>}
                  <MoreButton query={query}>{auditTexts.moreProposals}</MoreButton>
                  <DataAge at={query.dataUpdatedAt} />
                </div>
              );
            }}
          </Loaded>
          <details>
            <summary>{auditTexts.auditLimits}</summary>
            <ul>
              {auditTexts.auditLimit.map((limit) => (
                <li key={limit}>{limit}</li>
              ))}
            </ul>
          </details>
        </NeedsKey>
      </div>
    </>
  );
}

function Entries({ entries, isEmpty }: { readonly entries: readonly AuditEntry[]; readonly isEmpty: boolean }) {
  const names = useDomainNames(entries.map(({ domainId }) => domainId));
  if (entries.length === 0) return <EmptyState title={isEmpty ? auditTexts.auditEmpty : auditTexts.auditNone} />;
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
                  {event === "voted"
                    ? auditTexts.events.voted(votesTexts.options[option ?? "abstain"])
                    : auditTexts.events[event]}
                </strong>{" "}
                {power !== null && <span className="muted">{votesTexts.withPower(power)}</span>}
              </p>
              <p className="row wrap small">
                {proposalId !== null && title !== null && <Link href={proposalHref(proposalId)}>{title}</Link>}
                <Link href={domainHref(domainId)}>{names.get(domainId) ?? domainId}</Link>
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
  if (actor === null) return auditTexts.unknownActor;
  return <Actor did={actor} />;
}

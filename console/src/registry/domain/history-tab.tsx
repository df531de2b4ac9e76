/** What happened to a domain, newest first, with what each version changed; and the whole record of one version. */
import { keepPreviousData } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "wouter";
import { apiHooks } from "../../api/api.ts";
import type { components } from "../../api/paths.d.ts";
import { BackLink } from "../../kit/back-link.tsx";
import { domainHref, proposalHref } from "../../kit/addresses.ts";
import { Age } from "../../kit/age.tsx";
import { ChangeList } from "../../kit/change-list.tsx";
import { CursorPages } from "../../kit/cursor-pages.tsx";
import { Person } from "../../kit/person.tsx";
import { innermostChanges } from "../../kit/json-changes.ts";
import { JsonTree } from "../../kit/json-tree.tsx";
import { Loaded } from "../../kit/loaded.tsx";
import { useUrlState } from "../../kit/use-url-state.ts";
import { changeName } from "../../texts/changes.ts";
import { domainTexts } from "../../texts/registry-domain.ts";
import type { Domain } from "../domain-record.ts";

type Entry = components["schemas"]["HistoryEntry"];

/** Entries on a page; each may hold a whole document. */
const PAGE = 20;

export function HistoryTab({ domain }: { readonly domain: Domain }) {
  const [{ version }] = useUrlState({ version: "" });
  return version === "" ? <Entries id={domain.id} /> : <OneVersion id={domain.id} version={version} />;
}

function Entries({ id }: { readonly id: string }) {
  const [{ cursor }, change] = useUrlState({ cursor: "" });
  const query = apiHooks.useQuery(
    "get",
    "/v1/domains/{id}/history",
    { params: { path: { id }, query: { limit: PAGE, ...(cursor === "" ? {} : { cursor }) } } },
    { placeholderData: keepPreviousData },
  );
  return (
    <Loaded query={query} showsAge={false}>
      {({ data, page }) => (
        <div className="stack">
          <ol className="plain history">
            {data.map((entry) => (
              <li key={entry.version} className="card">
                <EntryHead id={id} entry={entry} />
                <details open={entry.action !== "created" && JSON.stringify(entry.changes).length < SHORT}>
                  <summary>{domainTexts.changes(entry.changes.length)}</summary>
                  <Changes entry={entry} />
                </details>
              </li>
            ))}
          </ol>
          <CursorPages
            cursor={cursor}
            next={page.nextCursor}
            isOld={query.isPlaceholderData}
            labels={{ first: domainTexts.newestVersions, next: domainTexts.olderVersions }}
            onChange={(next) => change({ cursor: next })}
          />
        </div>
      )}
    </Loaded>
  );
}

/** Characters of JSON: longer changes stay closed until somebody wants them. */
const SHORT = 1_500;

function EntryHead({ id, entry }: { readonly id: string; readonly entry: Entry }) {
  return (
    <div className="stack tight">
      <div className="row wrap spread">
        <h2 className="history-title">
          {changeName(entry.action)}{" "}
          <Link href={`${domainHref(id, "history")}&version=${entry.version}`} className="small">
            {domainTexts.versionTitle(entry.version)}
          </Link>
        </h2>
        <span className="muted">
          <Age at={entry.at} />
        </span>
      </div>
      <p className="row wrap muted small">
        {domainTexts.by} {entry.actor === "system" ? domainTexts.system : <Person did={entry.actor} />}
        {entry.proposalId !== null && <Link href={proposalHref(entry.proposalId)}>{domainTexts.seeProposal}</Link>}
      </p>
      {entry.reason !== null && (
        <p>
          <span className="muted">{domainTexts.reason}</span> {entry.reason}
        </p>
      )}
    </div>
  );
}

function Changes({ entry: { changes } }: { readonly entry: Entry }) {
  const innermost = useMemo(() => innermostChanges(changes), [changes]);
  return <ChangeList changes={innermost} />;
}

function OneVersion({ id, version }: { readonly id: string; readonly version: string }) {
  const query = apiHooks.useQuery(
    "get",
    "/v1/domains/{id}/history/{version}",
    { params: { path: { id, version } } },
    { staleTime: Infinity },
  );
  return (
    <div className="stack">
      <p>
        <BackLink href={domainHref(id, "history")}>{domainTexts.backToHistory}</BackLink>
      </p>
      <Loaded query={query} showsAge={false}>
        {(entry) => (
          <div className="stack">
            <section className="card">
              <EntryHead id={id} entry={entry} />
              <Changes entry={entry} />
            </section>
            <section className="card">
              <h2>{domainTexts.whole}</h2>
              <JsonTree value={entry.record} label={domainTexts.whole} openDepth={2} />
            </section>
          </div>
        )}
      </Loaded>
    </div>
  );
}

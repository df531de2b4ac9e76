/** A domain's history, newest first, with each version's changes, and the whole record of one version. */
import { keepPreviousData } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "wouter";
import { apiHooks } from "../../api/api.ts";
import type { components } from "../../api/paths.d.ts";
import { domainHref, proposalHref } from "../../kit/addresses.ts";
import { Age } from "../../kit/age.tsx";
import { ChangeList } from "../../kit/change-list.tsx";
import { CursorPages } from "../../kit/cursor-pages.tsx";
import { innermostChanges } from "../../kit/json-changes.ts";
import { JsonTree } from "../../kit/json-tree.tsx";
import { Loaded } from "../../kit/loaded.tsx";
import { Actor } from "../../kit/person.tsx";
import { BackLink } from "../../kit/screen-header.tsx";
import { useUrlState } from "../../kit/use-url-state.ts";
import { historyTitle, reasonInWords } from "../../texts/changes.ts";
import { plural } from "../../texts/number.ts";
import { domainTexts } from "../../texts/registry.ts";
import type { Domain } from "../domain-record.ts";
import { isContent } from "../record-changes.ts";

type Entry = components["schemas"]["HistoryEntry"];

/** Entries per page; each may contain a whole document. */
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
                <Changes entry={entry} />
              </li>
            ))}
          </ol>
          <CursorPages
            cursor={cursor}
            next={page.nextCursor}
            isOld={query.isPlaceholderData}
            labels={{ first: "Newest versions", next: "Older versions" }}
            onChange={(next) => change({ cursor: next })}
          />
        </div>
      )}
    </Loaded>
  );
}

/** Characters of JSON: longer changes are closed initially. */
const SHORT = 1_500;

function EntryHead({ id, entry }: { readonly id: string; readonly entry: Entry }) {
  const reason = reasonInWords(entry.reason);
  return (
    <div className="stack tight">
      <div className="row wrap spread">
        <h2 className="history-title">
          {historyTitle(entry)}{" "}
          <Link href={`${domainHref(id, "history")}&version=${entry.version}`} className="small">
            {`Version ${entry.version}`}
          </Link>
        </h2>
        <span className="muted">
          <Age at={entry.at} />
        </span>
      </div>
      <p className="row wrap muted small">
        by <Actor did={entry.actor} />
        {entry.proposalId !== null && <Link href={proposalHref(entry.proposalId)}>{domainTexts.seeProposal}</Link>}
      </p>
      {reason !== undefined && <p>{reason}</p>}
    </div>
  );
}

/** Changes of the content by name; states, which the title shows, and exact times under "Details". */
function Changes({ entry }: { readonly entry: Entry }) {
  const { changes, action, at, versionId } = entry;
  const innermost = useMemo(() => innermostChanges(changes), [changes]);
  const content = innermost.filter(({ path }) => isContent(path));
  const states = innermost.filter(({ path }) => !isContent(path));
  const isOpen = action !== "created" && JSON.stringify(changes).length < SHORT;
  return (
    <>
      {content.length > 0 && (
        <details open={isOpen}>
          <summary>{plural(content.length, "change", "changes")}</summary>
          <ChangeList changes={content} />
        </details>
      )}
      <details>
        <summary>Details</summary>
        <div className="stack tight">
          <p className="muted small">{`${at}. Version id ${versionId}.`}</p>
          {entry.reason !== null && (
            <p className="muted small">
              <code className="wraps">{entry.reason}</code>
            </p>
          )}
          {states.length > 0 && <ChangeList changes={states} />}
        </div>
      </details>
    </>
  );
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
        <BackLink href={domainHref(id, "history")}>All versions</BackLink>
      </p>
      <Loaded query={query} showsAge={false}>
        {(entry) => (
          <div className="stack">
            <section className="card">
              <EntryHead id={id} entry={entry} />
              <Changes entry={entry} />
            </section>
            <section className="card">
              <h2>The domain at that version</h2>
              <JsonTree value={entry.record} label="The domain at that version" openDepth={2} />
            </section>
          </div>
        )}
      </Loaded>
    </div>
  );
}

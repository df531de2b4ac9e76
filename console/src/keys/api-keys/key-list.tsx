/** All API keys, for holders of the operator's token; the filters and the page are in the address. */
import { Link } from "wouter";
import { apiHooks } from "../../api/api.ts";
import { Age } from "../../kit/age.tsx";
import { Badge } from "../../kit/badge.tsx";
import { CursorPages } from "../../kit/cursor-pages.tsx";
import { FilterForm } from "../../kit/filter-form.tsx";
import { Icon } from "../../kit/icon.tsx";
import { EmptyState, Loaded } from "../../kit/loaded.tsx";
import { DidText } from "../../kit/person.tsx";
import { useUrlState } from "../../kit/use-url-state.ts";
import { keyState } from "../../session/key-state.ts";
import { NeedsKey } from "../../session/needs-key.tsx";
import { useCaller, useCredentials } from "../../session/use-caller.ts";
import { keysTexts } from "../../texts/keys.ts";
import { REFRESH, SectionHead } from "../sections.tsx";
import type { ApiKey } from "./api-key.ts";
import { KeyBadge, KeyFacts, ScopeList } from "./key-facts.tsx";

/** Keys per page. */
const ROWS = 20;

const filterDefaults = { state: "", did: "", cursor: "" };
const choices = [
  {
    name: "state",
    label: "State",
    any: "Any",
    options: (["active", "expired", "revoked"] as const).map((state) => [state, keysTexts.states[state]] as const),
  },
] as const;
const typed = [{ name: "did", label: "DID", placeholder: "did:… that the key acts as" }] as const;

export function KeyList() {
  const { operatorToken } = useCredentials();
  const isOperator = operatorToken !== undefined;
  return (
    <div className="stack loose">
      <SectionHead
        current="keys"
        actions={
          isOperator && (
            <Link className="button primary" href="/keys/new">
              <Icon name="plus" /> Issue a key
            </Link>
          )
        }
      />
      <NeedsKey needs="operatorToken" why={keysTexts.whyOperator}>
        <IssuedKeys />
      </NeedsKey>
      {!isOperator && <OwnKey />}
    </div>
  );
}

function IssuedKeys() {
  const [filters, change] = useUrlState(filterDefaults);
  const { state, did, cursor } = filters;
  const query = apiHooks.useQuery(
    "get",
    "/v1/api-keys",
    {
      params: {
        query: {
          limit: ROWS,
          ...(state === "active" || state === "expired" || state === "revoked" ? { state: [state] } : {}),
          ...(did === "" ? {} : { did }),
          ...(cursor === "" ? {} : { cursor }),
        },
      },
    },
    { refetchInterval: REFRESH },
  );
  const isFiltered = state !== "" || did !== "";
  return (
    <div className="stack">
      <FilterForm
        filters={filters}
        choices={choices}
        typed={typed}
        // A cursor belongs to the filters that it was created with.
        onChange={(changed) => change({ ...changed, cursor: "" })}
      />
      <Loaded query={query}>
        {({ data, page }) => (
          <div className="stack">
            {data.length === 0 ? (
              <EmptyState title={isFiltered ? "No key matches these filters" : "No key has been issued yet"}>
                {isFiltered ? (
                  <button type="button" onClick={() => change({ state: "", did: "", cursor: "" })}>
                    Show all
                  </button>
                ) : (
                  <>
                    <p>
                      Issue a separate key for each program and person, so that you can revoke one without affecting the
                      others.
                    </p>
                    <Link className="button primary" href="/keys/new">
                      Issue a key
                    </Link>
                  </>
                )}
              </EmptyState>
            ) : (
              <ul className="key-rows" aria-label="API keys, newest first">
                {data.map((key) => (
                  <KeyRow key={key.id} apiKey={key} />
                ))}
              </ul>
            )}
            <CursorPages cursor={cursor} next={page.nextCursor} onChange={(next) => change({ cursor: next })} />
          </div>
        )}
      </Loaded>
    </div>
  );
}

/** This tab's key, the only one that it sees without the operator's token. */
function OwnKey() {
  const { apiKey } = useCredentials();
  const query = useCaller();
  if (apiKey === undefined) return null;
  return (
    <section className="card" aria-labelledby="own-key">
      <h2 id="own-key">Your key</h2>
      <p className="muted">The key that this tab sends to the registry.</p>
      <Loaded query={query}>
        {(key) => (
          <div className="stack">
            <KeyFacts apiKey={key} />
            {key.createdAt === undefined && (
              <p className="hint">
                It comes from the server's settings and has no record here. Change it in those settings.
              </p>
            )}
            <h3>{keysTexts.mayDo}</h3>
            <ScopeList held={key.scopes ?? []} />
          </div>
        )}
      </Loaded>
    </section>
  );
}

/** One key in the list: its purpose, its DID and its age. Its label links to its page. */
function KeyRow({ apiKey }: { readonly apiKey: ApiKey }) {
  const { id, label, start, did, scopes, role, expiresAt, lastUsedAt, revokedAt } = apiKey;
  const { data: caller } = useCaller();
  const state = keyState(apiKey, Date.now());
  return (
    <li className="key-row">
      <div className="stack tight">
        <span className="row wrap">
          <Link href={`/keys/${id}`} className="key-label">
            {label}
          </Link>
          <KeyBadge state={state} />
          {caller?.id === id && <Badge>this tab</Badge>}
        </span>
        <code className="muted small">{start}…</code>
      </div>
      <div className="stack tight">
        <DidText id={did} />
        <span className="row wrap small">
          {scopes.map((scope) => (
            <code key={scope} className="scope">
              {scope}
            </code>
          ))}
          {role !== null && <span className="muted">{keysTexts.roles[role]}</span>}
        </span>
      </div>
      <div className="key-times small">
        <span>{lastUsedAt === null ? keysTexts.neverUsed : <Spoken word="Used" at={lastUsedAt} />}</span>
        <span className={state === "expiring" ? "" : "muted"}>
          {revokedAt !== null && <Spoken word="Revoked" at={revokedAt} />}
          {revokedAt === null && expiresAt === null && keysTexts.noEnd}
          {revokedAt === null && expiresAt !== null && (
            <Spoken word={state === "expired" ? "Ended" : "Ends"} at={expiresAt} />
          )}
        </span>
      </div>
    </li>
  );
}

function Spoken({ word, at }: { readonly word: string; readonly at: string }) {
  return (
    <>
      {word} <Age at={at} />
    </>
  );
}

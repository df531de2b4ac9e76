/** All API keys, for who holds the operator's token; the filters and the page are in the address. */
import { Link } from "wouter";
import { apiHooks } from "../../api/api.ts";
import { CursorPages } from "../../kit/cursor-pages.tsx";
import { EmptyState } from "../../kit/empty-state.tsx";
import { FilterForm } from "../../kit/filter-form.tsx";
import { Icon } from "../../kit/icon.tsx";
import { Loaded } from "../../kit/loaded.tsx";
import { useUrlState } from "../../kit/use-url-state.ts";
import { NeedsKey } from "../../session/needs-key.tsx";
import { useCredentials } from "../../session/use-credentials.ts";
import { keysTexts } from "../../texts/keys.ts";
import { SectionHead } from "../sections.tsx";
import { KeyRow } from "./key-row.tsx";
import { OwnKey } from "./own-key.tsx";
import { REFRESH } from "../refresh.ts";

/** Keys of a page. */
const ROWS = 20;

const filterDefaults = { state: "", did: "", cursor: "" };
const choices = [
  {
    name: "state",
    label: keysTexts.state,
    any: keysTexts.anyState,
    options: (["active", "expired", "revoked"] as const).map((state) => [state, keysTexts.states[state]] as const),
  },
] as const;
const typed = [{ name: "did", label: keysTexts.did, placeholder: keysTexts.anyDid }] as const;

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
              <Icon name="plus" /> {keysTexts.issue}
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
        // A cursor belongs to the filters that it was made with.
        onChange={(changed) => change({ ...changed, cursor: "" })}
      />
      <Loaded query={query}>
        {({ data, page }) => (
          <div className="stack">
            {data.length === 0 ? (
              <EmptyState title={isFiltered ? keysTexts.noneFound : keysTexts.noKeys}>
                {isFiltered ? (
                  <button type="button" onClick={() => change({ state: "", did: "", cursor: "" })}>
                    {keysTexts.resetFilters}
                  </button>
                ) : (
                  <>
                    <p>{keysTexts.noKeysWhy}</p>
                    <Link className="button primary" href="/keys/new">
                      {keysTexts.issue}
                    </Link>
                  </>
                )}
              </EmptyState>
            ) : (
              <ul className="key-rows" aria-label={keysTexts.listLabel}>
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

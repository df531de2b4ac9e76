/** The price of answers and the remaining credits, or a sentence that this host does not charge. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { Age } from "../kit/age.tsx";
import { Badge } from "../kit/badge.tsx";
import { MoreButton } from "../kit/cursor-pages.tsx";
import { Loaded } from "../kit/loaded.tsx";
import { chatTexts } from "../texts/chat.ts";
import { grouped } from "../texts/number.ts";
import { useChatParts } from "./chat-context.ts";
import { useOracleQuery, useOracleRequest, usePlugins } from "./use-oracle.ts";

interface ClaimPage {
  readonly claims: readonly {
    readonly id: string;
    readonly amount: number;
    readonly status: string;
    readonly createdAt: string;
  }[];
  readonly next?: string;
}

const words = chatTexts.credits;
/** Decimal places of an amount. */
const DIGITS = 2;

export function CreditsPanel() {
  const plugins = usePlugins();
  return (
    <div className="stack">
      <p className="muted">{words.lead}</p>
      <Loaded query={plugins} showsAge={false}>
        {(loaded) =>
          loaded.includes("credits") ? <Account sendsClaims={loaded.includes("claims")} /> : <p>{words.off}</p>
        }
      </Loaded>
    </div>
  );
}

function Account({ sendsClaims }: { readonly sendsClaims: boolean }) {
  const credits = useOracleQuery<{ readonly balance: number; readonly held: number }>("/credits");
  return (
    <>
      <Loaded query={credits}>
        {({ balance, held }) => (
          <dl className="stack tight">
            <div>
              <dt className="muted">{words.balance}</dt>
              <dd className="chat-amount">{grouped(balance, DIGITS)}</dd>
            </div>
            <div>
              <dt className="muted">{words.held}</dt>
              <dd>{grouped(held, DIGITS)}</dd>
            </div>
          </dl>
        )}
      </Loaded>
      <h2>{words.claims}</h2>
      {!sendsClaims && <p className="muted small">{words.claimsOff}</p>}
      <Claims />
    </>
  );
}

function Claims() {
  const { identity } = useChatParts();
  const request = useOracleRequest();
  const query = useInfiniteQuery({
    queryKey: ["chat", identity.signer.did, "/claims"],
    queryFn: ({ pageParam }) => request<ClaimPage>(pageParam === "" ? "/claims" : `/claims?cursor=${pageParam}`),
    initialPageParam: "",
    getNextPageParam: ({ next }) => (next === undefined ? undefined : encodeURIComponent(next)),
  });
  return (
    <Loaded query={query} showsAge={false}>
      {({ pages }) => {
        const rows = pages.flatMap(({ claims }) => claims);
        if (rows.length === 0) return <p>{words.noClaims}</p>;
        return (
          <>
            <ClaimTable rows={rows} />
            <MoreButton query={query}>{words.more}</MoreButton>
          </>
        );
      }}
    </Loaded>
  );
}

function ClaimTable({ rows }: { readonly rows: ClaimPage["claims"] }) {
  return (
    <div className="table-frame" tabIndex={0} role="region" aria-label={words.claims}>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.when}</th>
            <th scope="col" className="number">
              {words.amount}
            </th>
            <th scope="col">{words.state}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, amount, status, createdAt }) => (
            <tr key={id}>
              <td>
                <Age at={createdAt} />
              </td>
              <td className="number">{grouped(amount, DIGITS)}</td>
              <td>
                <Badge tone={status === "settled" ? "ok" : "neutral"}>{words.states[status] ?? status}</Badge>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The debug record of one live session: where in the menus it is, and what its phone shows. */
import { Link, useSearchParams } from "wouter";
import { apiHooks } from "../../api/api.ts";
import { hasStatus } from "../../api/api-failure.ts";
import { EmptyState } from "../../kit/empty-state.tsx";
import { AgeAndTime, Fact } from "../../kit/fact.tsx";
import { Loaded } from "../../kit/loaded.tsx";
import { operatorTexts } from "../../texts/phone-operator.ts";
import { screenLines } from "../screen-lines.ts";
import { REFRESH_INTERVAL } from "./refresh-interval.ts";

export function SessionRecord({ sessionId }: { readonly sessionId: string }) {
  const [parameters] = useSearchParams();
  const provider = parameters.get("provider");
  const query = apiHooks.useQuery(
    "get",
    "/api/ussd/debug/{sessionId}",
    { params: { path: { sessionId }, query: provider === null ? {} : { provider } } },
    // What has ended does not come back.
    { refetchInterval: ({ state }) => (state.error === null ? REFRESH_INTERVAL : false) },
  );
  const isGone = hasStatus(query.error, 404);
  return (
    <section className="stack">
      <p>
        <Link href="/phone/operator">{operatorTexts.allSessions}</Link>
      </p>
      <h2 className="phone-session-id">
        {operatorTexts.session} <code>{sessionId}</code>
      </h2>
      {isGone ? (
        <EmptyState title={operatorTexts.gone}>
          <p>{operatorTexts.goneHint}</p>
        </EmptyState>
      ) : (
        <Loaded query={query}>
          {({ debugInfo, otherProviders = [], ...rest }) => {
            const { state, path, context } = debugInfo;
            const facts: readonly (readonly [string, string])[] = [
              [operatorTexts.state, state],
              [operatorTexts.path, path],
              [operatorTexts.phoneNumber, context.phoneNumber],
              [operatorTexts.serviceCode, context.serviceCode],
              [operatorTexts.loggedIn, context.isAuthenticated ? operatorTexts.yes : operatorTexts.no],
              [operatorTexts.provider, context.provider ?? operatorTexts.plain],
            ];
            return (
              <div className="phone-record">
                <div className="card">
                  <dl className="facts">
                    {facts.map(([name, value]) => (
                      <Fact key={name} name={name}>
                        {value}
                      </Fact>
                    ))}
                    <Fact name={operatorTexts.started}>
                      <AgeAndTime at={context.sessionStartTime} />
                    </Fact>
                  </dl>
                  {otherProviders.length > 0 && (
                    <p className="row wrap">
                      {operatorTexts.otherProviders}
                      {otherProviders.map((name) => (
                        <Link
                          key={name}
                          href={`/phone/operator/sessions/${encodeURIComponent(sessionId)}?provider=${name}`}
                        >
                          {name}
                        </Link>
                      ))}
                    </p>
                  )}
                  <details>
                    <summary>{operatorTexts.record}</summary>
                    <pre tabIndex={0}>{JSON.stringify({ debugInfo, otherProviders, ...rest }, undefined, 2)}</pre>
                  </details>
                </div>
                <div className="card">
                  <h3>{operatorTexts.lastScreen}</h3>
                  <pre tabIndex={0}>{screenLines(context.message).join("\n")}</pre>
                </div>
              </div>
            );
          }}
        </Loaded>
      )}
    </section>
  );
}

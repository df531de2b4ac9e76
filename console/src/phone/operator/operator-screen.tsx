/** The operator's view of the phone gateway: live sessions, customers' accounts, statistics. */
import { Link, Route, Switch, useLocation, useSearchParams } from "wouter";
import { hasStatus } from "../../api/api-failure.ts";
import { apiHooks } from "../../api/api.ts";
import { Age } from "../../kit/age.tsx";
import { AgeAndTime, Fact } from "../../kit/fact.tsx";
import { EmptyState, Loaded } from "../../kit/loaded.tsx";
import { BackLink, ScreenHeader, Tabs } from "../../kit/screen-header.tsx";
import { plural } from "../../texts/number.ts";
import { screenLines } from "../screen-lines.ts";
import { CustomersView, type CustomersViewProps } from "./customers-view.tsx";
import { StatisticsView } from "./statistics-view.tsx";

const tabsTexts = { sessions: "Sessions", customers: "Customers", statistics: "Statistics" };

const ROOT = "/phone/operator";
const tabs = [
  { name: "sessions", title: tabsTexts.sessions, href: ROOT },
  { name: "customers", title: tabsTexts.customers, href: `${ROOT}/customers` },
  { name: "statistics", title: tabsTexts.statistics, href: `${ROOT}/statistics` },
] as const;

export default function OperatorScreen({ pins, onPins }: CustomersViewProps) {
  const [location] = useLocation();
  const current = tabs.find(({ name }) => location.startsWith(`${ROOT}/${name}`))?.name ?? "sessions";
  return (
    <>
      <ScreenHeader
        title="Phone operator"
        lead="Live sessions, customers' accounts and statistics of the phone gateway."
        trail={<BackLink href="/phone">Phone</BackLink>}
      />
      <div className="stack loose">
        <Tabs label="Views" tabs={tabs} current={current} />
        <Switch>
          <Route path="/phone/operator/customers">
            <CustomersView pins={pins} onPins={onPins} />
          </Route>
          <Route path="/phone/operator/statistics">
            <StatisticsView />
          </Route>
          <Route path="/phone/operator/sessions/:sessionId">
            {({ sessionId }) => <SessionRecord sessionId={decodeURIComponent(sessionId)} />}
          </Route>
          <Route>
            <SessionsView />
          </Route>
        </Switch>
      </div>
    </>
  );
}

/** The live sessions, latest activity first, reloaded while visible. */
function SessionsView() {
  const query = apiHooks.useQuery("get", "/api/ussd/sessions", {}, { refetchInterval: REFRESH_INTERVAL });
  return (
    <section>
      <Loaded query={query}>
        {({ sessions, count }) =>
          sessions.length === 0 ? (
            <EmptyState title="No live sessions">
              <p>A session is listed from its first request until it ends or receives no request for 180 s.</p>
              <Link className="button" href="/phone">
                Dial on the phone
              </Link>
            </EmptyState>
          ) : (
            <div className="stack tight">
              <h2>{plural(count, "live session", "live sessions")}</h2>
              {count > sessions.length && (
                <p className="muted">{`The ${sessions.length} most recently active of ${count} sessions are listed.`}</p>
              )}
              <ul className="card phone-sessions">
                {sessions.map(({ sessionId, provider, state, startedAt, lastActivity }) => (
                  // Two gateways may use equal ids.
                  <li key={`${provider ?? ""} ${sessionId}`}>
                    <Link href={recordHref(sessionId, provider)}>
                      <code>{sessionId}</code>
                    </Link>
                    <p className="muted small">
                      {[stateInWords(state), ...(provider === undefined ? [] : [provider])].join(", ")}, started{" "}
                      <Age at={startedAt} />, last input <Age at={lastActivity} />
                    </p>
                  </li>
                ))}
              </ul>
            </div>
          )
        }
      </Loaded>
    </section>
  );
}

function recordHref(sessionId: string, provider: string | undefined): string {
  const query = provider === undefined ? "" : `?provider=${encodeURIComponent(provider)}`;
  return `/phone/operator/sessions/${encodeURIComponent(sessionId)}${query}`;
}

/** A state of the menus: `accountCreation.pin` reads "account creation, pin". */
function stateInWords(state: string): string {
  return state
    .replaceAll(".", ", ")
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
}

/** The debug record of one live session: its place in the menus, and its phone's screen. */
function SessionRecord({ sessionId }: { readonly sessionId: string }) {
  const [parameters] = useSearchParams();
  const provider = parameters.get("provider");
  const query = apiHooks.useQuery(
    "get",
    "/api/ussd/debug/{sessionId}",
    { params: { path: { sessionId }, query: provider === null ? {} : { provider } } },
    // An ended session does not return.
    { refetchInterval: ({ state }) => (state.error === null ? REFRESH_INTERVAL : false) },
  );
  const isGone = hasStatus(query.error, 404);
  return (
    <section className="stack">
      <p>
        <Link href="/phone/operator">All sessions</Link>
      </p>
      <h2 className="phone-session-id">
        Session <code>{sessionId}</code>
      </h2>
      {isGone ? (
        <EmptyState title="This session is not live">
          <p>It has ended or expired, or its id was never used. Only its statistics are kept.</p>
        </EmptyState>
      ) : (
        <Loaded query={query}>
          {({ debugInfo, otherProviders = [], ...rest }) => {
            const { state, path, context } = debugInfo;
            const facts: readonly (readonly [string, string])[] = [
              ["State", state],
              ["Path", path],
              ["Phone number", context.phoneNumber],
              ["Service code", context.serviceCode],
              ["Logged in", context.isAuthenticated ? "yes" : "no"],
              ["Gateway", context.provider ?? "Session endpoint"],
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
                    <Fact name="Started">
                      <AgeAndTime at={context.sessionStartTime} />
                    </Fact>
                  </dl>
                  {otherProviders.length > 0 && (
                    <p className="row wrap">
                      Other gateways have a session with this id:
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
                    <summary>Whole record as JSON</summary>
                    <pre tabIndex={0}>{JSON.stringify({ debugInfo, otherProviders, ...rest }, undefined, 2)}</pre>
                  </details>
                </div>
                <div className="card">
                  <h3>Last screen</h3>
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

/** Milliseconds between two reloads of live sessions. An address may send 100 requests per minute to the whole gateway (PH-87). */
const REFRESH_INTERVAL = 5_000;

/** The live sessions, latest activity first, asked again while somebody looks. */
import { Link } from "wouter";
import { apiHooks } from "../../api/api.ts";
import { EmptyState } from "../../kit/empty-state.tsx";
import { Loaded } from "../../kit/loaded.tsx";
import { operatorTexts } from "../../texts/phone-operator.ts";
import { REFRESH_INTERVAL } from "./refresh-interval.ts";

export function SessionsView() {
  const query = apiHooks.useQuery("get", "/api/ussd/sessions", {}, { refetchInterval: REFRESH_INTERVAL });
  return (
    <section>
      <Loaded query={query}>
        {({ activeSessions, count }) =>
          activeSessions.length === 0 ? (
            <EmptyState title={operatorTexts.noSessions}>
              <p>{operatorTexts.noSessionsHint}</p>
              <Link className="button" href="/phone">
                {operatorTexts.dialOne}
              </Link>
            </EmptyState>
          ) : (
            <div className="stack tight">
              <h2>{operatorTexts.count(count)}</h2>
              {count > activeSessions.length && (
                <p className="muted">{operatorTexts.shownOf(activeSessions.length, count)}</p>
              )}
              <ul className="card phone-sessions">
                {/* Two gateways may use one id. */}
                {[...new Set(activeSessions)].map((id) => (
                  <li key={id}>
                    <Link href={`/phone/operator/sessions/${encodeURIComponent(id)}`}>
                      <code>{id}</code>
                    </Link>
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

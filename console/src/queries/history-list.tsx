/** What was asked in this tab; a row opens the query again, which sends it. */
import { Link } from "wouter";
import { Age } from "../kit/age.tsx";
import { Badge } from "../kit/badge.tsx";
import { queriesTexts as texts } from "../texts/queries.ts";
import type { AskedQuery } from "./query-history.ts";
import { tabHistory, useTabHistory } from "./tab-history.ts";

/** @param onReplay also when the address is the one that is shown, which the link alone would not send again. */
export function HistoryList({ onReplay }: { readonly onReplay: (asked: AskedQuery) => void }) {
  const asked = useTabHistory();
  return (
    <section className="card" aria-labelledby="queries-history">
      <div className="row spread">
        <h2 id="queries-history">Asked in this tab</h2>
        {asked.length > 0 && (
          <button type="button" className="ghost small" onClick={() => tabHistory.clear()}>
            Clear
          </button>
        )}
      </div>
      {asked.length === 0 ? (
        <p className="muted small">Your queries appear here, to be sent again. They go when you close the tab.</p>
      ) : (
        <ol className="query-history">
          {asked.map((each) => (
            <li key={each.search}>
              <Link href={`/queries?${each.search}`} onClick={() => onReplay(each)}>
                {each.method !== "GET" && `${each.method} `}
                {each.target}
              </Link>
              <span className="row small muted">
                <Badge tone={each.status < 400 ? "ok" : "danger"}>{each.status}</Badge>
                {texts.timeOf(each.duration)}
                <Age at={each.at} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

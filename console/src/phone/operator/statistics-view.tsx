/** Charts of a month: sessions by day, endings, reply times, screens. Loaded when it is opened. */
import { useMemo, useState } from "react";
import { apiHooks, authorizedFetch } from "../../api/api.ts";
import { Field } from "../../kit/field.tsx";
import { EmptyState, ErrorPanel, Loaded } from "../../kit/loaded.tsx";
import { useUrlState } from "../../kit/use-url-state.ts";
import { NeedsKey } from "../../session/needs-key.tsx";
import { grouped } from "../../texts/number.ts";
import { utcWeekdayWords } from "../../texts/time.ts";
import {
  type DayCounts,
  averageLatency,
  latencies,
  prefixed,
  totalCounters,
  totalScreens,
} from "./statistics-counts.ts";

const ending = {
  exit: "Exit by the caller",
  error: "Error",
  expired: "Expired",
  dropped: "Line dropped",
  full: "Text of the session full",
} as Readonly<Record<string, string>>;

const milestone = {
  login: "Logins",
  account_created: "Accounts created",
  question_answered: "Questions answered",
  resumed: "Calls continued after a drop",
} as Readonly<Record<string, string>>;

/** Keyed by the service's counter names. */
const screenNames = {
  W: "Welcome",
  I: "Information",
  S: "Page of information",
  A: "Account menu",
  N: "Name",
  E: "Email",
  P: "New PIN",
  C: "New PIN again",
  G: "Creating the account",
  K: "Account created",
  L: "Customer ID",
  Q: "PIN",
  OK: "Logged in",
  SV: "Services",
  MD: "My records",
  DQ: "A record's number",
  DP: "Which record",
  DR: "Record",
  DID: "DID of a record",
  OQ: "Question",
  OW: "Waiting for the answer",
  OA: "Answer",
  DF: "Discard the form?",
  PO: "Current PIN",
  PN: "Changed PIN",
  PC: "Changed PIN again",
  LG: "Language",
  WAIT: "Please wait",
  X: "Goodbye",
} as Readonly<Record<string, string>>;

export function StatisticsView() {
  return (
    <NeedsKey needs="phoneOperatorToken">
      <Statistics />
    </NeedsKey>
  );
}

function Statistics() {
  const [{ until }, change] = useUrlState({ until: "" });
  const query = apiHooks.useQuery("get", "/api/ussd/ops/stats", {
    params: { query: until === "" ? {} : { until } },
  });
  return (
    <div className="stack loose">
      <Field label="Last day" hint="31 days until then.">
        {(ids) => (
          <input
            type="date"
            className="phone-short"
            value={until}
            onChange={(event) => change({ until: event.target.value })}
            {...ids}
          />
        )}
      </Field>
      <Loaded query={query}>{({ days }) => (days.length === 0 ? <NoStatistics /> : <Charts days={days} />)}</Loaded>
      <MetricsText />
    </div>
  );
}

function NoStatistics() {
  return (
    <EmptyState title="No session has ended yet">
      <p>A session is counted when it ends. Hang up with * or wait 180 s after the line drops.</p>
    </EmptyState>
  );
}

function Charts({ days }: { readonly days: readonly DayCounts[] }) {
  const counters = totalCounters(days);
  const average = averageLatency(counters);
  const named = (prefix: string, names: Readonly<Record<string, string>>) =>
    prefixed(counters, prefix).map(([name, value]) => ({ label: names[name] ?? name, value }));
  const charts = [
    {
      title: "Sessions by day",
      labelHead: "Day",
      valueHead: "Sessions",
      rows: days.map(({ day, counters }) => ({
        label: utcWeekdayWords(new Date(`${day}T00:00:00Z`)),
        value: counters["sessions"] ?? 0,
      })),
    },
    {
      title: "How sessions ended",
      labelHead: "How sessions ended",
      valueHead: "Sessions",
      rows: named("ending_", ending),
    },
    {
      title: "Results",
      labelHead: "Results",
      valueHead: "Times",
      rows: named("milestone_", milestone),
    },
    {
      title: "Time to reply",
      labelHead: "Time to reply",
      valueHead: "Requests",
      rows: latencies(counters).map(([bound, value]) => ({
        label: bound === "inf" ? "longer" : `up to ${bound} ms`,
        value,
      })),
    },
  ];
  return (
    <div className="stack loose">
      <h2>In these days</h2>
      <dl className="phone-totals">
        <Total name="Sessions" value={grouped(counters["sessions"] ?? 0)} />
        <Total name="Requests" value={grouped(counters["steps"] ?? 0)} />
        {average !== undefined && <Total name="Time to reply" value={`${average} ms on average`} />}
      </dl>
      <div className="phone-charts">
        {charts
          .filter(({ rows }) => rows.length > 0)
          .map(({ title, labelHead, valueHead, rows }) => (
            <div key={title} className="card">
              <BarTable title={title} labelHead={labelHead} valueHead={valueHead} rows={rows} />
            </div>
          ))}
      </div>
      <Screens days={days} />
    </div>
  );
}

function Total({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="card">
      <dt className="muted">{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** Screens listed before the user asks for all. */
const LISTED = 20;

function Screens({ days }: { readonly days: readonly DayCounts[] }) {
  const screens = useMemo(() => totalScreens(days), [days]);
  const [hasAll, setHasAll] = useState(false);
  const listed = hasAll ? screens : screens.slice(0, LISTED);
  return (
    <div className="stack tight">
      <h2>Screens</h2>
      <div className="table-frame" role="region" aria-label="Screens" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Screen</th>
              <th scope="col">Language</th>
              <th scope="col" className="number">
                Shown
              </th>
              <th scope="col" className="number">
                Inputs refused
              </th>
              <th scope="col" className="number">
                Sessions ended
              </th>
            </tr>
          </thead>
          <tbody>
            {listed.map(({ screen, language, shown, refused, ended }) => (
              <tr key={`${screen} ${language}`}>
                <td>
                  {screenNames[screen]} <code>{screen}</code>
                </td>
                <td>{language}</td>
                <td className="number">{grouped(shown)}</td>
                <td className="number">{grouped(refused)}</td>
                <td className="number">{grouped(ended)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {listed.length < screens.length && (
        <p>
          <button type="button" onClick={() => setHasAll(true)}>
            {`Show all ${screens.length}`}
          </button>
        </p>
      )}
    </div>
  );
}

/** The metrics in Prometheus format. A plain link would carry no token, so the console fetches them. */
function MetricsText() {
  const [text, setText] = useState<string>();
  const [failure, setFailure] = useState<unknown>();
  const load = async (): Promise<void> => {
    setFailure(undefined);
    try {
      const response = await authorizedFetch(`${location.origin}/api/ussd/ops/metrics`);
      setText(await response.text());
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <section className="card">
      <h2>Metrics for Prometheus</h2>
      <p className="muted">GET /api/ussd/ops/metrics with the phone operator's token returns the totals of all days.</p>
      <p>
        <button type="button" onClick={() => void load()}>
          Show the metrics
        </button>
      </p>
      {failure !== undefined && <ErrorPanel error={failure} onRetry={load} />}
      {text !== undefined && (
        <pre className="phone-metrics" tabIndex={0} role="region" aria-label="Metrics">
          {text}
        </pre>
      )}
    </section>
  );
}

interface BarRow {
  readonly label: string;
  readonly value: number;
}

interface BarTableProps {
  readonly title: string;
  /** Heads of the first and the last column. */
  readonly labelHead: string;
  readonly valueHead: string;
  readonly rows: readonly BarRow[];
}

/** Numbers as a table whose middle column is a bar chart: the chart is its own accessible alternative. */
function BarTable({ title, labelHead, valueHead, rows }: BarTableProps) {
  const largest = Math.max(1, ...rows.map(({ value }) => value));
  return (
    <table className="bar-table">
      <caption>{title}</caption>
      <thead className="hidden-visually">
        <tr>
          <th scope="col">{labelHead}</th>
          <th scope="col">{valueHead}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ label, value }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td>
              <span className="bar-cell">
                <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">
                  <rect width={(value / largest) * 100} height="10" />
                </svg>
                <span className="number">{grouped(value)}</span>
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

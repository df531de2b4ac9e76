/** A month of statistics, drawn: sessions by day, endings, reply times, screens. Loaded when it is opened. */
import { useMemo, useState } from "react";
import { apiHooks } from "../../api/api.ts";
import { EmptyState } from "../../kit/empty-state.tsx";
import { Field } from "../../kit/field.tsx";
import { Loaded } from "../../kit/loaded.tsx";
import { useUrlState } from "../../kit/use-url-state.ts";
import { NeedsKey } from "../../session/needs-key.tsx";
import { operatorTexts } from "../../texts/phone-operator.ts";
import { grouped } from "../../texts/number.ts";
import { BarTable } from "./bar-table.tsx";
import { MetricsText } from "./metrics-text.tsx";
import {
  averageLatency,
  latencies,
  prefixed,
  totalCounters,
  totalScreens,
  type DayCounts,
} from "./statistics-counts.ts";

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
      <Field label={operatorTexts.until} hint={operatorTexts.untilHint}>
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
    <EmptyState title={operatorTexts.noStatistics}>
      <p>{operatorTexts.noStatisticsHint}</p>
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
      title: operatorTexts.sessionsByDay,
      labelHead: operatorTexts.day,
      valueHead: operatorTexts.sessions,
      rows: days.map(({ day, counters }) => ({ label: operatorTexts.dayLabel(day), value: counters["sessions"] ?? 0 })),
    },
    {
      title: operatorTexts.endings,
      labelHead: operatorTexts.endings,
      valueHead: operatorTexts.sessions,
      rows: named("ending_", operatorTexts.ending),
    },
    {
      title: operatorTexts.milestones,
      labelHead: operatorTexts.milestones,
      valueHead: operatorTexts.times,
      rows: named("milestone_", operatorTexts.milestone),
    },
    {
      title: operatorTexts.latencies,
      labelHead: operatorTexts.latencies,
      valueHead: operatorTexts.steps,
      rows: latencies(counters).map(([bound, value]) => ({ label: operatorTexts.latency(bound), value })),
    },
  ];
  return (
    <div className="stack loose">
      <h2>{operatorTexts.totals}</h2>
      <dl className="phone-totals">
        <Total name={operatorTexts.sessions} value={grouped(counters["sessions"] ?? 0)} />
        <Total name={operatorTexts.steps} value={grouped(counters["steps"] ?? 0)} />
        {average !== undefined && <Total name={operatorTexts.latencies} value={operatorTexts.average(average)} />}
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

/** Screens that are listed before somebody asks for all. */
const LISTED = 20;

function Screens({ days }: { readonly days: readonly DayCounts[] }) {
  const screens = useMemo(() => totalScreens(days), [days]);
  const [hasAll, setHasAll] = useState(false);
  const listed = hasAll ? screens : screens.slice(0, LISTED);
  return (
    <div className="stack tight">
      <h2>{operatorTexts.screens}</h2>
      <div className="table-frame" role="region" aria-label={operatorTexts.screens} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{operatorTexts.screen}</th>
              <th scope="col">{operatorTexts.language}</th>
              <th scope="col" className="number">
                {operatorTexts.shown}
              </th>
              <th scope="col" className="number">
                {operatorTexts.refused}
              </th>
              <th scope="col" className="number">
                {operatorTexts.ended}
              </th>
            </tr>
          </thead>
          <tbody>
            {listed.map(({ screen, language, shown, refused, ended }) => (
              <tr key={`${screen} ${language}`}>
                <td>
                  {operatorTexts.screenNames[screen]} <code>{screen}</code>
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
            {operatorTexts.allScreens(screens.length)}
          </button>
        </p>
      )}
    </div>
  );
}

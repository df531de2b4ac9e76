/**
 * The last 24 hours in small graphs: one bar for each hour. Only for operators, because the numbers cover the whole
 * deployment.
 */
import { useQuery } from "@tanstack/react-query";
import { authorizedFetch } from "../api/api.ts";
import { Loaded } from "../kit/loaded.tsx";
import { useCredentials, useKeyNumber } from "../session/use-caller.ts";
import { grouped } from "../texts/number.ts";
import { hoursOf, type HourlyMetric } from "./hourly-sums.ts";

/** Milliseconds between two requests while the page is visible. */
const INTERVAL = 60_000;

const graphs = [
  { title: "Chat runs", counter: "oracle_runs_total", isCounted: () => true },
  {
    title: "Failed chat runs",
    counter: "oracle_runs_total",
    isCounted: ({ outcome }) => outcome === "failed" || outcome === "interrupted",
  },
  { title: "Tokens", counter: "oracle_tokens_total", isCounted: () => true },
  { title: "Votes", counter: "registry_votes_total", isCounted: () => true },
  { title: "Chain calls", counter: "gateway_calls_total", isCounted: () => true },
  { title: "Failed chain calls", counter: "gateway_calls_total", isCounted: ({ code }) => isFault(code) },
] as const satisfies readonly Graph[];

interface Graph {
  readonly title: string;
  readonly counter: string;
  readonly isCounted: (labels: Readonly<Record<string, string>>) => boolean;
}

/** Codes about the request, such as NOT_FOUND, do not count as faults of a node. */
function isFault(code: string | undefined): boolean {
  return code === undefined || !["OK", "NOT_FOUND", "INVALID_ARGUMENT"].includes(code);
}

export function LastDay() {
  const { operatorToken = "" } = useCredentials();
  const query = useQuery({
    queryKey: ["staff", "metrics", useKeyNumber()],
    queryFn: async ({ signal }) => {
      const headers = { Authorization: `Bearer ${operatorToken}` };
      const response = await authorizedFetch(`${location.origin}/staff/metrics?hours=24`, { headers, signal });
      const { data } = (await response.json()) as { readonly data: readonly HourlyMetric[] };
      return { data, now: Date.now() };
    },
    refetchInterval: INTERVAL,
  });
  return (
    <section className="card" aria-labelledby="home-last-day">
      <h2 id="home-last-day">Last 24 hours</h2>
      <Loaded query={query} loading={<div className="hour-graphs-space" />} showsAge={false}>
        {({ data, now }) => (
          <ul className="plain hour-graphs">
            {graphs.map(({ title, counter, isCounted }) => (
              <HourGraph key={title} title={title} hours={hoursOf(data, { counter, isCounted, now })} />
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

function HourGraph({ title, hours }: { readonly title: string; readonly hours: readonly number[] }) {
  const total = hours.reduce((sum, value) => sum + value, 0);
  const largest = Math.max(1, ...hours);
  const description = `${title}: ${grouped(total)}, at most ${grouped(Math.max(...hours))} in one hour`;
  return (
    <li>
      <p className="row spread">
        <span>{title}</span> <strong className="number">{grouped(total)}</strong>
      </p>
      <svg viewBox="0 0 240 40" preserveAspectRatio="none" role="img" aria-label={description}>
        {hours.map((value, hour) => (
          <rect
            // The position of an hour identifies its bar.
            key={hour}
            x={hour * 10 + 1}
            width={8}
            y={40 - Math.max(1, (value / largest) * 40)}
            height={Math.max(1, (value / largest) * 40)}
            className={value === 0 ? "is-zero" : ""}
          />
        ))}
      </svg>
    </li>
  );
}

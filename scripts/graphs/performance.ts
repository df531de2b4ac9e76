/** The graphs of docs/performance.md: which measures each one shows, and the results that it is drawn from. */
import * as z from "zod";
import { drawBars, type Bar } from "./bar-chart.ts";

const row = z.object({
  what: z.string(),
  value: z.number(),
  unit: z.string(),
  baseline: z.object({ name: z.string(), value: z.number().optional(), ratio: z.number() }).optional(),
  aim: z.object({ ratio: z.number().optional(), below: z.number().optional() }).optional(),
});

const machine = z.object({
  date: z.string(),
  processor: z.string(),
  cores: z.number(),
  loadBefore: z.number().optional(),
  versions: z.record(z.string(), z.string()),
});

const options = z.object({ rounds: z.number(), seconds: z.number(), domains: z.number().optional() });

/** bench/results.json: the newest results of each measure. */
const results = z.record(z.string(), z.object({ machine, options, rows: z.array(row) }));

/** The output of `npm run bench -- --json`. */
const run = z.object({ machine, options, measures: z.array(z.object({ name: z.string(), rows: z.array(row) })) });

export type Results = z.infer<typeof results>;
type Row = z.infer<typeof row>;

export function readResults(json: string): Results {
  return results.parse(JSON.parse(json));
}

/** The results with those of a run in place of older ones. */
export function withRun(known: Results, json: string): Results {
  const { machine, options, measures } = run.parse(JSON.parse(json));
  return { ...known, ...Object.fromEntries(measures.map(({ name, rows }) => [name, { machine, options, rows }])) };
}

interface Graph {
  /** The name of the file in docs/images, without an ending. */
  readonly name: string;
  readonly title: string;
  readonly measures: readonly string[];
  /** The share of a baseline's speed, or a number below its aim. */
  readonly shows: "share" | "value";
  readonly line?: string;
}

export const graphs: readonly Graph[] = [
  {
    name: "performance-chat",
    title: "Chat service: speed as a share of a bare Worker with the same work",
    measures: ["sessions", "turn", "stream"],
    shows: "share",
    line: "bare Worker",
  },
  {
    name: "performance-registry",
    title: "Registry: speed as a share of a bare Worker with the same statements",
    measures: ["registry"],
    shows: "share",
    line: "bare Worker",
  },
  {
    name: "performance-registry-growth",
    title: "Registry: speed with 100,000 domains as a share of the speed with 1,000",
    measures: ["registry-growth"],
    shows: "share",
    line: "1,000 domains",
  },
  {
    name: "performance-query-gateway",
    title: "Query gateway: speed as a share of a bare Worker with the same bytes",
    measures: ["query-gateway", "gateway-upstream"],
    shows: "share",
    line: "bare Worker",
  },
  {
    name: "performance-phone",
    title: "Phone gateway: speed as a share of a bare Worker with the same steps",
    measures: ["ussd"],
    shows: "share",
    line: "bare Worker",
  },
  {
    name: "performance-realtime",
    title: "Socket.IO server: speed as a share of a bare object with WebSockets",
    measures: ["socket-emit", "socket-ping"],
    shows: "share",
    line: "bare object",
  },
  {
    name: "performance-sdk",
    title: "React SDK: script time for 5,000 chunks, speed as a share of the earlier client",
    measures: ["sdk-stream"],
    shows: "share",
    line: "earlier client",
  },
  {
    name: "performance-times",
    title: "Times and sizes beside their limits (1 = the limit)",
    measures: ["stream", "recovery", "gateway-start", "sdk-size", "console"],
    shows: "value",
    line: "limit",
  },
];

/** The graph as SVG. */
export function drawGraph(graph: Graph, known: Results): string {
  const rows = graph.measures.flatMap((name) => known[name]?.rows ?? []);
  const bars = rows.flatMap((each) => (graph.shows === "share" ? shareBar(each) : limitBar(each)));
  if (bars.length === 0) throw new Error(`bench/results.json has no results for ${graph.name}`);
  return drawBars({
    title: graph.title,
    bars,
    ...(graph.line === undefined ? {} : { line: { at: 1, label: graph.line } }),
  });
}

function shareBar({ what, value, unit, baseline, aim }: Row): readonly Bar[] {
  if (baseline === undefined || aim?.below !== undefined) return [];
  const goal = aim?.ratio;
  return [
    {
      label: what,
      note: `${figure(value)} ${unit}, beside: ${baseline.name}`,
      value: baseline.ratio,
      text: `${percent(baseline.ratio)}${goal === undefined ? "" : ` (aim ${percent(goal)})`}`,
      aim: goal,
      missed: goal !== undefined && baseline.ratio < goal,
    },
  ];
}

function limitBar({ what, value, unit, aim }: Row): readonly Bar[] {
  if (aim?.below === undefined) return [];
  const share = value / aim.below;
  return [
    {
      label: what,
      note: `limit ${figure(aim.below)} ${unit}`,
      value: share,
      text: `${figure(value)} ${unit}`,
      missed: share >= 1,
    },
  ];
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function figure(value: number): string {
  return value.toLocaleString("en-US", { maximumSignificantDigits: value >= 1000 ? 6 : 3 });
}

/** When, where and how the measures of a graph were taken, in words. */
export function conditionsOf(graph: Graph, known: Results): string {
  const taken = graph.measures.flatMap((name) => known[name] ?? []);
  const words = taken.map(({ machine: { date, processor, cores, loadBefore }, options: { rounds, seconds } }) => {
    const load = loadBefore === undefined ? "" : `, load ${figure(loadBefore)}`;
    return `${date.slice(0, 10)}, ${processor}, ${cores} cores, ${rounds} ${rounds === 1 ? "round" : "rounds"} of ${seconds} s${load}`;
  });
  return [...new Set(words)].join("; ");
}

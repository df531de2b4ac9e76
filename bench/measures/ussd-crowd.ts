/**
 * Many phones at once: 500 sessions of 12 steps, every reply checked, and 50 callers whose slowest replies are reported. All of
 * them come from one address, as from a telecom gateway, so one object counts them all. The comparison is a bare Worker that
 * takes the same number of requests in the same order: each passes one object, then reads and writes a row of its call's object.
 */
import { bareCall, phoneCall, takeCalls, type CallTimes, type PhoneCall } from "../phone-calls.ts";
import { inTurns } from "../rounds.ts";
import { rowOf, type Row } from "../rows.ts";
import type { Measure } from "./measure.ts";

const CROWD = 500;
const PARALLEL = 50;
/** A crowd takes seconds, and more rounds show nothing new. */
const MAX_ROUNDS = 3;

export const ussdCrowd: Measure = {
  name: "ussd-crowd",
  about: `${CROWD} phone sessions of 12 steps at once, no wrong reply; ${PARALLEL} parallel callers`,
  async take({ runtime, options }) {
    const rounds = Math.min(options.rounds, MAX_ROUNDS);
    const take = async (callers: number) => {
      const calls = (): PhoneCall[] => Array.from({ length: callers }, () => phoneCall());
      const ours = () => takeCalls(runtime.oracle, calls());
      const bare = () => takeCalls(runtime.bare, calls().map(onBareObject), true);
      return inTurns(rounds, { ours, bare });
    };
    const crowd = await take(CROWD);
    const parallel = await take(PARALLEL);
    const wrong = [...crowd.ours, ...parallel.ours].map((times) => times.wrong);
    return [
      rowOf({ what: "wrong replies", unit: "", scale: "time", samples: wrong, aim: { below: 1 } }),
      ...rowsOf(`${CROWD} sessions`, crowd, 0.99),
      ...rowsOf(`${PARALLEL} callers`, parallel, 0.95),
    ];
  },
};

let objects = 0;

function onBareObject(call: PhoneCall): PhoneCall {
  objects += 1;
  return bareCall(call, `/step?object=crowd-${objects}`);
}

interface Sides {
  readonly ours: readonly CallTimes[];
  readonly bare: readonly CallTimes[];
}

function rowsOf(who: string, { ours, bare }: Sides, high: number): readonly Row[] {
  const row = (what: string, unit: string, scale: "rate" | "time", take: (times: CallTimes) => number): Row =>
    rowOf({
      what: `${who}: ${what}`,
      unit,
      scale,
      samples: ours.map(take),
      baseline: { name: "2 hops, a read, a write", samples: bare.map(take) },
    });
  const percent = high * 100;
  return [
    row("requests", "requests/s", "rate", ({ dials, steps, seconds }) => (dials.length + steps.length) / seconds),
    row("step, p50", "ms", "time", ({ steps }) => percentile(steps, 0.5)),
    row(`step, p${percent}`, "ms", "time", ({ steps }) => percentile(steps, high)),
    row(`dial, p${percent}`, "ms", "time", ({ dials }) => percentile(dials, high)),
  ];
}

/** The time that this share of all requests does not exceed. */
function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((left, right) => left - right);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? NaN;
}

/**
 * Many phones at once: 500 sessions of 12 steps, every reply checked, and 50 callers whose slowest replies are told. All
 * of them come from one address, as those of a telecom gateway do, so one object counts them all.
 */
import { phoneCall, takeCalls, type CallTimes } from "../phone-calls.ts";
import { rowOf, type Row } from "../rows.ts";
import type { Measure } from "./measure.ts";

const CROWD = 500;
const PARALLEL = 50;
/** A crowd takes seconds; more rounds than this tell nothing more. */
const MAX_ROUNDS = 3;

export const ussdCrowd: Measure = {
  name: "ussd-crowd",
  about: `${CROWD} phone sessions of 12 steps at once, no wrong reply; ${PARALLEL} parallel callers`,
  async take({ runtime, options }) {
    const rounds = Math.min(options.rounds, MAX_ROUNDS);
    const take = async (callers: number): Promise<readonly CallTimes[]> => {
      const taken: CallTimes[] = [];
      // The first round warms up.
      for (let round = 0; round <= rounds; round += 1) {
        taken.push(
          await takeCalls(
            runtime.oracle,
            Array.from({ length: callers }, () => phoneCall()),
          ),
        );
      }
      return taken.slice(1);
    };
    const crowd = await take(CROWD);
    const parallel = await take(PARALLEL);
    const wrong = [...crowd, ...parallel].map((times) => times.wrong);
    return [
      rowOf({ what: "wrong replies", unit: "", scale: "time", samples: wrong, aim: { below: 1 } }),
      ...rowsOf(`${CROWD} sessions`, crowd, 0.99),
      ...rowsOf(`${PARALLEL} callers`, parallel, 0.95),
    ];
  },
};

function rowsOf(who: string, taken: readonly CallTimes[], high: number): readonly Row[] {
  const time = { unit: "ms", scale: "time" } as const;
  return [
    rowOf({
      what: `${who}: requests`,
      unit: "requests/s",
      scale: "rate",
      samples: taken.map(({ dials, steps, seconds }) => (dials.length + steps.length) / seconds),
    }),
    rowOf({ ...time, what: `${who}: step, p50`, samples: taken.map(({ steps }) => percentile(steps, 0.5)) }),
    rowOf({
      ...time,
      what: `${who}: step, p${high * 100}`,
      samples: taken.map(({ steps }) => percentile(steps, high)),
    }),
    rowOf({
      ...time,
      what: `${who}: dial, p${high * 100}`,
      samples: taken.map(({ dials }) => percentile(dials, high)),
    }),
  ];
}

/** The time that this share of all requests does not exceed. */
function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((left, right) => left - right);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? NaN;
}

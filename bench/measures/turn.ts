/** Whole turns, not streamed, with a model that answers at once, compared with equal hops and writes without other work. */
import { sendRequests, type Load } from "../load.ts";
import { message, signUpMany } from "../oracle-user.ts";
import { inTurns } from "../rounds.ts";
import { rowOf, type Aim } from "../rows.ts";
import { CONNECTIONS, type Bench, type Measure } from "./measure.ts";

/** One word of the built-in model, without a pause. */
const AT_ONCE = "/slow 1 0";

/** Compared with the speed of equal statements and calls. */
const AIM: Aim = { ratio: 0.6 };

export const turn: Measure = {
  name: "turn",
  about:
    "a turn that is not streamed, model answers at once, beside the same statements and calls with nothing around them",
  async take(bench) {
    const { rounds } = bench.options;
    const { turns, hooked, same, writes, hops } = await inTurns(rounds, {
      turns: () => turnsOf(bench, bench.runtime.oracle),
      hooked: () => turnsOf(bench, bench.runtime.authored),
      same: () => bareTurns(bench, "/same-turn"),
      writes: () => bareTurns(bench, "/write"),
      hops: () => bareTurns(bench, "/turn"),
    });
    const rate = { unit: "turns/s", scale: "rate" } as const;
    const cpu = { unit: "µs CPU", scale: "time" } as const;
    const baseline = (side: readonly Taken[], name: string) => ({ name, samples: side.map((taken) => taken.rate) });
    const cost = (side: readonly Taken[]) => side.map(({ micros }) => micros);
    const samples = turns.map((taken) => taken.rate);
    const what = "turn, not streamed";
    const name = "same statements and calls";
    return [
      rowOf({ what, ...rate, samples, baseline: baseline(same, name), aim: AIM }),
      rowOf({ what, ...cpu, samples: cost(turns), baseline: { name, samples: cost(same) }, aim: AIM }),
      rowOf({
        what: "the same with two middlewares",
        ...rate,
        samples: hooked.map((taken) => taken.rate),
        baseline: baseline(same, name),
        aim: AIM,
      }),
      rowOf({
        what: "the same with two middlewares",
        ...cpu,
        samples: cost(hooked),
        baseline: { name, samples: cost(same) },
        aim: AIM,
      }),
      rowOf({ what, ...rate, samples, baseline: baseline(hops, "two calls, 14 rows in one table") }),
      rowOf({ what, ...rate, samples, baseline: baseline(writes, "14 rows in one table") }),
    ];
  },
};

export interface Taken {
  /** Requests a second. */
  readonly rate: number;
  /** CPU of workerd per request, microseconds. */
  readonly micros: number;
}

/** New sessions each time: a longer history would slow later rounds. */
export async function turnsOf(bench: Bench, base: string): Promise<Taken> {
  const users = await signUpMany(base, CONNECTIONS);
  const turns = users.map((user) => message(user, AT_ONCE, false));
  return await taken(bench, base, (connection) => turns[connection] ?? { path: "/" });
}

function bareTurns(bench: Bench, path: string): Promise<Taken> {
  return taken(bench, bench.runtime.bare, (connection) => ({ path: `${path}?object=${connection}` }));
}

async function taken({ runtime, options }: Bench, base: string, next: Load["next"]): Promise<Taken> {
  const before = runtime.cpuSeconds();
  const { requests, seconds } = await sendRequests({ base, connections: CONNECTIONS, seconds: options.seconds, next });
  return { rate: requests / seconds, micros: ((runtime.cpuSeconds() - before) / requests) * 1e6 };
}

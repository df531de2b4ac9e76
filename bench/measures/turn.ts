/** Whole turns, not streamed, of a model that answers at once, beside the same hops and writes with nothing around them. */
import { requestRate } from "../load.ts";
import { message, signUpMany } from "../oracle-user.ts";
import { inTurns } from "../rounds.ts";
import { rowOf } from "../rows.ts";
import { CONNECTIONS, type Bench, type Measure } from "./measure.ts";

/** The built-in model's one word, without a pause. */
const AT_ONCE = "/slow 1 0";

export const turn: Measure = {
  name: "turn",
  about: "a turn that is not streamed, model answers at once, beside bare writes",
  async take(bench) {
    const { rounds } = bench.options;
    const { turns, writes, hops } = await inTurns(rounds, {
      turns: () => turnRate(bench),
      writes: () => bareRate(bench, "/write"),
      hops: () => bareRate(bench, "/turn"),
    });
    const row = { what: "turn, not streamed", unit: "turns/s", scale: "rate", samples: turns } as const;
    return [
      rowOf({ ...row, baseline: { name: "object, 14 SQLite writes", samples: writes } }),
      rowOf({ ...row, baseline: { name: "same hops and writes", samples: hops } }),
    ];
  },
};

/** New sessions each time: a longer past would make later rounds slower. */
async function turnRate({ runtime, options: { seconds } }: Bench): Promise<number> {
  const users = await signUpMany(runtime.oracle, CONNECTIONS);
  const turns = users.map((user) => message(user, AT_ONCE, false));
  return await requestRate({
    base: runtime.oracle,
    connections: CONNECTIONS,
    seconds,
    next: (connection) => turns[connection] ?? { path: "/" },
  });
}

function bareRate({ runtime, options: { seconds } }: Bench, path: string): Promise<number> {
  const next = (connection: number) => ({ path: `${path}?object=${connection}` });
  return requestRate({ base: runtime.bare, connections: CONNECTIONS, seconds, next });
}

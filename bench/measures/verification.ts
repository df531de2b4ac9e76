/** The cost of a new UCAN: requests with a fresh token each time, compared with a known one. */
import { requestRate, type RequestSpec } from "../load.ts";
import { signedHeaders, signUpMany, type OracleUser } from "../oracle-user.ts";
import { inTurns } from "../rounds.ts";
import { rowOf } from "../rows.ts";
import { CONNECTIONS, type Bench, type Measure } from "./measure.ts";

/** Fresh tokens per second of a round: more than workerd can verify. They are minted before the measurement. */
const TOKENS_PER_SECOND = 1_500;

export const verification: Measure = {
  name: "verification",
  about: "one cold UCAN verification: GET /sessions with a fresh token each time, beside a known one",
  async take(bench) {
    const users = await signUpMany(bench.runtime.oracle, CONNECTIONS);
    const { fresh, known } = await inTurns(bench.options.rounds, {
      fresh: () => freshRate(bench, users),
      known: () => rateOf(bench, (connection) => users[connection]?.headers ?? {}),
    });
    const milliseconds = fresh.map((rate, round) => 1000 / rate - 1000 / (known[round] ?? NaN));
    return [
      rowOf({ what: "cold UCAN verification", unit: "ms", scale: "time", samples: milliseconds }),
      rowOf({
        what: "GET /sessions, fresh token",
        unit: "requests/s",
        scale: "rate",
        samples: fresh,
        baseline: { name: "known token", samples: known },
      }),
    ];
  },
};

async function freshRate(bench: Bench, users: readonly OracleUser[]): Promise<number> {
  const each = Math.ceil((TOKENS_PER_SECOND * bench.options.seconds) / users.length);
  const tokens = await Promise.all(
    users.map(({ freshToken }) => Promise.all(Array.from({ length: each }, () => freshToken()))),
  );
  return await rateOf(bench, (connection) => {
    const token = tokens[connection]?.pop();
    if (token === undefined) throw new Error("more tokens were verified than minted; raise TOKENS_PER_SECOND");
    return signedHeaders(token);
  });
}

function rateOf(
  { runtime, options: { seconds } }: Bench,
  headers: (connection: number) => NonNullable<RequestSpec["headers"]>,
): Promise<number> {
  const next = (connection: number): RequestSpec => ({ path: "/sessions", headers: headers(connection) });
  return requestRate({ base: runtime.oracle, connections: CONNECTIONS, seconds, next });
}

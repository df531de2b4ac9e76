/** `GET /health`, which queries the database, compared with a bare response and a bare database query. */
import { requestRate } from "../load.ts";
import { inTurns } from "../rounds.ts";
import { rowOf } from "../rows.ts";
import { CONNECTIONS, type Measure } from "./measure.ts";

export const health: Measure = {
  name: "health",
  about: "GET /health and GET /, beside a plain Response and a bare D1 read",
  async take({ runtime, options: { rounds, seconds } }) {
    const rate = (base: string, path: string) => () =>
      requestRate({ base, connections: CONNECTIONS, seconds, next: () => ({ path }) });
    const { health, root, plain, database } = await inTurns(rounds, {
      health: rate(runtime.oracle, "/health"),
      database: rate(runtime.bare, "/database"),
      root: rate(runtime.oracle, "/"),
      plain: rate(runtime.bare, "/plain"),
    });
    const row = { unit: "requests/s", scale: "rate" } as const;
    return [
      rowOf({ ...row, what: "GET /health", samples: health, baseline: { name: "plain Response", samples: plain } }),
      rowOf({ ...row, what: "GET /health", samples: health, baseline: { name: "D1 SELECT 1", samples: database } }),
      rowOf({ ...row, what: "GET /", samples: root, baseline: { name: "plain Response", samples: plain } }),
    ];
  },
};

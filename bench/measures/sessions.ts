/** `GET /sessions` with a cached token, compared with one call to a Durable Object that reads one row. */
import { requestRate } from "../load.ts";
import { signUpMany } from "../oracle-user.ts";
import { inTurns } from "../rounds.ts";
import { rowOf } from "../rows.ts";
import { CONNECTIONS, type Measure } from "./measure.ts";

export const sessions: Measure = {
  name: "sessions",
  about: "authenticated GET /sessions, beside a bare object's read",
  async take({ runtime, options: { rounds, seconds } }) {
    const users = await signUpMany(runtime.oracle, CONNECTIONS);
    const { listed, read } = await inTurns(rounds, {
      listed: () =>
        requestRate({
          base: runtime.oracle,
          connections: CONNECTIONS,
          seconds,
          next: (connection) => ({ path: "/sessions", headers: users[connection]?.headers ?? {} }),
        }),
      // One object per user: both sides wake the same number of objects.
      read: () =>
        requestRate({
          base: runtime.bare,
          connections: CONNECTIONS,
          seconds,
          next: (connection) => ({ path: `/read?object=${connection}` }),
        }),
    });
    return [
      rowOf({
        what: "GET /sessions, signed in",
        unit: "requests/s",
        scale: "rate",
        samples: listed,
        baseline: { name: "object, one SQLite read", samples: read },
        aim: { ratio: 0.5 },
      }),
    ];
  },
};

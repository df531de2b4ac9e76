/**
 * What callers may have the database look at in a minute (graphql/row-cost.ts), counted per isolate. Each has a bucket
 * that refills evenly. A statement is counted when it has run, so requests at once can overdraw it by one statement each;
 * the debt is waited for.
 */
import { createExpiringCache } from "../platform/auth/expiring-cache.ts";

export type RowCaller = "public" | "key";

export interface RowCosts {
  of(
    kind: RowCaller,
    who: string,
  ): {
    /** Whole seconds until `units` are there; 0 when they are. */
    wait(units: number): number;
    charge(units: number): void;
  };
}

const MINUTE_MS = 60_000;
/** Callers remembered at once, per kind; the one that was charged longest ago leaves first. */
const CALLERS = 10_000;

interface Bucket {
  readonly left: number;
  readonly at: number;
}

/** `limits` are units in a minute; `clock` answers milliseconds since 1970. */
export function createRowCosts(limits: Readonly<Record<RowCaller, number>>, clock: () => number): RowCosts {
  const buckets = {
    public: createExpiringCache<Bucket>(CALLERS, clock),
    key: createExpiringCache<Bucket>(CALLERS, clock),
  };
  return {
    of(kind, who) {
      const limit = limits[kind];
      const left = () => {
        const bucket = buckets[kind].get(who);
        if (bucket === undefined) return limit;
        const passed = Math.max(0, clock() - bucket.at);
        return Math.min(limit, bucket.left + (passed * limit) / MINUTE_MS);
      };
      return {
        wait(units) {
          const missing = Math.min(units, limit) - left();
          return missing <= 0 ? 0 : Math.ceil((missing * MINUTE_MS) / limit / 1000);
        },
        charge(units) {
          const after = left() - units;
          const fullAgain = clock() + Math.ceil(((limit - after) * MINUTE_MS) / limit);
          buckets[kind].set(who, { left: after, at: clock() }, fullAgain);
        },
      };
    },
  };
}

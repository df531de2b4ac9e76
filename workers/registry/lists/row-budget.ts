/**
 * What the rows may cost that a request has the database look at. The cost of a query counts its fields, and one field
 * with a filter that no index answers may look at every domain: without this, one request keeps the database busy for
 * minutes. Units are those of row-weight.ts, a few million a second.
 */
import { createExpiringCache } from "../../platform/auth/verification-cache.ts";
import { refusedQuery, tooManyRows } from "../store/refused-query.ts";
import type { RowWeight } from "./row-weight.ts";

/** Units of one statement: the database runs one at a time, so this is how long it keeps others waiting, about 0.01 seconds. */
export const STATEMENT_UNITS = 50_000;
/** Units of a statement that sorts all rows, for orders without an index: it cannot be done in parts. */
export const SORT_UNITS = 250_000;
/** Characters of a statement that are free, and units for each one more: SQLite reads and plans them for every window. */
const FREE_TEXT = 4_000;
const UNITS_OF_CHARACTER = 2;
/** Characters of JSON that are read for one unit. */
export const JSON_PER_UNIT = 8;

export interface RowMeter {
  /** Announces that every row will be looked at, before anything is read. */
  expectScan(units: number): void;
  /** Resolves once everything that is expected is known to be within the limit; throws when it is not. */
  open(): Promise<void>;
  /** Rows that the next statement may look at: `wanted` or fewer, never none. Throws when the budget has none left. */
  allow(wanted: number, units: number): number;
  /** Counts what a statement has looked at. */
  charge(units: number): void;
  /** Counted so far. */
  readonly used: number;
}

export interface RowBudget {
  /** Units for this request. */
  readonly limit: number;
  /** What the caller has left of the minute. */
  readonly caller: ReturnType<RowCosts["of"]>;
  /** A key was sent: there is no larger budget to point to. */
  readonly hasKey: boolean;
}

/** `countRows` answers about how many domains there are. */
export function createRowMeter({ limit, caller, hasKey }: RowBudget, countRows: () => Promise<number>): RowMeter {
  let used = 0;
  let expected = 0;
  let opened: Promise<void> | undefined;

  function tooCostly(): Error {
    const way = hasKey
      ? "Filter by id, externalId, controller, owner, class, relayerNode or type, or ask for less in one request"
      : "Filter by id, externalId, controller, owner, class, relayerNode or type, or send an API key, which may read more";
    return refusedQuery("query_too_costly", `The query looks at too many domains. ${way}`);
  }

  async function check(): Promise<void> {
    // Behind the fields that are resolved now: each has announced by then what it expects.
    await Promise.resolve();
    if (expected > 0 && expected * (await countRows()) > limit) throw tooCostly();
  }

  return {
    expectScan(units) {
      expected += units;
    },
    open: () => (opened ??= check()),
    allow(wanted, units) {
      const rows = Math.floor((limit - used) / units);
      if (rows < 1) throw tooCostly();
      const wait = caller.wait(units);
      if (wait > 0) throw tooManyRows(wait);
      return Math.min(wanted, rows);
    },
    charge(units) {
      used += units;
      caller.charge(units);
    },
    get used() {
      return used;
    },
  };
}

/** Of preparing a statement. */
export function unitsOfText(text: string): number {
  return Math.max(0, text.length - FREE_TEXT) * UNITS_OF_CHARACTER;
}

/** Rows of one statement. */
export function rowsOfStatement({ units, fixed }: RowWeight): number {
  return Math.max(1, Math.floor((STATEMENT_UNITS - fixed) / units));
}

/** Reads one after another within what a request may hold; throws when that is used up. */
export interface ReadBudget {
  read<Row extends object>(load: () => Promise<readonly Row[]>): Promise<readonly Row[]>;
}

/**
 * What callers may have the database look at in a minute, counted per isolate. Each has a bucket that refills evenly. A
 * statement is counted when it has run, so requests at once can overdraw it by one statement each; the debt is waited for.
 */
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

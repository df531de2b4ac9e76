/**
 * What the rows may cost that a request has the database look at. The cost of a query counts its fields, and one field
 * with a filter that no index answers may look at every domain: without this, one request keeps the database busy for
 * minutes. Units are those of row-weight.ts, a few million a second.
 */
import { createExpiringCache } from "../../../platform/auth/verification-cache.ts";
import type { Counted } from "../../../platform/http/client-address.ts";
import { refusedQuery, tooManyRows } from "../store/refused-query.ts";
import type { DeploymentBudget, RowCaller } from "./deployment-budget.ts";
import type { RowWeight } from "./row-weight.ts";
import type { ScanGate } from "./scan-gate.ts";

/** Units of one statement: the database runs one at a time, so this is how long it keeps others waiting, about 0.005 seconds. */
export const STATEMENT_UNITS = 25_000;
/** Units that a list may look at before it says what the rest of it costs. */
export const PROBE_UNITS = 5_000;
/** Units of a statement that sorts all rows, for orders without an index: it cannot be done in parts. */
export const SORT_UNITS = 200_000;
/** Reading one row of a small list through an index, with what the page shows of it. */
export const LIST_ROW = 10;
/** Characters of a statement that are free, and units for each one more: SQLite reads and plans them for every window. */
const FREE_TEXT = 4_000;
const UNITS_OF_CHARACTER = 2;
/** Reserves units before they are used; throws when there are not so many. */
export type Admit = (units: number) => Promise<void>;

export interface RowMeter {
  /**
   * Runs a part of the request that looks at rows. It looks at few, and calls `admit` before it looks at more: then what all parts
   * want together is weighed, so that a request that may not have it looks at no more of it.
   */
  work<Value>(part: (admit: Admit) => Promise<Value>): Promise<Value>;
  /**
   * Runs a statement. One of a scan, and each of a caller without a key, waits for its turn: one runs at a time, and others'
   * statements in between.
   */
  run<Value>(isScan: boolean, statement: () => Promise<Value>): Promise<Value>;
  /** Rows that the next statement may look at: `wanted` or fewer, never none. Throws when the budget has none left. */
  allow(wanted: number, units: number): number;
  /** Counts what a statement has looked at. */
  charge(units: number): void;
  /** Returns what was reserved and not used; at the end of the request. */
  close(): Promise<void>;
  /** Counted so far. */
  readonly used: number;
}

export interface RowBudget {
  /** Units for this request. */
  readonly limit: number;
  /** What the caller has left of the minute. */
  readonly caller: CallerBudget;
  readonly kind: RowCaller;
  /** What all callers share. */
  readonly deployment: Pick<DeploymentBudget, "spend" | "reserve" | "refund">;
  readonly gate: ScanGate;
}

interface Claim {
  readonly units: number;
  readonly settle: (refused: Error | undefined) => void;
}

export function createRowMeter({ limit, caller, kind, deployment, gate }: RowBudget): RowMeter {
  let [used, reserved] = [0, 0];
  let undecided = 0;
  let claims: readonly Claim[] = [];
  /** Why this request reads no more. */
  let refusal: Error | undefined;

  function tooCostly(): Error {
    const way = "Filter by id, externalId, controller, owner, class, relayerNode, type or the start of a name";
    const other = kind === "key" ? "ask for less in one request" : "send an API key, which may read more";
    return refusedQuery("query_too_costly", `The query reads too many domains. ${way}, or ${other}`);
  }

  async function reserve(units: number): Promise<void> {
    if (used + reserved + units > limit) throw tooCostly();
    if (caller.wait(units) > 0) {
      // The next try looks again at everything this one looked at, and later parts may want more than this one has asked for.
      const price = Math.max(used + reserved + units, caller.last);
      caller.note(price);
      throw tooManyRows("caller", caller.wait(price));
    }
    const wait = await deployment.reserve(kind, units);
    if (wait > 0) throw tooManyRows(kind === "key" ? "deployment" : "public", wait);
    caller.charge(units);
    reserved += units;
  }

  async function decide(): Promise<void> {
    const units = claims.reduce((sum, each) => sum + each.units, 0);
    // What is too much already needs to hear no other part.
    if (claims.length === 0 || (undecided > 0 && used + reserved + units <= limit)) return;
    const decided = claims;
    claims = [];
    try {
      await reserve(units);
    } catch (thrown) {
      refusal ??= thrown as Error;
    }
    for (const { settle } of decided) settle(refusal);
  }

  return {
    async work(part) {
      let isUndecided = true;
      undecided += 1;
      const decidesNow = () => {
        if (isUndecided) undecided -= 1;
        isUndecided = false;
        void decide();
      };
      const admit: Admit = (units) =>
        new Promise((resolve, reject) => {
          const settle: Claim["settle"] = (refused) => (refused === undefined ? resolve() : reject(refused));
          claims = [...claims, { units, settle }];
          decidesNow();
        });
      try {
        // Behind the parts that begin now: each of them is counted by then.
        await Promise.resolve();
        return await part(admit);
      } finally {
        decidesNow();
      }
    },
    run(isScan, statement) {
      const isKeyed = kind === "key";
      return isScan || !isKeyed ? gate.run({ isKeyed, isScan }, statement) : statement();
    },
    allow(wanted, units) {
      if (refusal !== undefined) throw refusal;
      const rows = Math.floor((limit - used) / units);
      if (rows < 1) throw tooCostly();
      if (units > reserved && caller.wait(units) > 0) {
        throw tooManyRows("caller", caller.wait(Math.max(used + units, caller.last)));
      }
      return Math.min(wanted, rows);
    },
    charge(units) {
      const before = Math.min(reserved, units);
      used += units;
      reserved -= before;
      caller.charge(units - before);
      deployment.spend(kind, units - before);
    },
    async close() {
      if (refusal === undefined) caller.note(used);
      if (reserved === 0) return;
      const rest = reserved;
      reserved = 0;
      caller.charge(-rest);
      await deployment.refund(kind, rest);
    },
    get used() {
      return used;
    },
  };
}

/** Reads a page of a small list, which looks at no more than `rows` along an index. They are counted before it is read. */
export async function readSmallPage<Value>(meter: RowMeter, rows: number, read: () => Promise<Value>): Promise<Value> {
  const units = rows * LIST_ROW;
  return meter.work(async (admit) => {
    const isScan = units > PROBE_UNITS;
    if (isScan) await admit(units);
    meter.allow(1, units);
    meter.charge(units);
    return meter.run(isScan, read);
  });
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

export interface CallerBudget {
  /** Whole seconds until `units` are there; 0 when they are. */
  wait(units: number): number;
  /** Negative units are returned. */
  charge(units: number): void;
  /** Remembers what a request cost, or would have: a refusal of the next one waits for as much. */
  note(price: number): void;
  readonly last: number;
}

/**
 * What callers may have the database look at in a minute, counted per isolate. Each has a bucket that refills evenly. Small
 * statements are counted when they have run, so requests at once can overdraw it by a few; the debt is waited for.
 */
export interface RowCosts {
  /** Of one caller. `who` has several names where wider networks are counted too, each with its `share` of the limit. */
  of(kind: RowCaller, who: readonly Counted[]): CallerBudget;
}

const MINUTE_MS = 60_000;
/** Callers remembered at once, per kind; the one that was charged longest ago leaves first. */
const CALLERS = 10_000;

interface Bucket {
  readonly left: number;
  readonly at: number;
  /** The price of the last request. */
  readonly last: number;
}

/** `limits` are units in a minute; `clock` answers milliseconds since 1970. */
export function createRowCosts(limits: Readonly<Record<RowCaller, number>>, clock: () => number): RowCosts {
  const buckets = {
    public: createExpiringCache<Bucket>(CALLERS, clock),
    key: createExpiringCache<Bucket>(CALLERS, clock),
  };

  function budgetOf(kind: RowCaller, { name, share }: Counted): CallerBudget {
    const limit = limits[kind] * share;
    const left = () => {
      const bucket = buckets[kind].get(name);
      if (bucket === undefined) return limit;
      const passed = Math.max(0, clock() - bucket.at);
      return Math.min(limit, bucket.left + (passed * limit) / MINUTE_MS);
    };
    const lastOf = () => buckets[kind].get(name)?.last ?? 0;
    const keep = (after: number, last: number) => {
      const fullAgain = clock() + Math.ceil(((limit - after) * MINUTE_MS) / limit);
      buckets[kind].set(name, { left: after, at: clock(), last }, fullAgain);
    };
    return {
      wait(units) {
        const missing = Math.min(units, limit) - left();
        // Less than a unit is missing by rounding only.
        return missing < 1 ? 0 : Math.ceil((missing * MINUTE_MS) / limit / 1000);
      },
      charge: (units) => keep(left() - units, lastOf()),
      note: (price) => keep(left(), price),
      get last() {
        return lastOf();
      },
    };
  }

  return {
    of(kind, who) {
      const all = who.map((each) => budgetOf(kind, each));
      return {
        wait: (units) => Math.max(0, ...all.map((each) => each.wait(units))),
        charge: (units) => all.forEach((each) => each.charge(units)),
        note: (price) => all.forEach((each) => each.note(price)),
        get last() {
          return Math.max(0, ...all.map((each) => each.last));
        },
      };
    },
  };
}

/**
 * Limits the cost of the rows that the database reads for a request. The cost of a query counts its fields, but one
 * field with a filter without an index may read every domain: without this limit, one request could keep the database
 * busy for minutes. Units are defined in row-weight.ts; the database handles a few million per second.
 */
import { createExpiringCache } from "../../../platform/auth/verification-cache.ts";
import type { Counted } from "../../../platform/http/client-address.ts";
import { refusedQuery, tooManyRows } from "../store/refused-query.ts";
import type { DeploymentBudget, RowCaller } from "./deployment-budget.ts";
import type { RowWeight } from "./row-weight.ts";
import type { ScanGate } from "./scan-gate.ts";

/**
 * Units per statement. The database runs one statement at a time, so this is how long others wait: about 0.005 seconds.
 */
export const STATEMENT_UNITS = 25_000;
/** Units that a list can read before it announces the cost of the rest. */
export const PROBE_UNITS = 5_000;
/** Units of a statement that sorts all rows, for orders without an index, which cannot be split. */
export const SORT_UNITS = 200_000;
/** Reading one row of a small list through an index, with its displayed columns. */
export const LIST_ROW = 10;
/**
 * Free characters of a statement, and units per further character: SQLite parses and plans the statement for every
 * window.
 */
const FREE_TEXT = 4_000;
const UNITS_OF_CHARACTER = 2;
/** Reserves units before use; throws if there are not enough. */
export type Admit = (units: number) => Promise<void>;

export interface RowMeter {
  /**
   * Runs a part of the request that reads rows. The part reads a few rows, and calls `admit` before it reads more: then
   * the demand of all parts is weighed together, so that a refused request reads no further rows.
   */
  work<Value>(part: (admit: Admit) => Promise<Value>): Promise<Value>;
  /**
   * Runs a statement. Statements of a scan, and all statements of a caller without a key, wait for their turn: one runs
   * at a time, with others' statements in between.
   */
  run<Value>(isScan: boolean, statement: () => Promise<Value>): Promise<Value>;
  /**
   * Number of rows that the next statement can read: at most `wanted`, at least one. Throws if the budget is used up.
   */
  allow(wanted: number, units: number): number;
  /** Charges the rows that a statement has read. */
  charge(units: number): void;
  /** Returns unused reservations at the end of the request. */
  close(): Promise<void>;
  /** Units charged so far. */
  readonly used: number;
}

export interface RowBudget {
  /** Units for this request. */
  readonly limit: number;
  /** The caller's remaining budget of the minute. */
  readonly caller: CallerBudget;
  readonly kind: RowCaller;
  /** The budget that all callers share. */
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
  /** Why this request must not read more. */
  let refusal: Error | undefined;

  function tooCostly(): Error {
    const way = "Filter by id, externalId, controller, owner, class, relayerNode, type or the start of a name";
    const other = kind === "key" ? "ask for less in one request" : "send an API key, which may read more";
    return refusedQuery("query_too_costly", `The query reads too many domains. ${way}, or ${other}`);
  }

  async function reserve(units: number): Promise<void> {
    if (used + reserved + units > limit) throw tooCostly();
    if (caller.wait(units) > 0) {
      // The next attempt repeats all reads of this one, and later parts may need more than this one requested.
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
    // If the price is already too high, the other parts do not matter.
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
        // After the parts that start now, so that each of them is counted.
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

/** Reads a page of a small list, at most `rows` along an index. They are charged before the read. */
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

/** The cost of preparing a statement. */
export function unitsOfText(text: string): number {
  return Math.max(0, text.length - FREE_TEXT) * UNITS_OF_CHARACTER;
}

/** Rows of one statement. */
export function rowsOfStatement({ units, fixed }: RowWeight): number {
  return Math.max(1, Math.floor((STATEMENT_UNITS - fixed) / units));
}

/** Reads one after another within the request's limit; throws when it is used up. */
export interface ReadBudget {
  read<Row extends object>(load: () => Promise<readonly Row[]>): Promise<readonly Row[]>;
}

export interface CallerBudget {
  /** Whole seconds until `units` are available; 0 if they are. */
  wait(units: number): number;
  /** Negative units are returned. */
  charge(units: number): void;
  /** Records the price of a request, so that a refusal of the next one waits for at least that much. */
  note(price: number): void;
  readonly last: number;
}

/**
 * Limits the rows that the database reads for callers per minute, counted per isolate. Each caller has a token bucket
 * that refills evenly. Small statements are charged after they have run, so concurrent requests can overdraw it
 * slightly; the debt is paid by waiting.
 */
export interface RowCosts {
  /**
   * The budget of one caller. `who` contains several names if wider networks count too, each with its `share` of the
   * limit.
   */
  of(kind: RowCaller, who: readonly Counted[]): CallerBudget;
}

const MINUTE_MS = 60_000;
/** Maximum callers tracked per kind; the one that was charged longest ago is evicted first. */
const CALLERS = 10_000;

interface Bucket {
  readonly left: number;
  readonly at: number;
  /** The price of the last request. */
  readonly last: number;
}

/** `limits` are units per minute; `clock` returns milliseconds since 1970. */
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
        // Less than one unit is missing only because of rounding.
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

/**
 * What the whole deployment may have the database look at in a second, counted by one object for all isolates (RateLimiter): reads
 * that scan, and everything that callers without a key ask for. An isolate draws the small reads of these callers from a lease,
 * so that most requests ask nobody. Without the object, or while it cannot be reached, each isolate counts for itself.
 */
import { createPacedBudget, type Pace, type PacedAdmission } from "../../../platform/paced-budget.ts";

/** Seconds of a budget that may be used at once: the largest request without a key fits twice. */
const BURST_SECONDS = 4;
/** How long a read with a key waits for its turn among scans; milliseconds. One without a key is refused. */
const SCAN_PATIENCE_MS = 10_000;
/** Units that an isolate takes at once for the small reads of callers without a key: some tens of requests. */
const LEASED_UNITS = 50_000;
/** Units of a request without a key beside the rows of its lists: its statements, such as the reading of one domain. */
const REQUEST_UNITS = 500;

export interface DeploymentPaces {
  /** Units a second for all scans. */
  readonly scan: number;
  /** Units a second for all callers without a key, their scans included. */
  readonly public: number;
}

export interface DeploymentBudget {
  /** Counts one request without a key; whole seconds to wait before it can be answered, 0 when it can be now. */
  admitPublic(): Promise<number>;
  /** Counts small reads that have run. */
  spend(caller: RowCaller, units: number): void;
  /** Reserves a scan and waits for its turn; whole seconds to wait before it can be reserved, 0 when it is. */
  reserve(caller: RowCaller, units: number): Promise<number>;
  /** Returns what was reserved and not used. */
  refund(caller: RowCaller, units: number): Promise<void>;
}

interface Platform {
  /** The objects that count; undefined where a deployment has none. */
  readonly limiters:
    | { getByName(name: string): { spend(units: number, pace: Pace): Promise<PacedAdmission> } }
    | undefined;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly failed: (thrown: unknown) => void;
}

type BudgetName = keyof DeploymentPaces;

export function createDeploymentBudget(
  paces: DeploymentPaces,
  { limiters, clock, failed }: Platform,
): DeploymentBudget {
  const own = { scan: createPacedBudget(), public: createPacedBudget() };
  let leased = 0;

  const paceOf = (name: BudgetName, patienceMs: number): Pace => ({
    unitsPerSecond: paces[name],
    burstSeconds: BURST_SECONDS,
    patienceMs,
  });

  async function take(name: BudgetName, units: number, patienceMs = 0) {
    const pace = paceOf(name, patienceMs);
    const ofIsolate = () => {
      if (units >= 0) return own[name].take(clock(), units, pace);
      own[name].refund(-units, pace);
      return { admitted: true, waitMs: 0 };
    };
    if (limiters === undefined) return ofIsolate();
    try {
      return await limiters.getByName(`registry:${name}`).spend(units, pace);
    } catch (thrown) {
      failed(thrown);
      return ofIsolate();
    }
  }

  return {
    async admitPublic() {
      if (leased < REQUEST_UNITS) {
        // What was overdrawn is taken too.
        const units = LEASED_UNITS + Math.max(0, -leased);
        const { admitted, waitMs } = await take("public", units);
        if (!admitted) return secondsOf(waitMs);
        leased += units;
      }
      leased -= REQUEST_UNITS;
      return 0;
    },
    spend(caller, units) {
      if (caller === "public") leased -= units;
    },
    async reserve(caller, units) {
      if (caller === "public") {
        const { admitted, waitMs } = await take("public", units);
        if (!admitted) return secondsOf(waitMs);
      }
      const { admitted, waitMs } = await take("scan", units, caller === "key" ? SCAN_PATIENCE_MS : 0);
      if (admitted) {
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
        return 0;
      }
      if (caller === "public") await take("public", -units);
      return secondsOf(waitMs);
    },
    async refund(caller, units) {
      await take("scan", -units);
      if (caller === "public") await take("public", -units);
    },
  };
}

function secondsOf(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000));
}

/** Who reads. */
export type RowCaller = "public" | "key";

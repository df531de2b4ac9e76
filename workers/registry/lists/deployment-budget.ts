/**
 * Limits the rows that the database reads per second for the whole deployment: reads that scan, and all reads without a
 * key. One object counts for all isolates (RateLimiter). An isolate takes the small reads without a key from a lease,
 * so that most requests need no call. Without the object, or while it is unreachable, each isolate counts alone.
 */
import { createPacedBudget, type Pace, type PacedAdmission } from "../../../platform/paced-budget.ts";

/** Seconds of the budget that can be used at once: twice the largest request without a key. */
const BURST_SECONDS = 4;
/** How long a scan with a key waits for its turn, in milliseconds. A scan without a key is refused. */
const SCAN_PATIENCE_MS = 10_000;
/** Units that an isolate leases for small reads without a key: dozens of requests. */
const LEASED_UNITS = 50_000;
/** Units of a request without a key in addition to the rows of its lists, for statements such as reading one domain. */
const REQUEST_UNITS = 500;

export interface DeploymentPaces {
  /** Units per second for all scans. */
  readonly scan: number;
  /** Units per second for all callers without a key, including their scans. */
  readonly public: number;
}

export interface DeploymentBudget {
  /** Counts one request without a key. Returns the whole seconds to wait, or 0 if it can be answered now. */
  admitPublic(): Promise<number>;
  /** Charges small reads after they have run. */
  spend(caller: RowCaller, units: number): void;
  /**
   * Reserves a scan and waits for its turn. Returns the whole seconds to wait before retrying, or 0 if it is reserved.
   */
  reserve(caller: RowCaller, units: number): Promise<number>;
  /** Returns reserved units that were not used. */
  refund(caller: RowCaller, units: number): Promise<void>;
}

interface Platform {
  /** The counting objects; undefined if the deployment has none. */
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
        // Includes the overdraft.
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

/** Whether the caller has a key. */
export type RowCaller = "public" | "key";

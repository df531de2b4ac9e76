/**
 * One payer's credits, in double entry: each entry moves whole micro-credits between the accounts `granted`, `balance`,
 * `held` and `spent`, and sums to zero. The database refuses other entries, and a balance below zero. Each call is one
 * transaction whose entries have keys derived from their purpose, so a repeated call finds them.
 */
import { hasSchema, migrate, type ObjectStorage } from "../../platform/object-schema.ts";
import type {
  CoverAnswer,
  CreditReport,
  GrantAnswer,
  HoldAnswer,
  HoldRequest,
  LedgerSummary,
  SettledRun,
} from "../../oracle/plugins/credits/ledger-rpc.ts";
import { carryOn } from "./retention.ts";
import { migrations } from "./schema.ts";

/**
 * How long an unconfirmed hold is kept, in milliseconds: its message was admitted and then lost. A run that waits
 * longer in its session's queue requests credits again when it begins.
 */
export const UNCONFIRMED_HOLD_MS = 15 * 60_000;
/**
 * How long a hold is kept after its run was last seen running, in milliseconds. A run waits up to a day for each
 * approval, and its end is reported for 7 days; a run that ends later is still charged.
 */
export const CONFIRMED_HOLD_MS = 7 * 24 * 3_600_000;
/** Maximum balance of one ledger in micro-credits: a billion credits, far below where numbers become inexact. */
export const LARGEST_BALANCE = 1_000_000_000_000_000;

/** The movements of an entry, which sum to zero. */
interface Move {
  readonly granted?: number;
  readonly balance?: number;
  readonly held?: number;
  readonly spent?: number;
}

type Accounts = Required<Move> & { readonly reported_at: number };

interface RunRow extends Record<string, SqlStorageValue> {
  readonly run_id: string;
  readonly state: "held" | "lapsed" | "settled";
  readonly held: number;
  /** Number of entries of its hold, each of which has its own key. */
  readonly entries: number;
  readonly lapses_at: number | null;
  readonly charged: number | null;
}

const NOTHING: Accounts = { granted: 0, balance: 0, held: 0, spent: 0, reported_at: 0 };

export function createLedger(storage: ObjectStorage, now: () => number) {
  const { sql } = storage;
  let ready = false;

  function prepare(): void {
    if (!ready) migrate(storage, migrations);
    ready = true;
  }

  /** Reading a ledger that was never written to leaves no trace. */
  function exists(): boolean {
    if (!ready && hasSchema(sql)) prepare();
    return ready;
  }

  /** Undefined before the first grant or report. */
  function opened(): Accounts | undefined {
    if (!exists()) return undefined;
    const query = "SELECT granted, balance, held, spent, reported_at FROM accounts";
    return sql.exec<Accounts & Record<string, number>>(query).toArray()[0];
  }

  const accounts = (): Accounts => opened() ?? NOTHING;

  function runOf(runId: string): RunRow | undefined {
    return exists() ? sql.exec<RunRow>("SELECT * FROM runs WHERE run_id = ?", runId).toArray()[0] : undefined;
  }

  /** Throws, and rolls the transaction back, if the key exists or an account would fall below zero. */
  function enter(key: string, { granted = 0, balance = 0, held = 0, spent = 0 }: Move): void {
    prepare();
    sql.exec(
      "INSERT INTO entries (key, at, granted, balance, held, spent) VALUES (?, ?, ?, ?, ?, ?)",
      key,
      now(),
      granted,
      balance,
      held,
      spent,
    );
    sql.exec("INSERT OR IGNORE INTO accounts VALUES (1, 0, 0, 0, 0, 0)");
    sql.exec(
      "UPDATE accounts SET granted = granted + ?, balance = balance + ?, held = held + ?, spent = spent + ?",
      granted,
      balance,
      held,
      spent,
    );
  }

  function openRun(runId: string, lapsesAt: number): RunRow {
    prepare();
    sql.exec(
      "INSERT OR IGNORE INTO runs (run_id, state, held, entries, lapses_at) VALUES (?, 'held', 0, 0, ?)",
      runId,
      lapsesAt,
    );
    sql.exec("UPDATE runs SET state = 'held', lapses_at = ? WHERE run_id = ?", lapsesAt, runId);
    return sql.exec<RunRow>("SELECT * FROM runs WHERE run_id = ?", runId).one();
  }

  /** Adds to the run's hold, or removes from it. The entry has the next number of its hold. */
  function moveHold(run: RunRow, difference: number): void {
    if (difference === 0) return;
    enter(`hold:${run.entries + 1}:${run.run_id}`, { balance: -difference, held: difference });
    sql.exec("UPDATE runs SET held = held + ?, entries = entries + 1 WHERE run_id = ?", difference, run.run_id);
  }

  /**
   * The credits that the service reported, minus what it cannot know: runs that hold credits, and runs that were
   * reported to it after the reading, or not at all.
   */
  function takeReport({ credits, readAt }: CreditReport): void {
    const { balance, held, reported_at } = accounts();
    if (readAt <= reported_at) return;
    prepare();
    const { unknown } = sql
      .exec<{ unknown: number }>(
        "SELECT COALESCE(SUM(charged), 0) AS unknown FROM runs WHERE charged > 0 AND (reported_at IS NULL OR reported_at > ?)",
        readAt,
      )
      .one();
    const difference = Math.min(LARGEST_BALANCE, Math.max(0, credits - unknown - held)) - balance;
    if (difference !== 0) enter(`report:${readAt}`, { granted: -difference, balance: difference });
    sql.exec("INSERT OR IGNORE INTO accounts VALUES (1, 0, 0, 0, 0, 0)");
    sql.exec("UPDATE accounts SET reported_at = ?", readAt);
  }

  function hold({ runId, amount, minimum, initial, report }: HoldRequest): HoldAnswer {
    const known = runOf(runId);
    if (known?.state === "settled") return { held: false, reason: "ended" };
    if (known?.state === "held") return { held: true };
    if (report !== undefined) takeReport(report);
    else if (initial > 0 && opened() === undefined) enter("initial", { granted: -initial, balance: initial });
    const { balance } = opened() ?? { balance: undefined };
    if (balance === undefined) return { held: false, reason: "unknown" };
    if (balance <= minimum || balance < amount) return { held: false, reason: "low" };
    moveHold(openRun(runId, now() + UNCONFIRMED_HOLD_MS), amount);
    return { held: true };
  }

  function cover(runId: string, least: number, most = least): CoverAnswer {
    if (runOf(runId)?.state === "settled") return { covered: false, held: 0 };
    const run = openRun(runId, now() + CONFIRMED_HOLD_MS);
    const { balance } = accounts();
    if (least - run.held > balance) return { covered: false, held: run.held };
    const missing = Math.max(0, Math.min(most - run.held, balance));
    moveHold(run, missing);
    return { covered: true, held: run.held + missing };
  }

  /** `retentionMs`: how long runs and reports are kept; undefined keeps them forever. */
  function settle(runId: string, cost: number, retentionMs?: number): SettledRun {
    const known = runOf(runId);
    if (known?.state === "settled") return { charged: known.charged ?? 0, repeated: true };
    const held = known?.held ?? 0;
    const charged = Math.min(cost, held + accounts().balance);
    // A run that held nothing and cost nothing needs no entry.
    if (held > 0 || charged > 0) enter(`settle:${runId}`, { balance: held - charged, held: -held, spent: charged });
    openRun(runId, now());
    sql.exec(
      "UPDATE runs SET state = 'settled', held = 0, lapses_at = NULL, cost = ?, charged = ?, settled_at = ? WHERE run_id = ?",
      cost,
      charged,
      now(),
      runId,
    );
    if (retentionMs !== undefined) carryOn(storage, now() - retentionMs);
    return { charged, repeated: false };
  }

  function grant(key: string, amount: number): GrantAnswer {
    const name = `grant:${key}`;
    const before = exists()
      ? sql.exec<{ balance: number }>("SELECT balance FROM entries WHERE key = ?", name).toArray()[0]
      : undefined;
    const { balance, held } = accounts();
    if (before !== undefined) {
      if (before.balance !== amount) return { granted: false, reason: "conflict" };
      return { granted: true, repeated: true, balance };
    }
    if (balance + held + amount > LARGEST_BALANCE) return { granted: false, reason: "limit" };
    enter(name, { granted: -amount, balance: amount });
    return { granted: true, repeated: false, balance: balance + amount };
  }

  function markReported(runIds: readonly string[], at: number): void {
    if (!exists()) return;
    // The first time counts: everything that the service knew then is in every later report.
    for (const runId of runIds)
      sql.exec("UPDATE runs SET reported_at = ? WHERE run_id = ? AND reported_at IS NULL", at, runId);
  }

  /** Releases the holds of runs that have not been reported for too long. */
  function lapse(): void {
    if (!exists()) return;
    for (const run of sql.exec<RunRow>("SELECT * FROM runs WHERE lapses_at <= ?", now()).toArray()) {
      moveHold(run, -run.held);
      sql.exec("UPDATE runs SET state = 'lapsed', lapses_at = NULL WHERE run_id = ?", run.run_id);
    }
  }

  /** All of it or nothing. */
  const whole =
    <Parameters extends readonly unknown[], Value>(work: (...given: Parameters) => Value) =>
    (...given: Parameters): Value => {
      try {
        return storage.transactionSync(() => work(...given));
      } catch (thrown) {
        // The rollback may have removed the tables too.
        ready = false;
        throw thrown;
      }
    };

  return {
    hold: whole(hold),
    cover: whole(cover),
    settle: whole(settle),
    grant: whole(grant),
    markReported: whole(markReported),
    lapse: whole(lapse),
    summary(initial: number): LedgerSummary {
      const { balance, held } = opened() ?? { balance: initial, held: 0 };
      return { balance, held };
    },
    /** When the first hold lapses, in Unix milliseconds. */
    nextLapse(): number | undefined {
      if (!exists()) return undefined;
      const query = "SELECT MIN(lapses_at) AS at FROM runs WHERE lapses_at IS NOT NULL";
      return sql.exec<{ at: number | null }>(query).one().at ?? undefined;
    },
  };
}

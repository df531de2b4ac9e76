/**
 * Pending reports of ended runs: one row per run, one per plugin with `afterTurn`, and one for the user vault if it has yet to
 * count the usage of a deleted session's run. The rows are written with the end of the run, outlive its session, and are deleted
 * when the report has succeeded. The row of a run is written before a plugin's gate is asked, so that a process lost in between
 * leaves nothing open.
 */
import * as z from "zod";
import { jsonObject } from "../../protocol/json.ts";
import { endedRunStatus } from "../../protocol/records.ts";
import type { EndedTurn } from "../framework/ended-turn.ts";
import type { ModelUsage } from "../model-usage.ts";
import { readStoredJson } from "../../platform/json.ts";
import { describeThrown, type Logger } from "../../platform/log.ts";
import { hasSchema, migrate, type ObjectStorage } from "../../platform/object-schema.ts";
import { migrations } from "./schema.ts";
import type { TitleMeter } from "../models/model-port.ts";
import type { After } from "./frames.ts";
import { modelUsages } from "./step-store.ts";

/** Pause after the first failed report, milliseconds; it doubles with each further one. */
export const FIRST_REPORT_PAUSE_MS = 5_000;
export const LONGEST_REPORT_PAUSE_MS = 3_600_000;
/** How long a report is retried, milliseconds from the end of its run: as long as its credits stay on hold. */
export const REPORT_LIFETIME_MS = 7 * 24 * 3_600_000;
/** Time limit of one call of `afterTurn`, milliseconds; a call that exceeds it is retried. */
export const REPORT_TIME_LIMIT_MS = 30_000;
/**
 * When a run is reported as refused if its process was lost during the gates, milliseconds: the caller may retry the request until
 * then.
 */
export const LOST_ADMISSION_MS = 60_000;
/** Used as a plugin's name, which no plugin can have: the run's usage counts in the user vault. */
export const USAGE_REPORT = "(usage)";
/** Used as the client of a title, which no client requested. */
export const TITLE_CLIENT = "title";
/** When a title without reported usage counts at its maximum, milliseconds: by then its request has long been aborted. */
export const LOST_TITLE_MS = 60_000;
/** How many reports one alarm sends. */
const REPORTS_AT_ONCE = 50;

/** Tables that outlive their session. */
export const REPORT_TABLES: readonly string[] = ["ended_turns", "turn_reports"];

const storedReport = z.object({
  runId: z.string(),
  sessionId: z.string(),
  client: z.string(),
  status: z.enum([...endedRunStatus.options, "refused"]),
  endedAt: z.string(),
  usage: modelUsages,
  answer: z.string(),
  failure: z.string().exactOptional(),
  metadata: jsonObject(),
  payer: z.string().exactOptional(),
  /** When it started or was queued, Unix milliseconds. Absent for a title, and in rows of an earlier version. */
  startedAt: z.number().exactOptional(),
});

type OwedRun = EndedTurn & { readonly startedAt?: number };

/** A title that a model is about to be asked for. */
interface MeteredTitle {
  readonly owner: string;
  readonly sessionId: string;
  readonly runId: string;
  /** The DID that the title counts against, if it is not the owner. */
  readonly payer: string | null;
  /** The plugins that receive its usage. */
  readonly reporters: readonly string[];
  /** Reserves this many of the day's tokens; returns whether there were enough. */
  readonly reserve: (most: number) => Promise<boolean>;
  /** Whether every plugin lets a model be asked, for at most this usage. */
  readonly isCovered: (most: EndedTurn) => Promise<boolean>;
  /** The session was deleted. */
  readonly isGone: () => boolean;
}

export interface RunReportOptions {
  readonly storage: ObjectStorage;
  readonly now: () => number;
  readonly after: After;
  readonly background: (work: Promise<unknown>) => void;
  /** Requests an alarm by that time, Unix milliseconds. */
  readonly wakeAt: (time: number) => void;
  /** Calls the plugin's `afterTurn`; rejects with what it throws. */
  readonly report: (plugin: string, owner: string, ended: OwedRun) => Promise<void>;
  /** No report is left. */
  readonly onDone: () => void;
  readonly log: Logger;
}

export type RunReports = ReturnType<typeof createRunReports>;

export function createRunReports(options: RunReportOptions) {
  const { storage, now, after, background, wakeAt, log } = options;
  const { sql } = storage;
  /** Runs whose gates are being asked, with the plugins that have admitted them. */
  const asked = new Map<string, Set<string>>();
  /** Reports in progress, as `<runId> <plugin>`. */
  const underWay = new Set<string>();

  function write(owner: string, ended: EndedTurn, plugins: readonly string[], due: number): void {
    sql.exec(
      "INSERT OR REPLACE INTO ended_turns (run_id, owner, since, turn) VALUES (?, ?, ?, ?)",
      ended.runId,
      owner,
      now(),
      JSON.stringify(storedReport.parse(ended)),
    );
    for (const plugin of plugins)
      sql.exec("INSERT OR REPLACE INTO turn_reports (run_id, plugin, due) VALUES (?, ?, ?)", ended.runId, plugin, due);
  }

  function remove(runId: string, plugin: string): void {
    sql.exec("DELETE FROM turn_reports WHERE run_id = ? AND plugin = ?", runId, plugin);
    sql.exec(
      "DELETE FROM ended_turns WHERE run_id = ? AND run_id NOT IN (SELECT run_id FROM turn_reports WHERE run_id = ?)",
      runId,
      runId,
    );
  }

  function forget(runId: string): void {
    sql.exec("DELETE FROM turn_reports WHERE run_id = ?", runId);
    sql.exec("DELETE FROM ended_turns WHERE run_id = ?", runId);
  }

  /** Undefined without any; an object that was never used stays empty. */
  function nextDue(): number | undefined {
    if (!hasSchema(sql)) return undefined;
    migrate(storage, migrations);
    return sql.exec<{ due: number | null }>("SELECT MIN(due) AS due FROM turn_reports").one().due ?? undefined;
  }

  async function report(row: ReportRow): Promise<void> {
    const { run_id: runId, plugin, owner, turn: text, since, tries } = row;
    const key = `${runId} ${plugin}`;
    if (underWay.has(key) || asked.has(runId)) return;
    const ended = readStoredJson(storedReport, text);
    if (ended === undefined) return giveUp(row, "the stored data of the turn cannot be read");
    underWay.add(key);
    try {
      await withinTime(options.report(plugin, owner, ended));
      remove(runId, plugin);
    } catch (thrown) {
      if (now() - since >= REPORT_LIFETIME_MS) return giveUp(row, describeThrown(thrown), ended.usage);
      log.warn("after-turn-failed", { plugin, runId, tries: tries + 1, reason: describeThrown(thrown) });
      const due = now() + pauseAfter(tries + 1);
      sql.exec(
        "UPDATE turn_reports SET tries = ?, due = ? WHERE run_id = ? AND plugin = ?",
        tries + 1,
        due,
        runId,
        plugin,
      );
      wakeAt(due);
    } finally {
      underWay.delete(key);
    }
    if (nextDue() === undefined) options.onDone();
  }

  /** Logs the run's usage, so that an operator can settle it. */
  function giveUp({ run_id: runId, plugin, tries }: ReportRow, reason: string, usage?: EndedTurn["usage"]): void {
    log.error("after-turn-given-up", {
      plugin,
      runId,
      tries: tries + 1,
      reason,
      usage: usage?.map(({ model, inputTokens, outputTokens }) => ({ model, inputTokens, outputTokens })),
    });
    remove(runId, plugin);
    if (nextDue() === undefined) options.onDone();
  }

  async function withinTime(work: Promise<void>): Promise<void> {
    const late = Promise.withResolvers<never>();
    const callOff = after(REPORT_TIME_LIMIT_MS, () =>
      late.reject(new Error(`afterTurn took more than ${REPORT_TIME_LIMIT_MS / 1000} s`)),
    );
    work.catch(() => undefined);
    await Promise.race([work, late.promise]).finally(callOff);
  }

  function make(where: string, ...bindings: SqlStorageValue[]): void {
    const rows = sql
      .exec<ReportRow>(
        `${REPORTS} WHERE ${where} ORDER BY due, ended_turns.rowid LIMIT ${REPORTS_AT_ONCE}`,
        ...bindings,
      )
      .toArray();
    // In the background of the ended run, or of the alarm.
    for (const row of rows) background(Promise.resolve().then(() => report(row)));
  }

  /** Records usage of a run in a session that is being erased: plugins may already have received their reports. */
  function owesUsage(owner: string, ended: OwedRun): void {
    sql.exec(
      "INSERT INTO ended_turns (run_id, owner, since, turn) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
      ended.runId,
      owner,
      now(),
      JSON.stringify(storedReport.parse(ended)),
    );
    sql.exec(
      "INSERT OR REPLACE INTO turn_reports (run_id, plugin, due) VALUES (?, ?, ?)",
      ended.runId,
      USAGE_REPORT,
      now() + FIRST_REPORT_PAUSE_MS,
    );
  }

  /** Sends the first report at once; the alarm retries it if the process is lost. */
  function tell(runId: string): void {
    wakeAt(now() + FIRST_REPORT_PAUSE_MS);
    make("turn_reports.run_id = ?", runId);
  }

  return {
    /** Before a plugin is asked whether it admits the run: from here on, it needs a report. */
    asks(owner: string, ended: EndedTurn, plugin: string): void {
      if (!asked.has(ended.runId)) asked.set(ended.runId, new Set());
      const due = now() + LOST_ADMISSION_MS;
      write(owner, ended, [plugin], due);
      wakeAt(due);
    },
    admitted: (runId: string, plugin: string): void => void asked.get(runId)?.add(plugin),
    /** The plugin itself has refused the run. */
    declined: (runId: string, plugin: string): void => remove(runId, plugin),
    /** The run is accepted: its plugins are notified when it has ended. */
    accepted(runId: string): void {
      if (asked.delete(runId)) forget(runId);
    },
    /**
     * The run was refused; does nothing for an accepted run, or one whose gates were not asked. A gate that did not answer in time
     * may still have an effect, so its report is sent later.
     */
    refused(runId: string): void {
      const admitted = asked.get(runId);
      if (!asked.delete(runId)) return;
      const due = now() + FIRST_REPORT_PAUSE_MS;
      for (const plugin of admitted ?? []) {
        sql.exec("UPDATE turn_reports SET due = ? WHERE run_id = ? AND plugin = ?", due, runId, plugin);
        make("turn_reports.run_id = ? AND turn_reports.plugin = ?", runId, plugin);
      }
      wakeAt(due);
    },
    /** Runs in the transaction that ends the run; `tell` follows it. */
    ended: (owner: string, ended: EndedTurn, plugins: readonly string[]): void =>
      write(owner, ended, plugins, now() + FIRST_REPORT_PAUSE_MS),
    owesUsage,
    /** Counts a title separately from the runs, for the user's day and for plugins: at its maximum until its usage is known. */
    titleMeter({ owner, sessionId, runId, payer, reporters, reserve, isCovered, isGone }: MeteredTitle): TitleMeter {
      const titleOf = (usage: readonly ModelUsage[]): EndedTurn => ({
        runId,
        sessionId,
        client: TITLE_CLIENT,
        status: "finished",
        endedAt: new Date(now()).toISOString(),
        usage,
        answer: "",
        metadata: {},
        ...(payer === null ? {} : { payer }),
      });
      const owe = (title: EndedTurn, due: number): void => write(owner, title, [USAGE_REPORT, ...reporters], due);
      const settle = (usage: readonly ModelUsage[]): void => {
        owe(titleOf(usage), now() + FIRST_REPORT_PAUSE_MS);
        tell(runId);
      };
      return {
        async begin(most) {
          if (!(await reserve(most.inputTokens + most.outputTokens)) || isGone()) return false;
          const title = titleOf([most]);
          const due = now() + LOST_TITLE_MS;
          // Stored before plugins are asked: holds that they make are settled, even if the process is lost.
          owe(title, due);
          wakeAt(due);
          const covered = await isCovered(title);
          // If the session was deleted meanwhile, the maximum was reported.
          if (isGone()) return false;
          if (!covered) settle([]);
          return covered;
        },
        used(usage) {
          if (!isGone()) settle([usage]);
        },
      };
    },
    tell,
    /** Reports all runs of a deleted session. */
    tellAll(): void {
      wakeAt(now() + FIRST_REPORT_PAUSE_MS);
      make("turn_reports.tries = 0");
    },
    /** The alarm. */
    ring(): void {
      if (nextDue() !== undefined) make("turn_reports.due <= ?", now());
    },
    /** When the next report is due, Unix milliseconds; reports in progress are ignored. */
    nextDue(): number | undefined {
      const due = nextDue();
      if (due === undefined) return undefined;
      return due > now() ? due : now() + FIRST_REPORT_PAUSE_MS;
    },
  };
}

/** `tries`: how often it has failed. */
function pauseAfter(tries: number): number {
  return Math.min(FIRST_REPORT_PAUSE_MS * 2 ** (tries - 1), LONGEST_REPORT_PAUSE_MS);
}

const REPORTS = `SELECT turn_reports.run_id, plugin, owner, turn, since, tries
  FROM turn_reports JOIN ended_turns ON ended_turns.run_id = turn_reports.run_id`;

type ReportRow = {
  run_id: string;
  plugin: string;
  owner: string;
  turn: string;
  since: number;
  tries: number;
};

/** The tokens of an ended run, to be counted under that key. */
export function spentBy({ usage, payer, startedAt }: OwedRun, runKey: string) {
  const tokens = usage.reduce((sum, used) => sum + used.inputTokens + used.outputTokens, 0);
  return {
    runKey,
    tokens,
    ...(payer === undefined ? {} : { payer }),
    ...(startedAt === undefined ? {} : { since: startedAt }),
  };
}

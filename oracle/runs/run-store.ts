/**
 * The rows of the runs. All writes are here; only the transcript also reads their order, for its pages. A run keeps its request,
 * with the delegation in it, only until it ends.
 */
import * as z from "zod";
import {
  finishReason,
  runStatus,
  type EndedRunStatus,
  type FinishReason,
  type RunStatus,
} from "../../protocol/records.ts";
import { readStoredJson } from "../../platform/json.ts";
import {
  runFailure,
  runRequest,
  storedVerdict,
  type RunFailure,
  type RunRequest,
  type Verdict,
} from "../run-request.ts";
import { storedModels, toUsage, type TokenUsage } from "./step-store.ts";

export interface Run {
  /** The run's number in the session and in its transcript. */
  readonly ordinal: number;
  readonly runId: string;
  readonly requestId: string;
  readonly client: string;
  /** The DID that the run counts against; null for the session's owner. */
  readonly payer: string | null;
  readonly status: RunStatus;
  /** 0 for the first try; each recovery adds one. */
  readonly attempt: number;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly updatedAt: number;
  readonly messageId: string | null;
  readonly failure: RunFailure | null;
  readonly delegationRequired: boolean;
  /** The verdict of a hook that ends the run; null before, and once the run has ended. */
  readonly verdict: Verdict | null;
  /** Null once the run has ended, or if the stored request is damaged. */
  readonly request: RunRequest | null;
  /** The reason why a finished run stopped. */
  readonly finishReason: FinishReason | null;
  /** The total usage of an ended run; until then, its usage besides its steps. */
  readonly usage: TokenUsage;
  /** The plugins that are notified of its end. */
  readonly reporters: readonly string[];
  /** Its frames are deleted: clients no longer know the run. */
  readonly pruned: boolean;
}

export interface RunEnd {
  readonly status: EndedRunStatus;
  readonly endedAt: number;
  readonly messageId?: string;
  readonly failure?: RunFailure;
  readonly finishReason?: FinishReason;
  readonly usage: TokenUsage;
  readonly delegationRequired: boolean;
}

export type RunStore = ReturnType<typeof createRunStore>;

export function createRunStore(sql: SqlStorage) {
  function one(query: string, ...bindings: SqlStorageValue[]): Run | undefined {
    const row = sql.exec<RunRow>(query, ...bindings).toArray()[0];
    return row === undefined ? undefined : toRun(row);
  }

  return {
    insert(runId: string, request: RunRequest, now: number, reporters: readonly string[]): Run {
      const { requestId, client, payer = null } = request;
      const { ordinal } = sql
        .exec<{ ordinal: number }>(
          `INSERT INTO runs (run_id, request_id, client_message_id, client, payer, status, started_at, updated_at,
             request, reporters)
           VALUES (?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?) RETURNING ordinal`,
          runId,
          requestId,
          request.clientMessageId ?? null,
          client,
          payer,
          now,
          now,
          JSON.stringify(request),
          reporters.length === 0 ? null : JSON.stringify(reporters),
        )
        .one();
      return {
        ...newRun,
        ordinal,
        runId,
        requestId,
        client,
        payer,
        startedAt: now,
        updatedAt: now,
        request,
        reporters,
      };
    },

    byId: (runId: string): Run | undefined => one("SELECT * FROM runs WHERE run_id = ?", runId),

    /** Finds a run by the client's id of its message. */
    byClientMessageId: (clientMessageId: string): Run | undefined =>
      one("SELECT * FROM runs WHERE client_message_id = ?", clientMessageId),

    /** How many runs the session has had. */
    count: (): number => sql.exec<{ count: number | null }>("SELECT MAX(ordinal) AS count FROM runs").one().count ?? 0,

    hasEnded: (ordinal: number): boolean =>
      sql.exec("SELECT 1 FROM runs WHERE ordinal = ? AND ended_at IS NULL", ordinal).toArray().length === 0,

    /** Runs that have not ended, oldest first. */
    active: (): readonly Run[] =>
      sql.exec<RunRow>("SELECT * FROM runs WHERE ended_at IS NULL ORDER BY ordinal").toArray().map(toRun),

    /** A queued run starts; its age counts from now. */
    start(ordinal: number, now: number): void {
      sql.exec(
        "UPDATE runs SET status = 'running', started_at = ?, updated_at = ? WHERE ordinal = ?",
        now,
        now,
        ordinal,
      );
    },

    /** Retries a run whose process was lost. */
    retry(ordinal: number, attempt: number, now: number): void {
      sql.exec(
        "UPDATE runs SET status = 'recovering', attempt = ?, updated_at = ? WHERE ordinal = ?",
        attempt,
        now,
        ordinal,
      );
    },

    /** A step of the run has finished. */
    touch(ordinal: number, now: number): void {
      sql.exec("UPDATE runs SET updated_at = ?, status = 'running' WHERE ordinal = ?", now, ordinal);
    },

    /** Stored at once, so that a restart does not lose what `done` reports. */
    requireDelegation(ordinal: number): void {
      sql.exec("UPDATE runs SET delegation_required = 1 WHERE ordinal = ?", ordinal);
    },

    /** Stored at once, so that a restart does not undo a hook's verdict. */
    decide(ordinal: number, verdict: Verdict): void {
      sql.exec("UPDATE runs SET verdict = ? WHERE ordinal = ?", JSON.stringify(verdict), ordinal);
    },

    /** Stored at once: tokens outside the main agent's steps have no separate row. */
    setUsage(ordinal: number, usage: TokenUsage): void {
      sql.exec(
        "UPDATE runs SET input_tokens = ?, output_tokens = ?, models = ? WHERE ordinal = ?",
        usage.inputTokens,
        usage.outputTokens,
        storedModels(usage),
        ordinal,
      );
    },

    end(ordinal: number, end: RunEnd): void {
      sql.exec(
        `UPDATE runs SET status = ?, ended_at = ?, updated_at = ?, message_id = ?, failure = ?, finish_reason = ?,
           input_tokens = ?, output_tokens = ?, delegation_required = ?, unreported = 1, request = NULL, verdict = NULL,
           models = NULL
         WHERE ordinal = ?`,
        end.status,
        end.endedAt,
        end.endedAt,
        end.messageId ?? null,
        end.failure === undefined ? null : JSON.stringify(runFailure.parse(end.failure)),
        end.finishReason ?? null,
        end.usage.inputTokens,
        end.usage.outputTokens,
        end.delegationRequired ? 1 : 0,
        ordinal,
      );
    },

    /** Ended runs not yet reported to the user vault, oldest first. */
    unreported: (count: number): readonly Run[] =>
      sql.exec<RunRow>("SELECT * FROM runs WHERE unreported = 1 ORDER BY ordinal LIMIT ?", count).toArray().map(toRun),

    hasUnreported: (): boolean => sql.exec("SELECT 1 FROM runs WHERE unreported = 1 LIMIT 1").toArray().length > 0,

    markUnreported(ordinal: number): void {
      sql.exec("UPDATE runs SET unreported = 1 WHERE ordinal = ?", ordinal);
    },

    markReported(runs: readonly Pick<Run, "ordinal">[]): void {
      for (const { ordinal } of runs) sql.exec("UPDATE runs SET unreported = 0 WHERE ordinal = ?", ordinal);
    },

    /** Prunes the runs that ended by `time`, and all but the newest `count` ended ones; returns the ordinals. */
    prune(time: number, count: number): readonly number[] {
      return sql
        .exec<{ ordinal: number }>(
          `UPDATE runs SET pruned = 1 WHERE pruned = 0 AND ended_at IS NOT NULL AND (ended_at <= ? OR ordinal <=
             (SELECT ordinal FROM runs WHERE ended_at IS NOT NULL ORDER BY ordinal DESC LIMIT 1 OFFSET ?))
           RETURNING ordinal`,
          time,
          count,
        )
        .toArray()
        .map(({ ordinal }) => ordinal);
    },

    /** The end of the oldest ended run that clients still know, Unix milliseconds. */
    firstEnd: (): number | null =>
      sql
        .exec<{ at: number | null }>("SELECT MIN(ended_at) AS at FROM runs WHERE pruned = 0 AND ended_at IS NOT NULL")
        .one().at,
  };
}

/** The members of a new run's row that are not inserted. */
const newRun = {
  status: "queued",
  attempt: 0,
  messageId: null,
  failure: null,
  delegationRequired: false,
  verdict: null,
  finishReason: null,
  usage: { inputTokens: 0, outputTokens: 0 },
  pruned: false,
} as const;

type RunRow = {
  ordinal: number;
  run_id: string;
  request_id: string;
  client: string;
  payer: string | null;
  status: string;
  attempt: number;
  started_at: number;
  updated_at: number;
  ended_at: number | null;
  message_id: string | null;
  failure: string | null;
  delegation_required: number;
  verdict: string | null;
  request: string | null;
  pruned: number;
  finish_reason: string | null;
  input_tokens: number;
  output_tokens: number;
  models: string | null;
  reporters: string | null;
};

/** Never throws: a damaged run must not prevent the list of its session's other runs, or its own end. */
function toRun(row: RunRow): Run {
  const status = runStatus.safeParse(row.status);
  return {
    ordinal: row.ordinal,
    runId: row.run_id,
    requestId: row.request_id,
    client: row.client,
    payer: row.payer,
    status: status.data ?? (row.ended_at === null ? "recovering" : "failed"),
    attempt: row.attempt,
    startedAt: row.started_at,
    updatedAt: row.updated_at,
    messageId: row.message_id,
    failure: row.failure === null ? null : (readStoredJson(runFailure, row.failure) ?? null),
    delegationRequired: row.delegation_required === 1,
    verdict: row.verdict === null ? null : (readStoredJson(storedVerdict, row.verdict) ?? null),
    request: row.request === null ? null : (readStoredJson(runRequest, row.request) ?? null),
    finishReason: row.finish_reason === null ? null : finishReason.parse(row.finish_reason),
    usage: toUsage(row),
    reporters: row.reporters === null ? [] : (readStoredJson(z.array(z.string()), row.reporters) ?? []),
    pruned: row.pruned === 1,
  };
}

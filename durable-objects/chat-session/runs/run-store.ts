/**
 * Runs, their finished model steps and their tool calls: whatever is written about them is written here; only what
 * a call of the client's waits for is client-calls.ts's, and the transcript reads their order by itself, for its pages. A run keeps its request (and the header delegation in it) only
 * until it ends; steps and calls serve recovery and are folded into the transcript at the end.
 */
import type { JsonObject } from "../../../workers/platform/json.ts";
import { parseStoredJson, readStoredJson } from "../../../workers/platform/stored-json.ts";
import type { RunFailure, RunRequest } from "../rpc.ts";
import type { FinishReason, RunStatus } from "../../../protocol/records.ts";
import { callStatus, finishReason, runFailure, runStatus, storedArguments, turnRequest } from "./stored-records.ts";

export interface Run {
  /** The run's place in the session; also the number of its turn in the transcript. */
  readonly ordinal: number;
  readonly runId: string;
  readonly requestId: string;
  readonly client: string;
  readonly status: RunStatus;
  /** 0 for the first try; each recovery adds one. */
  readonly attempt: number;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly updatedAt: number;
  readonly messageId: string | null;
  readonly failure: RunFailure | null;
  readonly delegationRequired: boolean;
  /** Null once the run has ended, and when what was stored cannot be read. */
  readonly request: RunRequest | null;
  /** Of a finished run. */
  readonly finishReason: FinishReason | null;
  /** Of an ended run. */
  readonly usage: TokenUsage;
  /** Its frames are gone: to clients the run is unknown. */
  readonly pruned: boolean;
  /** False when a word or JSON of the row is damaged: `status` is then a guess, `failure` and `finishReason` are null. */
  readonly isReadable: boolean;
}

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface Step {
  readonly text: string;
  readonly reasoning: string;
  readonly finishReason: FinishReason;
  readonly usage: TokenUsage;
}

/** A tool call as the run keeps it. `output` is the JSON text of the tool's result. */
export interface Call {
  readonly eventId: string;
  readonly step: number;
  readonly position: number;
  /** The id that the model gave the call. */
  readonly modelCallId: string;
  readonly name: string;
  readonly args: JsonObject;
  readonly status: "isRunning" | "done" | "error";
  readonly output?: string;
  readonly error?: string;
}

export interface RunEnd {
  readonly status: RunStatus;
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
    insert(runId: string, request: RunRequest, now: number): Run {
      const run = one(
        `INSERT INTO runs (run_id, request_id, client_message_id, client, status, started_at, updated_at, request)
         VALUES (?, ?, ?, ?, 'queued', ?, ?, ?) RETURNING *`,
        runId,
        request.requestId,
        request.clientMessageId ?? null,
        request.client,
        now,
        now,
        JSON.stringify(request),
      );
      if (run === undefined) throw new Error("an inserted run was not returned");
      return run;
    },

    byId: (runId: string): Run | undefined => one("SELECT * FROM runs WHERE run_id = ?", runId),

    /** By the request of a phone's question; only these are known by their request. */
    ofPhone: (requestId: string): Run | undefined =>
      one("SELECT * FROM runs WHERE client = 'ussd' AND request_id = ?", requestId),

    /** By the id that the client gave its message. */
    ofClientMessage: (clientMessageId: string): Run | undefined =>
      one("SELECT * FROM runs WHERE client_message_id = ?", clientMessageId),

    /** How many turns the session has had. */
    count: (): number => sql.exec<{ count: number | null }>("SELECT MAX(ordinal) AS count FROM runs").one().count ?? 0,

    hasEnded: (ordinal: number): boolean =>
      sql.exec("SELECT 1 FROM runs WHERE ordinal = ? AND ended_at IS NULL", ordinal).toArray().length === 0,

    /** Runs that have not ended, oldest first. */
    active: (): readonly Run[] =>
      sql.exec<RunRow>("SELECT * FROM runs WHERE ended_at IS NULL ORDER BY ordinal").toArray().map(toRun),

    /** A queued run starts; its age counts from here. */
    start(ordinal: number, now: number): void {
      sql.exec(
        "UPDATE runs SET status = 'running', started_at = ?, updated_at = ? WHERE ordinal = ?",
        now,
        now,
        ordinal,
      );
    },

    /** A run whose runner was lost is tried again. */
    retry(ordinal: number, attempt: number, now: number): void {
      sql.exec(
        "UPDATE runs SET status = 'recovering', attempt = ?, updated_at = ? WHERE ordinal = ?",
        attempt,
        now,
        ordinal,
      );
    },

    /** A run could not be started or picked up. */
    countAttempt(ordinal: number, attempt: number, now: number): void {
      sql.exec("UPDATE runs SET attempt = ?, updated_at = ? WHERE ordinal = ?", attempt, now, ordinal);
    },

    /** Removes what cannot be read of an unfinished run's steps and calls. The text of its steps stays. */
    dropUnreadable(ordinal: number): void {
      for (const row of sql
        .exec<StepRow & { position: number }>("SELECT * FROM steps WHERE run = ?", ordinal)
        .toArray())
        if (!canRead(() => toStep(row)))
          sql.exec("UPDATE steps SET finish_reason = NULL WHERE run = ? AND position = ?", ordinal, row.position);
      for (const row of sql.exec<CallRow>("SELECT * FROM calls WHERE run = ?", ordinal).toArray())
        if (!canRead(() => toCall(row))) sql.exec("DELETE FROM calls WHERE event_id = ?", row.event_id);
    },

    /** Kept at once, so that a restart does not forget what the end will have to tell. */
    requireDelegation(ordinal: number): void {
      sql.exec("UPDATE runs SET delegation_required = 1 WHERE ordinal = ?", ordinal);
    },

    end(ordinal: number, end: RunEnd): void {
      sql.exec(
        `UPDATE runs SET status = ?, ended_at = ?, updated_at = ?, message_id = ?, failure = ?, finish_reason = ?,
           input_tokens = ?, output_tokens = ?, delegation_required = ?, unreported = 1, request = NULL
         WHERE ordinal = ?`,
        end.status,
        end.endedAt,
        end.endedAt,
        end.messageId ?? null,
        end.failure === undefined ? null : JSON.stringify(end.failure),
        end.finishReason ?? null,
        end.usage.inputTokens,
        end.usage.outputTokens,
        end.delegationRequired ? 1 : 0,
        ordinal,
      );
      sql.exec("DELETE FROM steps WHERE run = ?", ordinal);
      sql.exec("DELETE FROM calls WHERE run = ?", ordinal);
      sql.exec("DELETE FROM client_calls WHERE run = ?", ordinal);
    },

    /** Ended runs that the user's vault has not been told of, oldest first. */
    unreported: (count: number): readonly Run[] =>
      sql.exec<RunRow>("SELECT * FROM runs WHERE unreported = 1 ORDER BY ordinal LIMIT ?", count).toArray().map(toRun),

    hasUnreported: (): boolean => sql.exec("SELECT 1 FROM runs WHERE unreported = 1 LIMIT 1").toArray().length > 0,

    markUnreported(ordinal: number): void {
      sql.exec("UPDATE runs SET unreported = 1 WHERE ordinal = ?", ordinal);
    },

    markReported(runs: readonly Run[]): void {
      for (const { ordinal } of runs) sql.exec("UPDATE runs SET unreported = 0 WHERE ordinal = ?", ordinal);
    },

    /** Forgets what ended by `time` or lies behind the newest `count` ended runs: clients no longer know it. */
    forget(time: number, count: number): readonly number[] {
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

    /** When the first of the ended runs ended that clients still know, Unix milliseconds. */
    firstEnd: (): number | null =>
      sql
        .exec<{ at: number | null }>("SELECT MIN(ended_at) AS at FROM runs WHERE pruned = 0 AND ended_at IS NOT NULL")
        .one().at,

    addStep(ordinal: number, position: number, step: Step, now: number): void {
      sql.exec(
        `INSERT INTO steps (run, position, text, reasoning, finish_reason, input_tokens, output_tokens)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        ordinal,
        position,
        step.text,
        step.reasoning,
        step.finishReason,
        step.usage.inputTokens,
        step.usage.outputTokens,
      );
      sql.exec("UPDATE runs SET updated_at = ?, status = 'running' WHERE ordinal = ?", now, ordinal);
    },

    steps: (ordinal: number): readonly Step[] =>
      sql
        .exec<StepRow>(
          "SELECT text, reasoning, finish_reason, input_tokens, output_tokens FROM steps WHERE run = ? ORDER BY position",
          ordinal,
        )
        .toArray()
        .map(toStep),

    putCall(ordinal: number, call: Call): void {
      sql.exec(
        `INSERT OR REPLACE INTO calls (event_id, run, step, position, model_call_id, name, args, status, output, error)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        call.eventId,
        ordinal,
        call.step,
        call.position,
        call.modelCallId,
        call.name,
        JSON.stringify(call.args),
        call.status,
        call.output ?? null,
        call.error ?? null,
      );
    },

    calls: (ordinal: number): readonly Call[] =>
      sql.exec<CallRow>("SELECT * FROM calls WHERE run = ? ORDER BY step, position", ordinal).toArray().map(toCall),
  };
}

function canRead(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

type RunRow = {
  ordinal: number;
  run_id: string;
  request_id: string;
  client: string;
  status: string;
  attempt: number;
  started_at: number;
  updated_at: number;
  ended_at: number | null;
  message_id: string | null;
  failure: string | null;
  delegation_required: number;
  request: string | null;
  pruned: number;
  finish_reason: string | null;
  input_tokens: number;
  output_tokens: number;
};

type StepRow = {
  text: string;
  reasoning: string;
  finish_reason: string | null;
  input_tokens: number;
  output_tokens: number;
};

type CallRow = {
  event_id: string;
  step: number;
  position: number;
  model_call_id: string;
  name: string;
  args: string;
  status: string;
  output: string | null;
  error: string | null;
};

/** Never throws: one damaged run must not keep the others of its session from being listed. */
function toRun(row: RunRow): Run {
  const status = runStatus.safeParse(row.status);
  const failure = row.failure === null ? null : readStoredJson(runFailure, row.failure);
  const reason = finishReason.nullable().safeParse(row.finish_reason);
  return {
    ordinal: row.ordinal,
    runId: row.run_id,
    requestId: row.request_id,
    client: row.client,
    status: status.data ?? (row.ended_at === null ? "recovering" : "failed"),
    attempt: row.attempt,
    startedAt: row.started_at,
    updatedAt: row.updated_at,
    messageId: row.message_id,
    failure: failure ?? null,
    delegationRequired: row.delegation_required === 1,
    request: row.request === null ? null : (readStoredJson(turnRequest, row.request) ?? null),
    finishReason: reason.data ?? null,
    usage: { inputTokens: row.input_tokens, outputTokens: row.output_tokens },
    pruned: row.pruned === 1,
    isReadable: status.success && failure !== undefined && reason.success,
  };
}

function toStep({ text, reasoning, finish_reason, input_tokens, output_tokens }: StepRow): Step {
  return {
    text,
    reasoning,
    // Steps of an older version have none.
    finishReason: finish_reason === null ? "stop" : finishReason.parse(finish_reason),
    usage: { inputTokens: input_tokens, outputTokens: output_tokens },
  };
}

function toCall(row: CallRow): Call {
  return {
    eventId: row.event_id,
    step: row.step,
    position: row.position,
    modelCallId: row.model_call_id,
    name: row.name,
    args: parseStoredJson(storedArguments, row.args, "tool call"),
    status: callStatus.parse(row.status),
    ...(row.output === null ? {} : { output: row.output }),
    ...(row.error === null ? {} : { error: row.error }),
  };
}

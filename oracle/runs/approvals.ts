/**
 * Approvals of tool calls: the user is asked before the call is made. Each is stored in SQL at once, is shown to every socket of
 * the session and to each that joins later, and is answered once: by the user, or by its deadline. Nothing is kept only in memory,
 * so the object can sleep until an answer comes.
 */
import * as z from "zod";
import { isJsonObject, readStoredJson, type JsonObject } from "../../platform/json.ts";
import type { Logger } from "../../platform/log.ts";
import type { ToolCallResult } from "../framework/middleware.ts";

/** Time limit for the user's answer, milliseconds. */
export const APPROVAL_TIME_LIMIT_MS = 24 * 60 * 60 * 1000;

/** The question for the user; `id` names the question, not the call. */
const approvalRequest = z.object({
  id: z.string(),
  sessionId: z.string(),
  requestId: z.string(),
  toolName: z.string(),
  args: z.custom<JsonObject>(isJsonObject),
});
export type ApprovalRequest = Readonly<z.infer<typeof approvalRequest>>;

/** `superseded`: the user wrote another message instead. `void`: the run ended first. */
const approvalAnswer = z.enum(["approved", "denied", "expired", "superseded", "void"]);
export type ApprovalAnswer = z.infer<typeof approvalAnswer>;

/** The user refused, answered otherwise, or did not answer within a day. */
export function isRefusal(answer: ApprovalAnswer | undefined): boolean {
  return answer === "denied" || answer === "expired" || answer === "superseded";
}

export interface Approval {
  readonly request: ApprovalRequest;
  /** Undefined until there is an answer. */
  readonly answer: ApprovalAnswer | undefined;
}

/** The result of a user's decision. `other`: there was another answer, or the question is closed. */
export type Decision = "taken" | "same" | "other" | "unknown";

export interface ApprovalOptions {
  readonly sql: SqlStorage;
  /** Asks this socket, or every socket of the session. */
  readonly ask: (request: ApprovalRequest, socketId?: string) => void;
  readonly now: () => number;
  /** Requests an alarm at that time, Unix milliseconds, which calls `expire`. */
  readonly wakeAt: (time: number) => void;
  readonly log: Logger;
}

export type Approvals = ReturnType<typeof createApprovals>;

/** The id of the question about a call, which clients get as the `toolCallId` of an action. */
export function approvalId(callId: string): string {
  return `ap_${callId.slice(callId.indexOf("_") + 1)}`;
}

export function isApprovalId(id: string): boolean {
  return id.startsWith("ap_");
}

export function createApprovals({ sql, ask, now, wakeAt, log }: ApprovalOptions) {
  const waiting = new Map<string, (answer: ApprovalAnswer) => void>();
  let nextWait = Promise.withResolvers<void>();

  function rows(where: string, ...bindings: readonly (string | number | null)[]): readonly ApprovalRow[] {
    return sql.exec<ApprovalRow>(`SELECT * FROM approvals WHERE ${where} ORDER BY asked_at, id`, ...bindings).toArray();
  }

  function end(id: string, answer: ApprovalAnswer): void {
    sql.exec("UPDATE approvals SET answer = ?, ended_at = ? WHERE id = ? AND answer IS NULL", answer, now(), id);
    log.info("approval-ended", { toolCallId: id, answer });
    waiting.get(id)?.(answer);
    waiting.delete(id);
  }

  /** Ends questions that are past their deadline; returns whether there were any. */
  function expire(): boolean {
    const late = rows("answer IS NULL AND deadline <= ?", now());
    for (const { id } of late) end(id, "expired");
    return late.length > 0;
  }

  /**
   * Whether the run is making a call other than one that waits for an answer, or a sub-agent's call that waits for its last step.
   */
  function isBusy(run: number): boolean {
    const found = sql.exec(
      `SELECT 1 FROM calls AS made WHERE run = ? AND status = 'isRunning'
         AND NOT EXISTS (SELECT 1 FROM approvals WHERE tool_call_id = made.event_id AND answer IS NULL)
         AND NOT (runs_agent = 1 AND EXISTS (
           SELECT 1 FROM calls AS own WHERE own.run = made.run AND own.of_call = made.event_id AND own.status = 'isRunning'))
       LIMIT 1`,
      run,
    );
    return found.toArray().length > 0;
  }

  function decide(row: ApprovalRow | undefined, answer: ApprovalAnswer): Decision {
    expire();
    if (row === undefined) return "unknown";
    const current = answerOf(rows("id = ?", row.id)[0]);
    if (current === undefined) end(row.id, answer);
    return current === undefined ? "taken" : current === answer ? "same" : "other";
  }

  return {
    find(id: string): Approval | undefined {
      const [row] = rows("id = ?", id);
      if (row === undefined) return undefined;
      const request = readStoredJson(approvalRequest, row.request);
      // The approved request cannot be determined.
      if (request === undefined) return { request: { ...UNREADABLE, id }, answer: "void" };
      return { request, answer: answerOf(row) };
    },

    ask(run: number, callId: string, request: ApprovalRequest): void {
      const askedAt = now();
      const deadline = askedAt + APPROVAL_TIME_LIMIT_MS;
      sql.exec(
        "INSERT INTO approvals (id, tool_call_id, run, request, asked_at, deadline) VALUES (?, ?, ?, ?, ?, ?)",
        request.id,
        callId,
        run,
        JSON.stringify(request),
        askedAt,
        deadline,
      );
      wakeAt(deadline);
      ask(request);
    },

    whenAnswered(id: string): Promise<ApprovalAnswer> {
      expire();
      const known = answerOf(rows("id = ?", id)[0]);
      if (known !== undefined) return Promise.resolve(known);
      nextWait.resolve();
      nextWait = Promise.withResolvers<void>();
      return new Promise((resolve) => waiting.set(id, resolve));
    },

    /**
     * A client's answer over a socket. The first answer counts; returns why another is refused. A result that is neither yes nor no
     * is ignored: clients that do not know the question send an error automatically, and another tab may still answer.
     */
    finish(id: string, outcome: ToolCallResult): string | undefined {
      const answer = meaningOf(outcome);
      if (answer === undefined) return "neither approved nor denied";
      const decision = decide(rows("id = ?", id)[0], answer);
      if (decision === "taken") return undefined;
      return decision === "unknown" ? "unknown call" : "ended before";
    },

    /** A user's decision by the id of the question or of the call. */
    decide: (run: number, id: string, approved: boolean): Decision =>
      decide(rows("run = ? AND (id = ? OR tool_call_id = ?)", run, id, id)[0], approved ? "approved" : "denied"),

    socketJoined(socketId: string): void {
      for (const { request } of rows("answer IS NULL")) {
        const read = readStoredJson(approvalRequest, request);
        if (read !== undefined) ask(read, socketId);
      }
    },

    expire,

    /** The user has written another message: closes open questions so that they do not delay it. Returns whether there were any. */
    supersede(): boolean {
      expire();
      const open = rows("answer IS NULL");
      for (const { id } of open) end(id, "superseded");
      return open.length > 0;
    },

    /** Whether a message that closes questions is queued after the run: a new question would delay it. */
    isSuperseded: (run: number): boolean =>
      sql
        .exec(
          `SELECT 1 FROM runs WHERE ended_at IS NULL AND ordinal > ? AND json_extract(request, '$.endsQuestions') LIMIT 1`,
          run,
        )
        .toArray().length > 0,

    /** The next deadline, Unix milliseconds. */
    due: (): number | undefined =>
      sql.exec<{ at: number | null }>("SELECT MIN(deadline) AS at FROM approvals WHERE answer IS NULL").one().at ??
      undefined,

    /** Whether the run waits only for answers: its time limit is paused, and it needs no process until an answer comes. */
    isWaiting: (run: number): boolean => rows("run = ? AND answer IS NULL", run).length > 0 && !isBusy(run),

    /**
     * How long the run has waited for answers so far, milliseconds; overlaps count once. While another call is running, time counts
     * as waiting up to the last question or answer only.
     */
    waited(run: number): number {
      const asked = rows("run = ?", run);
      const isOpen = asked.some(({ ended_at }) => ended_at === null);
      const latest = isOpen && isBusy(run) ? Math.max(...asked.map((each) => each.ended_at ?? each.asked_at)) : now();
      let total = 0;
      let until = -Infinity;
      for (const { asked_at, ended_at } of asked) {
        const end = ended_at ?? latest;
        total += Math.max(0, end - Math.max(asked_at, until));
        until = Math.max(until, end);
      }
      return total;
    },

    /** How many approvals the run has requested. */
    askedBy: (run: number): number => rows("run = ?", run).length,

    /** The run has ended, or the call is no longer needed; returns the questions that clients can dismiss. */
    voidOpen(run: number, callId?: string): readonly ApprovalRequest[] {
      const open = rows("run = ? AND answer IS NULL AND tool_call_id = COALESCE(?, tool_call_id)", run, callId ?? null);
      return open.flatMap(({ id, request }) => {
        end(id, "void");
        const read = readStoredJson(approvalRequest, request);
        return read === undefined ? [] : [read];
      });
    },

    /** Deletes approvals of runs that clients no longer know. */
    prune(): void {
      // Looks up runs from the approvals, which are few: a session keeps every run's row.
      sql.exec("DELETE FROM approvals WHERE EXISTS (SELECT 1 FROM runs WHERE ordinal = approvals.run AND pruned = 1)");
    },

    /** Resolves the next time that a call begins to wait: from then on, storage and the alarm hold all of the run's state. */
    whenWaiting: (): Promise<void> => nextWait.promise,
  };
}

type ApprovalRow = {
  id: string;
  tool_call_id: string;
  run: number;
  request: string;
  asked_at: number;
  deadline: number;
  answer: string | null;
  ended_at: number | null;
};

const UNREADABLE = { sessionId: "", requestId: "", toolName: "", args: {} };

/** A damaged answer does not approve. */
function answerOf(row: ApprovalRow | undefined): ApprovalAnswer | undefined {
  if (row === undefined || row.answer === null) return undefined;
  return approvalAnswer.safeParse(row.answer).data ?? "void";
}

function meaningOf(outcome: ToolCallResult): ApprovalAnswer | undefined {
  if ("error" in outcome || !isJsonObject(outcome.output)) return undefined;
  const { approved } = outcome.output;
  if (typeof approved !== "boolean") return undefined;
  return approved ? "approved" : "denied";
}

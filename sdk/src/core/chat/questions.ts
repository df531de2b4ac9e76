/**
 * The unanswered questions to the user. A question arrives by the stream, by the socket, or by both with the same id.
 */
import type { ActiveRun, PendingQuestion } from "../chat.ts";
import { errorOf, OfflineError, RequestError } from "../errors.ts";
import type { OracleHttp } from "../http.ts";
import type { SessionSocket } from "../socket.ts";
import type { ServerPayload } from "../wire.ts";
import type { OpenQuestion, Turn } from "./turn.ts";

interface Asked extends OpenQuestion {
  readonly requestId: string;
  readonly runId: string | null;
}

export type Questions = ReturnType<typeof createQuestions>;

export function createQuestions(onChange: (questions: readonly PendingQuestion[]) => void) {
  const open = new Map<string, Asked>();
  /**
   * Answered in this page. The oracle may not have confirmed the answer, but the user must not see the question again.
   */
  const answered = new Set<string>();
  /** Why answers did not arrive. */
  const errors = new Map<string, Error>();

  function change(): void {
    onChange([...open].filter(([id]) => !answered.has(id)).map(([id, asked]) => question(id, asked, errors.get(id))));
  }

  function remove(id: string): boolean {
    errors.delete(id);
    return open.delete(id);
  }

  return {
    /** A question from the socket. Its run is known if this page follows the run. */
    heard({ toolCallId, toolName, args, requestId }: ServerPayload<"action_call">, runId: string | null): void {
      if (!open.has(toolCallId)) open.set(toolCallId, { toolName, args: args ?? {}, requestId, runId });
      change();
    },
    /** The questions in the part of the turn's stream that was read. */
    streamed({ requestId, runId, questions }: Turn): void {
      for (const [id, { toolName, args }] of questions) open.set(id, { toolName, args, requestId, runId });
      change();
    },
    /** The stream reported an answer to this question. */
    closed(id: string): void {
      if (remove(id)) change();
    },
    /** A question without an answer. */
    find: (id: string): Asked | undefined => (answered.has(id) ? undefined : open.get(id)),
    answered(id: string): void {
      answered.add(id);
      errors.delete(id);
      change();
    },
    /** The answer did not arrive. */
    unanswered(id: string, error: Error): void {
      answered.delete(id);
      if (open.has(id)) errors.set(id, error);
      change();
    },
    /** The turn has ended; without a request, all turns have. */
    ended(requestId?: string): void {
      const over = [...open].filter(([, asked]) => requestId === undefined || asked.requestId === requestId);
      for (const [id] of over) remove(id);
      if (over.length > 0) change();
    },
    /** The oracle repeats its open questions, because an earlier answer may be lost. */
    reconnected(): void {
      answered.clear();
    },
  };
}

function question(id: string, { toolName, args, runId }: Asked, error: Error | undefined): PendingQuestion {
  const asked = { id, runId, ...(error !== undefined && { error }) };
  if (toolName !== "approve_tool") return { ...asked, kind: "elicitation", toolName: textOf(args["tool"]), args };
  return { ...asked, kind: "approval", toolName: textOf(args["toolName"]), args: recordOf(args["args"]) };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

interface AnswerOptions {
  readonly http: Pick<OracleHttp, "json">;
  readonly sessionId: string;
  readonly questions: Questions;
  readonly socket: SessionSocket | undefined;
}

/** Sends the user's answer to the oracle: over the socket, or else, for an approval, as a request. */
export async function answerQuestion(
  { http, sessionId, questions, socket }: AnswerOptions,
  id: string,
  answer: object,
): Promise<void> {
  const asked = questions.find(id);
  if (asked === undefined) return;
  questions.answered(id);
  if (socket?.answer(id, answer) === true) return;
  try {
    if (asked.toolName !== "approve_tool")
      throw new OfflineError("The connection to the oracle is not open; try again.");
    const runId = asked.runId ?? (await activeRunId(http, sessionId));
    if (runId === undefined) return;
    const path = `/runs/${encodeURIComponent(runId)}/approvals/${encodeURIComponent(id)}`;
    await http.json(path, { method: "POST", body: answer });
  } catch (error) {
    // Another page answered first, or the question has expired.
    if (error instanceof RequestError && (error.code === "approval_over" || error.status === 404)) return;
    questions.unanswered(id, errorOf(error));
    throw error;
  }
}

async function activeRunId(http: AnswerOptions["http"], sessionId: string): Promise<string | undefined> {
  const { run } = await http.json<{ run: ActiveRun | null }>(`/sessions/${encodeURIComponent(sessionId)}/run`);
  return run?.runId;
}

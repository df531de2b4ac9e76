/** The user's answer to a question of the oracle: over the socket, else, for an approval, as a request. */
import type { ActiveRun } from "../chat.ts";
import { errorOf, OfflineError, RequestError } from "../errors.ts";
import type { OracleHttp } from "../http.ts";
import type { SessionSocket } from "../socket.ts";
import type { Questions } from "./questions.ts";

export interface AnswerOptions {
  readonly http: Pick<OracleHttp, "json">;
  readonly sessionId: string;
  readonly questions: Questions;
  readonly socket: SessionSocket | undefined;
}

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
    // Another page was faster, or nobody waits for it any more.
    if (error instanceof RequestError && (error.code === "approval_over" || error.status === 404)) return;
    questions.unanswered(id, errorOf(error));
    throw error;
  }
}

async function activeRunId(http: AnswerOptions["http"], sessionId: string): Promise<string | undefined> {
  const { run } = await http.json<{ run: ActiveRun | null }>(`/sessions/${encodeURIComponent(sessionId)}/run`);
  return run?.runId;
}

/** Calls of Slack's Web API: JSON to one configured address, with a time limit. A refusal is a value with Slack's name for it. */
import * as z from "zod";
import { failure, success, type Result } from "../../../platform/result.ts";
import type { SlackSettings } from "./settings.ts";

/** Time limit of one call, milliseconds; Slack answers within one second. */
const CALL_TIME_MS = 10_000;
/** Wait for a rate limit without a stated time, seconds. */
const DEFAULT_RETRY_SECONDS = 1;
/** Maximum characters of a refusal's name. */
const ERROR_LENGTH = 100;

export type SlackMethod =
  | "chat.startStream"
  | "chat.appendStream"
  | "chat.stopStream"
  | "chat.postMessage"
  | "chat.update"
  | "assistant.threads.setStatus";

export interface SlackRefusal {
  /** Slack's name, including `ratelimited`; `unreachable` when there was no answer, and the call may have succeeded. */
  readonly error: string;
  /** Seconds to wait, when Slack limits calls. */
  readonly retryAfter?: number;
}

/** `ts`: the message that the call created or changed. */
export type SlackAnswer = Result<{ readonly ts: string }, SlackRefusal>;

export interface SlackApi {
  call(method: SlackMethod, body: Readonly<Record<string, string>>): Promise<SlackAnswer>;
}

const answered = z.object({ ok: z.literal(true), ts: z.string().default("") });
const refused = z.object({ ok: z.literal(false), error: z.string().max(ERROR_LENGTH).regex(/^\w+$/) });

export function createSlackApi(
  { SLACK_API_URL, SLACK_BOT_TOKEN }: SlackSettings,
  send: (address: string, init: RequestInit) => Promise<Response>,
): SlackApi {
  return {
    async call(method, body) {
      try {
        const response = await send(`${SLACK_API_URL}/${method}`, {
          method: "POST",
          headers: { Authorization: `Bearer ${SLACK_BOT_TOKEN}`, "Content-Type": "application/json; charset=utf-8" },
          body: JSON.stringify(body),
          // The token must not follow a redirect.
          redirect: "manual",
          signal: AbortSignal.timeout(CALL_TIME_MS),
        });
        return await answerOf(response);
      } catch {
        return failure({ error: "unreachable" });
      }
    },
  };
}

async function answerOf(response: Response): Promise<SlackAnswer> {
  if (response.status === 429) {
    await response.body?.cancel();
    return failure({ error: "ratelimited", retryAfter: secondsOf(response.headers.get("Retry-After")) });
  }
  const body: unknown = await response.json();
  const done = answered.safeParse(body);
  if (done.success) return success({ ts: done.data.ts });
  const refusal = refused.safeParse(body);
  if (!refusal.success) return failure({ error: "unreachable" });
  const { error } = refusal.data;
  return failure(error === "ratelimited" ? { error, retryAfter: DEFAULT_RETRY_SECONDS } : { error });
}

function secondsOf(header: string | null): number {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : DEFAULT_RETRY_SECONDS;
}

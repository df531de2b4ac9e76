/**
 * The end of an answer in Slack. It is durable: it is called until it returns, even after a crash. A settled stream is stopped; if
 * its process was lost, the stream is stopped and its message replaced with the whole answer; without a stream, the answer is
 * posted. Only a post cannot be repeated safely: a post that Slack accepted and did not confirm appears twice.
 */
import type { EndedTurn } from "../../framework/ended-turn.ts";
import type { Logger } from "../../../platform/log.ts";
import { answerParts } from "./answer-parts.ts";
import type { AnswerRecord, AnswerStore } from "./answer-record.ts";
import type { SlackPlace } from "./place.ts";
import type { SlackAnswer, SlackApi, SlackMethod } from "./slack-api.ts";

/** Longest wait for Slack's rate limit, seconds; a longer one is left to the next call. */
const LONGEST_WAIT_SECONDS = 10;
/**
 * Milliseconds after which no further call to Slack begins. Together with the time of one call, this is less than the framework's
 * retry delay: two concurrent ends would post twice.
 */
export const END_TIME_MS = 18_000;

/** Temporary refusals: Slack is busy or unreachable, or the operator can fix the token. Every other refusal is final. */
const PASSING = new Set([
  "ratelimited",
  "unreachable",
  "internal_error",
  "fatal_error",
  "service_unavailable",
  "request_timeout",
  "invalid_auth",
  "not_authed",
  "account_inactive",
  "token_expired",
  "token_revoked",
  "missing_scope",
  "not_allowed_token_type",
]);

export interface EndOptions {
  readonly place: SlackPlace;
  readonly api: SlackApi;
  readonly store: AnswerStore;
  readonly wait: (ms: number) => Promise<void>;
  /** Whether `END_TIME_MS` have passed. */
  readonly isLate: () => boolean;
  readonly log: Logger;
}

/** Throws when it has to be called again. */
export async function endAnswer(turn: EndedTurn, options: EndOptions): Promise<void> {
  if (turn.status === "refused") return;
  const { store, log } = options;
  const record = (await store.read()) ?? {};
  if (record.isFinished === true) return;
  const refused = await deliver(answerParts(textOf(turn)), record, options);
  if (refused !== undefined) log.error("slack-answer-refused", { error: refused, runId: turn.runId });
  await store.finish();
}

/** Returns why Slack permanently refuses the answer. */
async function deliver(
  parts: readonly string[],
  record: AnswerRecord,
  { place: { channel, thread }, api, store, wait, isLate }: EndOptions,
): Promise<string | undefined> {
  const insist = (method: SlackMethod, body: Readonly<Record<string, string>>): Promise<SlackAnswer> =>
    untilCertain(() => api.call(method, body), wait, isLate);
  const { ts, sent } = record;
  let posted = record.posted ?? 0;

  async function closeStream(ts: string, text: string): Promise<string | undefined> {
    const rest = sent !== undefined && text.startsWith(sent) ? text.slice(sent.length) : undefined;
    const isMore = rest !== undefined && rest !== "";
    const stopped = await insist("chat.stopStream", { channel, ts, ...(isMore ? { markdown_text: rest } : {}) });
    if (stopped.ok ? rest !== undefined : rest === "" && isStopped(stopped)) return undefined;
    if (!stopped.ok && !isStopped(stopped)) return stopped.error.error;
    const updated = await insist("chat.update", { channel, ts, markdown_text: text });
    return updated.ok ? undefined : updated.error.error;
  }

  for (const [index, text] of parts.entries()) {
    if (index < posted) continue;
    if (index === 0 && ts !== undefined) {
      const refused = await closeStream(ts, text);
      if (refused !== undefined) return refused;
    } else {
      const made = await insist("chat.postMessage", { channel, thread_ts: thread, markdown_text: text });
      if (!made.ok) return made.error.error;
    }
    posted = index + 1;
    if (posted < parts.length) await store.write({ ...record, posted });
  }
  return undefined;
}

function isStopped(answer: SlackAnswer): boolean {
  return !answer.ok && answer.error.error === "message_not_in_streaming_state";
}

async function untilCertain(
  call: () => Promise<SlackAnswer>,
  wait: EndOptions["wait"],
  isLate: EndOptions["isLate"],
): Promise<SlackAnswer> {
  for (;;) {
    if (isLate()) throw new Error("Slack takes too long");
    const answer = await call();
    if (answer.ok || !PASSING.has(answer.error.error)) return answer;
    const { error, retryAfter } = answer.error;
    if (retryAfter === undefined || retryAfter > LONGEST_WAIT_SECONDS)
      throw new Error(`Slack does not accept the answer now: ${error}`);
    await wait(retryAfter * 1_000);
  }
}

/** The final text in Slack: the answer as far as it was written, and a sentence if it is incomplete. */
function textOf({ status, answer, failure }: EndedTurn): string {
  const said = answer.trim();
  if (status === "finished") return said === "" ? "The answer has no text." : answer;
  const sentence = status === "aborted" ? "The answer was stopped." : (failure ?? "The answer could not be finished.");
  return said === "" ? sentence : `${answer.trimEnd()}\n\n${sentence}`;
}

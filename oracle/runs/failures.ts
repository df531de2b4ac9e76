/** Failures of a run, or of a part of its answer, for reasons of this server: the sentences for users. */
import { runErrorCodes, type RunErrorCode } from "../../protocol/errors.ts";
import type { BudgetLimit, FailureKind } from "../../protocol/frames.ts";
import type { FinishReason } from "../../protocol/records.ts";
import type { ModelFailure } from "../models/model-port.ts";

function ofPlatform(kind: FailureKind, message: string, retryable: boolean, code?: RunErrorCode): ModelFailure {
  return { kind, ...(code === undefined ? {} : { code }), message, retryable, source: "platform" };
}

export const serverError = ofPlatform("unknown", "Something went wrong on our side. Please try again.", true);

export const unreadableRequest = ofPlatform(
  "unknown",
  "This message can no longer be read. Please send it again.",
  true,
  "message_unreadable",
);

const exhausted: Readonly<Record<BudgetLimit, string>> = {
  tokens: "The answer reached its token limit and was stopped. Please ask for less at a time.",
  tools: "The answer reached its limit of tool calls and was stopped. Please ask for less at a time.",
  credits: "Your credits are used up, and the answer was stopped. Please top up and ask again.",
  day: "Today's tokens are used up, and the answer was stopped. The limit resets at 00:00 UTC.",
  time: "The answer reached its time limit and was stopped. Please ask for less at a time.",
};

export function budgetExhausted(limit: BudgetLimit): ModelFailure {
  return { ...ofPlatform("budget_exhausted", exhausted[limit], false), limit };
}

export const interruptedRun = ofPlatform(
  "server",
  "The answer was interrupted and could not be resumed. Please ask again.",
  true,
);

export const answerTooLong = ofPlatform(
  "unknown",
  "The answer grew too long and was stopped. Please ask for less at a time.",
  false,
  "answer_too_long",
);

export function tooManySteps(limit: number): ModelFailure {
  return ofPlatform(
    "unknown",
    `The answer took more than ${limit} ${limit === 1 ? "step" : "steps"}. Please ask for less at a time.`,
    false,
    "too_many_steps",
  );
}

/** Sent with an answer that has ended. */
function ofAnswer(message: string, detail: string): ModelFailure {
  return { kind: "unknown", source: "provider", retryable: false, message, detail };
}

export const answerEmpty = ofAnswer("The model returned an empty answer. Please ask again.", "answer_empty");

export const cutAnswers: Partial<Record<FinishReason, ModelFailure>> = {
  length: ofAnswer("The answer was cut off: the model reached its length limit. Ask it to continue.", "answer_cut_off"),
  content_filter: ofAnswer(
    "The model's provider withheld the rest of this answer. Rephrase your question.",
    "answer_filtered",
  ),
};

/** A plugin's middleware failed; the run continues without it. */
export function middlewareFailed(name: string): ModelFailure {
  const message = `The extension "${name}" failed and was left out of this answer.`;
  return { ...ofPlatform("unknown", message, false), detail: "middleware_failed" };
}

/** Without a gate, the run must not continue. */
export function gateFailed(name: string): ModelFailure {
  const message = `The check "${name}" could not be completed, so this answer was stopped. Please try again.`;
  return { ...ofPlatform("unknown", message, true), code: "gate_failed" };
}

const codesOfProvider: Readonly<Record<FailureKind, RunErrorCode>> = {
  rate_limit: "model_rate_limited",
  billing: "model_billing",
  auth: "model_auth",
  timeout: "model_timeout",
  server: "model_failed",
  network: "model_unreachable",
  budget_exhausted: "budget_exhausted",
  unknown: "model_unknown",
};
const codesOfPlatform: Readonly<Partial<Record<FailureKind, RunErrorCode>>> = {
  server: "run_interrupted",
  budget_exhausted: "budget_exhausted",
};

/** The failure's own code, its detail's, or the code of its kind and source. */
export function runErrorCodeOf({ code, detail, kind, source }: ModelFailure): RunErrorCode {
  // A plugin's code is not in our list, which is open for clients.
  if (code !== undefined) return code as RunErrorCode;
  const ofDetail = runErrorCodes.find((each) => each === detail);
  if (ofDetail !== undefined) return ofDetail;
  if (source === "provider") return codesOfProvider[kind];
  // A detail without a code is a plugin's.
  return detail === undefined ? (codesOfPlatform[kind] ?? "run_failed") : "notice";
}

/**
 * Every error code of an error body, a refused connection or an `error` frame: when it is sent, and how the client
 * should react. This is the only list: docs/reference/oracle-protocol.md is generated from it, and `FailureCode` is
 * derived from `classCodes`.
 */

/** When the code is sent, and how the client should react. */
export type CodeMeaning = readonly [when: string, then: string];
type Meanings = Readonly<Record<string, CodeMeaning>>;

/** Which token was refused, or that none was sent. */
export const unauthorizedCodes = {
  missing_authentication: ["The request has no token.", "Sign in, and send an invocation."],
  invalid_invocation: [
    "The invocation was refused. `reason` names the cause.",
    "Sign a new invocation and repeat the request.",
  ],
  invalid_delegation: [
    "The delegation was refused. `reason` names the cause.",
    "Ask the user to sign a new delegation.",
  ],
} as const satisfies Meanings;

/** A limit, a permission, or a state of the session that refused the request. */
export const limitCodes = {
  not_allowed: [
    "The caller's DID is not allowed to use this oracle (`ORACLE_ALLOWED_DIDS`).",
    "Ask its operator for access.",
  ],
  approval_over: [
    "The call no longer waits for an approval: it was answered differently, or it timed out.",
    "Remove the question.",
  ],
  session_limit: ["The user has reached the limit of sessions.", "Delete a session first."],
  message_limit: ["The session has reached the limit of messages.", "Continue in a new session."],
  message_already_answered: [
    "A message with this `clientMessageId` was already answered, and its frames are gone.",
    "Read the answer in the session's messages.",
  ],
  queue_full: ["Too many messages of the session are queued.", "Retry after the time in `Retry-After`."],
  daily_turn_limit: ["The user has reached the day's limit of messages.", "Wait for the next day (UTC)."],
  daily_token_limit: ["The user has used the day's tokens.", "Wait for the next day (UTC)."],
  daily_tokens_reserved: [
    "Running answers have reserved the rest of the user's tokens for the day.",
    "Retry when one of them has ended.",
  ],
  running_turn_limit: ["The user has too many running answers.", "Retry when one of them has ended."],
  address_turn_limit: ["Too many messages came from this network today.", "Retry after the time in `Retry-After`."],
  daily_budget_exhausted: [
    "All users together have used the oracle's tokens for the day.",
    "Retry after the time in `Retry-After`.",
  ],
  daily_budget_reserved: [
    "Running answers have reserved the rest of the oracle's tokens for the day.",
    "Retry after the time in `Retry-After`.",
  ],
} as const satisfies Meanings;

/** Codes of errors that have no narrower code. */
export const classCodes = {
  invalid_request: [
    "A part of the request is invalid.",
    "Correct the part that the message names. Do not retry unchanged.",
  ],
  out_of_range: ["A value is outside the existing range, such as a height.", "Request a value within the range."],
  failed_precondition: ["The current state does not allow this.", "Change the state first."],
  unauthenticated: ["The caller is not authenticated.", "Send a valid credential."],
  payment_required: ["The caller's usage credits are used up.", "Top up, then retry."],
  forbidden: [
    "The caller is authenticated but not allowed to do this.",
    "Use a credential with the permission, or request the permission.",
  ],
  not_found: ["The resource does not exist, or it belongs to someone else.", "Check the id. Do not retry."],
  method_not_allowed: ["The path does not support this method.", "Use one of the methods in `Allow`."],
  not_acceptable: ["None of the media types in `Accept` is available.", "Accept one of the documented media types."],
  request_timeout: ["The request's body took too long to arrive.", "Send it again, faster or in smaller parts."],
  cancelled: ["The caller disconnected before the answer.", "Retry if you still need the answer."],
  conflict: [
    "The state has changed, or another request makes the same change.",
    "Read the state, then decide whether to retry.",
  ],
  already_exists: ["A resource with this name or id exists.", "Use the existing one, or choose another name."],
  aborted: ["The operation conflicted with another one and was aborted.", "Retry the whole operation."],
  gone: ["The resource existed but is no longer available.", "Do not request it again."],
  version_mismatch: [
    "The resource has a newer version than the one in `If-Match`.",
    "Read it, apply the change again, and retry.",
  ],
  too_large: ["The request is larger than the service accepts.", "Send less, or in several requests."],
  uri_too_long: ["The URL is longer than the service accepts.", "Send the values in a body."],
  unsupported_media_type: ["The service does not read this `Content-Type`.", "Send one of the documented media types."],
  unprocessable: ["The request is well-formed but violates a rule.", "Correct the part that the message names."],
  precondition_required: ["The write does not name the version that it is based on.", "Send `If-Match`."],
  rate_limited: ["Too many requests in a short time.", "Retry after the time in `Retry-After`."],
  internal: ["The service failed.", "Retry once. If it fails again, report it with the `requestId`."],
  misconfigured: [
    "The oracle's configuration is wrong.",
    "The operator must correct it: `GET /health` names the variable.",
  ],
  data_loss: ["Stored data is damaged.", "Report it with the `requestId`."],
  not_implemented: ["The service does not offer this operation.", "Use another operation."],
  upstream_failed: ["An upstream service returned no usable answer.", "Retry later."],
  unavailable: [
    "The service cannot answer now.",
    "Retry after the time in `Retry-After`, or with exponential backoff.",
  ],
  storage_full: ["The database is full.", "The operator must free space. Reads still work."],
  deadline_exceeded: ["The request timed out.", "Retry with a longer timeout, or request less."],
  unknown: ["The cause of the failure is unknown.", "Retry once. If it fails again, report it with the `requestId`."],
} as const satisfies Meanings;

/** Why a run failed. */
export const runFailureCodes = {
  model_rate_limited: ["The model service received too many requests.", "Send the message again after a pause."],
  model_billing: ["The operator's account at the model service has run out of funds.", "Report it to the operator."],
  model_auth: ["The model service rejects the operator's key.", "Report it to the operator."],
  model_timeout: ["The model service timed out.", "Send the message again."],
  model_failed: ["The model service failed.", "Send the message again."],
  model_unreachable: ["The model service could not be reached.", "Send the message again."],
  model_unavailable: ["The model is no longer offered.", "Choose another model."],
  model_unknown: ["The model service failed for an unknown reason.", "Send the message again."],
  run_failed: ["The service failed while it generated the answer.", "Send the message again."],
  run_interrupted: ["The answer was interrupted and could not be continued.", "Send the message again."],
  message_unreadable: ["The stored message cannot be read.", "Send the message again."],
  answer_too_long: ["The answer exceeded the maximum length.", "Ask for less in one message."],
  too_many_steps: ["The answer exceeded the maximum number of steps.", "Ask for less in one message."],
  budget_exhausted: [
    "The answer used up the budget that `limit` names.",
    "Ask for less in one message, top up, or wait for the next day.",
  ],
  gate_failed: ["A required check could not be completed.", "Send the message again."],
} as const satisfies Meanings;

/** Warnings in a run that continues. `notice` is for warnings of plugins. */
export const runNoticeCodes = {
  answer_cut_off: ["The model reached the length limit of an answer.", "Ask it to continue."],
  answer_filtered: ["The model service withheld the rest of the answer.", "Rephrase the question."],
  answer_empty: ["The model returned an empty answer.", "Ask again."],
  conversation_shortened: [
    "Parts of the conversation were left out because it exceeds the model's window.",
    "Show the notice.",
  ],
  conversation_summarised: ["Older parts of the conversation were summarised for the model.", "Show the notice."],
  model_retry: ["The request to the model is retried after `retryAfterMs`.", "Wait; the run continues."],
  client_tool_left_out: ["A tool in the request cannot be offered to the model.", "Correct the tool's name or schema."],
  delegation_required: [
    "A tool needs a delegation that the user has not signed.",
    "Ask the user to sign one, and store it.",
  ],
  middleware_failed: ["A plugin failed and was skipped in this answer.", "Show the notice."],
  notice: ["A plugin reports something to the user.", "Show the notice."],
} as const satisfies Meanings;

/** The codes of a list, in its order. */
export function codesIn<List extends Meanings>(list: List): [keyof List & string, ...(keyof List & string)[]] {
  return Object.keys(list) as [keyof List & string, ...(keyof List & string)[]];
}

/**
 * Every word that says what is wrong, in an error body, a refused connection or an `error` frame: when it is sent, and what the
 * client should do. The one list: docs/reference/oracle-protocol.md is generated from it, `FailureCode` is derived from
 * `classCodes`.
 */

/** When the code is sent, and what the client should do then. */
export type CodeMeaning = readonly [when: string, then: string];
type Meanings = Readonly<Record<string, CodeMeaning>>;

/** Which token was refused, or that none was sent. */
export const unauthorizedCodes = {
  missing_authentication: ["The request has no token.", "Sign in, and send an invocation."],
  invalid_invocation: [
    "The invocation was refused; `reason` says why.",
    "Sign a new invocation and repeat the request.",
  ],
  invalid_delegation: ["The delegation was refused; `reason` says why.", "Ask the user to sign a new delegation."],
} as const satisfies Meanings;

/** A limit, or a state of the session, that the request met. */
export const limitCodes = {
  session_limit: ["The user has as many sessions as they may have.", "Delete a session first."],
  message_limit: ["The session has as many messages as it may have.", "Continue in a new session."],
  message_already_answered: [
    "A message with this `clientMessageId` was answered before, and its frames are gone.",
    "Read the answer in the session's messages.",
  ],
  queue_full: ["Too many messages of the session are queued.", "Repeat after `Retry-After`."],
  daily_turn_limit: ["The user has sent as many messages today as they may.", "Wait for the next day (UTC)."],
  daily_token_limit: ["The user has used the day's tokens.", "Wait for the next day (UTC)."],
  daily_tokens_reserved: ["Running answers have reserved the rest of the day's tokens.", "Repeat when one ends."],
  running_turn_limit: ["Too many answers for this user are running.", "Repeat when one of them has ended."],
  address_turn_limit: ["Too many messages came from this network today.", "Repeat after `Retry-After`."],
  daily_budget_exhausted: [
    "All users together have used the oracle's tokens of the day.",
    "Repeat after `Retry-After`.",
  ],
  daily_budget_reserved: [
    "Running answers have reserved the rest of the oracle's tokens of the day.",
    "Repeat after `Retry-After`.",
  ],
} as const satisfies Meanings;

/** What a caller can do about an error that has no narrower word. */
export const classCodes = {
  invalid_request: [
    "A part of the request is malformed.",
    "Correct the part that the message names; do not repeat it unchanged.",
  ],
  out_of_range: ["A value is out of range, such as a height.", "Ask for a value within the range."],
  failed_precondition: ["The state of the resource does not allow this.", "Change that state first."],
  unauthenticated: ["The caller has not proven who they are.", "Send a valid credential."],
  payment_required: ["The caller's credits are used up.", "Top up, then repeat."],
  forbidden: ["The caller is known and may not do this.", "Use a credential that may, or ask for the permission."],
  not_found: ["The resource does not exist, or it belongs to someone else.", "Check the id; do not repeat."],
  method_not_allowed: ["The path does not allow this method.", "Use one of the methods in `Allow`."],
  not_acceptable: ["None of the media types in `Accept` is available.", "Accept one of the documented media types."],
  request_timeout: ["The request's body took too long to arrive.", "Send it again, faster or in smaller parts."],
  cancelled: ["The caller disconnected before the answer.", "Repeat if the answer is still wanted."],
  conflict: [
    "The state has changed, or another request is doing the same.",
    "Read the state, then decide whether to repeat.",
  ],
  already_exists: ["A resource with this name or id already exists.", "Use the existing one, or another name."],
  aborted: ["The operation conflicted with another one and was aborted.", "Repeat the whole operation."],
  gone: ["The resource existed and is gone.", "Do not ask for it again."],
  version_mismatch: [
    "The resource has a newer version than the one in `If-Match`.",
    "Read it, apply the change again, and repeat.",
  ],
  too_large: ["The request is larger than the service accepts.", "Send less, or in several requests."],
  uri_too_long: ["The address is longer than the service accepts.", "Send the values in a body."],
  unsupported_media_type: [
    "The service does not support this `Content-Type`.",
    "Send one of the documented media types.",
  ],
  unprocessable: ["The request is well-formed but breaks a rule.", "Correct the part that the message names."],
  precondition_required: ["The write does not name the version that it is based on.", "Send `If-Match`."],
  rate_limited: ["Too many requests in too short a time.", "Repeat after `Retry-After`."],
  internal: ["The service failed.", "Repeat once; report it with the `requestId`."],
  misconfigured: [
    "The oracle's configuration is wrong.",
    "Its operator must correct it: `GET /health` names the variable.",
  ],
  data_loss: ["Stored data is damaged.", "Report it with the `requestId`."],
  not_implemented: ["The service does not offer this operation.", "Do not use it here."],
  upstream_failed: ["An upstream service returned no usable answer.", "Repeat later."],
  unavailable: ["The service is temporarily unavailable.", "Repeat after `Retry-After`, or with growing pauses."],
  storage_full: ["The database is full.", "Its operator must free space; reads still work."],
  deadline_exceeded: ["The request timed out.", "Repeat with a longer time, or ask for less."],
  unknown: ["The service does not know what failed.", "Repeat once; report it with the `requestId`."],
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
  run_failed: ["The service failed while it made the answer.", "Send the message again."],
  run_interrupted: ["The answer was interrupted and could not be continued.", "Send the message again."],
  message_unreadable: ["The stored message cannot be read.", "Send the message again."],
  answer_too_long: ["The answer exceeded the length limit.", "Ask for less at a time."],
  too_many_steps: ["The answer exceeded the step limit.", "Ask for less at a time."],
  budget_exhausted: [
    "The answer used up the budget that `limit` names.",
    "Ask for less at a time, top up, or wait for the next day.",
  ],
  gate_failed: ["A required check could not be completed.", "Send the message again."],
} as const satisfies Meanings;

/** What is said in a run that continues; `notice` is a plugin's own. */
export const runNoticeCodes = {
  answer_cut_off: ["The model reached the length limit of an answer.", "Ask it to continue."],
  answer_filtered: ["The model service withheld the rest of the answer.", "Rephrase the question."],
  answer_empty: ["The model gave an empty answer.", "Ask again."],
  conversation_shortened: [
    "Parts of the conversation were left out: it is longer than the model can read.",
    "Show the notice.",
  ],
  conversation_summarised: ["Older parts of the conversation were summarised for the model.", "Show the notice."],
  model_retry: ["The request to the model is retried after `retryAfterMs`.", "Wait; the run continues."],
  client_tool_left_out: ["A tool in the request cannot be offered to the model.", "Correct the tool's name or schema."],
  delegation_required: [
    "A tool needs a delegation that the user has not given.",
    "Ask the user to sign one, and store it.",
  ],
  middleware_failed: ["A plugin failed and was left out of this answer.", "Show the notice."],
  notice: ["A plugin reports something to the user.", "Show the notice."],
} as const satisfies Meanings;

/** The codes of a list, in its order. */
export function codesIn<List extends Meanings>(list: List): [keyof List & string, ...(keyof List & string)[]] {
  return Object.keys(list) as [keyof List & string, ...(keyof List & string)[]];
}

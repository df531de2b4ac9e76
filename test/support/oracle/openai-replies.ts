/**
 * The possible behaviour of the OpenAI-compatible mock server on the wire: the bodies of chat completions, whole and in chunks, and
 * the error body for each status.
 */

export interface ScriptedCall {
  readonly id?: string;
  readonly name: string;
  /** JSON text, split into several deltas on the wire. */
  readonly arguments: string;
}

export type OpenAiReply =
  /** Text, preceded by thoughts and followed by tool calls; in chunks when the request asks for a stream. */
  | {
      readonly kind: "answer";
      readonly deltas?: readonly string[];
      readonly reasoning?: readonly string[];
      readonly calls?: readonly ScriptedCall[];
    }
  /** A refusal; the body defaults to the service's usual one for that status. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly code?: string;
    }
  /** Chunks, then the socket is destroyed: at once, or when `when` resolves. */
  | { readonly kind: "cut"; readonly deltas: readonly string[]; readonly when?: Promise<void> }
  /** Chunks, then a regular end without finish reason and without `[DONE]`. */
  | { readonly kind: "truncated"; readonly deltas: readonly string[] }
  /** Chunks (if none, not even headers), then silence until the client disconnects or the server closes. */
  | { readonly kind: "hang"; readonly deltas?: readonly string[] }
  /** Chunks, then an error object inside the stream. */
  | { readonly kind: "error"; readonly deltas: readonly string[]; readonly error: Readonly<Record<string, unknown>> }
  /** Chunks, then a line that is not JSON. */
  | { readonly kind: "garbled"; readonly deltas: readonly string[] };

interface Completion {
  readonly id: string;
  readonly model: string;
  /** Unix seconds. */
  readonly created: number;
}

type AnswerReply = Extract<OpenAiReply, { kind: "answer" }>;

const CALL_DELTA_CHARACTERS = 7;

export function event(data: unknown): string {
  return `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

function chunk(completion: Completion, delta: object, finishReason: string | null = null): string {
  return event({
    ...completion,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
  });
}

export function textChunks(completion: Completion, deltas: readonly string[]): string[] {
  return [
    chunk(completion, { role: "assistant", content: "" }),
    ...deltas.map((content) => chunk(completion, { content })),
  ];
}

export function answerChunks(completion: Completion, reply: AnswerReply, withUsage: boolean): string[] {
  const calls = reply.calls ?? [];
  return [
    chunk(completion, { role: "assistant", content: calls.length > 0 ? null : "" }),
    ...(reply.reasoning ?? []).map((thought) => chunk(completion, { reasoning_content: thought })),
    ...(reply.deltas ?? []).map((content) => chunk(completion, { content })),
    ...calls.flatMap((call, index) => callChunks(completion, call, index)),
    chunk(completion, {}, calls.length > 0 ? "tool_calls" : "stop"),
    ...(withUsage ? [event({ ...completion, object: "chat.completion.chunk", choices: [], usage: usage(reply) })] : []),
    event("[DONE]"),
  ];
}

export function answerBody(completion: Completion, reply: AnswerReply): object {
  const calls = (reply.calls ?? []).map((call, index) => ({
    id: call.id ?? `call_${index}`,
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  }));
  const message = {
    role: "assistant",
    content: reply.deltas === undefined ? null : reply.deltas.join(""),
    ...(reply.reasoning === undefined ? {} : { reasoning_content: reply.reasoning.join("") }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    ...completion,
    object: "chat.completion",
    choices: [{ index: 0, message, logprobs: null, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }],
    usage: usage(reply),
  };
}

/** The first delta of a call names it, the others carry its arguments piece by piece. */
function callChunks(completion: Completion, call: ScriptedCall, index: number): string[] {
  const pieces = call.arguments.match(new RegExp(`[\\s\\S]{1,${CALL_DELTA_CHARACTERS}}`, "g")) ?? [];
  const opening = {
    index,
    id: call.id ?? `call_${index}`,
    type: "function",
    function: { name: call.name, arguments: "" },
  };
  return [opening, ...pieces.map((piece) => ({ index, function: { arguments: piece } }))].map((delta) =>
    chunk(completion, { tool_calls: [delta] }),
  );
}

function usage(reply: AnswerReply): object {
  const completionTokens = (reply.deltas ?? []).length + (reply.reasoning ?? []).length;
  return { prompt_tokens: 5, completion_tokens: completionTokens, total_tokens: 5 + completionTokens };
}

const usualErrors: Readonly<
  Record<number, { readonly type: string; readonly code: string | null; readonly message: string }>
> = {
  // Like the real service, the message repeats part of the key: it must never reach a user.
  401: {
    type: "invalid_request_error",
    code: "invalid_api_key",
    message: "Incorrect API key provided: sk-se****cret.",
  },
  402: { type: "billing_error", code: "insufficient_credits", message: "This account has no credits left." },
  403: { type: "permission_error", code: null, message: "This key may not use the model." },
  404: { type: "invalid_request_error", code: "model_not_found", message: "The model does not exist." },
  429: { type: "requests", code: "rate_limit_exceeded", message: "Rate limit reached for organization org-internal." },
  500: { type: "server_error", code: null, message: "The server had an error while processing the request." },
  503: { type: "server_error", code: null, message: "The engine is currently overloaded." },
};

export function errorBody(status: number, code?: string): object {
  const usual = usualErrors[status] ?? { type: "invalid_request_error", code: null, message: `Status ${status}` };
  return { error: { ...usual, ...(code === undefined ? {} : { code }), param: null } };
}

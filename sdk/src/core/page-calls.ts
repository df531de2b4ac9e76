/**
 * The oracle's calls into this page. Each call runs once, by the handler that has its name at that moment. The result
 * is sent on the socket that received the call.
 */
import type { ClientTools } from "./client-tools.ts";
import type { ClientPayload } from "./wire.ts";

/**
 * Milliseconds that a call waits for its tool, whose component may still be loading. The oracle waits 15,000 for the
 * result.
 */
export const LATE_TOOL_MS = 5000;
/** Number of calls that are remembered, so that none runs twice. */
export const REMEMBERED_CALLS = 1000;

export interface PageCall {
  readonly kind: "browser" | "action";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: unknown;
}

export type CallResult = ClientPayload<"tool_result">;

/** The calls that have run in this page, per chat, because a chat may open one socket after another. */
const made = new WeakMap<ClientTools, Set<string>>();

/** Resolves with the result to send; undefined if the call has already run. */
export async function makeCall(
  tools: ClientTools,
  sessionId: string,
  call: PageCall,
  lateMs = LATE_TOOL_MS,
): Promise<CallResult | undefined> {
  const { kind, toolCallId, toolName: name } = call;
  if (!isFirst(tools, toolCallId)) return undefined;
  try {
    await whenPresent(tools, kind, name, lateMs);
    const result = await (kind === "browser"
      ? tools.callBrowserTool(name, call.args)
      : tools.callAction(name, call.args));
    return { toolCallId, sessionId, result: sendableResult(name, result) };
  } catch (thrown) {
    const error = sendableError(name, thrown);
    return { toolCallId, sessionId, ...(kind === "browser" ? { error } : { result: { success: false, error } }) };
  }
}

function isFirst(tools: ClientTools, toolCallId: string): boolean {
  const known = made.get(tools) ?? new Set();
  made.set(tools, known);
  if (known.has(toolCallId)) return false;
  known.add(toolCallId);
  const [oldest] = known;
  if (known.size > REMEMBERED_CALLS && oldest !== undefined) known.delete(oldest);
  return true;
}

/** Resolves when the tool exists, or after the time limit; the call then reports the missing tool. */
function whenPresent(tools: ClientTools, kind: PageCall["kind"], name: string, lateMs: number): Promise<void> {
  const isPresent = (): boolean => tools.names()[kind === "browser" ? "tools" : "actions"].includes(name);
  if (isPresent()) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      unsubscribe();
      resolve();
    };
    const timer = setTimeout(end, lateMs);
    const unsubscribe = tools.subscribe(() => {
      if (isPresent()) end();
    });
  });
}

/**
 * Bytes of a result as JSON. A packet of more than 1,000,000 bytes closes the connection; the rest is for the envelope.
 */
const MAX_RESULT_BYTES = 900_000;
/** Characters of an error, so that the model reads a sentence and not a page. */
const MAX_ERROR_CHARACTERS = 2000;

/**
 * The result as plain JSON data: null if the function returned nothing. A value that is not JSON or is too large would
 * close the connection or arrive changed, so it throws a sentence.
 */
export function sendableResult(name: string, result: unknown): unknown {
  if (result === undefined) return null;
  const json = toJson(name, result);
  if (json === undefined)
    throw new TypeError(`The result of ${name} cannot be sent: JSON cannot represent the type ${typeof result}.`);
  const bytes = new TextEncoder().encode(json).byteLength;
  if (bytes > MAX_RESULT_BYTES)
    throw new RangeError(`The result of ${name} has ${bytes} bytes of JSON, more than ${MAX_RESULT_BYTES}.`);
  return JSON.parse(json);
}

/** The error as a sentence for the model. */
export function sendableError(name: string, thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : typeof thrown === "string" ? thrown : "";
  return text === "" ? `${name} failed.` : text.slice(0, MAX_ERROR_CHARACTERS);
}

function toJson(name: string, result: unknown): string | undefined {
  try {
    return JSON.stringify(result, refuseBinary);
  } catch (error) {
    throw new TypeError(`The result of ${name} cannot be sent as JSON: ${sendableError(name, error)}`, {
      cause: error,
    });
  }
}

/** JSON would convert it to an empty object, and Socket.IO to a packet that the oracle refuses. */
function refuseBinary(_key: string, value: unknown): unknown {
  const isBlob = typeof Blob !== "undefined" && value instanceof Blob;
  if (isBlob || value instanceof ArrayBuffer || ArrayBuffer.isView(value))
    throw new TypeError("it contains binary data");
  return value;
}

/**
 * The calls that an oracle makes in this page. Each is made once, by the handler that has its name at that moment, and answered
 * on the socket on which it came.
 */
import type { ClientTools } from "./client-tools.ts";
import type { ClientPayload } from "./wire.ts";

/** Milliseconds that a call waits for its tool, whose component may still be loading; the oracle waits 15,000 for the result. */
export const LATE_TOOL_MS = 5000;
/** Calls that are remembered, so that none is made twice. */
export const REMEMBERED_CALLS = 1000;

export interface PageCall {
  readonly kind: "browser" | "action";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: unknown;
}

export type CallResult = ClientPayload<"tool_result">;

/** The calls that were made in this page, for each of its chats: a chat may open one socket after another. */
const made = new WeakMap<ClientTools, Set<string>>();

/** Resolves with what to answer; undefined for a call that was made before. */
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

/** Resolves when the tool is there, or has not come in time: the call then says so. */
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

/** Bytes of a result as JSON. A packet of more than 1,000,000 bytes closes the connection; the rest is for what is around it. */
const MAX_RESULT_BYTES = 900_000;
/** Characters of an error: the model reads a sentence, not a page. */
const MAX_ERROR_CHARACTERS = 2000;

/**
 * The result as plain JSON data: null for a function that returned nothing. A value that JSON cannot hold, or that is too large, would
 * close the connection or arrive as something else: it throws a sentence.
 */
export function sendableResult(name: string, result: unknown): unknown {
  if (result === undefined) return null;
  const json = toJson(name, result);
  if (json === undefined) throw new TypeError(`The result of ${name} cannot be sent: JSON has no ${typeof result}.`);
  const bytes = new TextEncoder().encode(json).byteLength;
  if (bytes > MAX_RESULT_BYTES)
    throw new RangeError(`The result of ${name} has ${bytes} bytes of JSON, more than ${MAX_RESULT_BYTES}.`);
  return JSON.parse(json);
}

/** What went wrong, as a sentence for the model. */
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

/** JSON would make an object without members of it, and Socket.IO a packet that the oracle refuses. */
function refuseBinary(_key: string, value: unknown): unknown {
  const isBlob = typeof Blob !== "undefined" && value instanceof Blob;
  if (isBlob || value instanceof ArrayBuffer || ArrayBuffer.isView(value)) throw new TypeError("it holds binary data");
  return value;
}

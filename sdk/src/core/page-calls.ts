/**
 * The calls that an oracle makes in this page. Each is made once, by the handler that has its name at that moment, and answered
 * on the socket on which it came.
 */
import { sendableError, sendableResult } from "./sendable-result.ts";
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

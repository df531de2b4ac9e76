/** A turn as a test sees it: the frames of its stream, read to the end, and their combined result. */
import type { FrameName } from "../../../protocol/frames.ts";
import type { RunStatus } from "../../../protocol/records.ts";
import { isJsonObject, parseJson, type JsonObject, type JsonValue } from "../../../platform/json.ts";
import type { SocketEvent } from "./test-socket.ts";

export interface TestFrame {
  readonly id: number;
  readonly event: FrameName;
  readonly data: JsonObject;
}

export interface TestToolCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly status: "isRunning" | "done" | "error";
  /** The tool's result: a list or object, anything else as text; undefined if it failed. */
  readonly output?: JsonValue;
  readonly error?: string;
}

export interface TestTurn {
  /** How the turn ended; `refused`: it did not begin, and `error` is the response to the request. */
  readonly status: RunStatus | "refused";
  /** The answer as the user finally sees it. */
  readonly text: string;
  /** Tools, browser tools and actions, in the order of their calls. */
  readonly toolCalls: readonly TestToolCall[];
  /** For a turn that failed or was refused: the members of the `error` frame, or of the error body. */
  readonly error?: JsonObject;
  /** `error` frames after which the turn continued. */
  readonly notices: readonly JsonObject[];
  /** The run, by which `GET /runs/{runId}` finds the turn; empty if it was refused. */
  readonly runId: string;
  readonly frames: readonly TestFrame[];
  /** Socket events that arrived during the turn. */
  readonly events: readonly SocketEvent[];
}

/** Reads frames until the stream ends, and passes each to `keep`. Throws if the stream breaks off. */
export async function readFrames(body: ReadableStream, keep: (frame: TestFrame) => void): Promise<void> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of body as ReadableStream<Uint8Array>) {
    const blocks = (text + decoder.decode(bytes, { stream: true })).split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const [, event, id, data] = /^event: (\S+)\nid: (\d+)\ndata: (.*)$/.exec(block) ?? [];
      // Anything else is a heartbeat.
      if (event !== undefined && data !== undefined)
        keep({ event: event as FrameName, id: Number(id), data: JSON.parse(data) as JsonObject });
    }
  }
}

/** Combines the frames of a whole turn. */
export function turnOf(frames: readonly TestFrame[]): Omit<TestTurn, "runId" | "events"> {
  const done = frames.at(-1)?.data ?? {};
  const errors = frames.filter(({ event }) => event === "error").map(({ data }) => data);
  const failed = done["failed"] === true ? errors.at(-1) : undefined;
  const partial = done["partialText"];
  return {
    status: done["status"] as RunStatus,
    text: typeof partial === "string" ? partial : textOf(frames),
    toolCalls: toolCallsOf(frames),
    notices: errors.filter((error) => error !== failed),
    ...(failed === undefined ? {} : { error: failed }),
    frames,
  };
}

/** A run that continues after a crash reports how much of its text is still valid. */
function textOf(frames: readonly TestFrame[]): string {
  let text = "";
  for (const { event, data } of frames) {
    if (event === "message") text += textIn(data, "content");
    else if (event === "run" && typeof data["partialLength"] === "number") text = text.slice(0, data["partialLength"]);
  }
  return text;
}

function toolCallsOf(frames: readonly TestFrame[]): readonly TestToolCall[] {
  const calls = new Map<string, TestToolCall>();
  for (const { event, data } of frames) {
    if (event !== "tool_call" && event !== "action_call") continue;
    const { toolName, args, status, output, error } = data;
    const { toolName: named, ...own } = isJsonObject(args) ? args : {};
    calls.set(textIn(data, "eventId") + textIn(data, "toolCallId"), {
      name: textIn(data, "toolName"),
      // The frame repeats its own name there; a question about a tool has the tool's name.
      args: named === undefined || named === toolName ? own : { toolName: named, ...own },
      status: status as TestToolCall["status"],
      ...(typeof output === "string" ? { output: outputOf(output) } : {}),
      ...(typeof error === "string" ? { error } : {}),
    });
  }
  return [...calls.values()];
}

function textIn(data: JsonObject, member: string): string {
  const value = data[member];
  return typeof value === "string" ? value : "";
}

function outputOf(text: string): JsonValue {
  const parsed = parseJson(text);
  return parsed.ok && typeof parsed.value === "object" && parsed.value !== null ? (parsed.value as JsonValue) : text;
}

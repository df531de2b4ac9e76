/** Reads the frames of a run from the bytes of a response, whatever way the bytes are cut. */
import type { EventSourceMessage } from "eventsource-parser";
import { dropWrongTexts, hasTexts, isObject } from "./wire-members.ts";
import type { FrameName, RunEvent } from "./wire.ts";

/** A frame of a run; ids grow from 1 within it. */
export type RunFrame = RunEvent & { readonly id: number };

/** The members that a client cannot do without, all of them texts. */
const neededTexts: Readonly<Record<FrameName, readonly string[]>> = {
  run: ["runId", "requestId"],
  reasoning: ["requestId", "reasoning"],
  tool_call: ["requestId", "toolName", "status", "eventId"],
  action_call: ["requestId", "toolName", "status", "toolCallId"],
  message: ["content"],
  "router.update": ["step"],
  error: ["error"],
  done: ["status"],
};

/** How a turn may end. */
const ENDS: readonly unknown[] = ["finished", "failed", "aborted", "interrupted"];
/** Characters: far more than a whole answer or a tool's output, and little enough for a phone. */
export const MAX_EVENT_LENGTH = 4 * 1024 * 1024;

/**
 * Calls `onFrame` for each frame, and `onBytes` for all that arrives, heartbeats too. Resolves when the body ends, and rejects
 * when it breaks off or `onFrame` throws.
 */
export async function readFrames(
  body: ReadableStream<Uint8Array>,
  onFrame: (frame: RunFrame) => void,
  onBytes: () => void,
): Promise<void> {
  // Loaded with the first run, not with the page.
  const { createParser } = await import("eventsource-parser");
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parser = createParser({
    maxBufferSize: MAX_EVENT_LENGTH,
    onError({ type }) {
      if (type === "max-buffer-size-exceeded") throw new RangeError("An event of the run is too long.");
    },
    onEvent(message) {
      const frame = frameOf(message);
      if (frame !== undefined) onFrame(frame);
    },
  });
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      onBytes();
      parser.feed(decoder.decode(chunk.value, { stream: true }));
    }
    // A last frame counts without its empty line; one that was cut inside its data is no JSON and is left out.
    parser.feed("\n\n");
  } finally {
    // A body that broke off rejects this too.
    reader.cancel().catch(() => undefined);
  }
}

/** Undefined for an event of a newer server, and for data that is not what the event promises. */
function frameOf({ event, id, data }: EventSourceMessage): RunFrame | undefined {
  if (event === undefined || id === undefined || !/^\d+$/.test(id) || !Object.hasOwn(neededTexts, event))
    return undefined;
  const members = parsed(data);
  if (!hasTexts(members, neededTexts[event as FrameName])) return undefined;
  dropWrongTexts(members);
  if (event.endsWith("_call")) members["args"] ??= {};
  const { args, status } = members;
  const isArgs = args === undefined || (isObject(args) && !Array.isArray(args));
  // A word of a newer server: the transcript says more.
  if (event === "done" && !ENDS.includes(status)) members["status"] = "finished";
  return isArgs ? ({ event, id: Number(id), data: members } as unknown as RunFrame) : undefined;
}

function parsed(data: string): Record<string, unknown> {
  try {
    return { ...(JSON.parse(data) as object) };
  } catch {
    return {};
  }
}

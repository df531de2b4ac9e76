/** Reads the frames of a run from the bytes of a response, whatever way the bytes are cut. */
import { createParser, type EventSourceMessage } from "eventsource-parser";
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

/**
 * Calls `onFrame` for each frame, and `onBytes` for all that arrives, heartbeats too. Resolves when the body ends, and rejects
 * when it breaks off or `onFrame` throws.
 */
export async function readFrames(
  body: ReadableStream<Uint8Array>,
  onFrame: (frame: RunFrame) => void,
  onBytes: () => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parser = createParser({
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
  const { args } = members;
  const isWhole = neededTexts[event as FrameName].every((name) => typeof members[name] === "string");
  const isArgs = args === undefined || (typeof args === "object" && args !== null && !Array.isArray(args));
  return isWhole && isArgs ? ({ event, id: Number(id), data: members } as unknown as RunFrame) : undefined;
}

function parsed(data: string): Record<string, unknown> {
  try {
    return { ...(JSON.parse(data) as object) };
  } catch {
    return {};
  }
}

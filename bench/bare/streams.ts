/**
 * Streams of server-sent events without a source: frames captured from a real run, frames at a model's pace, and the deltas of a
 * model that has everything ready. One frame per enqueue, except in the comparison with a rejoined run, which sends many stored
 * frames at once.
 */
import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";

const encoder = new TextEncoder();

/** Each pull takes one frame; the stream ends with the frames. */
export function eventStream(frames: AsyncIterator<string> | Iterator<string>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    type: "bytes",
    async pull(controller) {
      const next = await frames.next();
      if (next.done !== true) return controller.enqueue(encoder.encode(next.value));
      controller.close();
      controller.byobRequest?.respond(0);
    },
  });
}

/** How much one pull of a rejoined run takes from the store, UTF-16 units. */
const BATCH_SIZE = 256 * 1024;

/** The frames in pieces of the size that a rejoined run sends at once. */
export function* inBatches(frames: readonly string[]): Generator<string> {
  let batch = "";
  for (const frame of frames) {
    batch += frame;
    if (batch.length < BATCH_SIZE) continue;
    yield batch;
    batch = "";
  }
  if (batch !== "") yield batch;
}

export async function* pacedFrames(count: number, milliseconds: number): AsyncGenerator<string> {
  for (let part = 1; part <= count; part += 1) {
    await new Promise((ring) => setTimeout(ring, milliseconds));
    yield messageFrame(part, `part ${part} `);
  }
}

/** How much text a run joins into one frame when its model never waits, UTF-16 units. */
const FRAME_SIZE = 4096;

/** Frames of the size that a run makes of these deltas. */
export async function* modelFrames(count: number): AsyncGenerator<string> {
  const { stream } = await instantModel(count).doStream({ prompt: [] });
  let seq = 0;
  let text = "";
  for await (const part of stream) {
    if (part.type !== "text-delta" && part.type !== "finish") continue;
    if (part.type === "text-delta") text += part.delta;
    if (text.length < FRAME_SIZE && part.type !== "finish") continue;
    seq += 1;
    yield messageFrame(seq, text);
    text = "";
  }
}

function messageFrame(seq: number, content: string): string {
  return `event: message\nid: ${seq}\ndata: ${JSON.stringify({ content, timestamp: new Date().toISOString() })}\n\n`;
}

/** The chunks of the built-in model's `/slow`, each ready when it is requested. */
function instantModel(count: number): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "bare",
    modelId: "instant",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("only streams here")),
    doStream: () => {
      const parts = instantParts(count);
      const stream = new ReadableStream<LanguageModelV4StreamPart>(
        {
          pull(controller) {
            const next = parts.next();
            if (next.done === true) controller.close();
            else controller.enqueue(next.value);
          },
        },
        { highWaterMark: 0 },
      );
      return Promise.resolve({ stream });
    },
  };
}

function* instantParts(count: number): Generator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] };
  yield { type: "text-start", id: "0" };
  for (let part = 1; part <= count; part += 1) yield { type: "text-delta", id: "0", delta: `part ${part} ` };
  yield { type: "text-end", id: "0" };
  yield {
    type: "finish",
    finishReason: { unified: "stop", raw: "stop" },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: count, text: count, reasoning: undefined },
    },
  };
}

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readFrames, type Frame } from "./frames.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

function bodyOf(chunks: readonly Uint8Array[], end: "close" | "break" | "stay" = "close"): ReadableStream<Uint8Array> {
  const left = [...chunks];
  return new ReadableStream({
    pull(controller) {
      const chunk = left.shift();
      if (chunk !== undefined) controller.enqueue(chunk);
      else if (end === "close") controller.close();
      else if (end === "break") controller.error(new Error("connection reset"));
    },
  });
}

async function framesOf(body: ReadableStream<Uint8Array>, silence = 1000): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of readFrames(body, silence)) frames.push(frame);
  return frames;
}

const bytes = (text: string) => new TextEncoder().encode(text);
const wireForm = (frame: Frame) => `event: ${frame.event}\nid: ${frame.id}\ndata: ${JSON.stringify(frame.data)}\n\n`;

const frame: fc.Arbitrary<Frame> = fc.record({
  event: fc.constantFrom("message", "tool_call", "router.update", "done"),
  id: fc.integer({ min: 1, max: 4 * 2 ** 32 }),
  data: fc.dictionary(fc.string({ unit: "binary" }), fc.string({ unit: "binary" })),
});

test("any chunking of the bytes gives the same frames", async () => {
  const cuts = fc.array(fc.nat({ max: 5000 }), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { maxLength: 8 }), cuts, fc.boolean(), async (frames, cuts, withHeartbeats) => {
      const all = bytes(frames.map(wireForm).join(withHeartbeats ? ": heartbeat\n\n" : ""));
      const edges = [
        0,
        ...cuts.map((cut) => Math.min(cut, all.length)).toSorted((one, other) => one - other),
        all.length,
      ];
      const chunks = edges.slice(1).map((edge, index) => all.subarray(edges[index], edge));
      // Compared as JSON: a dictionary of fast-check has no prototype.
      expect(JSON.stringify(await framesOf(bodyOf(chunks)))).toBe(
        JSON.stringify(frames.map(({ event, id, data }) => ({ event, id, data }))),
      );
    }),
    { numRuns },
  );
});

describe("a frame", () => {
  test("that lacks its closing empty line never happened", async () => {
    expect(await framesOf(bodyOf([bytes('event: done\nid: 2\ndata: {"status":"finished"}\n')]))).toEqual([]);
  });

  test("of a stream that breaks off is still delivered when it was whole", async () => {
    const whole = { event: "message", id: 1, data: { content: "Hello" } };
    expect(await framesOf(bodyOf([bytes(`${wireForm(whole)}event: mess`)], "break"))).toEqual([whole]);
  });

  test("without a usable id has none, and data that is not JSON stays text", async () => {
    expect(await framesOf(bodyOf([bytes("id: abc\ndata: not json\n\n")]))).toEqual([
      { event: "message", id: undefined, data: "not json" },
    ]);
  });
});

test("a stream that falls silent is given up, and let go", async () => {
  let cancelled = false;
  const silent = new ReadableStream<Uint8Array>({
    cancel() {
      cancelled = true;
    },
  });
  expect(await framesOf(silent, 5)).toEqual([]);
  expect(cancelled).toBe(true);
});

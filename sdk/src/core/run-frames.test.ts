/** Frames parsed from bytes, for any split of the bytes. */
import { describe, expect, test } from "vitest";
import { frames as protocolFrames, type FrameName } from "../../../protocol/frames.ts";
import { readFrames, type RunFrame } from "./run-stream.ts";

import fc from "fast-check";

const encoder = new TextEncoder();

async function read(text: string, cuts: readonly number[] = []): Promise<readonly RunFrame[]> {
  const bytes = encoder.encode(text);
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  const chunks = places.slice(1).map((end, index) => bytes.slice(places[index], end));
  const frames: RunFrame[] = [];
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  await readFrames(
    body,
    (frame) => frames.push(frame),
    () => {},
  );
  return frames;
}

const message = (id: number, content: string) => ({ event: "message", id, data: { content, timestamp: "t" } });
const written = ({ event, id, data }: { event: string; id: number; data: unknown }) =>
  `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;

describe("frames [SD-8]", () => {
  test("are the same for any split of the bytes, with LF, CR LF and bare CR", async () => {
    const anyFrames = fc.array(
      fc.tuple(fc.nat(), fc.string({ unit: "binary" })).map(([id, text]) => message(id, text)),
    );
    await fc.assert(
      fc.asyncProperty(
        anyFrames,
        fc.array(fc.nat(), { maxLength: 40 }),
        fc.constantFrom("\n", "\r\n", "\r"),
        async (frames, cuts, lineEnd) => {
          const text = frames.map((frame) => `: heartbeat\n\n${written(frame)}`).join("");
          expect(await read(text.replaceAll("\n", lineEnd), cuts)).toEqual(frames);
        },
      ),
    );
  });

  test("may have data on several lines and comments between lines, and the last one no empty line", async () => {
    const several = 'event: message\nid: 4\ndata: {"content":\n: heartbeat\ndata: "a"}\n\n';
    const last = 'event: message\r\nid: 5\r\ndata: {"content":"b"}';
    expect(await read(several + last)).toEqual([
      { event: "message", id: 4, data: { content: "a" } },
      { event: "message", id: 5, data: { content: "b" } },
    ]);
  });

  test("that end inside their data are dropped", async () => {
    const whole = written(message(1, "whole"));
    const cut = written(message(2, "cut"));
    for (let end = 0; end < cut.indexOf("}"); end += 1) expect(await read(whole + cut.slice(0, end))).toHaveLength(1);
  });
});

describe("a frame that a client cannot use is dropped [SD-9]", () => {
  test.each([
    ["an event of a newer server", "event: weather\nid: 1\ndata: {}\n\n"],
    ["the name of an object's own member", "event: toString\nid: 1\ndata: {}\n\n"],
    ["no number", 'event: message\nid: x\ndata: {"content":"a"}\n\n'],
    ["no JSON", "event: message\nid: 1\ndata: {\n\n"],
    ["no object", 'event: message\nid: 1\ndata: "text"\n\n'],
    ["no text", 'event: message\nid: 1\ndata: {"content":1}\n\n'],
    ["no name", 'id: 1\ndata: {"content":"a"}\n\n'],
    [
      "arguments that are none",
      'event: tool_call\nid: 1\ndata: {"requestId":"q","toolName":"t","status":"done","eventId":"e","args":[]}\n\n',
    ],
  ])("%s", async (_, text) => {
    const after = message(2, "after");
    expect(await read(text + written(after))).toEqual([after]);
  });

  test("and nothing that the protocol allows", async () => {
    const texts = fc.string();
    const base = { runId: texts, sessionId: texts, requestId: texts, timestamp: texts };
    const call = {
      ...base,
      toolName: texts,
      args: fc.dictionary(texts, fc.jsonValue()),
      status: fc.constantFrom("isRunning", "done", "error"),
      output: texts,
      error: texts,
      agent: texts,
    };
    /** The members of each event according to its schema; any member may be missing. */
    const members: Readonly<Record<FrameName, Readonly<Record<string, fc.Arbitrary<unknown>>>>> = {
      run: { ...base, resumed: fc.constant(true), attempt: fc.nat(), partialLength: fc.nat() },
      reasoning: { ...base, reasoning: texts, isComplete: fc.boolean() },
      tool_call: { ...call, eventId: texts },
      action_call: { ...call, toolCallId: texts },
      message: { ...base, content: texts },
      "router.update": { ...base, step: texts },
      error: { ...base, error: texts, kind: texts, code: texts, retryable: fc.boolean(), status: fc.nat() },
      done: {
        ...base,
        status: fc.constantFrom("finished", "aborted", "failed", "interrupted"),
        messageId: texts,
        partialText: texts,
      },
    };
    let accepted = 0;
    for (const event of Object.keys(members) as FrameName[]) {
      const anyData = fc.record(members[event], { requiredKeys: [] });
      const allData = fc.record(members[event]);
      await fc.assert(
        fc.asyncProperty(fc.oneof(anyData, allData), async (data) => {
          const wire = JSON.parse(JSON.stringify(data)) as object;
          if (!protocolFrames[event].safeParse(wire).success) return;
          accepted += 1;
          expect(await read(written({ event, id: 1, data: wire }))).toEqual([{ event, id: 1, data: wire }]);
        }),
        { numRuns: 50 },
      );
    }
    expect(accepted).toBeGreaterThan(100);
  });
});

test("an error of the caller's function rejects the read, and all bytes are reported", async () => {
  const failure = new Error("broken view");
  let bytes = 0;
  const body = new Response(`: heartbeat\n\n${written(message(1, "a"))}`).body as ReadableStream<Uint8Array>;
  const reading = readFrames(
    body,
    () => {
      throw failure;
    },
    () => {
      bytes += 1;
    },
  );
  await expect(reading).rejects.toBe(failure);
  expect(bytes).toBe(1);
});

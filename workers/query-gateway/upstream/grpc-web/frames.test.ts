import * as fc from "fast-check";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { CallEnded, decodeMessage, readAnswer, readStatus } from "./answer.ts";
import { readFrames, streamFrames, TRAILER_BYTES, writeBody, writeMessage } from "./frames.ts";

const runs = { numRuns: Number(process.env.PROPERTY_RUNS ?? 100) };

function inPieces(bytes: Uint8Array, cuts: readonly number[]): ReadableStream<Uint8Array> {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((one, other) => one - other);
  return new ReadableStream({
    start(controller) {
      for (const [index, start] of at.slice(0, -1).entries()) controller.enqueue(bytes.slice(start, at[index + 1]));
      controller.close();
    },
  });
}

async function streamed(bytes: Uint8Array, cuts: readonly number[], limit = 1000): Promise<unknown[]> {
  const frames: unknown[] = [];
  for await (const frame of streamFrames(inPieces(bytes, cuts), limit)) frames.push(frame);
  return frames;
}

const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 5 });
const cuts = fc.array(fc.nat(), { maxLength: 6 });

describe("frames", () => {
  test("reads what was written, whole and cut at any place", async () => {
    await fc.assert(
      fc.asyncProperty(messages, cuts, async (all, cuts) => {
        const body = writeBody(all);
        const trailers = { kind: "trailers", trailers: new Map([["grpc-status", "0"]]) };
        const expected = [...all.map((data) => ({ kind: "message", data })), trailers];
        expect(readFrames(body)).toEqual(expected);
        expect(await streamed(body, cuts)).toEqual(expected);
      }),
      runs,
    );
  });

  test("any other bytes are frames or undefined, cut anywhere", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), cuts, async (bytes, cuts) => {
        const whole = readFrames(bytes);
        const parts = await streamed(bytes, cuts);
        expect(whole === undefined || isDeepStrictEqual(parts, whole)).toBe(true);
      }),
      runs,
    );
  });

  test("a streamed frame over the limit is refused by its head", async () => {
    const data = new Uint8Array(10);
    expect(await streamed(writeMessage(data), [], 10)).toEqual([{ kind: "message", data }]);
    expect(await streamed(writeMessage(data).subarray(0, 5), [], 9)).toEqual(["too-large"]);
    expect(await streamed(writeMessage(data).subarray(0, 5), [], 10)).toEqual(["broken"]);
  });

  test("trailers have a separate limit", () => {
    const trailersOf = (size: number) => {
      const frame = writeMessage(new Uint8Array(size).fill(0x61));
      frame[0] = 0x80;
      return frame;
    };
    expect(readFrames(trailersOf(TRAILER_BYTES))).toHaveLength(1);
    expect(readFrames(trailersOf(TRAILER_BYTES + 1))).toBeUndefined();
  });
});

test("anything that a node sends is one message or ends the call [QG-73]", async () => {
  const types = fc.constantFrom("application/grpc-web", "application/grpc-web+proto", "text/html", "");
  const status = fc.option(fc.oneof(fc.constant("0"), fc.stringMatching(/^[ -~]{0,8}$/)), { nil: undefined });
  const body = fc.oneof(messages.map(writeBody), fc.uint8Array({ maxLength: 60 }));
  await fc.assert(
    fc.asyncProperty(types, status, body, async (type, grpcStatus, bytes) => {
      const headers = { "Content-Type": type, ...(grpcStatus !== undefined && { "grpc-status": grpcStatus }) };
      const outcome = await readAnswer(new Response(new Uint8Array(bytes), { headers }), 100).then(
        ({ message }) => message instanceof Uint8Array && "message",
        (thrown: unknown) => (thrown instanceof CallEnded ? "failed" : thrown),
      );
      expect(["failed", "message"]).toContain(outcome);
    }),
    runs,
  );
});

describe("status", () => {
  test("an encoded message is read, and no text fails", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), (text, any) => {
        expect(decodeMessage(encodeURIComponent(text))).toBe(text);
        expect(typeof decodeMessage(any)).toBe("string");
      }),
      runs,
    );
  });

  test.each([
    ["0", 0],
    ["5, 5", 5],
    [" 5 ,5", 5],
    ["0, 5", undefined],
    ["5, 0", undefined],
    ["5, x", undefined],
    ["55, 5", undefined],
  ])("several of them count only if they agree: %s [QG-73]", (status, code) => {
    expect(readStatus((name) => (name === "grpc-status" ? status : null))?.code).toBe(code);
  });

  test("invalid details are omitted", () => {
    fc.assert(
      fc.property(fc.base64String(), (details) => {
        const values: Record<string, string> = { "grpc-status": "3", "grpc-status-details-bin": details };
        expect(readStatus((name) => values[name])).toMatchObject({ code: 3, message: "" });
      }),
      runs,
    );
  });
});

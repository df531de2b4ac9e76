import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ChatFailure, exitCodes } from "./command-line.ts";
import type { OpenRun } from "./oracle-client.ts";
import { backOff, followRun, readFrames, type Frame } from "./run-stream.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const bytes = (text: string) => new TextEncoder().encode(text);
const encoded = (frame: Frame) => `event: ${frame.event}\nid: ${frame.id}\ndata: ${JSON.stringify(frame.data)}\n\n`;

/** A body of these chunks, which then closes or breaks off. */
function bodyOf(chunks: readonly Uint8Array[], end: "close" | "break" = "close"): ReadableStream<Uint8Array> {
  const left = [...chunks];
  return new ReadableStream({
    pull(controller) {
      const chunk = left.shift();
      if (chunk !== undefined) controller.enqueue(chunk);
      else if (end === "close") controller.close();
      else controller.error(new Error("connection reset"));
    },
  });
}

async function framesOf(body: ReadableStream<Uint8Array>, idleTimeout = 1000): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of readFrames(body, idleTimeout)) frames.push(frame);
  return frames;
}

describe("reading frames", () => {
  test("any chunking of the bytes gives the same frames", async () => {
    const frame: fc.Arbitrary<Frame> = fc.record({
      event: fc.constantFrom("message", "tool_call", "router.update", "done"),
      id: fc.integer({ min: 1, max: 4 * 2 ** 32 }),
      data: fc.dictionary(fc.string({ unit: "binary" }), fc.string({ unit: "binary" })),
    });
    const cuts = fc.array(fc.nat({ max: 5000 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { maxLength: 8 }), cuts, fc.boolean(), async (frames, cuts, heartbeats) => {
        const all = bytes(frames.map(encoded).join(heartbeats ? ": heartbeat\n\n" : ""));
        const edges = [0, ...cuts.map((cut) => Math.min(cut, all.length)), all.length].toSorted((a, b) => a - b);
        const chunks = edges.slice(1).map((edge, index) => all.subarray(edges[index], edge));
        // Compared as JSON: a dictionary of fast-check has no prototype.
        const read = await framesOf(bodyOf(chunks));
        expect(JSON.stringify(read)).toBe(JSON.stringify(frames.map(({ event, id, data }) => ({ event, id, data }))));
      }),
      { numRuns },
    );
  });

  test("a frame without its closing empty line is dropped, one before a break is not", async () => {
    const whole = { event: "message", id: 1, data: { content: "Hello" } };
    expect(await framesOf(bodyOf([bytes(`${encoded(whole)}event: done\nid: 2\ndata: {}\n`)], "break"))).toEqual([
      whole,
    ]);
  });

  test("an idle stream is given up and cancelled", async () => {
    let cancelled = false;
    const idle = new ReadableStream<Uint8Array>({
      cancel() {
        cancelled = true;
      },
    });
    expect([await framesOf(idle, 5), cancelled]).toEqual([[], true]);
  });
});

describe("following a run", () => {
  /** A stream that ends after these frames, given as `[id, event]`. */
  function openRun(...frames: readonly (readonly [number, string])[]): OpenRun {
    const text = frames.map(([id, event]) => encoded({ id, event, data: {} })).join("");
    return { runId: "r", body: new Blob([text]).stream() };
  }

  /** Follows a run; the n-th attempt to join it is answered by `joins[n]`. */
  async function follow(opened: OpenRun | undefined, joins: readonly (OpenRun | ChatFailure)[], lastId = 0) {
    const seen: string[] = [];
    const joinedAfter: number[] = [];
    const waits: number[] = [];
    const answers = [...joins];
    const end = await followRun({
      client: {
        async join(_, after) {
          joinedAfter.push(after);
          const answer = await Promise.resolve(answers.shift());
          if (answer instanceof ChatFailure) throw answer;
          return answer;
        },
      },
      runId: "r",
      opened,
      lastId,
      onFrame({ id, event }) {
        seen.push(`${id} ${event}`);
        return event === "done";
      },
      onLost: (wait) => waits.push(wait),
      wait: async () => await Promise.resolve(),
      interrupted: new AbortController().signal,
    }).catch((error: unknown) => error);
    return { seen, joinedAfter, waits, end };
  }

  test("a repeated frame is shown once, and ids grow across a restart", async () => {
    const restart = 2 ** 32 + 1;
    const { seen, joinedAfter } = await follow(openRun([1, "run"], [2, "message"]), [
      openRun([2, "message"], [restart, "run"]),
      openRun([restart + 1, "done"]),
    ]);
    expect(seen).toEqual(["1 run", "2 message", `${restart} run`, `${restart + 1} done`]);
    expect(joinedAfter).toEqual([2, restart]);
  });

  test("of a run that ended before, `done` comes again and ends the client too", async () => {
    const { seen, joinedAfter, waits } = await follow(undefined, [openRun([7, "done"])], 7);
    expect({ seen, joinedAfter, waits }).toEqual({ seen: ["7 done"], joinedAfter: [7], waits: [] });
  });

  test("a server that sends nothing is given up after the last wait", async () => {
    const { waits, end } = await follow(
      openRun([1, "run"]),
      backOff.map(() => openRun()),
    );
    expect([waits, end]).toEqual([backOff, expect.objectContaining({ exitCode: exitCodes.unreachable })]);
  });

  test("an unreachable server is waited for, one that rejects the client is not", async () => {
    const away = new ChatFailure(exitCodes.unreachable, "Cannot reach the server");
    const rejected = new ChatFailure(exitCodes.unauthorised, "Invalid UCAN invocation");
    const { waits, end } = await follow(openRun([1, "run"]), [away, rejected]);
    expect([waits, end]).toEqual([[500, 1000], rejected]);
  });
});

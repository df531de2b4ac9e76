/** Deltas that are ready at once go on together; nothing is lost, reordered or kept waiting. */
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import fc from "fast-check";
import { expect, test } from "vitest";
import { joinDeltas, PIECE_SIZE } from "./joined-deltas.ts";

type Part = LanguageModelV4StreamPart;

const runs = { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 100) };
const turnOfEventLoop = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

function say(delta: string, id = "0"): Part {
  return { type: "text-delta", id, delta };
}
function think(delta: string): Part {
  return { type: "reasoning-delta", id: "r", delta };
}
const call: Part = { type: "tool-call", toolCallId: "c", toolName: "look", input: "{}" };

/** A model that has everything ready. */
function ready(parts: readonly Part[]): ReadableStream<Part> {
  const left = [...parts];
  return new ReadableStream<Part>(
    {
      pull(controller) {
        const next = left.shift();
        if (next === undefined) controller.close();
        else controller.enqueue(next);
      },
    },
    { highWaterMark: 0 },
  );
}

async function all(stream: ReadableStream<Part>): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

test("the first delta goes on alone, the others together", async () => {
  const joined = await all(joinDeltas(ready([say("a"), say("b"), say("c")]), turnOfEventLoop));
  expect(joined).toEqual([say("a"), say("bc")]);
});

test("a piece is full at its size: it takes what fills it and no more", async () => {
  const half = say("x".repeat(PIECE_SIZE / 2));
  const joined = await all(joinDeltas(ready([say("a"), half, half, say("b")]), turnOfEventLoop));
  expect(joined).toEqual([say("a"), say("x".repeat(PIECE_SIZE)), say("b")]);
});

test("the event loop has its turn between two pieces, however much is ready", async () => {
  let turns = 0;
  const counted = (): Promise<void> => {
    turns += 1;
    return turnOfEventLoop();
  };
  const full = say("x".repeat(PIECE_SIZE));
  await all(joinDeltas(ready([full, full, full, full]), counted));
  expect(turns).toBeGreaterThanOrEqual(4);
});

test("text, thinking, calls and blocks of another id stay apart and in order", async () => {
  const parts = [say("a"), think("b"), say("c"), say("d", "1"), call, say("e", "1")];
  expect(await all(joinDeltas(ready(parts), turnOfEventLoop))).toEqual(parts);
});

test("a delta of which the provider says something of its own stays as it is", async () => {
  const signed: Part = { ...say("b"), providerMetadata: { local: { signature: "s" } } } as Part;
  const parts = [say("a"), signed, say("c")];
  expect(await all(joinDeltas(ready(parts), turnOfEventLoop))).toEqual(parts);
});

test("a delta does not wait for the next one", async () => {
  const { readable, writable } = new TransformStream<Part, Part>();
  const writer = writable.getWriter();
  const reader = joinDeltas(readable, turnOfEventLoop).getReader();
  for (const part of [say("a"), say("b"), say("c")]) {
    void writer.write(part);
    expect(await reader.read()).toEqual({ done: false, value: part });
  }
  void writer.close();
  expect(await reader.read()).toMatchObject({ done: true });
});

test("what the model says before it fails goes on before the failure", async () => {
  const parts = [say("a"), say("b")];
  const failing = new ReadableStream<Part>(
    {
      pull(controller) {
        const next = parts.shift();
        if (next === undefined) controller.error(new Error("cut"));
        else controller.enqueue(next);
      },
    },
    { highWaterMark: 0 },
  );
  const reader = joinDeltas(failing, turnOfEventLoop).getReader();
  expect(await reader.read()).toMatchObject({ value: say("a") });
  expect(await reader.read()).toMatchObject({ value: say("b") });
  await expect(reader.read()).rejects.toThrow("cut");
});

test("whoever stops reading stops the model", async () => {
  let reason: unknown;
  const endless = new ReadableStream<Part>({
    pull: (controller) => controller.enqueue(say("a")),
    cancel: (given) => {
      reason = given;
    },
  });
  const reader = joinDeltas(endless, turnOfEventLoop).getReader();
  await reader.read();
  await reader.cancel("enough");
  expect(reason).toBe("enough");
});

test("joining changes nothing that is said, thought or called", async () => {
  const part = fc.oneof(
    fc.string({ minLength: 1 }).map((text) => say(text)),
    fc.string({ minLength: 1 }).map((text) => say(text, "1")),
    fc.string({ minLength: 1 }).map(think),
    fc.constant(call),
  );
  /** Neighbours of one kind as one text: what any reader makes of a stream. */
  const told = (parts: readonly Part[]): string =>
    parts
      .map((part) => ("delta" in part ? `${part.type} ${part.id} ${part.delta.split("").join(" ")} ` : "call "))
      .join("");
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 30 }), async (parts) => {
      const joined = await all(joinDeltas(ready(parts), turnOfEventLoop));
      expect(told(joined.flatMap(split))).toBe(told(parts.flatMap(split)));
    }),
    runs,
  );
});

/** A delta as deltas of one character each. */
function split(part: Part): Part[] {
  return "delta" in part && "id" in part ? part.delta.split("").map((delta) => ({ ...part, delta })) : [part];
}

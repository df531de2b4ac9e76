import * as fc from "fast-check";
import { expect, test } from "vitest";
import { discardBody, readBytes, readPatiently } from "./body.ts";

const runs = { numRuns: Number(process.env.PROPERTY_RUNS ?? 100) };

/** A body that arrives in these pieces. */
function inPieces(pieces: readonly Uint8Array[]) {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  return new Response(body);
}

test("the bytes do not depend on the pieces; one byte over the limit gives none", async () => {
  const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(pieces, async (parts) => {
      const whole = parts.flatMap((part) => [...part]);
      const read = await readBytes(inPieces(parts), whole.length);
      expect(read.ok && [...read.value]).toEqual(whole);
      expect(await readBytes(inPieces(parts), whole.length - 1)).toEqual({ ok: false, error: "too-large" });
    }),
    runs,
  );
});

test("a missing body has no bytes; one that ends in the middle is broken", async () => {
  expect(await readBytes({ body: null }, 0)).toEqual({ ok: true, value: new Uint8Array() });
  const cut = new ReadableStream<Uint8Array>({ start: (controller) => controller.error(new Error("cut")) });
  expect(await readBytes(new Response(cut), 10)).toEqual({ ok: false, error: "broken" });
});

/** A body that a test feeds, and how much of it was requested. */
function fed(pieces: number, bytes: number) {
  const state = { sent: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (state.sent === pieces) return controller.close();
        state.sent += 1;
        controller.enqueue(new Uint8Array(bytes));
      },
      cancel() {
        state.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { state, body: { body } };
}

test("a body over the limit is read and discarded up to the drain limit, so that its sender sees the refusal", async () => {
  const whole = fed(10, 100);
  expect(await readPatiently(whole.body, 50, { drainBytes: 1_000 })).toEqual({ ok: false, error: "too-large" });
  expect(whole.state).toEqual({ sent: 10, cancelled: false });
  const endless = fed(1_000, 100);
  expect(await readPatiently(endless.body, 50, { drainBytes: 250 })).toEqual({ ok: false, error: "too-large" });
  expect(endless.state).toEqual({ sent: 4, cancelled: true });
});

test("a body that takes too long is too slow, and is not read further", async () => {
  let cancelled = false;
  const silent = new ReadableStream<Uint8Array>({ cancel: () => void (cancelled = true) });
  expect(await readPatiently({ body: silent }, 50, { timeMs: 20 })).toEqual({ ok: false, error: "too-slow" });
  expect(cancelled).toBe(true);
});

test("an unread body is drained; one that was read is not", async () => {
  const { state, body } = fed(3, 100);
  const init = { method: "POST", body: body.body, duplex: "half" } as const;
  const request = new Request("https://twinedge.test", init);
  await discardBody(request);
  expect(state.sent).toBe(3);
  await discardBody(request);
  await discardBody(new Request("https://twinedge.test"));
});

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readBytes } from "./body-bytes.ts";

const runs = { numRuns: Number(process.env.PROPERTY_RUNS ?? 100) };

/** A body that comes in these pieces. */
function inPieces(pieces: readonly Uint8Array[]) {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  return new Response(body);
}

test("1.10 the same bytes whatever the pieces; over the limit by one byte none of them", async () => {
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

test("no body is no bytes; one that ends in the middle is broken", async () => {
  expect(await readBytes({ body: null }, 0)).toEqual({ ok: true, value: new Uint8Array() });
  const cut = new ReadableStream<Uint8Array>({ start: (controller) => controller.error(new Error("cut")) });
  expect(await readBytes(new Response(cut), 10)).toEqual({ ok: false, error: "broken" });
});

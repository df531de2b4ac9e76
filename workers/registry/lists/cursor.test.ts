/** Cursors of lists round-trip, and any other text is refused. */
import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { cursorOf } from "./cursor.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const schema = z.tuple([z.int(), z.string()]);
const cursor = cursorOf(["things", { state: ["open"] }]);

test("a position round-trips, in characters that need no escaping", () => {
  fc.assert(
    fc.property(fc.integer(), fc.string({ unit: "binary", maxLength: 50 }), (at, id) => {
      fc.pre(id.isWellFormed());
      const text = cursor.print([at, id]);
      expect(text).toMatch(/^[\w-]+$/);
      expect(cursor.read(text, schema)).toEqual({ ok: true, value: [at, id] });
    }),
    { numRuns },
  );
});

test("no cursor means the start", () => {
  expect(cursor.read(null, schema)).toEqual({ ok: true, value: null });
});

test("a cursor is valid only for its list, filters and order", () => {
  const refused = { ok: false, error: { reason: "invalid_cursor" } };
  const others = [["other", { state: ["open"] }], ["things", { state: ["passed"] }], ["things", {}], "things", null];
  for (const query of others) {
    expect(cursor.read(cursorOf(query).print([1, "x"]), schema)).toMatchObject(refused);
  }
  const digests = [...others, ["things", { state: ["open"] }]].map((query) => cursorOf(query).print([]));
  expect(new Set(digests).size).toBe(digests.length);
});

test("refuses any other text, and never throws", () => {
  const refused = (text: string): void => {
    expect(cursor.read(text, schema)).toMatchObject({ ok: false, error: { reason: "invalid_cursor" } });
  };
  const shapes = [[], [1], [1.5, "x"], [1, "x", 2], [null, "x"]].map((position) => cursor.print(position));
  // The last one comes from an older release.
  for (const text of ["", "=", "a b", "%", "e30=", "_w", "A".repeat(16_385), ...shapes, btoa('{"at":1}')])
    refused(text);
  fc.assert(fc.property(fc.string(), refused), { numRuns });
});

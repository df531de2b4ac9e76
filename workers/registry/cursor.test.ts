/** Cursors of small lists: what comes back is what was sent, anything else is refused. */
import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { cursorOf, positionOf } from "./cursor.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const schema = z.object({ at: z.int(), id: z.string() });
const parametersOf = (cursor: string): URLSearchParams => new URLSearchParams({ cursor });

test("a position survives the journey, in characters that need no escape", () => {
  fc.assert(
    fc.property(fc.integer(), fc.string({ unit: "binary", maxLength: 50 }), (at, id) => {
      fc.pre(id.isWellFormed());
      const cursor = cursorOf({ at, id });
      expect(cursor).toMatch(/^[\w-]+$/);
      expect(positionOf(parametersOf(cursor), schema)).toEqual({ ok: true, value: { at, id } });
    }),
    { numRuns },
  );
});

test("no cursor is the start", () => {
  expect(positionOf(new URLSearchParams(), schema)).toEqual({ ok: true, value: null });
});

test("whatever else is sent is refused, never thrown", () => {
  const refused = (cursor: string): void => {
    const position = positionOf(parametersOf(cursor), schema);
    expect(position).toMatchObject({ ok: false, error: { reason: "invalid_cursor" } });
  };
  const shapes = [{}, { at: 1 }, { at: 1.5, id: "x" }, [], null].map(cursorOf);
  for (const cursor of ["", "=", "a b", "%", "e30=", "_w", "A".repeat(2_049), ...shapes]) refused(cursor);
  fc.assert(fc.property(fc.string(), refused), { numRuns });
});

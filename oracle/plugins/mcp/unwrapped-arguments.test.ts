/** Arguments that a model wrapped as `{"input": "<json>"}`. */
import { expect, test } from "vitest";
import { unwrapped } from "./unwrapped-arguments.ts";

test("wrapped arguments are unwrapped, unless the tool itself has an input or the value is something else [OR-290]", () => {
  const schema = { type: "object", properties: { id: { type: "string" } } };
  expect(unwrapped({ input: '{"id":"7"}' }, schema)).toEqual({ id: "7" });
  expect(unwrapped({ input: "{}" }, { type: "object" })).toEqual({});
  for (const other of [
    { input: "text" },
    { input: "[1]" },
    { input: { id: "7" } },
    { input: '{"id":"7"}', id: "8" },
    { id: "7" },
    null,
    "x",
  ])
    expect(unwrapped(other, schema)).toBe(other);
  const own = { input: '{"id":"7"}' };
  expect(unwrapped(own, { type: "object", properties: { input: { type: "string" } } })).toBe(own);
});

/** Tool names for the model: always valid, stable and unique. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_TOOL_NAME_LENGTH, modelName } from "./tool-names.ts";

const runs = { numRuns: Number(process.env["PROPERTY_RUNS"]) };
const server = fc.stringMatching(/^[a-z0-9-]{1,32}$/);

test("a valid name is unchanged [OR-284]", async () => {
  expect(await modelName("notes", "read-note_2")).toBe("notes__read-note_2");
  const longest = "t".repeat(MAX_TOOL_NAME_LENGTH - "notes__".length);
  expect(await modelName("notes", longest)).toBe(`notes__${longest}`);
});

test("an invalid name is cut and gets a hash of the original [OR-284]", async () => {
  expect(await modelName("notes", "read.note")).toMatch(/^notes__read_note_[0-9a-f]{8}$/);
  expect(await modelName("notes", "t".repeat(58))).toMatch(/^notes__t{48}_[0-9a-f]{8}$/);
});

test("any two tools have two valid, stable names [OR-284]", async () => {
  const tool = fc.oneof(
    fc.string({ unit: "binary", minLength: 1 }),
    fc.string({ minLength: 60, maxLength: 90 }),
    fc.constantFrom("a.b", "a_b", "a b"),
  );
  await fc.assert(
    fc.asyncProperty(server, tool, server, tool, async (s1, t1, s2, t2) => {
      const [one, again, other] = await Promise.all([modelName(s1, t1), modelName(s1, t1), modelName(s2, t2)]);
      expect(one).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(again).toBe(one);
      expect(one === other).toBe(s1 === s2 && t1 === t2);
    }),
    runs,
  );
});

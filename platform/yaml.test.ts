/** The safe subset of YAML: its limits, and the line of every fault. */
import { expect, test } from "vitest";
import { parseYaml } from "./yaml.ts";

const rules = { schema: "core", length: 1_000, depth: 3, values: 20 } as const;

test("reads maps, lists and scalars, and JSON [PH-150]", () => {
  const read = parseYaml('a: [1, true, null, "x"]\nb: { c: no }', rules);
  expect(read.ok && read.value.value).toEqual({ a: [1, true, null, "x"], b: { c: "no" } });
  const json = parseYaml('{\n\t"a": [1, 2]\n}', rules);
  expect(json.ok && json.value.value).toEqual({ a: [1, 2] });
});

test("failsafe keeps the text of every scalar [PH-150]", () => {
  const read = parseYaml("a: 007\nb: true", { ...rules, schema: "failsafe" });
  expect(read.ok && read.value.value).toEqual({ a: "007", b: "true" });
});

test("a value has the line of its name, or of its nearest ancestor [PH-150]", () => {
  const read = parseYaml("a:\n  - x\n  - b:\n      c: 1\n", { ...rules, depth: 4 });
  if (!read.ok) throw new Error(read.error.sentence);
  expect([["a"], ["a", 0], ["a", 1, "b"], ["a", 1, "b", "c"], ["a", 1, "z"], ["z"]].map(read.value.lineAt)).toEqual([
    1, 2, 3, 4, 3, 1,
  ]);
});

test.each([
  ["x".repeat(1_001), 1, "may have at most 1000 characters"],
  ["a:\n  [[[[1]]]]", 2, "is nested too deep"],
  ["a:\n b:\n  c:\n   d: 1", 4, "is nested too deep"],
  [`a: [${"1,".repeat(30)}]`, 1, "may have at most 20 values"],
  ["a: 1\nb: &x 2", 2, "must have no anchors"],
  ["a: 1\nb: !!str 2", 2, "must have no tags"],
  ["a: 1\nb: 2\na: 3", 3, "must not repeat a name"],
  ["a: 1\n? [b]\n: 2", 2, "must have names that are texts"],
  ["a: 1\n---\nb: 2", 2, "is not YAML"],
  ["a: 1\nb: {", 2, "is not YAML"],
])("%j is refused at line %i: %s [PH-150]", (text, line, sentence) => {
  expect(parseYaml(text, rules)).toMatchObject({
    ok: false,
    error: { line, sentence: expect.stringContaining(sentence) },
  });
});

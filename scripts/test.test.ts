/** Which runs check the rules: those of all tests. */
import { expect, test } from "vitest";
import { isWhole } from "./test.ts";

test.each([[[]], [["--reporter=dot"]], [["--maxWorkers", "--silent"]]])("%j runs everything", (args) => {
  expect(isWhole(args)).toBe(true);
});

test.each([
  [["workers/dispatch.test.ts"]],
  [["--project", "unit"]],
  [["--project=unit"]],
  [["-t", "name"]],
  [["--bail=1"]],
  [["--help"]],
])("%j runs a part", (args) => {
  expect(isWhole(args)).toBe(false);
});

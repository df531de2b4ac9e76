import { expect, test } from "vitest";
import { sameSecret } from "./same-secret.ts";

test.each([
  ["the same", "s3cret", "s3cret", true],
  ["another of its length", "s3creT", "s3cret", false],
  ["its beginning", "s3cre", "s3cret", false],
  ["one that continues", "s3cret ", "s3cret", false],
  ["none", undefined, "s3cret", false],
  ["no header", null, "s3cret", false],
  ["none where none is set", undefined, undefined, false],
  ["an empty one where an empty one is set", "", "", false],
])("a secret is compared with %s [OR-260]", async (_, given, expected, same) => {
  expect(await sameSecret(given, expected)).toBe(same);
});

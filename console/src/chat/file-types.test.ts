/** Which files can be attached. */
import { expect, test } from "vitest";
import { isAccepted, typeOf } from "./file-types.ts";

test.each([
  ["a.png", "image/png", "image/png"],
  ["notes.MD", "", "text/markdown"],
  ["rows.csv", "", "text/csv"],
  ["program.exe", "", "application/octet-stream"],
  ["constructor", "", "application/octet-stream"],
])("%s of the type %j is %s [CN-285]", (name, type, expected) => {
  expect(typeOf({ name, type })).toBe(expected);
});

test("the list of the oracle decides [CN-285]", () => {
  const accept = ["text/*", "application/pdf"];
  expect(["text/csv", "Text/Plain; charset=utf-8", "application/pdf"].every((type) => isAccepted(type, accept))).toBe(
    true,
  );
  expect(["textual/x", "application/pdfs", "image/png", ""].some((type) => isAccepted(type, accept))).toBe(false);
});

/** A name becomes a step of a pointer and back, whatever characters it has. */
import { expect, test } from "vitest";
import { namesIn, stepOf } from "./json-pointer.ts";

test("names with slashes and tildes survive", () => {
  const names = ["metadata", "a/b", "~1", "~", "/", ""];
  expect(namesIn(names.map((name) => `/${stepOf(name)}`).join(""))).toEqual(names);
  expect(namesIn("")).toEqual([]);
});

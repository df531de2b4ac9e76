import { expect, test } from "vitest";
import { REMEMBERED_MACS, rememberMacs } from "./remembered-macs.ts";

test("a MAC is made once as long as it is remembered, and the oldest goes first", async () => {
  const made: string[] = [];
  const macOf = rememberMacs(async (text) => {
    made.push(text);
    return `mac of ${text}`;
  });
  const ids = Array.from({ length: REMEMBERED_MACS + 1 }, (_, index) => `s${index}`);
  for (const id of ids) expect(await macOf(id)).toBe(`mac of ${id}`);
  expect(await macOf("s1")).toBe("mac of s1");
  expect(made).toEqual(ids);
  expect(await macOf("s0")).toBe("mac of s0");
  expect(made).toEqual([...ids, "s0"]);
});

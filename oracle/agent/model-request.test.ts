/** The size of a prompt, before its request is sent. */
import { expect, test } from "vitest";
import { FILE_TOKENS, MOST_FILE_TOKENS, promptSize } from "./run-limits.ts";

test("an image reserves the most tokens that a service counts, and costs what most services count [OR-450, OR-604]", () => {
  expect([FILE_TOKENS, MOST_FILE_TOKENS]).toEqual([1_600, 40_000]);
  const image = { type: "file", mediaType: "image/png", data: { type: "data", data: new Uint8Array(3) } } as const;
  const sizeOf = (images: number) =>
    promptSize({
      system: "",
      messages: [{ role: "user", content: Array.from({ length: images }, () => image) }],
      tools: [],
    });
  const [none, two] = [sizeOf(0), sizeOf(2)];
  expect(two.tokens - none.tokens).toBe(2 * FILE_TOKENS);
  expect(two.most - none.most).toBe(2 * MOST_FILE_TOKENS);
});

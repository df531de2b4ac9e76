/** Long answers in parts: nothing is lost, no part exceeds Slack's limit, and cuts fall between words where possible. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { answerParts, MESSAGE_LENGTH } from "./answer-parts.ts";

test("a message takes 12,000 characters and no more [OR-368]", () => {
  expect(MESSAGE_LENGTH).toBe(12_000);
  expect(answerParts("x".repeat(12_000))).toHaveLength(1);
  expect(answerParts("x".repeat(12_001)).map(({ length }) => length)).toEqual([12_000, 1]);
  expect(answerParts("")).toEqual([]);
});

test("a part ends after a paragraph, else a line, else a word, and never within a character [OR-368]", () => {
  expect(answerParts("one\n\ntwo", 7)).toEqual(["one\n\n", "two"]);
  expect(answerParts("one two\nthree", 10)).toEqual(["one two\n", "three"]);
  expect(answerParts("one two three", 9)).toEqual(["one two ", "three"]);
  expect(answerParts("🌱🌱🌱", 3)).toEqual(["🌱", "🌱", "🌱"]);
});

test("parts joined are the answer [OR-368]", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 2, max: 20 }), (text, limit) => {
      const parts = answerParts(text, limit);
      expect(parts.join("")).toBe(text);
      for (const part of parts) {
        expect(part.length).toBeGreaterThan(0);
        expect(part.length).toBeLessThanOrEqual(limit);
      }
    }),
  );
});

/** Titles by rule; titles by a model are tested where a model is (openai-compatible.test.ts). */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_TITLE_LENGTH, titleByRule } from "./title.ts";

const runs = { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 100) };

describe("a title by rule", () => {
  it.each([
    ["hello", "hello"],
    ["  two\n lines ", "two lines"],
    ["", "Untitled"],
    [" \n ", "Untitled"],
    ["a".repeat(MAX_TITLE_LENGTH), "a".repeat(MAX_TITLE_LENGTH)],
    ["a".repeat(MAX_TITLE_LENGTH + 1), "a".repeat(MAX_TITLE_LENGTH)],
    [`${"a".repeat(MAX_TITLE_LENGTH)} b`, "a".repeat(MAX_TITLE_LENGTH)],
    [`${"a ".repeat(29)}bcdefgh`, "a ".repeat(29).trim()],
    [`${"a".repeat(59)}😀`, "a".repeat(59)],
  ])("of %j is %j", (text, title) => {
    expect(titleByRule(text)).toBe(title);
  });

  it("is a beginning of the message, on a word edge where it has one", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), (words) => {
        const text = words.join(" ");
        const line = text.replace(/\s+/g, " ").trim();
        const title = titleByRule(text);
        expect(title.length).toBeLessThanOrEqual(MAX_TITLE_LENGTH);
        expect(title).not.toBe("");
        const beginning = line === "" ? "Untitled" : line;
        expect(beginning.startsWith(title)).toBe(true);
        const hasEdge = beginning.slice(0, MAX_TITLE_LENGTH + 1).includes(" ");
        const next = beginning.charAt(title.length);
        expect(next === "" || next === " " || !hasEdge).toBe(true);
      }),
      runs,
    );
  });
});

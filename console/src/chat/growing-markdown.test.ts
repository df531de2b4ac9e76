/** A growing answer that is parsed incrementally has the blocks of the whole text. */
import fc from "fast-check";
import { lexer } from "marked";
import { expect, test } from "vitest";
import { createMarkdownBlocks } from "./growing-markdown.ts";

const lines = [
  "",
  "",
  "A sentence with *words*.",
  "## Head",
  "- one",
  "- two",
  "  - inner",
  "1. first",
  "    indented",
  "> quoted",
  "```",
  "code",
  "===",
  "---",
  "| a | b |",
  "|---|---|",
  "| 1 | 2 |",
  "<div>",
  "</div>",
  "[name]: https://example.org",
  "[name] and `x`",
  "\ttabbed",
  "lazy",
];

test("after each growth the blocks are those of the whole text [CN-245]", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...lines), { maxLength: 25 }),
      fc.integer({ min: 1, max: 30 }),
      (chosen, step) => {
        const text = chosen.join("\n");
        const blocks = createMarkdownBlocks();
        for (let end = 0; end < text.length + step; end += step)
          expect(blocks.of(text.slice(0, end))).toEqual([...lexer(text.slice(0, end))]);
      },
    ),
    { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 100) },
  );
});

/** Blocks at the end that are parsed again: two blocks with their blank lines, and those at the end of the previous step. */
const OPEN = 6;

test("closed blocks keep their identity, and are not parsed again [CN-245]", () => {
  const paragraphs = Array.from({ length: 200 }, (_, at) => `Paragraph ${at} with *words*.\n\n`);
  const blocks = createMarkdownBlocks();
  let text = "";
  let before = blocks.of(text);
  for (const paragraph of paragraphs) {
    text += paragraph;
    const now = blocks.of(text);
    const same = now.filter((block, at) => block === before[at]).length;
    expect(same).toBeGreaterThanOrEqual(before.length - OPEN);
    before = now;
  }
  expect(before).toEqual([...lexer(text)]);
});

test("another text is parsed from its start [CN-245]", () => {
  const blocks = createMarkdownBlocks();
  blocks.of("One.\n\nTwo.\n\nThree.");
  expect(blocks.of("# Other\n\nText")).toEqual([...lexer("# Other\n\nText")]);
});

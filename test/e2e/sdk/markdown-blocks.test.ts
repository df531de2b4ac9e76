/** The blocks of the example's growing Markdown. */
import { expect, test } from "vitest";
import { markdownBlocks } from "../../../examples/react-chat/src/markdown-blocks.ts";

const text = [
  "# Stoves",
  "",
  "Two paragraphs.",
  "",
  "",
  "The second.",
  "",
  "- one",
  "",
  "- two",
  "",
  "  still two",
  "",
  "```js",
  "const a = 1;",
  "",
  "const b = `x`;",
  "```",
  "",
  "~~~~",
  "```",
  "",
  "~~~",
  "",
  "~~~~",
  "",
  "| a | b |",
  "| - | - |",
  "",
  "1. first",
  "",
  "2. second",
  "",
  "> quoted",
  "",
  "End.",
].join("\n");

test("a growing text changes only its last block, and the blocks join to the text [SD-296]", () => {
  let before: readonly string[] = [];
  for (let length = 1; length <= text.length; length += 1) {
    const blocks = markdownBlocks(text.slice(0, length));
    expect(blocks.join("\n\n")).toBe(text.slice(0, length));
    // A new list item, or a quote, merges into the previous block.
    const kept = before.slice(0, -2);
    expect(blocks.slice(0, kept.length)).toEqual(kept);
    before = blocks;
  }
});

test("lists, quotes and code fences stay whole [SD-296]", () => {
  expect(markdownBlocks(text)).toEqual([
    "# Stoves",
    "Two paragraphs.\n\n\nThe second.\n\n- one\n\n- two\n\n  still two",
    "```js\nconst a = 1;\n\nconst b = `x`;\n```",
    "~~~~\n```\n\n~~~\n\n~~~~",
    "| a | b |\n| - | - |\n\n1. first\n\n2. second\n\n> quoted",
    "End.",
  ]);
});

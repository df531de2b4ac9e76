/** Thinking that a model writes into its answer is separated, however the text is split. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createThinkingTags } from "./thinking-tags.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

function read(pieces: readonly string[]) {
  const found = { said: "", thought: "" };
  const tags = createThinkingTags({
    say: (text) => void (found.said += text),
    think: (text) => void (found.thought += text),
  });
  for (const piece of pieces) tags.push(piece);
  tags.flush();
  return found;
}

test.each([
  ["<think>hm</think>Yes.", { said: "Yes.", thought: "hm" }],
  ["\n<think>\nhm\n</think>\n\nYes. ", { said: "Yes. ", thought: "\nhm\n" }],
  ["<think>one</think><think>two</think>Yes", { said: "Yes", thought: "onetwo" }],
  ["<think>never closed", { said: "", thought: "never closed" }],
  ["<think>half</thi", { said: "", thought: "half</thi" }],
  ["<think>a < b </ c</think>d", { said: "d", thought: "a < b </ c" }],
  ["<think></think>", { said: "", thought: "" }],
  ["<thi", { said: "<thi", thought: "" }],
  ["<thinking>no tag", { said: "<thinking>no tag", thought: "" }],
  ["Use <think>x</think> so.", { said: "Use <think>x</think> so.", thought: "" }],
  ["<think>a</think>Write <think>b</think>.", { said: "Write <think>b</think>.", thought: "a" }],
  ["  plain", { said: "  plain", thought: "" }],
  ["", { said: "", thought: "" }],
])("%j", (text, expected) => {
  expect(read([text])).toEqual(expected);
});

test("separates the same parts wherever the text is split", () => {
  const word = fc.constantFrom("<think>", "</think>", "<th", "ink>", "</", " ", "\n", "a", "b<", "🙂");
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), fc.array(fc.nat(40)), (words, cuts) => {
      const text = words.join("");
      const edges = [...new Set(cuts.filter((cut) => cut < text.length))].toSorted((one, other) => one - other);
      const pieces = [0, ...edges].map((start, at) => text.slice(start, [...edges, text.length][at]));
      expect(read(pieces)).toEqual(read([text]));
    }),
    { numRuns },
  );
});

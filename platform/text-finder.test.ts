/** Finding many texts in one pass, compared with a search for each of them. */
import { expect, test } from "vitest";
import { createTextFinder } from "./secret-values.ts";

function finderFor(...texts: readonly string[]) {
  return createTextFinder(new Map(texts.map((text, index) => [text, `[${index}]`])), 8);
}

test("without texts it reports that and leaves every text unchanged", () => {
  const finder = finderFor();
  expect(finder.isEmpty).toBe(true);
  expect(finder.replace("anything at all")).toBe("anything at all");
});

test("neighbours, repetitions, beginnings and ends", () => {
  const { replace, isEmpty } = finderFor("abcdefgh", "12345678");
  expect(isEmpty).toBe(false);
  expect(replace("abcdefgh12345678abcdefgh")).toBe("[0][1][0]");
  expect(replace("aabcdefghh")).toBe("a[0]h");
  expect(replace("")).toBe("");
  expect(replace("abcdefg")).toBe("abcdefg");
});

test("finds the longest of several at one place; at the end of a text a complete one before a cut one", () => {
  const { replace } = finderFor("token-12", "token-123456", "token-1234567890");
  expect(replace("token-1234567890 token-123456 token-12")).toBe("[2] [1] [0]");
});

test("finds one that is cut off by the end of the text, from 8 units on", () => {
  const { replace } = finderFor("abcdefghijklmnop");
  expect(replace("see abcdefgh")).toBe("see [0]");
  expect(replace("see abcdefg")).toBe("see abcdefg");
  expect(replace("see abcdefgh.")).toBe("see abcdefgh.");
});

test("equals a search for each, in texts of few letters", () => {
  let state = 7;
  const letters = (length: number): string =>
    Array.from({ length }, () => "ab1"[(state = (state * 48271) % 2147483647) % 3]).join("");
  for (let round = 0; round < 200; round += 1) {
    const wanted = [letters(8), letters(9), letters(12)];
    const text = `${letters(60)}${wanted[round % 3]}${letters(60)}!!!!!!!!`;
    const pattern = new RegExp(wanted.toSorted((one, other) => other.length - one.length).join("|"), "g");
    expect(finderFor(...wanted).replace(text)).toBe(text.replace(pattern, (found) => `[${wanted.indexOf(found)}]`));
  }
});

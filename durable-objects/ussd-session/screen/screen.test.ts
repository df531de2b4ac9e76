import fc from "fast-check";
import { expect, test } from "vitest";
import { fits, graphemesOf, type ScreenLimit } from "../texts/characters.ts";
import { optionText, paginate, type Block, type Layout } from "./screen.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);

/** As the response layer calls it: with `98. More` below all but the last page, and a way back below all. */
function layout(limit: ScreenLimit, rest: Partial<Layout> = {}): Layout {
  return {
    fits: (text, { last }) => fits(`${text}${last ? "" : "\n98. More"}\n0. Back`, limit),
    ...rest,
  };
}
const standard = layout({ septets: 160, countPrefix: true });
const small = (size: number): Layout => ({ fits: (text) => text.length <= size });

function prose(text: string): Block {
  return { kind: "prose", text };
}

test("content that fits one page is one page, with its title", () => {
  const blocks: Block[] = [
    { kind: "line", text: "One" },
    { kind: "option", key: "1", label: "Two" },
  ];
  expect(paginate(blocks, { ...standard, title: "T" })).toEqual([{ text: "T\nOne\n1. Two", keys: ["1"] }]);
  expect(paginate([], standard)).toEqual([{ text: "", keys: [] }]);
});

test("prose breaks at words and keeps its line breaks within a page [PH-71]", () => {
  const pages = paginate([prose("one two\nthree four")], small(9));
  expect(pages.map(({ text }) => text)).toEqual(["one two", "three", "four"]);
  expect(paginate([prose("one two\nthree four")], small(13)).map(({ text }) => text)).toEqual([
    "one two\nthree",
    "four",
  ]);
});

test("a number with a dot stays with the word before it, so that no page of prose starts like an option", () => {
  const pages = paginate([prose("there are 2. And so on")], small(10));
  expect(pages.map(({ text }) => text)).toEqual(["there", "are 2. And", "so on"]);
});

test("drops the title before the first option", () => {
  const blocks: Block[] = [1, 2].map((key) => ({ kind: "option", key: String(key), label: "abcdef" }));
  expect(paginate(blocks, { ...small(9), title: "Title" }).map(({ text }) => text)).toEqual(["1. abcdef", "2. abcdef"]);
});

test("an option longer than a page is shortened in its label, and keeps its detail if that fits [PH-71]", () => {
  const option: Block = { kind: "option", key: "12", label: "abcdefghijklmnop", detail: "verified" };
  const [shown] = paginate([option], small(24));
  expect(shown).toEqual({ text: "12. abcdefgh..: verified", keys: ["12"] });
  expect(paginate([option], small(10))[0]).toEqual({ text: "12. abcd..", keys: ["12"] });
});

test("a word longer than a page breaks between graphemes, a grapheme longer than a page by code point [PH-71]", () => {
  const word = "e\u0301".repeat(5);
  expect(paginate([prose(word)], small(5)).map(({ text }) => text)).toEqual([
    "e\u0301e\u0301",
    "e\u0301e\u0301",
    "e\u0301",
  ]);
  expect(paginate([prose(`a${"\u0301".repeat(9)}`)], small(4)).map(({ text }) => text.length)).toEqual([4, 4, 2]);
});

test("after the maximum number of pages prose ends with the mark, and the options remain [PH-48]", () => {
  const blocks: Block[] = [prose("word ".repeat(40).trim()), { kind: "option", key: "1", label: "Again" }];
  const pages = paginate(blocks, { ...small(30), maxPages: 2, cutMark: "(cut)" });
  expect(pages).toEqual([
    { text: "word word word word word word", keys: [] },
    { text: "word word word (cut)\n1. Again", keys: ["1"] },
  ]);
  expect(paginate(blocks, { ...small(400), maxPages: 2, cutMark: "(cut)" })[0]?.text).not.toContain("(cut)");
});

const character = fc.constantFrom(...Array.from("abc é€|{ \nж你🙂"), "👍🏽", "🇰🇪", "e\u0301", "क्षि");
const text = fc.string({ unit: character, maxLength: 400 });
const label = fc.string({ unit: fc.constantFrom(...Array.from("abc é€ж你🙂"), "क्षि"), minLength: 1, maxLength: 60 });
const limits = fc.record({ septets: fc.integer({ min: 100, max: 182 }), countPrefix: fc.boolean() });
const withoutSpace = (value: string): string => value.replace(/\s+/gu, "");

test("every page fits, and the pages of any prose add up to the prose [PH-71]", () => {
  fc.assert(
    fc.property(text, limits, (content, limit) => {
      const pages = paginate([prose(content)], layout(limit));
      for (const [index, page] of pages.entries())
        expect(layout(limit).fits(page.text, { first: index === 0, last: index === pages.length - 1 })).toBe(true);
      expect(withoutSpace(pages.map((page) => page.text).join(""))).toBe(withoutSpace(content));
      // Every grapheme of the whole appears on one page.
      const whole = graphemesOf(content).filter((grapheme) => grapheme.trim() !== "");
      const paged = pages.flatMap((page) => graphemesOf(page.text)).filter((grapheme) => grapheme.trim() !== "");
      expect(paged).toEqual(whole);
    }),
    { numRuns },
  );
});

test("every option of any list is on one page, once, in order, under its number [PH-71]", () => {
  const lists = fc.array(fc.record({ label, detail: fc.option(label, { nil: undefined }) }), {
    minLength: 1,
    maxLength: 50,
  });
  fc.assert(
    fc.property(lists, limits, fc.boolean(), (entries, limit, titled) => {
      const options = entries.map(({ label, detail }, index): Extract<Block, { kind: "option" }> => ({
        kind: "option",
        key: String(index + 1),
        label,
        ...(detail === undefined ? {} : { detail }),
      }));
      const pages = paginate(options, layout(limit, titled ? { title: "Domains" } : {}));
      expect(pages.flatMap(({ keys }) => keys)).toEqual(options.map(({ key }) => key));
      for (const [index, page] of pages.entries()) {
        expect(layout(limit).fits(page.text, { first: index === 0, last: index === pages.length - 1 })).toBe(true);
        const lines = page.text.split("\n").filter((line) => line !== "Domains");
        expect(lines).toHaveLength(page.keys.length);
        for (const [at, key] of page.keys.entries()) {
          const option = options[Number(key) - 1];
          const whole = option === undefined ? "" : optionText(option);
          expect(lines[at]?.startsWith(`${key}. `)).toBe(true);
          expect(lines[at] === whole || lines[at]?.includes("..")).toBe(true);
        }
      }
    }),
    { numRuns },
  );
});

/** Text from elsewhere on a phone's screen (contract/ussd.md section 6). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { cut, foldToGsm7, graphemesOf, printableLine, printableProse } from "./folding.ts";
import { isGsm7, widthOf } from "./septets.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);
const anyText = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom(...Array.from("aé ç\u0301\u0327\n\r\t\u202E\u200D1.*#0_`[](){}|€ж你🙂مـ한ᄀ")) }),
);

test.each([
  ["“quoted” ‘text’ it’s", "\"quoted\" 'text' it's"],
  ["a–b—c…", "a-b-c..."],
  ["non\u00A0breaking", "non breaking"],
  ["çêâîôûëïãõáíóú", "ceaioueiaoaiou"],
  ["ÇÉéèàùìòñöüäå", "ÇÉéèàùìòñöüäå"],
  ["Jose\u0301 Łukasz Đặng œuf", "José Lukasz Dang oeuf"],
  ["€5 {x}", "€5 {x}"],
  ["CO₂ at 25 m² ½ ™", "CO2 at 25 m2 1/2 TM"],
  ["A → B ≥ 3 © 2026", "A -> B >= 3 (c) 2026"],
  ["Done 👍🏽 ❤️ 🇰🇪!", "Done   !"],
])("%j folds to %j", (text, folded) => {
  expect(foldToGsm7(text)).toBe(folded);
  expect(isGsm7(folded)).toBe(true);
});

test.each(["你好", "مرحبا", "Привет", "안녕", "አማርኛ"])("%s stays as it is", (text) => {
  expect(foldToGsm7(text)).toBe(text);
});

test.each([
  ["Farm\n0. Back", "Farm 0. Back"],
  ["1. Delete everything", "1) Delete everything"],
  ["*. Exit", "*) Exit"],
  ["  two\t\twords ", "two words"],
  ["a\u202Eb\u200Bc\u0007", "abc"],
  ["3.5 ha", "3.5 ha"],
  ["25°C 🔥 now", "25 deg C now"],
  ["👩‍👩‍👧‍👦 family", "family"],
])("a name %j is printed as %j", (text, printed) => {
  expect(printableLine(text)).toBe(printed);
});

test.each([
  ["# Title\n\n**Bold** and *soft* and `code`", "Title\nBold and soft and code"],
  ["1. Maize\n2. Beans", "1) Maize\n2) Beans"],
  ["* one\n- two\n• three", "- one\n- two\n- three"],
  ["See [the page](https://example.org/a)", "See the page"],
  ["```ts\nx\n```", "x"],
  ["a<br>b <b>c</b>", "ab c"],
  ["3 * 4 * 5 and snake_case_name", "3 * 4 * 5 and snake_case_name"],
])("an answer %j is printed as %j", (text, printed) => {
  expect(printableProse(text)).toBe(printed);
});

test("folding twice is folding once, and text of the alphabet is left alone", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const folded = foldToGsm7(text);
      expect(foldToGsm7(folded)).toBe(folded);
      expect(isGsm7(text) && folded !== text).toBe(false);
    }),
    { numRuns },
  );
});

test("whatever comes, a line is one line that starts no option", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const printed = printableLine(text);
      expect(printed).not.toMatch(/[\p{Cc}\p{Cs}\u200B-\u200F\u202A-\u202E]/u);
      expect(printed).not.toMatch(/^(?:\d+|\*)\.\s/);
      expect(printableLine(printed)).toBe(printed);
      for (const line of printableProse(text).split("\n")) expect(line).not.toMatch(/^(?:\d+|\*)\.\s/);
    }),
    { numRuns },
  );
});

test("cutting keeps to the width and to whole graphemes", () => {
  expect(cut("Cooperative of the northern valley", 24)).toBe("Cooperative of the nor..");
  expect(cut("exactly 24 characters ok", 24)).toBe("exactly 24 characters ok");
  fc.assert(
    fc.property(anyText, fc.integer({ min: 2, max: 40 }), (text, width) => {
      const shortened = cut(text, width);
      expect(widthOf(shortened)).toBeLessThanOrEqual(width);
      if (shortened === text) return;
      const kept = graphemesOf(shortened.slice(0, -2));
      expect(graphemesOf(text).slice(0, kept.length)).toEqual(kept);
    }),
    { numRuns },
  );
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { septetsOf } from "../../../shared/gsm7.ts";
import {
  cut,
  fits,
  foldToGsm7,
  graphemesOf,
  isGsm7,
  printableLine,
  printableProse,
  sanitise,
  widthOf,
  type ScreenLimit,
} from "./characters.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);
const withPrefix: ScreenLimit = { septets: 160, countPrefix: true };
const bodyOnly: ScreenLimit = { septets: 160, countPrefix: false };

test.each(["ç", "ê", "á", "ã", "`", "\r", "\t", "’", "—", "م", "你", "🙂"])(
  "%j is outside the alphabet [PH-69]",
  (text) => {
    expect(isGsm7(text)).toBe(false);
    expect(widthOf(text)).toBe(text.length);
  },
);

test("counts the prefix or not, to the septet [PH-68]", () => {
  expect([fits("a".repeat(156), withPrefix), fits("a".repeat(157), withPrefix)]).toEqual([true, false]);
  expect([fits("a".repeat(160), bodyOnly), fits("a".repeat(161), bodyOnly)]).toEqual([true, false]);
  expect([fits("€".repeat(78), withPrefix), fits("€".repeat(79), withPrefix)]).toEqual([true, false]);
});

test("one character outside the alphabet makes the whole reply UCS-2 [PH-69]", () => {
  const body = (units: number): string => `ж${"a".repeat(units - 1)}`;
  expect([fits(body(66), withPrefix), fits(body(67), withPrefix)]).toEqual([true, false]);
  expect([fits(body(70), bodyOnly), fits(body(71), bodyOnly)]).toEqual([true, false]);
  // A character beyond the basic plane is two units.
  expect([fits("🙂".repeat(33), withPrefix), fits("🙂".repeat(34), withPrefix)]).toEqual([true, false]);
});

test("sizes add up, and a text that does not fit does not fit with more text after it", () => {
  const text = fc.string({ unit: fc.constantFrom(...Array.from("ab é\n€{|ж🙂1.")), maxLength: 200 });
  fc.assert(
    fc.property(text, text, fc.integer({ min: 100, max: 182 }), fc.boolean(), (one, two, septets, countPrefix) => {
      const [first, second] = [septetsOf(one), septetsOf(two)];
      expect(septetsOf(one + two)).toBe(first === undefined || second === undefined ? undefined : first + second);
      const limit = { septets, countPrefix };
      expect(!fits(one, limit) && fits(one + two, limit)).toBe(false);
    }),
    { numRuns },
  );
});

test.each([
  ["  John  ", "John"],
  ["John\tDoe\r\n", "John Doe"],
  ["Jose\u0301", "José"],
  ['O\'Brien-Smith "Jo"', 'O\'Brien-Smith "Jo"'],
  ["a\u202Eb\u200Dc\uFEFFd\u0000e\u009Ff", "abcdef"],
  ["a \u00A0  b", "a b"],
  ["'; DROP TABLE customers; --", "'; DROP TABLE customers; --"],
  ["%s%n <b>", "%s%n <b>"],
  ["🙂", "🙂"],
  ["\uD83D", ""],
  ["\u200B \t", ""],
  ["\u3164\u115F\u{E0041}", ""],
])("%j is cleaned to %j [PH-14]", (input, clean) => {
  expect(sanitise(input)).toBe(clean);
});

test("cleaning is idempotent, and nothing invisible is left [PH-14]", () => {
  const input = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom(...Array.from("ae \u0301\u0327\u200D\t\n\u00A0\u202E")) }),
  );
  fc.assert(
    fc.property(input, (text) => {
      const clean = sanitise(text);
      expect(sanitise(clean)).toBe(clean);
      expect(clean).toBe(clean.normalize("NFC").trim());
      expect(clean).not.toMatch(/[\p{Cc}\p{Cs}\u200B-\u200F\u202A-\u202E\u2066-\u2069\u3164\uFEFF]| {2}/u);
    }),
    { numRuns },
  );
});

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
])("%j folds to %j [PH-70]", (text, folded) => {
  expect(foldToGsm7(text)).toBe(folded);
  expect(isGsm7(folded)).toBe(true);
});

test.each(["你好", "مرحبا", "Привет", "안녕", "አማርኛ"])("%s is unchanged [PH-70]", (text) => {
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

test("folding is idempotent, and text of the alphabet is unchanged [PH-70]", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const folded = foldToGsm7(text);
      expect(foldToGsm7(folded)).toBe(folded);
      expect(isGsm7(text) && folded !== text).toBe(false);
    }),
    { numRuns },
  );
});

test("any text becomes one line that does not start an option [PH-70]", () => {
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

test("cutting respects the width and whole graphemes", () => {
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

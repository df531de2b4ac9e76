import fc from "fast-check";
import { expect, test } from "vitest";
import { septetsOf, ucs2Limit } from "../../durable-objects/ussd-session/texts/characters.ts";
import { sizeOf } from "./screen-size.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

test.each([
  ["CON Hi", { characters: 6, alphabet: "septets", size: 6, most: 182 }],
  ["CON €[", { characters: 6, alphabet: "septets", size: 8, most: 182 }],
  ["CON ñ\n", { characters: 6, alphabet: "septets", size: 6, most: 182 }],
  ["CON 水", { characters: 5, alphabet: "UCS-2 units", size: 5, most: 80 }],
  ["CON 😀", { characters: 5, alphabet: "UCS-2 units", size: 6, most: 80 }],
])("%j", (text, size) => {
  expect(sizeOf(text)).toEqual(size);
});

test("the phone counts as the gateway does", () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom(...Array.from("aÉ\n^{}\\[~]|€ç@水")), fc.string({ unit: "binary", maxLength: 1 })),
  });
  fc.assert(
    fc.property(text, (each) => {
      const { alphabet, size, most } = sizeOf(each);
      const septets = septetsOf(each);
      expect([alphabet, size]).toEqual(septets === undefined ? ["UCS-2 units", each.length] : ["septets", septets]);
      expect(most).toBe(septets === undefined ? ucs2Limit(182) : 182);
    }),
    { numRuns },
  );
});

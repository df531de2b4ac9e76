/** The text of API keys: contract/registry.md section 9 and the key vectors of 14.1. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { environmentOf, KEY_BYTES, keyText, START_LENGTH } from "./key-text.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const ascending = Uint8Array.from({ length: KEY_BYTES }, (_, at) => at);

describe("14.1 vectors", () => {
  test.each([
    ["test", new Uint8Array(KEY_BYTES), "twe_test_00000000000000000000000000000000000000000003mGoWr"],
    ["live", ascending, "twe_live_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf4a1gvl"],
    ["live", new Uint8Array(KEY_BYTES).fill(0xff), "twe_live_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp12HVfJN"],
  ] as const)("a %s key", (environment, bytes, text) => {
    expect(keyText(environment, bytes)).toBe(text);
    expect(environmentOf(text)).toBe(environment);
  });
});

const anyKey = fc
  .tuple(
    fc.constantFrom("live" as const, "test" as const),
    fc.uint8Array({ minLength: KEY_BYTES, maxLength: KEY_BYTES }),
  )
  .map(([environment, bytes]) => ({ environment, text: keyText(environment, bytes) }));

test("every key has 58 characters and is known again by its environment", () => {
  fc.assert(
    fc.property(anyKey, ({ environment, text }) => {
      expect(text).toMatch(/^twe_(live|test)_[0-9A-Za-z]{49}$/);
      expect(text).toHaveLength(58);
      expect(environmentOf(text)).toBe(environment);
    }),
    { numRuns },
  );
});

test("one wrong character, anywhere, is known as such", () => {
  fc.assert(
    fc.property(
      anyKey,
      fc.nat(57),
      fc.constantFrom("0", "9", "A", "Z", "a", "z", "_", "-", "é"),
      ({ text }, at, wrong) => {
        fc.pre(text.charAt(at) !== wrong);
        expect(environmentOf(text.slice(0, at) + wrong + text.slice(at + 1))).toBeUndefined();
      },
    ),
    { numRuns },
  );
});

test.each(["", "twe_live_", `${keyText("live", ascending)}0`, ` ${keyText("live", ascending)}`, "Bearer x"])(
  "%j is no key",
  (text) => {
    expect(environmentOf(text)).toBeUndefined();
  },
);

test("what people see of a key tells its environment and four characters", () => {
  expect(keyText("live", ascending).slice(0, START_LENGTH)).toBe("twe_live_003a");
});

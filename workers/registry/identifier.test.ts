/** Identifiers of keys and proposals. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { base62, newIdentifier } from "./did.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

test("22 characters hold 128 bits, including the greatest number", () => {
  expect(newIdentifier("key", (count) => new Uint8Array(count))).toBe(`key_${"0".repeat(22)}`);
  const greatest = newIdentifier("prp", (count) => new Uint8Array(count).fill(0xff));
  expect(greatest).toMatch(/^prp_[0-9A-Za-z]{22}$/);
});

test("base62 text is a number in base 62 that decodes to the bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      const number = Array.from(base62(bytes, 22)).reduce(
        (sum, digit) => sum * 62n + BigInt(ALPHABET.indexOf(digit)),
        0n,
      );
      const hexadecimal = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
      expect(number.toString(16).padStart(32, "0")).toBe(hexadecimal);
    }),
    { numRuns },
  );
});

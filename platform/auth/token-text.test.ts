/** The text form of a token. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { FIELD_VECTOR } from "../../test/support/auth/ucan.ts";
import { decodeTokenText, encodeTokenText, MAX_TOKEN_CHARACTERS } from "./ucan-token.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

it("reads standard and URL-safe text, padded and not, and never truncates [OR-9]", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), (bytes) => {
      const standard = encodeTokenText(bytes);
      const urlSafe = standard.replaceAll("+", "-").replaceAll("/", "_");
      for (const text of [
        standard,
        urlSafe,
        standard.replaceAll("=", ""),
        urlSafe.replaceAll("=", ""),
        ` ${standard}\n`,
      ]) {
        expect(decodeTokenText(text)).toEqual(bytes);
      }
    }),
    { numRuns },
  );
});

it.each([
  ["nothing", ""],
  ["blanks", "   "],
  ["a mix of both alphabets", "ab+_"],
  ["a blank inside", "OqJl cm9v"],
  ["a line break inside", "OqJl\ncm9v"],
  ["one character too many", "OqJlc"],
  ["unneeded padding", "OqJl="],
  ["too little padding", "Og="],
  ["too much padding", "Oq==="],
  ["padding alone", "===="],
  ["padding in the middle", "Og==OqJl"],
  ["left-over bits", "Oh=="],
  ["left-over bits without padding", "Oh"],
  ["a multibase prefix's worth of other text", "mOqJl!"],
])("refuses %s [OR-9]", (_, text) => {
  expect(decodeTokenText(text)).toBeUndefined();
});

it("agrees with the platform's decoder on everything that it reads", () => {
  const readable = fc
    .stringMatching(/^[A-Za-z0-9+/]{0,12}={0,2}$/)
    .filter((text) => decodeTokenText(text) !== undefined);
  fc.assert(
    fc.property(readable, (text) => {
      expect(String.fromCharCode(...(decodeTokenText(text) ?? []))).toBe(atob(text));
    }),
    { numRuns },
  );
});

it("accepts 48 KiB of text and not one character more", () => {
  const longest = "A".repeat(MAX_TOKEN_CHARACTERS);
  expect(decodeTokenText(longest)).toHaveLength((MAX_TOKEN_CHARACTERS / 4) * 3);
  expect(decodeTokenText(`  ${longest}  `)).toBeDefined();
  expect(decodeTokenText(`${longest}AA`)).toBeUndefined();
  expect(decodeTokenText(`${longest}AAAA`)).toBeUndefined();
});

it("writes the encoding of the established client", () => {
  expect(encodeTokenText(decodeTokenText(FIELD_VECTOR.token) ?? new Uint8Array())).toBe(FIELD_VECTOR.token);
});

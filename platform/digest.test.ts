import { expect, test } from "vitest";
import { equalBytes, equalTexts, hexOf, sha256, sha256Hex } from "./digest.ts";

test("the digest of a text covers its UTF-8", async () => {
  expect(await sha256Hex("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(await sha256("é")).toEqual(await sha256(Uint8Array.of(0xc3, 0xa9)));
  expect(hexOf(Uint8Array.of(0, 10, 255))).toBe("000aff");
});

test("values that differ in one byte or one character are unequal", async () => {
  const one = Uint8Array.of(1, 2, 3);
  expect(equalBytes(one, Uint8Array.of(1, 2, 3))).toBe(true);
  for (const other of [[0, 2, 3], [1, 2, 4], [1, 2], [1, 2, 3, 0], []])
    expect(equalBytes(one, Uint8Array.from(other))).toBe(false);
  expect(await equalTexts("secret", "secret")).toBe(true);
  for (const other of ["secreT", "secre", "secret ", ""]) expect(await equalTexts("secret", other)).toBe(false);
});

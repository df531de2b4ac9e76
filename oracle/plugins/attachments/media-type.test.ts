/** Which types are read; bytes of one type never pass as another. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agrees, charsetOf, imageTypeOf, readingOf } from "./media-type.ts";

const runs = { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 100) };
const latin = (text: string): number[] => Array.from(text, (sign) => sign.charCodeAt(0));

/** The signatures of each type. */
const beginnings: Readonly<Record<string, readonly number[]>> = {
  "image/png": [0x89, ...latin("PNG\r\n\u001a\n")],
  "image/jpeg": [0xff, 0xd8, 0xff, 0xe0],
  "image/gif": latin("GIF89a"),
  "image/webp": [...latin("RIFF"), 1, 2, 3, 4, ...latin("WEBPVP8 ")],
  "application/pdf": latin("%PDF-1.7"),
};
const texts = ["text/plain", "text/csv", "text/markdown", "text/html", "application/json"];
const others = [
  latin("PK\u0003\u0004\0\0"),
  latin("\u007fELF\0"),
  latin("MZ\u0090\0"),
  latin("\u001f\u008b\0"),
  latin("OggS\0"),
];

describe("bytes and the declared type [OR-323]", () => {
  test("agree for files of their type, whatever follows the signature", () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(beginnings)), fc.uint8Array(), (type, rest) => {
        expect(agrees(type, Uint8Array.from([...(beginnings[type] ?? []), ...rest]))).toBe(true);
      }),
      runs,
    );
  });

  test("never agree for files of another type", () => {
    const shown = fc.constantFrom(...Object.entries(beginnings), ...others.map((bytes) => ["other", bytes] as const));
    const declared = fc.constantFrom(...Object.keys(beginnings), ...texts);
    fc.assert(
      fc.property(shown, declared, fc.uint8Array(), ([type, bytes], claimed, rest) => {
        fc.pre(type !== claimed);
        expect(agrees(claimed, Uint8Array.from([...bytes, ...rest]))).toBe(false);
      }),
      runs,
    );
  });

  test("never agree for an image or a PDF that is truncated within its signature", () => {
    for (const [type, bytes] of Object.entries(beginnings))
      for (let length = 0; length < 3; length += 1)
        expect(agrees(type, Uint8Array.from(bytes.slice(0, length)))).toBe(false);
  });

  test("agree for any text without a NUL", () => {
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.string({ unit: "grapheme" }), (type, text) => {
        fc.pre(!text.includes("\0"));
        expect(agrees(type, new TextEncoder().encode(text))).toBe(true);
      }),
      runs,
    );
  });
});

test.each([
  ["image/png", "image"],
  ["IMAGE/JPG", "image"],
  ["image/svg+xml", undefined],
  ["image/heic", undefined],
  ["text/csv; charset=utf-8", "text"],
  ["text/html", "html"],
  ["application/xhtml+xml", "html"],
  ["application/json", "text"],
  ["application/pdf", "pdf"],
  ["application/octet-stream", undefined],
  ["audio/mpeg", undefined],
  ["video/mp4", undefined],
  ["", undefined],
])("%s is read as %s [OR-323]", (type, reading) => {
  expect(readingOf(type)).toBe(reading);
});

test("parameters of a type", () => {
  expect(charsetOf('text/plain; a=b; charset="iso-8859-1"')).toBe("iso-8859-1");
  expect(charsetOf("text/plain")).toBe("utf-8");
  expect(imageTypeOf("image/JPG; q=1")).toBe("image/jpeg");
});

/** PDFs that would cost more than they hold: repeated objects, forms in forms, images. */
import { deflateSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import { makePackedPdf, makePdfOf, makeRawPdf } from "../../../test/support/peers/media-files.ts";
import { READING_MS } from "./limits.ts";
import { MAPPED_CHARACTERS } from "./pdf-structure.ts";
import { readContent } from "./read-content.ts";

const never = new AbortController().signal;

test("a page of forms in forms is given up when the time is over, and the PDF library ends [OR-433, OR-565]", async () => {
  const [levels, width] = [20, 8];
  // A slice for the cross-reference and one for the file, one for each part that is unpacked, and the one before the page.
  const restsBeforePage = 2 + (1 + levels * width) + 1;
  const controller = new AbortController();
  let rests = 0;
  let ticks = 0;
  // The forms are packed, so that other work runs between them; 8 to the power of 20 of them would not end.
  const tick = (): void => {
    ticks += 1;
    if (ticks < 1_000) setImmediate(tick);
    else controller.abort();
  };
  const time = {
    now: () => 0,
    rest() {
      rests += 1;
      if (rests === restsBeforePage) tick();
      return new Promise<void>((resolve) => setImmediate(resolve));
    },
    timeout(milliseconds: number) {
      expect(milliseconds).toBe(READING_MS);
      return controller.signal;
    },
  };
  let unpackings = 0;
  class CountedStream extends DecompressionStream {
    constructor(format: ConstructorParameters<typeof DecompressionStream>[0]) {
      super(format);
      unpackings += 1;
    }
  }
  vi.stubGlobal("DecompressionStream", CountedStream);
  try {
    const bytes = Uint8Array.from(formsInForms(levels, width));
    expect(await readContent({ mimetype: "application/pdf" }, bytes, time)).toMatchObject({
      kind: "text",
      text: "## Page 1\n",
    });
    const atEnd = unpackings;
    expect(atEnd).toBeGreaterThan(levels * width);
    for (let tick = 0; tick < 1_000; tick += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(unpackings).toBe(atEnd);
  } finally {
    vi.unstubAllGlobals();
  }
});

/** A page that calls a form; each of a level calls all of the next one. */
function formsInForms(levels: number, width: number): Uint8Array {
  const stream = (dictionary: string, data: string): string => {
    const packed = deflateSync(Buffer.from(data));
    return `<< ${dictionary} /Filter /FlateDecode /Length ${packed.length} >>\nstream\n${packed.toString("latin1")}\nendstream`;
  };
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /XObject << /A 5 0 R >> >> >>",
    stream("", "/A Do"),
  ];
  for (let form = 0; form < levels * width; form += 1) {
    const next = (Math.floor(form / width) + 1) * width;
    const names = Array.from({ length: width }, (_, index) => `/N${index} ${5 + next + index} 0 R`).join(" ");
    const calls = Array.from({ length: width }, (_, index) => `/N${index} Do`).join(" ");
    objects.push(stream(`/Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << ${names} >> >>`, calls));
  }
  return makePdfOf(objects);
}

describe("a PDF that repeats itself is not read [OR-439]", () => {
  const time = { now: () => 0, rest: () => Promise.resolve(), timeout: () => never };
  const words = "BT /F1 12 Tf (hello) Tj ET";
  const readWith = (object: string | Uint8Array, page: Uint8Array = makeRawPdf(Buffer.from(words))) =>
    readContent(
      { mimetype: "application/pdf" },
      Uint8Array.from(
        Buffer.concat([
          page,
          Buffer.from("\n7 0 obj\n"),
          Buffer.from(object as Uint8Array),
          Buffer.from("\nendobj\n"),
          page,
        ]),
      ),
      time,
    );
  const packed = (text: string): Uint8Array => {
    const data = deflateSync(Buffer.from(text));
    return Buffer.concat([
      Buffer.from(`<< /Filter /FlateDecode /Length ${data.length} >>\nstream\n`),
      data,
      Buffer.from("\nendstream"),
    ]);
  };
  const refused = { kind: "failed", reason: "the PDF repeats its contents too often" };
  const read = { kind: "text", text: "## Page 1\nhello" };
  const range = (last: string) => `1 beginbfrange <0000> <${last}> <0041> endbfrange`;

  test.each([
    ["a table", packed(range((MAPPED_CHARACTERS - 1).toString(16))), packed(range(MAPPED_CHARACTERS.toString(16)))],
    ["tables", packed(range("ffff").repeat(15)), packed(range("ffff").repeat(16))],
    [
      "a table in another form",
      packed("1 beginbfchar (a) <0041> endbfchar"),
      packed("1 beginbfrange (a) (b) <0041> endbfrange"),
    ],
  ])("by %s", async (_, few, many) => {
    expect(await readWith(few)).toMatchObject(read);
    expect(await readWith(many)).toEqual(refused);
  });

  test("but one with many pages and lists of different objects is read", async () => {
    expect(await readWith(`[${Array.from({ length: 5_000 }, (_, index) => `${index} 0 R`).join(" ")}]`)).toMatchObject(
      read,
    );
  });
});

test("a part of a PDF that is too large is omitted, and the rest is read [OR-325]", async () => {
  const words = Buffer.from("BT /F1 12 Tf (hello) Tj ET");
  const large = deflateSync(Buffer.alloc(2_000_000));
  const part = `7 0 obj\n<< /Filter /FlateDecode /Length ${large.length} >>\nstream\n`;
  const pdf = Buffer.concat([
    makeRawPdf(words),
    Buffer.from(part),
    large,
    Buffer.from("\nendstream\nendobj\n"),
    makeRawPdf(words),
  ]);
  const time = { now: () => 0, rest: () => Promise.resolve(), timeout: () => never };
  expect(await readContent({ mimetype: "application/pdf" }, Uint8Array.from(pdf), time)).toMatchObject({
    text: "[The PDF has parts that are too large to read: 1]\n## Page 1\nhello",
  });
});

describe("images in a PDF [OR-434]", () => {
  const text = "BT /F1 12 Tf (hello) Tj ET";
  const time = { now: () => 0, rest: () => Promise.resolve(), timeout: () => never };
  const read = (pdf: Uint8Array) => readContent({ mimetype: "application/pdf" }, Uint8Array.from(pdf), time);

  test.each([
    ["photos", "/Filter /DCTDecode", Buffer.of(0xff, 0xd8, 0xff)],
    ["large", "/Filter /FlateDecode", deflateSync(Buffer.alloc(30_000_000))],
    ["packed twice", "/Filter [/FlateDecode /DCTDecode]", deflateSync(Buffer.of(0xff, 0xd8))],
  ])("are not unpacked: %s", async (_, filter, packed) => {
    const image = `7 0 obj\n<< /Subtype /Image ${filter} /Length ${packed.length} >>\nstream\n`;
    const pdf = Buffer.concat([
      makeRawPdf(Buffer.from(text)),
      Buffer.from(image),
      packed,
      Buffer.from("\nendstream\nendobj\n"),
      makeRawPdf(Buffer.from(text)),
    ]);
    expect(await read(pdf)).toMatchObject({ kind: "text", text: "## Page 1\nhello" });
  });

  test("that are the contents of a page have no text", async () => {
    expect(await read(makePackedPdf("/Subtype /Image /Filter /FlateDecode", deflateSync(Buffer.from(text))))).toEqual({
      kind: "text",
      text: "## Page 1\n",
      omitted: 0,
    });
  });
});

/** The text of files of each kind, where it is cut, and files that cannot be read. */
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { makePackedPdf, makePdf, makeRawPdf, redPixel } from "../../../test/support/peers/media-files.ts";
import { IMAGE_BYTES, PDF_PAGES, PDF_PART_BYTES, READING_MS, TEXT_LENGTH } from "./limits.ts";
import { readContent } from "./read-content.ts";

const never = new AbortController().signal;
const utf8 = (text: string) => new TextEncoder().encode(text);
const read = (mimetype: string, bytes: Uint8Array) =>
  readContent({ mimetype }, new Uint8Array(bytes), {
    now: () => 0,
    rest: () => Promise.resolve(),
    timeout: () => never,
  });
const text = (text: string, omitted = 0) => ({ kind: "text", text, omitted });
const failed = (reason: string) => ({ kind: "failed", reason });

describe("text [OR-324]", () => {
  test.each([
    ["text/plain", utf8("Zürich 🌱\r\nsecond"), "Zürich 🌱\nsecond"],
    ["text/csv", utf8("a,b\n1,2"), "a,b\n1,2"],
    ["text/markdown", utf8("# Title\n\ttext"), "# Title\n\ttext"],
    ["application/json", utf8('{"a":1}'), '{"a":1}'],
    ["text/plain; charset=iso-8859-1", Uint8Array.of(0x5a, 0xfc), "Zü"],
    ["text/plain", Uint8Array.of(0xff, 0xfe, 0x41, 0, 0x42, 0), "AB"],
    ["text/plain", Uint8Array.of(0xef, 0xbb, 0xbf, 0x41), "A"],
    ["text/plain", utf8("a\u001b[31mred\u0007"), "a[31mred"],
  ])("of %s", async (mimetype, bytes, expected) => {
    expect(await read(mimetype, bytes)).toEqual(text(expected));
  });

  test("is cut at 50,000 units, without splitting a character", async () => {
    expect(TEXT_LENGTH).toBe(50_000);
    expect(await read("text/plain", utf8("a".repeat(50_000)))).toEqual(text("a".repeat(50_000)));
    expect(await read("text/plain", utf8("a".repeat(50_001)))).toEqual(text("a".repeat(50_000), 1));
    const cut = await read("text/plain", utf8(`${"a".repeat(49_999)}🌱`));
    expect(cut.kind === "text" && cut.text.isWellFormed()).toBe(true);
  });

  test.each([
    ["text/plain", Uint8Array.of(0x5a, 0xfc), "it is not text in the character set that it declares"],
    ["text/plain; charset=klingon", utf8("a"), "its character set is unknown"],
    ["text/plain", utf8(" \n"), "it contains no text"],
    ["text/plain", Uint8Array.of(0x41, 0, 0x42), "its content does not match its type"],
    ["text/plain", redPixel, "its content does not match its type"],
    ["image/png", utf8("<svg>"), "its content does not match its type"],
    ["image/jpeg", redPixel, "its content does not match its type"],
    ["application/pdf", utf8("PDF"), "its content does not match its type"],
  ])("%s that cannot be read", async (mimetype, bytes, reason) => {
    expect(await read(mimetype, bytes)).toEqual(failed(reason));
  });
});

describe("HTML [OR-324]", () => {
  const page = (body: string) => read("text/html", utf8(body));

  test.each([
    ["<h1>Maize</h1><p>5&nbsp;tonnes &amp; more</p>", "Maize\n\n5 tonnes & more"],
    ["<p>a<script>alert('no')</script>b<style>p{}</style></p><!-- c -->", "ab"],
    ["<table><tr><td>1<td>2</tr></table>", "1\t2"],
    ["unclosed <b>bold <i>and &lt;tag&gt;", "unclosed bold and <tag>"],
    ["<img src=x onerror=alert(1)>seen<svg><text>no</text></svg>", "seen"],
  ])("%s", async (html, expected) => {
    expect(await page(html)).toEqual(text(expected));
  });

  test("is cut, and deeply nested or unclosed elements are read too", async () => {
    expect(await page(`<p>${"a".repeat(60_000)}`)).toMatchObject({ kind: "text", text: "a".repeat(50_000) });
    expect(await page(`${"<div>".repeat(100_000)}deep`)).toEqual(text("deep"));
    expect(await page("<script>never closed")).toEqual(failed("it contains no text"));
  });
});

describe("PDF [OR-325]", () => {
  test("is read page by page", async () => {
    const pdf = await makePdf(["The harvest was 42 tonnes.", "", "Thank you."]);
    expect(await read("application/pdf", pdf)).toEqual(
      text("## Page 1\nThe harvest was 42 tonnes.\n\n## Page 2\n\n\n## Page 3\nThank you."),
    );
  });

  test("pages after the last read page are named", async () => {
    const pdf = await makePdf(Array.from({ length: PDF_PAGES + 2 }, (_, index) => `n${index}`));
    const content = await read("application/pdf", pdf);
    expect(content.kind === "text" && content.text.endsWith(`n499\n\n[Pages 501 to 502 were not read]`)).toBe(true);
  });

  test("reading ends at its time limit", async () => {
    const pdf = await makePdf(["one", "two"]);
    const readUntil = async (last: number) => {
      let rests = 0;
      const time = {
        now: () => (rests < last ? 0 : READING_MS + 1),
        rest: () => Promise.resolve(void (rests += 1)),
        timeout: () => never,
      };
      return { content: await readContent({ mimetype: "application/pdf" }, new Uint8Array(pdf), time), rests };
    };
    const whole = await readUntil(Infinity);
    expect(whole.content).toEqual(text("## Page 1\none\n\n## Page 2\ntwo"));
    // After the second to last pause, the second page has begun.
    const { content } = await readUntil(whole.rests - 1);
    expect(content).toMatchObject({ kind: "text", text: expect.stringContaining("[Pages 2 to 2 were not read]") });
  });

  test("a PDF that unpacks to more than a reader can hold is not read", async () => {
    const words = Buffer.from("BT /F1 12 Tf (hello) Tj ET");
    const padded = (size: number): Uint8Array => makeRawPdf(Buffer.concat([words], size));
    expect(PDF_PART_BYTES).toBe(1_000_000);
    expect(await read("application/pdf", padded(PDF_PART_BYTES))).toEqual(text("## Page 1\nhello"));
    const bomb = padded(PDF_PART_BYTES + 1);
    expect(bomb.length).toBeLessThan(30_000);
    expect(await read("application/pdf", bomb)).toEqual(failed("the PDF unpacks to more than can be read"));
  });

  const words = Buffer.from("BT /F1 12 Tf (hello) Tj ET");
  const once = deflateSync(words);
  const hex = (bytes: Buffer): Buffer => Buffer.from(`${bytes.toString("hex")}>`);

  test.each([
    ["packed twice", "/Filter [/FlateDecode /FlateDecode]", deflateSync(once)],
    ["packed behind digits", "/Filter [ /ASCIIHexDecode/FlateDecode ]", hex(once)],
    ["in short names", "/F [/AHx /Fl]", hex(once)],
    ["in disguised names", "/F#69lter [/ASCIIHexDecode /Flate#44ecode]", hex(once)],
    ["by lengths of runs", "/Filter /RunLengthDecode", Buffer.of(words.length - 1, ...words, 128)],
    ["as a photo that is none", "/Filter /DCTDecode", Buffer.of(0xff, 0xd8, 0xff)],
    ["by Brotli", "/Filter /BrotliDecode", Buffer.of(0x0b, 0x02, 0x80, 0x61, 0x03)],
    ["as digits", "/Filter /ASCIIHexDecode", hex(words)],
    ["by LZW", "/Filter/LZWDecode", Buffer.of(0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01)],
    ["by what another object says", "/Filter 6 0 R", once],
    ["behind a comment", "/Filter %\n[/FlateDecode /FlateDecode]", deflateSync(once)],
    ["by a list of references", "/Filter [6 0 R 6 0 R]", deflateSync(once)],
    // A reader decrypts it first; an empty password needs no input.
    ["by encryption", "/Filter /FlateDecode /X << /Encrypt 6 0 R >>", once],
    ["by encryption in a disguised name", "/#45ncrypt 6 0 R /Filter /FlateDecode", once],
  ])("a PDF of unknown unpacked size, %s, is not read", async (_, filter, packed) => {
    expect(await read("application/pdf", makePackedPdf(filter, packed))).toEqual(
      failed("the PDF is compressed in a way whose size cannot be known"),
    );
  });

  test.each([
    ["a list of one", "/Filter [/FlateDecode]", once],
    ["none", "/F 4 /EncryptMetadata false /Filter[]", words],
  ])("a PDF packed as %s is read", async (_, filter, packed) => {
    expect(await read("application/pdf", makePackedPdf(filter, packed))).toEqual(text("## Page 1\nhello"));
  });

  test("long text on one page is cut, and the rest is not read", async () => {
    const words = makeRawPdf(Buffer.from("BT /F1 12 Tf 10 100 Td (hello) Tj ET\n".repeat(20_000)));
    const content = await read("application/pdf", words);
    expect(content).toMatchObject({ kind: "text", text: expect.stringMatching(/^## Page 1\nhello\s*hello/) });
    expect(content.kind === "text" && [content.text.length, content.omitted > 0]).toEqual([50_000, true]);
  });

  test("a damaged or empty PDF fails alone", async () => {
    const pdf = await makePdf(["whole"]);
    const damaged = "the PDF is damaged: its cross-reference is not where it should be";
    expect(await read("application/pdf", utf8("%PDF-1.7\nnothing"))).toEqual(failed(damaged));
    expect(await read("application/pdf", pdf.subarray(0, 200))).toEqual(failed(damaged));
  });
});

test("images are passed on unchanged, up to 5 MB [OR-326]", async () => {
  const image = (size: number): Uint8Array => {
    const bytes = new Uint8Array(size);
    bytes.set(redPixel);
    return bytes;
  };
  expect(IMAGE_BYTES).toBe(5_000_000);
  expect(await read("image/png", image(IMAGE_BYTES))).toMatchObject({ kind: "image", mediaType: "image/png" });
  expect(await read("image/png", image(IMAGE_BYTES + 1))).toEqual(failed("images are read up to 5 MB"));
});
